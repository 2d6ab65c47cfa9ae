"""Reads answers with the asyncio client of an official SDK: the others' cost.

    python sdk_client.py SDK BASE_URL N_ANSWERS N_DELTAS

SDK is `openai-chat`, `openai-responses`, `anthropic` or `gemini`. Prints one object as
JSON: the SDK's version, the processor time of its import, and for each answer that of
a delta. It imports nothing of Redline: the environment of the SDK runs it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any  # The SDKs are not installed where types are checked.

Stream = Callable[[], Awaitable[AsyncIterator[Any]]]


def _openai_chat(base: str) -> tuple[str, Stream]:
    import openai

    client = openai.AsyncOpenAI(base_url=f"{base}/v1", api_key="none", max_retries=0)
    return openai.__version__, lambda: client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Go."}], stream=True
    )


def _openai_responses(base: str) -> tuple[str, Stream]:
    import openai

    client = openai.AsyncOpenAI(base_url=f"{base}/v1", api_key="none", max_retries=0)
    return openai.__version__, lambda: client.responses.create(
        model="m", input="Go.", stream=True
    )


def _anthropic(base: str) -> tuple[str, Stream]:
    import anthropic  # type: ignore[import-not-found]  # In its own environment.

    client = anthropic.AsyncAnthropic(base_url=base, api_key="none", max_retries=0)
    return anthropic.__version__, lambda: client.messages.create(
        model="m",
        max_tokens=1_000,
        messages=[{"role": "user", "content": "Go."}],
        stream=True,
    )


def _gemini(base: str) -> tuple[str, Stream]:
    from google import genai  # type: ignore[import-not-found]  # As above.

    client = genai.Client(api_key="none", http_options={"base_url": base})
    return genai.__version__, lambda: client.aio.models.generate_content_stream(
        model="m", contents="Go."
    )


SDKS = {
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}


async def main(sdk: str, base: str, n_answers: int, n_deltas: int) -> None:
    """Read the answers and print the times."""
    began = time.process_time()
    version, stream = SDKS[sdk](base)
    import_s = time.process_time() - began
    # The first answer also connects and builds what the SDK builds once.
    await _read(stream)
    per_delta = []
    for _ in range(n_answers):
        began = time.process_time()
        await _read(stream)
        per_delta.append((time.process_time() - began) / n_deltas)
    found = {"version": version, "import_s": import_s, "per_delta_s": per_delta}
    print(json.dumps(found))


async def _read(stream: Stream) -> None:
    async for _ in await stream():
        pass


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
