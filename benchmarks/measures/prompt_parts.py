"""(p) The preparation of a prompt: hide secrets, count tokens, choose context, and
read what an instruction leaves open.

Runs in the benchmark's own process, on a prompt of the size that keeps a request within
one round trip. A line costs most when it is seen for the first time, so a text is
measured that is new in every line, then with one line changed, as after a keystroke.
The encoding is loaded in a child process, as a server does.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.figures import Budget, Figure, NotRunError, samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.sources import source_lines, text_of
from redline.instructions.sharpen import sharpen
from redline.prompts.context import ContextItem, fit_context
from redline.prompts.redaction import hide
from redline.prompts.tokens import TokenCounter

_N_LINES = 290
"""13 kB."""

_N_ITEMS = 60
_BUDGET_TOKENS = 3_000
_N_DOCUMENT_LINES = 10_000
_SHARP = Budget(most=5.0)
_LOAD = (
    "import time; began = time.perf_counter();"
    "from redline.prompts.encoding import load_counter; load_counter();"
    "print(time.perf_counter() - began)"
)


def _prompts(n_prompts: int) -> Iterator[str]:
    """Yield texts without common lines."""
    lines = source_lines(_N_LINES * n_prompts)
    for start in range(0, len(lines), _N_LINES):
        yield text_of(lines[start : start + _N_LINES])


def _timed(what: Callable[[str], object], text: str) -> float:
    began = time.perf_counter()
    what(text)
    return time.perf_counter() - began


def _twice(
    case: str, what: Callable[[str], object], n_prompts: int
) -> Iterator[Figure]:
    """Time a function on new texts, and on texts with one new line."""
    new: list[float] = []
    again: list[float] = []
    floors: list[float] = []
    for number, text in enumerate(_prompts(n_prompts)):
        floors.append(_timed(str.splitlines, text))
        new.append(_timed(what, text))
        again.append(_timed(what, f"{text}typed = {number}\n"))
    floor = samples(floors, times=1000)
    for name, values in (("all lines new", new), ("one line new", again)):
        ours = samples(values, times=1000)
        yield Figure(case=f"{case}, {name}", unit="ms", ours=ours, floor=floor)


def _choice(counter: TokenCounter, n_times: int) -> Figure:
    """Time the choice among more files and signatures than fit."""
    lines = source_lines(_N_ITEMS * 40)
    items = [
        ContextItem(
            kind="signature" if number % 2 else "open-file",
            source=f"module_{number}.py",
            text=text_of(lines[number * 40 : number * 40 + (1 if number % 2 else 40)]),
            relevance=float(number),
        )
        for number in range(_N_ITEMS)
    ]

    def choose(_: str) -> object:
        return fit_context(items, budget=_BUDGET_TOKENS, count=counter.count)

    times = [_timed(choose, "") for _ in range(n_times)]
    return Figure(
        case=f"{_N_ITEMS} items into {_BUDGET_TOKENS:,} tokens",
        unit="ms",
        ours=samples(times, times=1000),
    )


def _sharpened(n_times: int) -> Figure:
    """Time the reading of vague instructions, each in a document of its own."""
    times = []
    for number in range(n_times):
        first = number * 8 % (_N_DOCUMENT_LINES - 8)
        lines = [line + "\n" for line in source_lines(_N_DOCUMENT_LINES)]
        read = partial(sharpen, lines=lines, first=first, end=first + 8)
        times.append(_timed(read, f"make this better, please ({number})"))
    return Figure(
        case=f"an instruction on 8 of {_N_DOCUMENT_LINES:,} lines sharpened",
        unit="ms",
        ours=samples(times, times=1000),
        budget=_SHARP,
    )


async def _load_s() -> float:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _LOAD, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise NotRunError("The encoding could not be loaded.")
    return float(output)


async def _run(scale: Scale) -> Found:
    n_prompts = scale.n(100, 10)
    loads = [await _load_s() for _ in range(scale.n(5, 1))]
    estimating, counter = TokenCounter(), TokenCounter()
    counter.load()
    return Found(
        figures=(
            *_twice("secrets in 13 kB", hide, n_prompts),
            *_twice("tokens estimated in 13 kB", estimating.count, n_prompts),
            *_twice("tokens counted in 13 kB", counter.count, n_prompts),
            _choice(counter, n_prompts),
            _sharpened(n_prompts),
            Figure(
                case="load the encoding", unit="ms", ours=samples(loads, times=1000)
            ),
        )
    )


MEASURE = Measure(
    letter="p",
    title="the parts of a prompt",
    floor="the same text split into lines",
    run=_run,
)
