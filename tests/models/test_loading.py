"""What is imported: no provider's code before a model of it is configured."""

from __future__ import annotations

import socket
import subprocess
import sys

import msgspec

FORMATS = ("responses-http", "chat-completions", "anthropic", "gemini", "ollama", "fim")
"""In this order, none needs the module of a later one."""


def module_of(api: str) -> str:
    return f"redline.models.formats.{api.replace('-', '_')}_format"


MODULES = {module_of(api) for api in FORMATS[1:]}
"""Without that of the Responses API, which the others share."""
HEAVY = {"httpx", "httpcore", "websockets", "PIL", "openai"}

PROGRAM = """
import json, sys
import redline.lsp.server

def loaded():
    print(json.dumps(sorted(sys.modules)))

loaded()
from redline.models.build import build_model
from redline.settings.tree import ModelSettings

for api in sys.argv[1:]:
    settings = ModelSettings(api=api, url="https://models.example/v1/x", name="m")
    build_model("m", settings, environ={})
    loaded()
"""


def test_a_wire_format_is_loaded_when_a_model_uses_it() -> None:
    """The server itself loads no wire format, and no library that connects."""
    words = [sys.executable, "-c", PROGRAM, *FORMATS]
    output = subprocess.run(words, capture_output=True, check=True, timeout=120).stdout
    server, *after = [set(msgspec.json.decode(line)) for line in output.splitlines()]

    assert not HEAVY & server
    assert {name for name in server if name.startswith("redline.models.")} == {
        "redline.models.interface"
    }
    names = [MODULES & each for each in after]
    new = [now - before for before, now in zip([set(), *names], names, strict=False)]
    assert new == [{module_of(api)} & MODULES for api in FORMATS]


SEARCH = """
import asyncio, sys
from msgspec.structs import replace
from redline.models.local_servers import SERVERS, find_local_server

servers = [replace(server, port=int(sys.argv[1])) for server in SERVERS]
assert asyncio.run(find_local_server(servers)) is None
print(*sys.modules)
"""


def test_no_library_is_loaded_where_no_local_server_listens() -> None:
    # A port that is bound and not listened at refuses connections.
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        words = [sys.executable, "-c", SEARCH, str(bound.getsockname()[1])]
        done = subprocess.run(words, capture_output=True, check=True, text=True)

    assert not HEAVY & set(done.stdout.split())
