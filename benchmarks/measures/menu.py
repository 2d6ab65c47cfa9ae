"""(l) `textDocument/codeAction`: the menu, idle and while an edit streams.

The range, and so the definition around it, differs each time, as with a cursor that
moves through a file.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.editor import Editor, editor, line_range, within
from benchmarks.figures import Budget, Figure, samples
from benchmarks.floor import floor
from benchmarks.measure import Found, Measure, Scale
from benchmarks.sender import Sender
from benchmarks.sources import ROOT_URI, rewritten, settings, source_lines
from benchmarks.stub_model import Call, StubModel, stub_model

_SIZES = (200, 10_000)
_RATE = 1_000
_N_STREAMED = 1_000
_PAUSE_S = 0.01
_N_WARM_UP = 10
_BUDGET = Budget(most=10.0)
_STREAMED = f"{ROOT_URI}/streamed.py"


class _File:
    """An open document with a diagnostic at each cursor position."""

    def __init__(self, connected: Editor, n_lines: int) -> None:
        self.n_lines = n_lines
        self.n_in = self.n_out = 0
        self._editor = connected
        self._uri = f"{ROOT_URI}/of_{n_lines}_lines.py"
        self._lines = itertools.cycle(range(n_lines // 2, n_lines // 2 + 40))
        connected.open_document(self._uri, source_lines(n_lines))

    async def menu(self) -> float:
        """Return the seconds to the answer."""
        line = next(self._lines)
        where = line_range(line, line + 1)
        problem = {"range": where, "message": "Something is wrong", "source": "ruff"}
        asked = self._editor.ask(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": self._uri},
                "range": where,
                "context": {"diagnostics": [problem], "triggerKind": 1},
            },
        )
        response, answered = await asked.wait()
        self.n_in, self.n_out = asked.n_bytes, len(response.result) + 60
        return answered - asked.sent


class _Stream:
    """An endless series of edits of another document."""

    def __init__(self, connected: Editor, model: StubModel) -> None:
        self._editor = connected
        self._model = model
        self._lines = source_lines(_N_STREAMED)
        connected.open_document(_STREAMED, self._lines)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Request and answer edits without a pause."""
        task = asyncio.get_running_loop().create_task(self._write())
        try:
            yield
        finally:
            task.cancel()

    async def _write(self) -> None:
        while True:
            made: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
            self._model.on_call = made.set_result
            asked = self._editor.edit(_STREAMED, 0, _N_STREAMED, apply="preview")
            sender = Sender(await within(made), rewritten(self._lines), _RATE)
            try:
                await sender.done()
            finally:
                sender.cancel()
            await asked.wait()


async def _run(scale: Scale) -> Found:
    async with stub_model() as model, editor(settings(model.url)) as connected:
        await model.wait_open(2)
        files = [_File(connected, n_lines) for n_lines in _SIZES]
        for _ in range(_N_WARM_UP):
            for file in files:
                await file.menu()
        n_in, n_out = files[0].n_in, files[0].n_out
        async with floor("echo", n_in=n_in, n_out=n_out) as bare:
            floors: list[float] = []
            idle: list[list[float]] = [[] for _ in files]
            busy: list[list[float]] = [[] for _ in files]
            for _ in range(scale.n(300, 30)):
                for file, values in zip(files, idle, strict=True):
                    values.append(await file.menu())
                    await asyncio.sleep(_PAUSE_S)
                floors.append(await bare.echo())
                await asyncio.sleep(_PAUSE_S)
            with _Stream(connected, model).running():
                await asyncio.sleep(0.2)
                for _ in range(scale.n(300, 30)):
                    for file, values in zip(files, busy, strict=True):
                        values.append(await file.menu())
                        await asyncio.sleep(_PAUSE_S)
    cases = [(idle, ""), (busy, ", an edit streams")]
    return Found(
        figures=tuple(
            Figure(
                case=f"{file.n_lines:,} lines{how}",
                unit="ms",
                ours=samples(values, times=1000),
                floor=samples(floors, times=1000),
                budget=_BUDGET,
            )
            for times, how in cases
            for file, values in zip(files, times, strict=True)
        ),
        notes=(f"The menu is {n_out:,} bytes.",),
    )


MEASURE = Measure(
    letter="l",
    title="textDocument/codeAction → the menu",
    floor="a process that echoes as many bytes",
    run=_run,
)
