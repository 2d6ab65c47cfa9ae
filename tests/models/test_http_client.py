"""The HTTP library is fully imported before the event loop needs it."""

from __future__ import annotations

import subprocess
import sys

_FIRST_REQUEST = """
import asyncio, sys
import httpx
from redline.models.http_client import load

load()
client = httpx.AsyncClient()


async def answer(reader, writer):
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    before = set(sys.modules)
    response = await client.get(f"http://127.0.0.1:{port}/")
    assert response.text == "ok"
    print(*sorted(set(sys.modules) - before))
    await client.aclose()
    server.close()


asyncio.run(main())
"""


def test_the_first_request_imports_nothing() -> None:
    """An import on the loop would delay keystrokes."""
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_REQUEST],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
