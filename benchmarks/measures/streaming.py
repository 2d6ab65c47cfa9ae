"""(j) The streaming diff alone: 2,000 old lines against 2,000 new ones."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence

from benchmarks.figures import Budget, Figure, Samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.sources import rewritten, source_lines, text_of
from redline.text.line_diff import diff_lines
from redline.text.live_proposal import LiveProposal

_N_LINES = 2_000
_RATE = 5_000
_SHARE = Budget(most=10.0)


def _cases() -> Iterator[tuple[str, list[str], list[str]]]:
    lines = source_lines(_N_LINES)
    old = text_of(lines).splitlines(keepends=True)
    yield "every other line rewritten", old, rewritten(lines)
    yield "one line in ten rewritten", old, _some_changed(old)
    yield "a quarter moved to the front", old, [*old[1_500:], *old[:1_500]]
    new = [line.replace("value_", "fresh_") for line in old]
    yield "nothing kept", old, new


def _some_changed(old: Sequence[str]) -> list[str]:
    return [
        line if number % 10 else line.replace("value", "other")
        for number, line in enumerate(old)
    ]


async def _run(scale: Scale) -> Found:
    figures = []
    for case, old, new in _cases():
        n_runs = scale.n(5, 1)
        ours = tuple(_share(old, new) for _ in range(n_runs))
        floor = tuple(_floor_share(old, new) for _ in range(n_runs))
        figures.append(
            Figure(
                case=case,
                unit="%",
                ours=Samples(ours),
                floor=Samples(floor),
                budget=_SHARE,
            )
        )
    return Found(figures=tuple(figures), notes=_NOTES)


def _share(old: Sequence[str], new: Sequence[str]) -> float:
    """The share of a core for a line a delta at 5,000 deltas a second, in percent."""
    began = time.process_time()
    live = LiveProposal(old, new_id=itertools.count().__next__)
    for line in new:
        live.feed([line])
    live.finish()
    return 100 * (time.process_time() - began) / (len(new) / _RATE)


def _floor_share(old: Sequence[str], new: Sequence[str]) -> float:
    began = time.process_time()
    diff_lines(old, new)
    return 100 * (time.process_time() - began) / (len(new) / _RATE)


_NOTES = ("Processor time with a line per delta, at 5,000 deltas a second.",)

MEASURE = Measure(
    letter="j",
    title="The streaming diff alone, share of a core at 5,000 deltas a second",
    floor="the line diff of both whole texts, once, in the same time",
    run=_run,
)
