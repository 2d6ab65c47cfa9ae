"""(c) From a stop to silence, to the abort at the model, and to the next request."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.editor import Editor, editor, within
from benchmarks.figures import Budget, Figure, samples
from benchmarks.floor import Floor, floor
from benchmarks.measure import Found, Measure, Scale
from benchmarks.processes import apart
from benchmarks.sender import Sender
from benchmarks.sources import URI, rewritten, settings, source_lines
from benchmarks.stub_model import Call, Connection, StubModel, stub_model

_N_LINES = 1_000
_RATE = 1_000
_STOP_AFTER_S = 0.1
_QUIET_S = 0.05
"""Seconds without a byte after which none will follow, at 1,000 deltas a second."""

_N_SOCKETS = 2
_N_IN, _N_OUT = 150, 600
"""About the size of a stop, and of the messages that end a session."""

_SILENCE = Budget(most=1.0)
_ABORT = Budget(most=5.0)
_NO_HANDSHAKE = Budget(most=0.0)

_SendStop = Callable[[Editor, int, str], float]
"""Takes the edit's request id, and the id of its session, which is also its token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stop:
    """One stop."""

    silence_s: float
    abort_s: float
    """Both from the sending of the stop."""
    next_s: float = 0.0
    """From the next request to its `response.create`."""
    has_handshake: bool = False
    """Whether the next request came on a socket that was opened after the stop."""


class _Subject:
    def __init__(self, connected: Editor, model: StubModel) -> None:
        self._editor = connected
        self._model = model
        self._names = itertools.count()
        lines = source_lines(_N_LINES)
        self._old = "".join(line + "\n" for line in lines)
        self._new = rewritten(lines)
        connected.open_document(URI, lines)

    async def stop(self, send_stop: _SendStop) -> _Stop:
        """Stop an edit in mid-stream, and request another at once."""
        await self._model.wait_open(_N_SOCKETS)
        read: list[float] = []
        name = f"session-{next(self._names)}"

        def listen(method: str, params: bytes, at: float) -> None:
            if name.encode() in bytes(params):
                read.append(at)

        self._editor.listener = listen
        call_made = _next_call(self._model)
        asked = self._editor.edit(
            *(URI, 0, _N_LINES), apply="preview", sessionId=name, workDoneToken=name
        )
        call = await within(call_made)
        lost = _next_loss(self._model)
        sender = Sender(call, self._new, _RATE)
        await asyncio.sleep(_STOP_AFTER_S)
        sent = send_stop(self._editor, asked.id, name)
        _, answered = await asked.wait()
        next_s, next_opened = await self._ask_again()
        connection = await within(lost)
        await asyncio.sleep(_QUIET_S)
        sender.cancel()
        return _Stop(
            silence_s=max(answered, *read) - sent,
            abort_s=_closed(connection) - sent,
            next_s=next_s,
            has_handshake=next_opened > sent,
        )

    async def _ask_again(self) -> tuple[float, float]:
        """Request the next edit.

        Returns:
            The seconds to its `response.create`, and when its socket was opened.
        """
        made = _next_call(self._model)
        asked = self._editor.edit(URI, 0, _N_LINES, apply="end")
        call = await within(made)
        call.answer(self._old)
        await asked.wait()
        return call.at - asked.sent, call.connection.opened_at


async def _stop_floor(bare: Floor, model: StubModel) -> _Stop:
    await model.wait_open(_N_SOCKETS + 1)
    lost = _next_loss(model)
    sent = bare.send()
    answered = await bare.answered()
    connection = await within(lost)
    return _Stop(silence_s=answered - sent, abort_s=_closed(connection) - sent)


def _next_call(model: StubModel) -> asyncio.Future[Call]:
    made: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
    model.on_call = made.set_result
    return made


def _next_loss(model: StubModel) -> asyncio.Future[Connection]:
    lost: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
    model.on_lost = lambda one: None if lost.done() else lost.set_result(one)
    return lost


def _closed(connection: Connection) -> float:
    assert connection.closed_at is not None
    return connection.closed_at


def _by_command(connected: Editor, request_id: int, name: str) -> float:
    params = {"command": "redline.stop", "arguments": [{"sessionId": name}]}
    return connected.ask("workspace/executeCommand", params).sent


def _by_cancel(connected: Editor, request_id: int, name: str) -> float:
    return connected.notify("$/cancelRequest", {"id": request_id})


def _by_progress(connected: Editor, request_id: int, name: str) -> float:
    return connected.notify("window/workDoneProgress/cancel", {"token": name})


_WAYS: dict[str, _SendStop] = {
    "redline.stop": _by_command,
    "$/cancelRequest": _by_cancel,
    "progress cancel": _by_progress,
}


async def _run(scale: Scale) -> Found:
    edit = ["rewrite_lines = 100_000", "paints_per_s = 0"]
    stops: dict[str, list[_Stop]] = {way: [] for way in _WAYS}
    floors: list[_Stop] = []
    async with (
        stub_model() as model,
        editor(settings(model.url, edit=edit)) as connected,
    ):
        subject = _Subject(connected, model)
        await model.wait_open(_N_SOCKETS)
        async with floor(
            "drop-socket", port=model.port, n_in=_N_IN, n_out=_N_OUT
        ) as bare:
            with apart(connected.process.pid, bare.pid):
                for _ in range(scale.n(100, 12)):
                    for way, send_stop in _WAYS.items():
                        stops[way].append(await subject.stop(send_stop))
                    floors.append(await _stop_floor(bare, model))
    return Found(figures=tuple(_figures(stops, floors)), notes=_NOTES)


def _figures(
    stops: dict[str, list[_Stop]], floors: Sequence[_Stop]
) -> Iterator[Figure]:
    silent = samples([one.silence_s for one in floors], times=1000)
    aborted = samples([one.abort_s for one in floors], times=1000)
    for way, those in stops.items():
        yield Figure(
            case=f"{way} to silence",
            unit="ms",
            ours=samples([one.silence_s for one in those], times=1000),
            floor=silent,
            budget=_SILENCE,
        )
        yield Figure(
            case=f"{way} to abort seen",
            unit="ms",
            ours=samples([one.abort_s for one in those], times=1000),
            floor=aborted,
            budget=_ABORT,
        )
    every = [one for those in stops.values() for one in those]
    yield Figure(
        case="next request to response.create",
        unit="ms",
        ours=samples([one.next_s for one in every], times=1000),
    )
    yield Figure(
        case=f"handshakes before {len(every)} next requests",
        unit="connections",
        ours=samples([sum(one.has_handshake for one in every)]),
        budget=_NO_HANDSHAKE,
    )


_NOTES = (
    "Silence begins after the last byte about the session, including its answer. The "
    "next request is sent when the stopped one is answered; it rewrites 1,000 lines.",
    "On Linux, this process has a processor of its own.",
)

MEASURE = Measure(
    letter="c",
    title="Stop → silence, abort seen by the model, next request",
    floor="a process that reads as many bytes, drops the socket and writes an answer",
    run=_run,
)
