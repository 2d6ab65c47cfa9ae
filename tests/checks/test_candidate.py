"""What a candidate tells its rules."""

from __future__ import annotations

from redline.checks.candidate import CheckedEdit
from redline.syntax.language import Language

CANDIDATE = CheckedEdit(
    before=["a = 1\n", "b = 2\n", "c = 3\n", ""],
    after=["a = 1\n", "  c = 3\n", "b = '''\n", "x'''\n", "c = 3\n", ""],
    region_before=range(1, 2),
    region_after=range(1, 4),
    path="x.py",
)


def test_its_region_before_and_after() -> None:
    """Whole lines with their ends."""
    assert CANDIDATE.old_lines == ["b = 2\n"]
    assert CANDIDATE.new_lines == ["  c = 3\n", "b = '''\n", "x'''\n"]


def test_introduced_lines_are_those_that_are_new_to_the_file() -> None:
    """A line that was moved or shifted is not."""
    assert CANDIDATE.introduced == ((1, "b = '''"), (2, "x'''"))


def test_its_grammar_is_told_by_language_or_path() -> None:
    """And there may be none."""
    assert CANDIDATE.grammar is Language.PYTHON
    other = CheckedEdit(
        before=[], after=[], region_before=range(0), region_after=range(0), path="x.hs"
    )
    assert (other.grammar, other.tree_before, other.tree_after) == (None, None, None)
    assert not other.is_text(0, 0)
    assert not other.continues_text(0)


def test_places_count_from_the_region() -> None:
    """Lines of the file after are turned into its own."""
    assert [CANDIDATE.line_in_region(line) for line in (0, 1, 3, 4)] == [
        None,
        0,
        2,
        None,
    ]
    assert CANDIDATE.is_text(1, 4)
    assert not CANDIDATE.is_text(1, 0)
    assert CANDIDATE.continues_text(2)
    assert not CANDIDATE.continues_text(1)
