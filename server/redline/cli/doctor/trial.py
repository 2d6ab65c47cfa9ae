"""One real request to a model, for `redline doctor --try`: it costs a few tokens."""

from __future__ import annotations

import asyncio

from msgspec import Struct

from redline.errors import ModelError
from redline.models.interface import Delta, Finish, GenerationRequest, Model
from redline.prompts.message import ChatMessage, CodeGap, Prompt

MAX_OUTPUT_TOKENS = 512
"""Enough for a model that thinks before its one word."""

_PROMPT = Prompt(
    instructions="Answer in one word.",
    chat_messages=(ChatMessage(role="user", text="Say ready."),),
    gap=CodeGap(prefix="def add(a, b):\n    return ", suffix="\n", path="add.py"),
)


class Trial(Struct, frozen=True, kw_only=True):
    """What came of the request."""

    said: str = ""
    """How it answered, in a few words."""
    error: ModelError | None = None


async def try_model(model: Model) -> Trial:
    """Send one small request and read the answer to its end."""
    request = GenerationRequest(
        prompt=_PROMPT, max_output_tokens=MAX_OUTPUT_TOKENS, kind="edit"
    )
    began = asyncio.get_running_loop().time()
    first_s: float | None = None
    n_chars = 0
    async with model.start(request) as generation:
        async for event in generation:
            match event:
                case Delta():
                    if first_s is None:
                        first_s = asyncio.get_running_loop().time() - began
                    n_chars += len(event.text) if event.kind == "text" else 0
                case Finish():
                    return _trial(event, first_s, n_chars)
    raise AssertionError("a generation ends with a finish")


def _trial(finish: Finish, first_s: float | None, n_chars: int) -> Trial:
    if finish.error is not None:
        return Trial(error=finish.error)
    begun = "nothing" if first_s is None else f"first text after {first_s:.2f} s"
    said = [f"{finish.reason}: {begun}"]
    if first_s is not None and not n_chars:
        said.append("only thinking")
    if finish.usage is not None:
        said.append(f"{finish.usage.output_n_tokens} tokens")
    return Trial(said=", ".join(said))
