"""Whether an edit streams as fast while completions are typed; a part of (t)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from benchmarks.editor import Editor, editor
from benchmarks.figures import Budget, Figure, samples
from benchmarks.measure import Scale
from benchmarks.sender import Sender
from benchmarks.sources import (
    ROOT_URI,
    URI,
    first_seen,
    rewritten,
    settings,
    source_lines,
)
from benchmarks.stub_model import Call, StubModel, stub_model
from benchmarks.typed_keys import LINE, TypedKeys, reply_along

_RATE = 1_000
_KEYS_A_SECOND = 10
_RATIO = Budget(most=1.1, of="ratio")
_COMPLETE = "[complete]\nper_minute = 600\n"


class _StreamedFile:
    """A document that an edit rewrites, again and again."""

    def __init__(self, connected: Editor, model: StubModel, lines: list[str]) -> None:
        self._editor = connected
        self._lines = lines
        self._edits: asyncio.Queue[Call] = asyncio.Queue()
        model.on_call = self._take
        connected.open_document(URI, lines)

    async def lags(self) -> list[float]:
        """Return the seconds from each delta to its hunk."""
        read: list[tuple[float, bytes]] = []
        self._editor.listener = lambda method, params, at: read.append((at, params))
        asked = self._editor.edit(URI, 0, len(self._lines), apply="preview")
        async with asyncio.timeout(20):
            call = await self._edits.get()
        sender = Sender(call, rewritten(self._lines), _RATE)
        await sender.done()
        outcome = await asked.result()
        await self._editor.execute("redline.reject", sessionId=outcome["sessionId"])
        seen = first_seen(read)
        return [at - sender.sent[number] for number, at in sorted(seen.items())]

    def _take(self, call: Call) -> None:
        if b"<|cursor|>" in call.body:
            reply_along(call)
        else:
            self._edits.put_nowait(call)


@asynccontextmanager
async def _typing(keys: TypedKeys) -> AsyncIterator[None]:
    async def work() -> None:
        while True:
            await keys.line(LINE, pause_s=1 / _KEYS_A_SECOND)

    task = asyncio.get_running_loop().create_task(work())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def beside_an_edit(scale: Scale) -> Figure:
    """Compare the hunks of an edit while keys are typed with those of an edit alone."""
    lines = source_lines(scale.n(2_000, 300))
    edit = ["rewrite_lines = 100_000", "paints_per_s = 0"]
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(stub_model())
        text = settings(model.url, edit=edit)
        one = await stack.enter_async_context(editor(text + _COMPLETE))
        await model.wait_open(2)
        streamed = _StreamedFile(one, model, lines)
        keys = TypedKeys(one, f"{ROOT_URI}/typed.py", 10_000)
        alone: list[float] = []
        beside: list[float] = []
        for _ in range(scale.n(4, 2)):
            alone += await streamed.lags()
            async with _typing(keys):
                beside += await streamed.lags()
    return Figure(
        case="an edit streams at 1,000/s while keys are typed",
        unit="ms",
        ours=samples(beside, times=1000),
        floor=samples(alone, times=1000),
        budget=_RATIO,
    )
