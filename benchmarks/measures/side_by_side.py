"""(i) Eight sessions at once, in eight files, at 1,000 deltas a second each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import msgspec

from benchmarks.editor import Asked, Editor, editor, within
from benchmarks.figures import Budget, Figure, Samples, samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.processes import cpu_s
from benchmarks.sender import Sender
from benchmarks.sources import (
    N_TOKENS_A_LINE,
    ROOT_URI,
    in_tokens,
    rewritten,
    settings,
    source_lines,
)
from benchmarks.stub_model import Call, StubModel, stub_model

_N_SESSIONS = 8
_RATE = 1_000
_MARK = re.compile(rb"new_(\d{6})")

_SHARE = Budget(most=100.0)
_BEHIND = Budget(most=50.0)
"""Milliseconds behind: a paint's interval and more. A backlog takes seconds."""


class _Hunks(msgspec.Struct, rename="camel"):
    session_id: str = ""


async def _all_at_once(
    connected: Editor, model: StubModel, texts: Sequence[str], n_lines: int
) -> tuple[float, list[float]]:
    """Run the sessions.

    Returns:
        The share of a core in percent, and how many seconds each session was behind
        when the last of its changed lines was painted.
    """
    seen: dict[str, tuple[int, float]] = {}

    def listen(method: str, params: msgspec.Raw, at: float) -> None:
        if marks := _MARK.findall(params):
            session = msgspec.json.decode(params, type=_Hunks).session_id
            last = max(map(int, marks))
            if last > seen.get(session, (-1, 0.0))[0]:
                seen[session] = (last, at)

    connected.listener = listen
    pid = connected.process.pid
    before = cpu_s(pid)
    running = [
        await _begun(connected, model, number, texts, n_lines)
        for number in range(_N_SESSIONS)
    ]
    for _, sender in running:
        await sender.done()
    outcomes = [await asked.result() for asked, _ in running]
    used = cpu_s(pid) - before
    behind = [
        seen[outcome["sessionId"]][1] - sender.sent[-1]
        for outcome, (_, sender) in zip(outcomes, running, strict=True)
    ]
    for outcome in outcomes:
        await connected.execute("redline.reject", sessionId=outcome["sessionId"])
    return 100 * used / (len(texts) / _RATE), behind


async def _begun(
    connected: Editor, model: StubModel, number: int, texts: Sequence[str], n: int
) -> tuple[Asked, Sender]:
    call: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
    model.on_call = call.set_result
    asked = connected.edit(_uri(number), 0, n, apply="preview")
    return asked, Sender(await within(call), texts, _RATE)


def _uri(number: int) -> str:
    return f"{ROOT_URI}/module_{number}.py"


async def _run(scale: Scale) -> Found:
    n_lines = scale.n(3_000, 500)
    old = source_lines(n_lines)
    lines = rewritten(old)
    tokens = in_tokens(lines[: n_lines // N_TOKENS_A_LINE])
    figures: list[Figure] = []
    edit = ["rewrite_lines = 100_000"]
    async with (
        stub_model() as model,
        editor(settings(model.url, edit=edit)) as connected,
    ):
        for number in range(_N_SESSIONS):
            connected.open_document(_uri(number), old)
        for case, texts in (("a token a delta", tokens), ("a line a delta", lines)):
            shares: list[float] = []
            behind: list[float] = []
            for _ in range(scale.n(3, 1)):
                share, those = await _all_at_once(connected, model, texts, n_lines)
                shares.append(share)
                behind.extend(those)
            figures.append(
                Figure(
                    case=f"share of a core, {case}",
                    unit="%",
                    ours=Samples(tuple(shares)),
                    budget=_SHARE,
                )
            )
            figures.append(
                Figure(
                    case=f"behind at the end, {case}",
                    unit="ms",
                    ours=samples(behind, times=1000),
                    budget=_BEHIND,
                )
            )
    return Found(figures=tuple(figures), notes=_NOTES)


_NOTES = (
    "30 paints a second for each session. Behind is from the last delta sent to the "
    "last changed line painted, including the wait for its paint.",
)

MEASURE = Measure(
    letter="i",
    title="Eight sessions in eight files, 1,000 deltas a second each",
    floor="none: the budget is one core",
    run=_run,
)
