"""What holds for any text and any typing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.next_edits.marked_text import Desk
from tests.runs import n_runs

from redline.next_edits.chain import is_standing
from redline.next_edits.tokens import Family, tokens

PIECES = st.sampled_from(
    ["total", "a", "cost", "(", ")", "[", "]", "{", "}", '"', "'", '"""', "f'", " ",
     "    ", "\n", "\r\n", "\t", ":", "def ", "class ", "if ", "for ", " in ",
     "lambda ",
     "return ", " = ", "+=", ",", ".", "#", "//", "`", "${", "𝄞", "import ", "self.",
     "async ", "__init__", "<b>", "</b>", "let ", "\\", "1"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=40).map("".join)
FAMILIES = st.sampled_from(["python", "braces", "hash", "markup", "other"])
LANGUAGES = st.sampled_from(["python", "javascript", "html", "ruby", "plaintext"])


@settings(max_examples=n_runs(50), deadline=None)
@given(
    text=TEXTS, family=st.sampled_from(["python", "braces", "hash", "markup", "other"])
)
def test_tokens_are_the_text(text: str, family: Family) -> None:
    """No character is lost, whatever the text is."""
    found = tokens(text, family)
    assert "".join(one.text for one in found) == text
    assert [one.start for one in found] == sorted(one.start for one in found)


@settings(max_examples=n_runs(50), deadline=None)
@given(
    text=TEXTS,
    language=LANGUAGES,
    steps=st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 6), PIECES), max_size=6
    ),
)
def test_what_is_offered_fits_the_text(
    text: str, language: str, steps: list[tuple[int, int, str]]
) -> None:
    """An offer replaces what is there, changes it, and is not the user's own change."""
    desk = Desk(text, language)
    for offset, length, piece in steps:
        start = min(offset, len(desk.text))
        desk.replace(start, min(start + length, len(desk.text)), piece)
        desk.now_s += 1
        lines = desk.document.snapshot().lines
        for one in desk.offers():
            assert one.is_jump or one.old != one.text
            assert is_standing(one, lines) or one.rule == "imports"


@settings(max_examples=n_runs(30), deadline=None)
@given(
    name=st.sampled_from(["total", "x", "cost"]),
    new=st.sampled_from(["grand_total", "y", "totals"]),
    n_uses=st.integers(1, 8),
    tail=TEXTS,
)
def test_a_renamed_variable_is_renamed_everywhere(
    name: str, new: str, n_uses: int, tail: str
) -> None:
    """Accepting every offer leaves no use of the old name in the function."""
    body = "".join(f"    use({name}, {n})\n" for n in range(n_uses))
    end = "# " + tail.replace("\n", " ").replace("\r", " ") + "\n"
    desk = Desk(f"def f(a):\n    {name} = a\n{body}{end}")
    desk.type(len("def f(a):\n    "), name, new)
    offers = desk.offers()
    assert [one.range.start.line for one in offers] == list(range(2, 2 + n_uses))
    assert {(one.old, one.text) for one in offers} == {(name, new)}


def test_a_change_in_a_long_file_is_found_in_its_part() -> None:
    """Ten thousand lines: only the function around the change is read."""
    filler = "".join(f"def f{n}(total):\n    return total\n\n" for n in range(3_500))
    desk = Desk(filler + "def g(a):\n    total = a\n    return total\n")
    desk.type(len(filler) + len("def g(a):\n    "), "total", "whole")
    assert [one.range.start.line for one in desk.offers()] == [10_502]
