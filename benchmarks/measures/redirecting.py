"""(h) From a redirect to the new generation's first hunk, against a fresh edit."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.editor import Editor, editor, within
from benchmarks.figures import Budget, Figure, samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.sender import Sender
from benchmarks.sources import URI, rewritten, settings, source_lines
from benchmarks.stub_model import Call, StubModel, stub_model

_N_LINES = 300
_RATE = 1_000
_REDIRECT_AFTER_S = 0.1
_N_SOCKETS = 2

_RATIO = Budget(most=1.1, of="ratio")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begin:
    """How a generation began, in seconds after its request."""

    create_s: float
    """To its `response.create`."""
    painted_s: float
    """To the first bytes of a hunk that it wrote."""


_Expected = tuple[asyncio.Future[Call], asyncio.Future[float]]


class _Subject:
    def __init__(self, connected: Editor, model: StubModel) -> None:
        self._editor = connected
        self._model = model
        self._names = itertools.count()
        lines = source_lines(_N_LINES)
        self._first = rewritten(lines)
        self._second = [line.replace("new_", "now_") for line in self._first]
        connected.open_document(URI, lines)

    async def redirect(self) -> tuple[_Begin, _Begin]:
        """Start an edit and redirect it; returns how each of the two began."""
        await self._model.wait_open(_N_SOCKETS)
        name = f"session-{next(self._names)}"
        edit = {"sessionId": name, "apply": "preview"}
        call, painted = self._expect(b"new_")
        asked = self._editor.edit(URI, 0, _N_LINES, **edit)
        fresh, sender = await _begun(asked.sent, call, painted, self._first)
        await asyncio.sleep(_REDIRECT_AFTER_S)
        call, painted = self._expect(b"now_")
        turned = self._editor.ask(
            "workspace/executeCommand",
            {
                "command": "redline.redirect",
                "arguments": [{"sessionId": name, "instruction": "Another way"}],
            },
        )
        redirected, second = await _begun(turned.sent, call, painted, self._second)
        await turned.result()
        sender.cancel()
        second.cancel()
        await self._editor.execute("redline.stop", sessionId=name)
        await asked.wait()
        return fresh, redirected

    def _expect(self, mark: bytes) -> _Expected:
        """Expect a request, and the first hunk of its answer, which has the mark."""
        loop = asyncio.get_running_loop()
        call: asyncio.Future[Call] = loop.create_future()
        painted: asyncio.Future[float] = loop.create_future()

        def listen(method: str, params: bytes, at: float) -> None:
            if mark in bytes(params) and not painted.done():
                painted.set_result(at)

        self._model.on_call = call.set_result
        self._editor.listener = listen
        return call, painted


async def _begun(
    sent: float,
    call: asyncio.Future[Call],
    painted: asyncio.Future[float],
    texts: Sequence[str],
) -> tuple[_Begin, Sender]:
    made = await within(call)
    sender = Sender(made, texts, _RATE)
    at = await within(painted)
    return _Begin(create_s=made.at - sent, painted_s=at - sent), sender


async def _run(scale: Scale) -> Found:
    pairs: list[tuple[_Begin, _Begin]] = []
    async with (
        stub_model() as model,
        editor(settings(model.url, edit=["paints_per_s = 0"])) as connected,
    ):
        subject = _Subject(connected, model)
        begun = time.monotonic()
        while len(pairs) < scale.n(200, 12):
            pairs.append(await subject.redirect())
        n_per_s = len(pairs) / (time.monotonic() - begun)
    fresh, redirected = zip(*pairs, strict=True)
    return Found(
        figures=(
            Figure(
                case="to the first hunk",
                unit="ms",
                ours=samples([one.painted_s for one in redirected], times=1000),
                floor=samples([one.painted_s for one in fresh], times=1000),
                budget=_RATIO,
            ),
            Figure(
                case="to response.create",
                unit="ms",
                ours=samples([one.create_s for one in redirected], times=1000),
                floor=samples([one.create_s for one in fresh], times=1000),
            ),
        ),
        notes=(*_NOTES, f"{n_per_s:.1f} redirects a second were made."),
    )


_NOTES = (
    "The model takes 50 ms to its first delta in both cases. It cannot be steered: a "
    "redirect stops the lane in mid-stream and begins on another.",
)

MEASURE = Measure(
    letter="h",
    title="Redirect → the new generation's first hunk",
    floor="a fresh edit of the same range in the same run, on a warm socket",
    run=_run,
)
