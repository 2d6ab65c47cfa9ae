"""What holds for any edit of any file."""

from __future__ import annotations

from benchmarks.reply_cases import reply_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.checks.all_checks import check, score
from redline.checks.candidate import CheckedEdit
from redline.syntax.language import Language
from redline.text.lines import split_lines

FILES = [(case.before, case.language) for case in reply_cases()]
_LINES = st.lists(
    st.sampled_from([line for before, _ in FILES[::7] for line in before if line]),
    max_size=12,
)
_TEXT = st.text(alphabet="ab(){}:;'\"#/\\ \n\r\t`<|>=.", max_size=60)


@given(file=st.sampled_from(FILES), data=st.data())
@settings(deadline=None)
def test_an_edit_that_changes_nothing_has_no_problems(
    file: tuple[tuple[str, ...], str], data: st.DataObject
) -> None:
    """Whatever the file is like, and wherever the region is."""
    before, language = file
    start = data.draw(st.integers(0, len(before)))
    region = range(start, data.draw(st.integers(start, len(before))))
    candidate = CheckedEdit(
        before=before,
        after=before,
        region_before=region,
        region_after=region,
        language=language,
    )
    assert check(candidate) == ()


@given(
    lines=st.tuples(_LINES, _LINES, _LINES, _LINES) | st.just(([], [], [], [])),
    text=_TEXT,
    language=st.sampled_from([*Language, "yaml", ""]),
)
@settings(deadline=None)
def test_any_edit_can_be_judged(
    lines: tuple[list[str], list[str], list[str], list[str]], text: str, language: str
) -> None:
    """Nothing raises, and every problem lies in the region."""
    head, old, new, tail = lines
    new = [*new, *split_lines(text)]
    candidate = CheckedEdit(
        before=[*head, *old, *tail],
        after=[*head, *new, *tail],
        region_before=range(len(head), len(head) + len(old)),
        region_after=range(len(head), len(head) + len(new)),
        language=str(language),
    )
    problems = check(candidate)
    assert all(p.line is None or 0 <= p.line < len(new) for p in problems)
    assert all(problem.message for problem in problems)
    assert 0 <= score(problems) <= 1
