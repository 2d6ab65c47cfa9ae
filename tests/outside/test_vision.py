"""An image with an instruction, for a model that does not read images."""

from __future__ import annotations

import json
from base64 import b64encode
from io import BytesIO

import pytest
from PIL import Image
from tests.e2e.editor_document import lines
from tests.outside.commands import Desk
from tests.outside.conftest import Aimock, Serve, fetched
from tests.outside.provider_session import ANNOTATED, SCALE

PATHS = {
    "anthropic": "/v1/messages",
    "gemini": "/v1beta",
    "chat-completions": "/v1/chat/completions",
    "ollama": "",
}
DESCRIPTION = "A red square with the label int."


def data_uri() -> str:
    """Draw a picture."""
    file = BytesIO()
    Image.new("RGB", (8, 8), (200, 30, 30)).save(file, "PNG")
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"


@pytest.mark.parametrize("api", PATHS)
async def test_the_vision_tier_describes_an_image(
    desk: Desk, serve: Serve, aimock: Aimock, api: str
) -> None:
    """From the request of the editor to the edit in the file."""
    url = await aimock(
        [
            {"match": {"userMessage": DESCRIPTION}, "response": {"content": ANNOTATED}},
            {"match": {"userMessage": "as here"}, "response": {"content": DESCRIPTION}},
        ]
    )
    address = url.replace("ws", "http", 1).removesuffix("/v1/responses")
    chat = f"{address}/v1/chat/completions"
    settings = desk.settings(chat, api="chat-completions", vision=False)
    settings["models"]["eyes"] = {
        **settings["models"]["m"],
        "api": api,
        "url": address + PATHS[api],
        "name": "eyes",
        "vision": True,
    }
    settings["tiers"]["vision"] = "eyes"
    redline = await serve(settings)
    await redline.hear_of("m")
    uri = (desk.project / "scale.py").as_uri()
    redline.editor.open(uri, SCALE)
    edit = redline.editor.edit(
        uri, lines(0, 2), "as here", apply="end", attachments=[data_uri()]
    )
    outcome = await redline.editor.result(edit)
    assert outcome["outcome"] == "applied", outcome
    assert redline.editor.text(uri) == ANNOTATED
    described, edited = map(json.dumps, fetched(f"{address}/__aimock/journal"))
    assert "Language: python" in described
    # aimock records the images of this format alone.
    if api == "chat-completions":
        assert "data:image/png;base64," in described
    assert DESCRIPTION in edited
    assert "data:image" not in edited
    await redline.end()
