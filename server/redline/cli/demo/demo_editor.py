"""A small editor for the demo: starts the server, keeps one document, applies edits.

It speaks LSP over the server's standard input and output, as any editor does, and
records when each message arrived.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any  # JSON of messages that the demo only shows.

import msgspec

from redline.errors import RedlineError
from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.framing import FrameDecoder, frame
from redline.lsp.protocol.messages import LspRange, TextDocumentEdit, our_range
from redline.supervisor import Supervisor
from redline.text.document import ContentChange, Document
from redline.text.position import Encoding

_READ_BYTES = 65_536
_EXIT_LIMIT_S = 5.0

Listener = Callable[[str, Any, float], None]
"""Takes a notification's method and params, and when it was read (`time.monotonic`)."""


class ServerAnswerError(RedlineError):
    """The server answered a request with an error."""


class DemoEditor:
    """One connection to a server in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, listener: Listener) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._listener = listener
        self._numbers = itertools.count(1)
        self._pending: dict[object, asyncio.Future[rpc.Envelope]] = {}
        self._document: Document | None = None

    @property
    def document(self) -> Document:
        assert self._document is not None
        return self._document

    async def initialize(self, root_uri: str, options: Mapping[str, object]) -> None:
        """Send `initialize` as a client that supports previews."""
        capabilities = {
            "general": {"positionEncodings": ["utf-32"]},
            "workspace": {
                "applyEdit": True,
                "workspaceEdit": {"documentChanges": True},
            },
            "window": {"workDoneProgress": True},
            "experimental": {
                "redline": {"preview": True, "status": True, "reviews": True}
            },
        }
        await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "clientInfo": {"name": "redline demo"},
                "rootUri": root_uri,
                "capabilities": capabilities,
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})

    def open(self, uri: str, language_id: str, text: str) -> None:
        self._document = Document(
            uri=uri,
            language_id=language_id,
            version=1,
            text=text,
            encoding=Encoding.UTF_32,
        )
        item = {"uri": uri, "languageId": language_id, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    async def execute(self, command: str, arguments: Mapping[str, object]) -> Any:
        """Run a command; return its result."""
        return await self.request(
            "workspace/executeCommand", {"command": command, "arguments": [arguments]}
        )

    async def request(self, method: str, params: object) -> Any:
        """Send a request and return its result.

        Raises:
            ServerAnswerError: If the answer is an error, or the server has ended.
        """
        number = next(self._numbers)
        answer = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        self._send(rpc.encode_request(number, method, params))
        response = await answer
        if response.error:
            raise ServerAnswerError(rpc.decode_error(response.error).message)
        return msgspec.json.decode(response.result)

    def notify(self, method: str, params: object) -> None:
        self._send(rpc.encode_notification(method, params))

    async def read(self) -> None:
        """Read what the server sends, until it ends."""
        decoder = FrameDecoder()
        while data := await self._stdout.read(_READ_BYTES):
            at = time.monotonic()
            for body in decoder.feed(data):
                self._take(rpc.decode_envelope(body), at)
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(ServerAnswerError("The server has ended."))

    async def close(self) -> int:
        """Shut the server down; return its exit code."""
        try:
            async with asyncio.timeout(_EXIT_LIMIT_S):
                await self.request("shutdown", None)
                self.notify("exit", None)
                return await self._process.wait()
        except (TimeoutError, ServerAnswerError):
            self._process.kill()
            return await self._process.wait()

    def _send(self, body: bytes) -> None:
        self._stdin.write(frame(body))

    def _take(self, message: rpc.Envelope, at: float) -> None:
        if message.method is msgspec.UNSET:
            answer = self._pending.pop(message.id, None)
            if answer is not None and not answer.done():
                answer.set_result(message)
            return
        params = msgspec.json.decode(message.params) if message.params else None
        if isinstance(message.id, int | str):
            result = self._serve(message.method, message.params)
            self._send(rpc.encode_result(message.id, result))
        else:
            self._listener(message.method, params, at)

    def _serve(self, method: str, params: msgspec.Raw) -> object:
        if method != "workspace/applyEdit":
            return None
        edit = msgspec.json.decode(params, type=_ApplyEdit).edit
        return {"applied": all(self._apply(part) for part in edit.document_changes)}

    def _apply(self, part: TextDocumentEdit) -> bool:
        document = self.document
        if part.text_document.version != document.version:
            return False
        # All ranges are in the text before; applied from last to first, none moves.
        edits = sorted(part.edits, key=lambda e: _start(e.range), reverse=True)
        changes = [
            ContentChange(range=our_range(e.range), text=e.new_text) for e in edits
        ]
        document.change(document.version + 1, changes)
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": document.uri, "version": document.version},
                "contentChanges": [
                    {"range": e.range, "text": e.new_text} for e in edits
                ],
            },
        )
        return True


class _DocumentChanges(msgspec.Struct, rename="camel"):
    document_changes: list[TextDocumentEdit] = []


class _ApplyEdit(msgspec.Struct):
    edit: _DocumentChanges


def _start(wire: LspRange) -> tuple[int, int]:
    return wire.start.line, wire.start.character


@asynccontextmanager
async def connected(
    command: Sequence[str], environment: Mapping[str, str], listener: Listener
) -> AsyncIterator[DemoEditor]:
    """Start a server and read it until the block ends; then shut it down."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        # Discard standard error: the server has a log, and the screen is the demo's.
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(environment),
    )
    editor = DemoEditor(process, listener)
    supervisor = Supervisor()
    supervisor.start(editor.read(), name="read the server")
    try:
        yield editor
    finally:
        await editor.close()
        await supervisor.aclose(limit_s=_EXIT_LIMIT_S)
