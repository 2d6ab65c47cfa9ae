"""The official SDKs of Anthropic and Google judge our wire formats.

What our test servers answer must be an answer to them, and what we send must be what
they send for the same request: the same path, key and JSON.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.models.formats import FORMATS
from tests.models.plain_server import Act, Asked, serving
from tests.models.reader import read, request_for
from tests.outside.conftest import KEY
from tests.outside.programs import CLIENTS, program, run_client

from redline.models.build import build_model
from redline.models.interface import GenerationRequest
from redline.prompts.message import JsonSchema
from redline.settings.tree import KeySource, LimitSettings, ModelSettings

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
STREAM = (("Content-Type", "text/event-stream"),)


async def judge(name: str, *words: str, home: Path) -> str:
    """Run an SDK; return the text and the reason that it has read."""
    python = program("sdks", "python")
    said = await run_client(python, CLIENTS / name, *words, home=home)
    *_, result, last = said.splitlines()
    assert last == "done", said
    return result


async def ask_ours(*, background: bool = False, **given: Any) -> str:
    """Ask what the clients ask; return the text."""
    settings = ModelSettings(
        effort="high", key=KeySource(env="KEY"), background=background, **given
    )
    model = build_model("judged", settings, LimitSettings(), environ={"KEY": KEY})
    request = GenerationRequest(
        prompt=request_for("hi", "yes?", "go").prompt,
        text_format=JsonSchema(name="f", schema=SCHEMA),
        background=background,
    )
    async with asyncio.timeout(90), model.start(request) as generation:
        reading = await read(generation)
    await model.aclose()
    assert reading.error is None
    return reading.text


def sent(asked: Asked, *headers: str) -> tuple[str, dict[str, str], Any]:
    """What a request says: method and path, some of its headers, its JSON."""
    method, path, _ = asked.line.split()
    chosen = {name: asked.headers.get(name, "") for name in headers}
    return f"{method} {path}", chosen, json.loads(asked.body)


async def test_anthropic(tmp_path: Path) -> None:
    """Messages, with all that a review asks for."""
    act = Act(pieces=FORMATS["anthropic"].answer, headers=STREAM)
    async with serving(act) as server:
        read_by_sdk = await judge(
            "sdk_anthropic.py", server.base, KEY, home=tmp_path / "home"
        )
        assert read_by_sdk == "Hello end_turn"
        url = f"{server.base}/v1/messages"
        name = "claude-opus-5-5"
        assert await ask_ours(api="anthropic", url=url, name=name) == "Hello"
        headers = ("authorization", "anthropic-version", "content-type")
        theirs, ours = (sent(asked, *headers) for asked in server.asked)
    assert ours == theirs


async def test_gemini(tmp_path: Path) -> None:
    """`streamGenerateContent`, with all that a review asks for."""
    act = Act(pieces=FORMATS["gemini"].answer, headers=STREAM)
    async with serving(act) as server:
        read_by_sdk = await judge(
            *("sdk_gemini.py", server.base, KEY, "generate"), home=tmp_path / "home"
        )
        assert read_by_sdk == "Hello STOP"
        url = f"{server.base}/v1beta"
        name = "gemini-4-argon"
        assert await ask_ours(api="gemini", url=url, name=name) == "Hello"
        theirs, ours = (sent(asked, "x-goog-api-key") for asked in server.asked)
    # The SDK spells these two as in Python; the API reads both spellings.
    thinking = theirs[2]["generationConfig"]["thinkingConfig"]
    assert thinking == {"thinking_level": "HIGH", "include_thoughts": True}
    theirs[2]["generationConfig"]["thinkingConfig"] = {
        "thinkingLevel": "HIGH",
        "includeThoughts": True,
    }
    assert ours == theirs


def interaction_events() -> list[bytes]:
    """Write the events of an interaction, as the reference of the API has them."""
    events: list[dict[str, Any]] = [
        {
            "event_type": "interaction.created",
            "interaction": {"id": "int_1", "status": "in_progress"},
        },
        {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
        *(
            {
                "event_type": "step.delta",
                "index": 0,
                "delta": {"type": "text", "text": text},
            }
            for text in ("Hel", "lo")
        ),
        {"event_type": "step.stop", "index": 0},
        {
            "event_type": "interaction.completed",
            "interaction": {"id": "int_1", "status": "completed"},
        },
    ]
    return [
        f"data: {json.dumps({**event, 'event_id': f'e{number}'})}\n\n".encode()
        for number, event in enumerate(events)
    ]


async def test_gemini_interactions(tmp_path: Path) -> None:
    """In the background, as the deep tier asks."""
    act = Act(pieces=interaction_events(), headers=STREAM)
    async with serving(act) as server:
        read_by_sdk = await judge(
            *("sdk_gemini.py", server.base, KEY, "interact"), home=tmp_path / "home"
        )
        assert read_by_sdk == "Hello completed"
        text = await ask_ours(
            api="gemini",
            url=f"{server.base}/v1beta",
            name="gemini-4-argon",
            background=True,
        )
        assert text == "Hello"
        theirs, ours = (sent(asked, "x-goog-api-key") for asked in server.asked)
    assert ours == theirs
