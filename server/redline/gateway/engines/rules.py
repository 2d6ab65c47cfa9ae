"""The engine behind the embedded default: fixed rules, and honest about it."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncGenerator, Callable

from redline.gateway.engine import Answer, EngineRequest, Piece, Text
from redline.gateway.engines.daemon_thread import in_daemon_thread
from redline.prompts.edit import DECLINED, EditTask, read_edit_task
from redline.prompts.message import Prompt

NAME = "rules"

NOT_AN_EDIT = (
    "This is Redline's built-in rules engine, not a language model. It carries out"
    " fixed edits (docstrings, type hints, f-strings, rename, sorted imports and the"
    " like) and cannot answer anything else. Configure a model to do more."
)
"""The answer to whatever is no edit."""

TOOK_TOO_LONG = (
    f"{DECLINED} the built-in rules took too long on this range; select a smaller one."
)

_MAX_AT_ONCE = 4
"""Edits worked on side by side; more would only take the processor from each other."""

_CHUNK = re.compile(r"\s*\S{1,4}|\s+")
"""What is sent as one delta: about what a tokenizer would call a token."""


class RulesEngine:
    """Answers edits by rule."""

    def __init__(
        self, answer: Callable[[EditTask], str] | None = None, *, limit_s: float = 20.0
    ) -> None:
        """Begin.

        Args:
            answer: The rules; None: Redline's own, loaded when they are first needed,
                because they take longer to import than the gateway takes to start.
            limit_s: How long one answer may take.
        """
        self._rules = answer or _built_in
        self._limit_s = limit_s
        self._turn = asyncio.Semaphore(_MAX_AT_ONCE)

    @property
    def models(self) -> tuple[str, ...]:
        """The one name it goes by."""
        return (NAME,)

    def answer(self, request: EngineRequest) -> Answer:
        """Begin an answer."""
        return Answer(pieces=self._pieces(request.prompt))

    async def _pieces(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        task = read_edit_task(prompt)
        text = NOT_AN_EDIT if task is None else await self._edit(task)
        for chunk in _CHUNK.findall(text):
            yield Text(chunk)

    async def _edit(self, task: EditTask) -> str:
        async with self._turn:
            try:
                return await in_daemon_thread(
                    lambda: self._rules(task), limit_s=self._limit_s
                )
            except TimeoutError:
                return TOOK_TOO_LONG


def preload() -> None:
    """Load the built-in rules in a thread, so that the first edit need not wait."""
    threading.Thread(target=_built_in, args=(_SMALLEST,), daemon=True).start()


_SMALLEST = EditTask(
    instruction="add docstrings",
    path="a.py",
    language="python",
    before="",
    target="def f(): ...\n",
    after="",
)
"""Needs the parser, and so everything that takes long to load."""


def _built_in(task: EditTask) -> str:
    from redline.gateway.rules.answer import answer

    return answer(task)
