"""An extension that only replaces lines: what VS Code itself needs for an edit."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import zipfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

_FILES = Path(__file__).with_suffix("")
_WAIT_S = 120.0


class BareEdit:
    """The extension, as a package to install, and the connection to it."""

    def __init__(self, folder: Path) -> None:
        self.vsix = folder / "bare-edit.vsix"
        self.socket = socket.create_server(("127.0.0.1", 0))
        port = self.socket.getsockname()[1]
        self.environment: Mapping[str, str] = {"REDLINE_BARE_EDIT_PORT": str(port)}
        self._streams: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
        self._streams = asyncio.Queue()
        with zipfile.ZipFile(self.vsix, "w") as package:
            for file in sorted(_FILES.iterdir()):
                package.write(file, f"extension/{file.name}")

    def connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Use the connection of another window from now on."""
        self._streams.put_nowait((reader, writer))

    async def replace(self, line: int, text: str) -> None:
        """Replace a line of the active editor, counted from 0; returns once it did."""
        async with asyncio.timeout(_WAIT_S):
            reader, writer = await self._streams.get()
            writer.write(json.dumps({"line": line, "text": text}).encode())
            answer = await reader.readline()
        assert answer == b"true\n", answer
        self._streams.put_nowait((reader, writer))


@contextlib.asynccontextmanager
async def bare_edit(folder: Path) -> AsyncIterator[BareEdit]:
    """Listen to the extension; its package is written to the folder."""
    found = BareEdit(folder)
    server = await asyncio.start_server(found.connected, sock=found.socket)
    try:
        yield found
    finally:
        # Without waiting for the connection: the window has it until it closes.
        server.close()
