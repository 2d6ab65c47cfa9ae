"""Fake models that answer from the request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.assist.fake_model import FakeModel

from redline.errors import ModelError
from redline.models.interface import Generation, GenerationRequest, Usage

Answer = str | ModelError | None
"""None: not before the test says so."""


USAGE = Usage(input_n_tokens=1_000, output_n_tokens=1_000)
"""Of every answer."""


@dataclass
class AnsweringModel(FakeModel):
    """Answers at once, unless a test makes it wait."""

    answer: Callable[[str], Answer] = lambda prompt: ""
    """Returns the answer to a prompt."""
    was_called_off: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def prompts(self) -> list[str]:
        """All prompts that it received, by request."""
        return [_text(generation.request) for generation in self.generations]

    @asynccontextmanager
    async def start(self, request: GenerationRequest) -> AsyncIterator[Generation]:
        is_resumed = not request.prompt.chat_messages
        assert is_resumed or request.kind == "review"
        async with super().start(request) as generation:
            answer = self.answer(_text(request))
            fake = self.generations[-1]
            if isinstance(answer, ModelError):
                fake.fail(answer)
            elif answer is not None:
                fake.write(answer)
                fake.finish(usage=USAGE)
            yield generation

    async def cancel(self, response_id: str) -> None:
        await super().cancel(response_id)
        self.was_called_off.set()


def findings(*claims: dict[str, object]) -> str:
    """Write the answer of a reviewer."""
    return json.dumps({"findings": claims})


def claim(quote: str, title: str = "It fails", **fields: object) -> dict[str, object]:
    """Write one finding of it."""
    return {
        "file": "a.py",
        "quote": quote,
        "severity": "high",
        "category": "correctness",
        "title": title,
        "explanation": "It fails for zero.",
        "fix": None,
        **fields,
    }


def verdict(word: str, reason: str = "The line before sees to it.") -> str:
    """Write the answer to a request to refute a finding."""
    return json.dumps({"verdict": word, "reason": reason})


def _text(request: GenerationRequest) -> str:
    prompt = request.prompt
    messages = [message.text for message in prompt.chat_messages]
    return "\n".join([prompt.instructions, *messages])
