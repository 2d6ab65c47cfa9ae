"""A model that writes something else each time, piece by piece on request.

It keeps every line that the user has marked, in order, so that whatever of its answer
is accepted, a mark that is gone was lost by the server.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from random import Random

from msgspec.structs import replace
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.engine import EngineAnswer, EngineRequest, Piece
from redline.gateway.engines.script import Script, ScriptEngine, ScriptReply
from redline.gateway.injected_faults import AnyFault, Close, Cut, OnSteer
from redline.prompts.edit import EditTask, read_edit_task

_LINE = re.compile(r"[^\n]*\n|[^\n]+")

MARK = "<mark "
"""What marks begin with; a line with one is never changed."""

ALOUD = "read it aloud"
"""The instruction that is answered with the range as it is."""

STEERS: tuple[OnSteer, ...] = ("accept", "accept", "accept", "pending", "too_late")

Author = Callable[[EditTask], ScriptReply]


class Writing:
    """An answer that is written; it waits before each piece until it may go on."""

    def __init__(self) -> None:
        self.is_over = False
        self._n_allowed = 0
        self._is_free = False
        self._may_go_on = asyncio.Event()

    def allow(self, n_pieces: int) -> None:
        """Let it write a few more pieces."""
        self._n_allowed += n_pieces
        self._may_go_on.set()

    def set_free(self) -> None:
        """Let it write to its end."""
        self._is_free = True
        self._may_go_on.set()

    async def write(
        self, pieces: AsyncGenerator[Piece, None]
    ) -> AsyncGenerator[Piece, None]:
        """Pass pieces on, one by one."""
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    while not (self._is_free or self._n_allowed):
                        self._may_go_on.clear()
                        await self._may_go_on.wait()
                    self._n_allowed -= not self._is_free
                    yield piece
        finally:
            self.is_over = True


class RandomModel(ScriptedModel):
    """A model's server with an author for each document."""

    def __init__(self, *, token: str) -> None:
        super().__init__(Script(), token=token)
        self.authors: dict[str, Author] = {}
        """What is to be said, by the document's path."""
        self.writings: list[Writing] = []
        """Answers that were begun, in order."""
        self.read: dict[str, str] = {}
        """The range that came with an instruction."""
        self.is_free = False
        """Whether new answers are written to their ends at once."""

    def answer(self, request: EngineRequest) -> EngineAnswer:
        """Begin an answer."""
        task = read_edit_task(request.prompt)
        if task is None:
            reply = _some_reply(str(request.prompt))
        elif task.instruction == ALOUD:
            reply = ScriptReply(text=task.target)
        else:
            reply = self.authors[task.path](task)
        if task is not None:
            self.read[task.instruction] = task.target
        answer = ScriptEngine(Script(otherwise=reply)).answer(request)
        writing = Writing()
        self.writings.append(writing)
        if self.is_free:
            writing.set_free()
        return replace(answer, pieces=writing.write(answer.pieces))

    @property
    def open_writings(self) -> list[Writing]:
        """Those that are not over."""
        return [writing for writing in self.writings if not writing.is_over]

    def set_free(self) -> None:
        """Let everything be written to its end, what comes later as well."""
        self.is_free = True
        for writing in self.writings:
            writing.set_free()

    def forget(self) -> None:
        """Start again, for another test."""
        self.is_free = False
        self.entries.clear()
        self.writings.clear()
        self.authors.clear()
        self.read.clear()


def random_author(rng: Random) -> Author:
    """An author that changes some lines, and sometimes fails."""
    numbers = iter(range(10**6))

    def write(task: EditTask) -> ScriptReply:
        text = rewritten(task.target, rng, lambda: f"new {next(numbers)}\n")
        if rng.random() < 0.05:
            return rng.choice(
                [
                    ScriptReply(refusal="It will not do that"),
                    ScriptReply(text=text, failed="server_error"),
                    ScriptReply(text=text, incomplete="max_output_tokens"),
                    ScriptReply(text="" if MARK not in task.target else task.target),
                    ScriptReply(text=task.target),
                    ScriptReply(text="# ... rest of the code unchanged\n" + text),
                ]
            )
        cuts = _cut(text, rng)
        half = rng.randint(0, len(text))
        how = rng.choice(STEERS)
        if rng.random() < 0.3:
            items = (text[:half], text[half:])
            return ScriptReply(
                items=items,
                chunk_chars=rng.randint(1, 40),
                on_steer=how,
                faults=_faults(rng),
            )
        return ScriptReply(chunks=cuts, on_steer=how, faults=_faults(rng))

    return write


_OTHER_REPLIES = (
    "total)\n    return total\n",
    "x",
    "",
    "{}",
    '{"findings": []}',
    "a\nb\nc\n" * 30,
    "```python\nfoo\n```\n",
    "```\n",
)


def _some_reply(prompt: str) -> ScriptReply:
    """An answer to a completion or an explanation, the same to the same prompt."""
    rng = Random(prompt)
    return ScriptReply(text=rng.choice(_OTHER_REPLIES), chunk_chars=rng.randint(1, 9))


def rewritten(target: str, rng: Random, fresh: Callable[[], str]) -> str:
    """Change some lines of a text and add others, but change none with a mark."""
    lines: list[str] = []
    how_much = rng.choice([0.05, 0.15, 0.4])
    for line in _LINE.findall(target):
        if rng.random() < how_much:
            lines += [fresh() for _ in range(rng.randint(1, 4))]
        if MARK in line or rng.random() >= how_much:
            lines.append(line)
        elif rng.random() < 0.6:
            lines.append(fresh())
    if not lines or rng.random() < how_much:
        lines.append(fresh())
    return "".join(lines)


def _cut(text: str, rng: Random) -> tuple[str, ...]:
    longest = rng.choice([3, 30, 200])
    pieces = []
    at = 0
    while at < len(text):
        end = at + rng.randint(1, longest)
        pieces.append(text[at:end])
        at = end
    return tuple(pieces)


def _faults(rng: Random) -> tuple[AnyFault, ...]:
    if rng.random() >= 0.08:
        return ()
    at = rng.randint(0, 20)
    return (Cut(at=at),) if rng.random() < 0.5 else (Close(at=at, code=1011),)
