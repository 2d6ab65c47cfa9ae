"""`python -m benchmarks.compare OTHER`: the server of another checkout beside this one.

A machine that does other work, or whose clock varies, gives other milliseconds each
minute. So the servers of both checkouts run at once and take turns, sample by sample,
and what counts is the ratio within a pair of samples. Each round starts new servers,
because two processes of the same code differ, too. The editor, the model and the
samples are those of this checkout.

OTHER needs its own `.venv`, as CONTRIBUTING describes. The letters are those of the
measures of `python -m benchmarks`.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.completed_file import CompletedFile
from benchmarks.editor import editor
from benchmarks.measures.delta_path import StreamedEdits
from benchmarks.measures.keystrokes import KeyWithRequest
from benchmarks.measures.request_path import EditedFile
from benchmarks.precise_loop import precise_loop
from benchmarks.processes import cpu_s, resident_mb
from benchmarks.renamed_document import RenamedDocument
from benchmarks.sources import in_tokens, rewritten, settings, source_lines
from benchmarks.stub_model import StubModel, stub_model
from benchmarks.typed_keys import LINE, TypedKeys, reply_along

Sample = dict[str, float]
"""Values by what they are of."""

Sampler = Callable[[], Awaitable[Sample]]

_WIDTH = 100
_PAUSE_S = 0.01
_AFTER_S = 0.1
"""What a line of keys starts may go on behind the last answer."""

_TYPING = "[complete]\nper_minute = 600\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One value of two servers."""

    case: str
    other: float
    """The median, as `this`."""
    this: float
    ratio: float
    """The median of the ratios within a pair."""
    n_less: int
    """In how many pairs this checkout's value is less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    letter: str
    open: Callable[[AsyncExitStack, StubModel, str], Awaitable[Sampler]]
    """Starts the server of an interpreter."""
    n_pairs: int
    """Of a round."""
    n_warm_up: int = 0


async def _edit_requests(stack: AsyncExitStack, model: StubModel, at: str) -> Sampler:
    connected = await stack.enter_async_context(editor(settings(model.url), python=at))
    files = [EditedFile(connected, model, n_lines) for n_lines in (200, 10_000)]

    async def sample() -> Sample:
        found: Sample = {}
        for file in files:
            found[
                f"announced request → response.create, {file.n_lines:,} lines, ms"
            ] = 1000 * await file.request(is_announced=True)
            await asyncio.sleep(_PAUSE_S)
        return found

    return sample


async def _deltas(stack: AsyncExitStack, model: StubModel, at: str) -> Sampler:
    old = source_lines(10_000)
    new = rewritten(old)
    configured = settings(model.url, edit=["rewrite_lines = 100_000"])
    connected = await stack.enter_async_context(editor(configured, python=at))
    edits = StreamedEdits(connected, model, old)
    tokens = in_tokens(new[:300])
    cases = (
        ("a token a delta, 10,000 lines", tokens, 1_000, 10_000),
        ("a token a delta, 150 lines", in_tokens(new[:150]), 1_000, 150),
        ("a line a delta at 5,000/s, 10,000 lines", new, 5_000, 10_000),
    )

    async def sample() -> Sample:
        found: Sample = {}
        for case, texts, rate, n_lines in cases:
            stream = await edits.stream(texts, rate, n_lines)
            used = 1e6 * stream.cpu_s / len(texts)
            found[f"processor time of a delta, {case}, µs"] = used
        return found

    return sample


async def _keystrokes(stack: AsyncExitStack, model: StubModel, at: str) -> Sampler:
    connected = await stack.enter_async_context(editor(settings(model.url), python=at))
    keys = KeyWithRequest(connected, 100)

    async def sample() -> Sample:
        before = cpu_s(connected.process.pid)
        took_s = await keys.once()
        await asyncio.sleep(_PAUSE_S)
        used = cpu_s(connected.process.pid) - before
        return {
            "a keystroke and a cheap request, 100 lines, ms": 1000 * took_s,
            "the same, processor time, ms": 1000 * used,
        }

    return sample


async def _memory(stack: AsyncExitStack, model: StubModel, at: str) -> Sampler:
    async def sample() -> Sample:
        async with editor(None, python=at) as connected:
            await RenamedDocument(connected, n_lines=16).rename()
            used = resident_mb(connected.process.pid)
        return {"memory of the server after the first edit, MB": used}

    return sample


async def _completed_keys(stack: AsyncExitStack, model: StubModel, at: str) -> Sampler:
    configured = settings(model.url) + _TYPING
    connected = await stack.enter_async_context(editor(configured, python=at))
    file = CompletedFile(connected, model, 200)
    typed = TypedKeys(connected, f"{file.uri}_typed.py", 10_000)

    async def sample() -> Sample:
        # The other server may have taken longer than a server expects requests.
        await file.announce()
        start = cpu_s(connected.process.pid)
        times = await file.once()
        model.on_call = reply_along
        before = cpu_s(connected.process.pid)
        await typed.line(LINE)
        await asyncio.sleep(_AFTER_S)
        used = cpu_s(connected.process.pid) - before
        return {
            "key → request, ms": 1000 * times.request_s,
            "next key of the line → request, ms": 1000 * times.again_s,
            "delta → item, ms": 1000 * times.item_s,
            "cached answer, ms": 1000 * times.cached_s,
            "key along → answer, ms": 1000 * times.along_s,
            "processor time of all these, ms": 1000 * (before - start),
            "processor time a key, 10,000 lines, ms": 1000 * used / (len(LINE) + 1),
        }

    return sample


_COMPARISONS = (
    _Comparison(letter="a", open=_edit_requests, n_pairs=40, n_warm_up=10),
    _Comparison(letter="b", open=_deltas, n_pairs=2),
    _Comparison(letter="d", open=_keystrokes, n_pairs=80, n_warm_up=20),
    _Comparison(letter="f", open=_memory, n_pairs=1),
    _Comparison(letter="t", open=_completed_keys, n_pairs=40, n_warm_up=10),
)


def main() -> None:
    """Compare what the arguments name, and print a table."""
    arguments = _arguments()
    interpreters = (str(arguments.other / ".venv/bin/python"), sys.executable)
    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    with asyncio.Runner(loop_factory=precise_loop) as runner:
        for comparison in _COMPARISONS:
            if comparison.letter in arguments.only:
                pairs: list[tuple[Sample, Sample]] = []
                for _ in range(arguments.rounds):
                    pairs += runner.run(_round(comparison, interpreters))
                console.print(_table(comparison.letter, pairs))


async def _round(
    comparison: _Comparison, interpreters: tuple[str, str]
) -> list[tuple[Sample, Sample]]:
    """Start both servers, and take their samples in turn, each first in every other
    pair."""
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(stub_model())
        other, this = [
            await comparison.open(stack, model, interpreter)
            for interpreter in interpreters
        ]
        pairs: list[tuple[Sample, Sample]] = []
        for number in range(comparison.n_warm_up + comparison.n_pairs):
            if number % 2:
                after = await this()
                before = await other()
            else:
                before = await other()
                after = await this()
            pairs.append((before, after))
        return pairs[comparison.n_warm_up :]


def compared(pairs: Sequence[tuple[Sample, Sample]]) -> list[Compared]:
    """Compare the samples of two servers, pair by pair."""
    rows: list[Compared] = []
    for case in pairs[0][0]:
        before = [pair[0][case] for pair in pairs]
        after = [pair[1][case] for pair in pairs]
        ratios = [new / old for old, new in zip(before, after, strict=True)]
        rows.append(
            Compared(
                case=case,
                other=statistics.median(before),
                this=statistics.median(after),
                ratio=statistics.median(ratios),
                n_less=sum(ratio < 1 for ratio in ratios),
            )
        )
    return rows


def _table(letter: str, pairs: Sequence[tuple[Sample, Sample]]) -> Table:
    table = Table(title=f"\n({letter})", title_justify="left", box=None)
    table.add_column("", no_wrap=True)
    for name in ("other", "this", "ratio", "less in"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in compared(pairs):
        table.add_row(
            row.case,
            f"{row.other:.3g}",
            f"{row.this:.3g}",
            f"{row.ratio:.2f}",
            f"{row.n_less} of {len(pairs)}",
        )
    return table


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare", description=__doc__
    )
    letters = [one.letter for one in _COMPARISONS]
    parser.add_argument("other", type=Path, help="a checkout with its `.venv`")
    parser.add_argument(
        "--only",
        type=lambda text: text.split(","),
        default=letters,
        metavar="a,t",
        help=f"some of {', '.join(letters)}",
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="how often new servers are started"
    )
    arguments = parser.parse_args()
    if not (arguments.other / ".venv/bin/python").exists():
        parser.error(f"{arguments.other} has no .venv/bin/python")
    return arguments


if __name__ == "__main__":
    main()
