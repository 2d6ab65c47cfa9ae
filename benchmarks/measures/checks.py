"""(k) The time of all checks of a candidate, on a file of about 1,000 lines.

Runs in the benchmark's own process. Python is measured on edits of `human_edits`, in
files of the standard library of about that length, a different file each time, with an
environment for imports. The other languages are measured on right replies of
`tests/data/replies/`, whose files are concatenated until they are that long. Every text
is new, so that no check profits from a cache of the one before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from pathlib import Path

from benchmarks.figures import Budget, Figure, samples
from benchmarks.human_edits import HumanEdit, read_edits
from benchmarks.measure import Found, Measure, Scale
from benchmarks.reply_cases import ReplyCase, judge, reply_cases
from redline.checks.all_checks import check
from redline.checks.candidate import CheckedEdit
from redline.checks.python.environment import PythonEnvironment
from redline.syntax.language import Language, language_of
from redline.syntax.tree import parse

_N_LINES = 1000
_PYTHON_LINES = range(900, 1300)
"""Lengths of files that count as that long."""

_BUDGET_MS = Budget(most=50.0)
_WORST_BUDGET_MS = Budget(most=150.0, of="p99")


async def _run(scale: Scale) -> Found:
    figures = [_figure("Python", list(_python(scale.n(6, 1))))]
    for language in Language:
        candidates = list(_repeated(language, scale.n(50, 3)))
        if language is not Language.PYTHON and candidates:
            figures.append(_figure(language.value, candidates))
    worst = Figure(
        case="Python, the slowest",
        unit="ms",
        ours=figures[0].ours,
        budget=_WORST_BUDGET_MS,
    )
    return Found(figures=(*figures, worst))


def _figure(case: str, candidates: Iterable[CheckedEdit]) -> Figure:
    environment = PythonEnvironment([Path.cwd()], configured=Path(sys.prefix))
    ours, floors = [], []
    for candidate in candidates:
        began = time.perf_counter()
        check(candidate, environment=environment)
        ours.append(time.perf_counter() - began)
        floors.append(_parsing_s(candidate))
    return Figure(
        case=case,
        unit="ms",
        ours=samples(ours, times=1000),
        floor=samples(floors, times=1000),
        budget=_BUDGET_MS,
    )


def _parsing_s(candidate: CheckedEdit) -> float:
    assert candidate.grammar is not None
    began = time.perf_counter()
    for text in (candidate.text_before, candidate.text_after):
        parse(text, candidate.grammar)
    return time.perf_counter() - began


def _python(n_rounds: int) -> Iterator[CheckedEdit]:
    by_file: dict[str, list[HumanEdit]] = {}
    for edit in read_edits():
        if len(edit.after) in _PYTHON_LINES:
            by_file.setdefault(edit.path, []).append(edit)
    in_turn = list(filter(None, chain(*zip_longest(*by_file.values()))))
    for edit in in_turn * n_rounds:
        yield edit.candidate


def _repeated(language: Language, n_candidates: int) -> Iterator[CheckedEdit]:
    cases = [case for case in reply_cases() if not case.rules]
    fitting = (case for case in cases if _is_in(case, language))
    case = next(fitting, None)
    if case is None:
        return
    lines = judge(case).reply.lines or ()
    n_copies = _N_LINES // len(case.before)
    copies = case.before[:-1] * (n_copies // 2)
    start = len(copies) + case.region.start
    for number in range(n_candidates):
        # A last line of its own makes each text a new one.
        rest = (*case.before[case.region.stop : -1], *copies, "\n" * number)
        head = (*copies, *case.before[: case.region.start])
        old = case.before[case.region.start : case.region.stop]
        yield CheckedEdit(
            before=(*head, *old, *rest),
            after=(*head, *lines, *rest),
            region_before=range(start, start + len(old)),
            region_after=range(start, start + len(lines)),
            language=case.language,
            path=case.path,
        )


def _is_in(case: ReplyCase, language: Language) -> bool:
    return language_of(case.path, case.language) is language


MEASURE = Measure(
    letter="k",
    title="all checks of a candidate, 1,000 lines",
    floor="both texts parsed by tree-sitter",
    run=_run,
)
