"""(a) From a request on standard input to `response.create` on the socket.

An editor announces an edit before it requests it: it asks for the code actions of the
selection, or opens its instruction box. Each request is measured with the announcement
and without it; without it, the whole prompt is written after the request.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.editor import Editor, editor, within
from benchmarks.figures import Budget, Figure, samples
from benchmarks.floor import floor
from benchmarks.measure import Found, Measure, Scale
from benchmarks.sources import ROOT_URI, settings, source_lines, text_of
from benchmarks.stub_model import Call, StubModel, stub_model

_SIZES = (200, 10_000)
_N_EDITED = 10
_N_PLACES = 3
"""Places of the edits in the file, in turn, so that no request repeats the last one."""

_PAUSE_S = 0.01
"""Pause between two requests, so that the processes sleep, as between keystrokes."""

_N_WARM_UP = 10
_BUDGET = Budget(most=1.0, of="p50 over floor")


async def _run(scale: Scale) -> Found:
    """Request edits of ten lines in the middle of a small and of a large file."""
    async with stub_model() as model, editor(settings(model.url)) as subject:
        await model.wait_open(2)
        files = [EditedFile(subject, model, n_lines) for n_lines in _SIZES]
        cases = [
            _Case(file, is_announced)
            for is_announced in (True, False)
            for file in files
        ]
        for _ in range(_N_WARM_UP):
            for case in cases:
                await case.request()
        n_in, n_out = files[0].n_in, files[0].n_out
        async with floor("to-socket", port=model.port, n_in=n_in, n_out=n_out) as bare:
            floors = []
            times: list[list[float]] = [[] for _ in cases]
            for _ in range(scale.n(400, 40)):
                for case, values in zip(cases, times, strict=True):
                    values.append(await case.request())
                    await asyncio.sleep(_PAUSE_S)
                floors.append(await bare.to_socket(model))
                await asyncio.sleep(_PAUSE_S)
    return Found(
        figures=tuple(
            Figure(
                case=case.name,
                unit="ms",
                ours=samples(values, times=1000),
                floor=samples(floors, times=1000),
                budget=_BUDGET if case.is_announced else None,
            )
            for case, values in zip(cases, times, strict=True)
        ),
        notes=_notes(files),
    )


class EditedFile:
    """An open document whose edits change nothing."""

    def __init__(self, editor: Editor, model: StubModel, n_lines: int) -> None:
        self.n_lines = n_lines
        self.n_in = self.n_out = 0
        self._editor = editor
        self._model = model
        self._uri = f"{ROOT_URI}/of_{n_lines}_lines.py"
        self._lines = source_lines(n_lines)
        self._places = itertools.cycle(
            range(n_lines // 2, n_lines // 2 + _N_PLACES * _N_EDITED, _N_EDITED)
        )
        editor.open_document(self._uri, self._lines)

    async def request(self, *, is_announced: bool) -> float:
        """Return the seconds from the request to its `response.create`."""
        seen: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
        self._model.on_call = seen.set_result
        first = next(self._places)
        end = first + _N_EDITED
        if is_announced:
            self._editor.prepare(self._uri, first, end)
            await asyncio.sleep(_PAUSE_S)
        asked = self._editor.edit(self._uri, first, end)
        call = await within(seen)
        self.n_in, self.n_out = asked.n_bytes, len(call.body)
        call.answer(text_of(self._lines[first:end]))
        await asked.wait()
        return call.at - asked.sent


@dataclass(frozen=True, slots=True)
class _Case:
    file: EditedFile
    is_announced: bool
    """Whether the edit is announced before it is requested."""

    @property
    def name(self) -> str:
        note = "" if self.is_announced else ", not announced"
        return f"{self.file.n_lines:,} lines{note}"

    async def request(self) -> float:
        return await self.file.request(is_announced=self.is_announced)


def _notes(files: Sequence[EditedFile]) -> tuple[str, ...]:
    sizes = ", ".join(
        f"{file.n_out:,} bytes at {file.n_lines:,} lines" for file in files
    )
    return (f"The requests to the model: {sizes}.",)


MEASURE = Measure(
    letter="a",
    title="Request on stdio → response.create on the socket",
    floor="a process that reads as many bytes, sends as many, and decodes nothing",
    run=_run,
)
