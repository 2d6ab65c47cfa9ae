"""(b) From a delta on the socket to bytes on standard output; share of a core."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.editor import Editor, editor, within
from benchmarks.figures import Budget, Figure, Samples, samples
from benchmarks.floor import Floor, floor
from benchmarks.measure import Found, Measure, Scale
from benchmarks.processes import cpu_s
from benchmarks.sender import Sender
from benchmarks.sources import (
    N_TOKENS_A_LINE,
    URI,
    first_seen,
    in_tokens,
    rewritten,
    settings,
    source_lines,
)
from benchmarks.stub_model import Call, StubModel, stub_model

_RATE, _HIGH_RATE = 1_000, 5_000
_SETTLE_S = 0.05
"""Wait after the last delta, for a floor that does not report its end."""

_LATENCY = Budget(most=0.3, of="p50 over floor")
_SHARE = Budget(most=8.0)
_BACKLOG = Budget(most=5.0)
"""Milliseconds behind at the end of 5,000 deltas a second; a backlog takes seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One answer, as it was sent and seen."""

    rate: int
    sent: tuple[float, ...]
    """When each delta was sent."""
    seen: dict[int, float]
    """When the first bytes about a delta were read, by its number."""
    cpu_s: float
    """Processor time of the measured process, in seconds."""

    @property
    def lags(self) -> list[float]:
        """Seconds from the socket to standard output, in order."""
        return [at - self.sent[number] for number, at in sorted(self.seen.items())]

    @property
    def share(self) -> float:
        """The share of one core, in percent."""
        return 100 * self.cpu_s / (len(self.sent) / self.rate)


class StreamedEdits:
    """A server, and the document that its edits rewrite."""

    def __init__(self, connected: Editor, model: StubModel, old: list[str]) -> None:
        self._editor = connected
        self._model = model
        connected.open_document(URI, old)

    async def stream(self, texts: Sequence[str], rate: int, n_lines: int) -> Stream:
        """Request an edit of the first lines, and answer it by these deltas."""
        call: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
        self._model.on_call = call.set_result
        read: list[tuple[float, bytes]] = []
        self._editor.listener = lambda method, params, at: read.append((at, params))
        asked = self._editor.edit(URI, 0, n_lines, apply="preview")
        sender = Sender(await within(call), texts, rate)
        pid = self._editor.process.pid
        before = cpu_s(pid)
        await sender.done()
        outcome = await asked.result()
        used = cpu_s(pid) - before
        await self._editor.execute("redline.reject", sessionId=outcome["sessionId"])
        sent = tuple(sender.sent)
        return Stream(rate=rate, sent=sent, seen=first_seen(read), cpu_s=used)


async def _through_floor(
    bare: Floor, model: StubModel, texts: Sequence[str], rate: int
) -> Stream:
    read: list[tuple[float, bytes]] = []
    bare.listener = lambda data, at: read.append((at, data))
    call = Call(model.connections[-1], b"{}", 0.0)
    before = cpu_s(bare.pid)
    sender = Sender(call, texts, rate)
    await sender.done()
    await asyncio.sleep(_SETTLE_S)
    used = cpu_s(bare.pid) - before
    sent = tuple(sender.sent)
    return Stream(rate=rate, sent=sent, seen=first_seen(read), cpu_s=used)


async def _run(scale: Scale) -> Found:
    n_lines, n_high = scale.n(3_000, 500), scale.n(10_000, 1_500)
    old = source_lines(n_high)
    new = rewritten(old)
    tokens = in_tokens(new[: n_lines // N_TOKENS_A_LINE])
    rows: dict[str, list[Stream]] = {}

    def keep(case: str, stream: Stream) -> None:
        rows.setdefault(case, []).append(stream)

    edit = "rewrite_lines = 100_000"
    async with (
        stub_model() as model,
        editor(settings(model.url, edit=[edit, "paints_per_s = 0"])) as each_turn,
        editor(settings(model.url, edit=[edit])) as usual,
    ):
        eager = StreamedEdits(each_turn, model, old)
        paced = StreamedEdits(usual, model, old)
        await model.wait_open(4)
        async with floor("from-socket", port=model.port) as bare:
            await model.wait_open(5)
            for _ in range(scale.n(3, 1)):
                head = new[:n_lines]
                keep("floor", await _through_floor(bare, model, head, _RATE))
                keep("eager", await eager.stream(head, _RATE, n_lines))
                keep("paced", await paced.stream(head, _RATE, n_lines))
                keep("tokens", await paced.stream(tokens, _RATE, len(old)))
                keep("floor high", await _through_floor(bare, model, new, _HIGH_RATE))
                keep("eager high", await eager.stream(new, _HIGH_RATE, n_high))
                keep("paced high", await paced.stream(new, _HIGH_RATE, n_high))
    return Found(figures=(*_lags(rows), *_shares(rows)), notes=_NOTES)


def _lags(rows: dict[str, list[Stream]]) -> list[Figure]:
    high = rows["eager high"]
    return [
        Figure(
            case="delta to bytes at 1,000/s",
            unit="ms",
            ours=_all_lags(rows["eager"]),
            floor=_all_lags(rows["floor"]),
            budget=_LATENCY,
        ),
        Figure(
            case="delta to bytes at 5,000/s",
            unit="ms",
            ours=_all_lags(high),
            floor=_all_lags(rows["floor high"]),
        ),
        Figure(
            case="behind in the last fifth of it",
            unit="ms",
            ours=samples([lag for one in high for lag in _last_fifth(one)], times=1000),
            budget=_BACKLOG,
        ),
    ]


def _shares(rows: dict[str, list[Stream]]) -> list[Figure]:
    cases = (
        ("share at 1,000/s, a token a delta", "tokens", "floor", _SHARE),
        ("share at 1,000/s, a line a delta", "paced", "floor", None),
        ("the same, a paint a turn", "eager", "floor", None),
        ("share at 5,000/s, a line a delta", "paced high", "floor high", None),
        ("the same, a paint a turn", "eager high", "floor high", None),
    )
    return [
        Figure(
            case=case,
            unit="%",
            ours=Samples(tuple(one.share for one in rows[ours])),
            floor=Samples(tuple(one.share for one in rows[bare])),
            budget=budget,
        )
        for case, ours, bare, budget in cases
    ]


def _all_lags(streams: Sequence[Stream]) -> Samples:
    return samples([lag for one in streams for lag in one.lags], times=1000)


def _last_fifth(stream: Stream) -> list[float]:
    return stream.lags[-len(stream.lags) // 5 :]


_NOTES = (
    "A line per delta is ten times the text of 1,000 tokens a second; every other line "
    "differs from the old text, so that each delta paints something. 30 paints a "
    "second, unless stated otherwise. Shares of one core are of the whole process.",
)

MEASURE = Measure(
    letter="b",
    title="Delta on the socket → bytes on stdio",
    floor="a process that passes on what it reads, and decodes nothing",
    run=_run,
)
