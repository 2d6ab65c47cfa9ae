"""When to request completions: ours, which is Redline's own code, and simpler ways."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from tests.assist.in_process import InThisProcess

from benchmarks.oracle import TOKEN_S, OracleModel
from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.completions import Completions
from redline.assist.suggestions.complete.document_state import Items, OpenRequest
from redline.completion.flight import Flight
from redline.completion.flights import Flights
from redline.completion.gate import is_one_line, refusal
from redline.completion.place import N_AROUND, Around, Place
from redline.settings.completion import CompletionSettings
from redline.text.document import ContentChange
from redline.text.position import Position, Range

_URI = "file:///replay/module.py"


@dataclass(frozen=True, slots=True)
class Shown:
    """A text at the cursor, and how much of the line's rest it replaces."""

    text: str
    n_left: int = 0
    n_right: int = 0


Display = Callable[[Shown | None], None]
"""Takes what is to be shown; None: nothing."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change at the cursor: characters around it go, a text comes."""

    text: str
    n_left: int = 0
    n_right: int = 0
    n_behind: int = 0
    """Characters of the text that stay behind the cursor."""


class Policy(Protocol):
    """Decides when the model is asked, and what is shown."""

    def change(self, edit: Edit, before: str, after: str) -> None:
        """Handle a change; the texts are those around the cursor behind it."""

    def why_nothing(self) -> str:
        """Say why nothing is shown."""

    async def aclose(self) -> None:
        """End what is running."""


class RedlinePolicy:
    """Redline's completions; the editor requests one after each key."""

    def __init__(self, model: OracleModel, display: Display) -> None:
        settings = CompletionSettings(per_minute=600)
        self._model = model
        self._display = display
        self._workspace = Workspace()
        self._completions = Completions(
            self._workspace,
            model,
            lambda: settings,
            cache_key="replay",
            parser=InThisProcess(),
        )
        self._workspace.open(_URI, "python", 1, "")
        self._version = 1
        self._at = Position(0, 0)
        self._place = place_at("", "")

    def change(self, edit: Edit, before: str, after: str) -> None:
        """Send the change, then the request."""
        if edit.text or edit.n_left or edit.n_right:
            start = self._moved(-edit.n_left)
            where = Range(start, self._moved(edit.n_right))
            self._version += 1
            changes = [ContentChange(range=where, text=edit.text)]
            self._workspace.change(_URI, self._version, changes)
        line = before.count("\n")
        self._place = place_at(before, after)
        self._at = Position(line, len(before.rpartition("\n")[2]))
        at = self._at
        lines = self._workspace.document(_URI).lines_between(line, line + 1)
        typed = before.rpartition("\n")[2] + after
        assert lines[0].rstrip("\n") == typed, "the document is not what was typed"
        answer = self._completions.request(_URI, at, is_invoked=False, selection=None)
        if isinstance(answer, OpenRequest):
            answer.then(lambda items: self._show(items, at))
        else:
            self._show(answer, at)

    def why_nothing(self) -> str:
        """Say why nothing is shown: a gate, the model's time, or nothing is left."""
        return _why_nothing(self._place, self._model)

    async def aclose(self) -> None:
        """End the replies."""
        await self._completions.aclose()

    def _moved(self, n_chars: int) -> Position:
        return Position(self._at.line, self._at.character + n_chars)

    def _show(self, items: Items | None, at: Position) -> None:
        if items is None or at != self._at:
            return
        shown = [
            Shown(
                item.text,
                at.character - item.start.character,
                item.end.character - at.character,
            )
            for item in items
        ]
        self._display(shown[0] if shown else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SendTiming:
    """When a simple policy sends."""

    wait_s: float = 0.0
    """After a key."""
    apart_s: float = 0.0
    """Between two requests."""
    cancels: bool = True
    """Whether a key ends what is running."""


class SimplePolicy:
    """A policy of other tools, with Redline's filters, gates and cache of replies."""

    def __init__(
        self, model: OracleModel, display: Display, timing: SendTiming
    ) -> None:
        self._model = model
        self._display = display
        self._timing = timing
        self._flights = Flights()
        self._tasks: set[asyncio.Task[None]] = set()
        self._sent_s = -timing.apart_s
        self._n_sent = 0
        self._line = 0
        self._place = place_at("", "")

    def change(self, edit: Edit, before: str, after: str) -> None:
        """Show what fits; otherwise send a request after the policy's time."""
        self._line = before.count("\n")
        self._place = place_at(before, after)
        if self._show():
            return
        if self._timing.cancels:
            for task in self._tasks:
                task.cancel()
        if refusal(self._place, comments="line") is None:
            task = asyncio.get_running_loop().create_task(self._send())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def why_nothing(self) -> str:
        """Say why nothing is shown."""
        return _why_nothing(self._place, self._model)

    async def aclose(self) -> None:
        """End what is running."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _show(self) -> bool:
        look = self._flights.look(
            self._line,
            self._place,
            is_one_line=partial(is_one_line, self._place, comments="line"),
        )
        self._flights.note_shown(look, self._line)
        first = look.insertions[0] if look.insertions else None
        self._display(
            None if first is None else Shown(first.text, first.n_left, first.n_right)
        )
        return first is not None

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._timing.wait_s)
        if loop.time() < self._sent_s + self._timing.apart_s:
            return
        self._sent_s = loop.time()
        self._n_sent += 1
        flight = Flight(self._n_sent, self._line, self._place, started_s=loop.time())
        self._flights.add(flight)
        try:
            tokens, wait_s = self._model.reply()
            await asyncio.sleep(wait_s)
            for token in tokens:
                if flight.feed(token):
                    if flight.has_enough:
                        flight.end()
                    self._show()
                await asyncio.sleep(TOKEN_S)
            flight.end()
            self._show()
        except asyncio.CancelledError:
            self._flights.remove(flight)
            raise


def place_at(before: str, after: str) -> Place:
    """Return a cursor between two texts."""
    *above, left = before.split("\n")
    right, *below = after.split("\n")
    around = Around(
        language="python",
        above=tuple(above[-N_AROUND:]),
        below=tuple(below[:N_AROUND]),
    )
    return Place(left=left, right=right, around=around)


def _why_nothing(place: Place, model: OracleModel) -> str:
    if (gate := refusal(place, comments="line")) is not None:
        return f"gate: {gate}"
    return "the model thinks" if model.n_running else "nothing is left"
