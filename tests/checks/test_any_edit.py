"""What holds for any edit of any file."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from benchmarks.reply_cases import reply_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.checks.all_checks import check, score
from redline.checks.candidate import CheckedEdit
from redline.syntax.language import Language
from redline.text.lines import line_end, split_lines, strip_end

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
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
@settings(deadline=None)
def test_any_edit_can_be_judged(
    lines: tuple[list[str], list[str], list[str], list[str]],
    text: str,
    language: str,
    end: str,
) -> None:
    """Nothing raises, and every problem lies in the region."""
    head, old, new, tail = (_with_end(part, end) for part in lines)
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


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_change_no_verdict(end: str) -> None:
    """A file is judged as one with line feeds, whatever the ends of its lines are."""
    for case in reply_cases():
        verdicts = []
        for one_end in ("\n", end):
            before = _with_end(case.before, one_end)
            new = _with_end(split_lines(case.reply + "\n")[:-1], one_end)
            head, tail = before[: case.region.start], before[case.region.stop :]
            candidate = CheckedEdit(
                before=before,
                after=[*head, *new, *tail],
                region_before=case.region,
                region_after=range(len(head), len(head) + len(new)),
                language=case.language,
                path=case.path,
                instruction=case.instruction,
            )
            verdicts.append(check(candidate))
        assert verdicts[0] == verdicts[1], case.name


def _with_end(lines: Sequence[str], end: str) -> list[str]:
    return [strip_end(line) + end * bool(line_end(line)) for line in lines]
