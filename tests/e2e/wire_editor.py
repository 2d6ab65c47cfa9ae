"""An editor at the server's wire: sends exact messages and keeps every one it hears.

It does what an editor does (keeps documents, takes edits, answers questions), and how
it takes an edit is a plain function that a test may replace.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.editor_document import EditorDocument, Json

WAIT_S = 90.0
"""Longest wait for a message that must come: a bound, never a measure."""

APPLY_EDIT = "workspace/applyEdit"

CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
    },
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        }
    },
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "experimental": {"redline": {"preview": True, "status": True}},
}
"""Those of an editor that can do everything."""

TakeEdit = Callable[["WireEditor", Json], None]
"""How an editor takes a `workspace/applyEdit` request."""


@dataclass
class Talk:
    """What was said on one connection, for as long as one test looks at it."""

    heard: list[Json] = field(default_factory=list)
    asked: dict[int, Json] = field(default_factory=dict)
    """Our requests, by their ids."""
    heard_at: list[float] = field(default_factory=list)
    """When each was read, in the event loop's seconds."""


class WireEditor:
    """The editor's end of a connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        capabilities: Mapping[str, Any] = CAPABILITIES,
    ) -> None:
        self.talk = Talk()
        self.documents: dict[str, EditorDocument] = {}
        self.settings: object = None
        """The answer to `workspace/configuration`; an `asyncio.Event` withholds it."""
        self.take_edit: TakeEdit = take
        self.choice: str | None = None
        """What the user chooses where the server asks."""
        self.may_read = asyncio.Event()
        """Cleared while the editor is too busy to read what comes."""
        self.may_read.set()
        self.encoding = "utf-16"
        self.capabilities = capabilities
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._has_news = asyncio.Event()
        self._is_open = True
        self._kept: bytes | None = None
        self._may_read = asyncio.Event()
        self._may_read.set()
        self._reading = asyncio.create_task(self._read(), name="read the server")

    # What is heard.

    @property
    def heard(self) -> list[Json]:
        """Every message since the test began."""
        return self.talk.heard

    async def hear(self, is_it: Callable[[Json], object], *, after: int = 0) -> Json:
        """Wait for a message.

        Args:
            is_it: Whether it is the one.
            after: How many of the messages so far to pass over.
        """
        at = after
        async with asyncio.timeout(WAIT_S):
            while True:
                for message in self.heard[at:]:
                    at += 1
                    if is_it(message):
                        return message
                assert self._is_open, "the server has closed the connection"
                self._has_news.clear()
                await self._has_news.wait()

    async def hear_method(self, method: str, *, after: int = 0) -> Json:
        """Wait for a notification or request of the server; returns its params."""
        message = await self.hear(lambda m: m.get("method") == method, after=after)
        params: Json = message["params"]
        return params

    def all_of(self, method: str) -> list[Json]:
        """The params of every message so far with a method."""
        return [m["params"] for m in self.heard if m.get("method") == method]

    async def answer(self, request_id: int) -> Json:
        """Wait for the whole answer to a request."""
        return await self.hear(
            lambda m: "method" not in m and m.get("id") == request_id
        )

    async def result(self, request_id: int) -> Any:
        """Wait for the result of a request that must succeed."""
        answer = await self.answer(request_id)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    async def error(self, request_id: int) -> Json:
        """Wait for the error of a request that must fail."""
        answer = await self.answer(request_id)
        assert "result" not in answer, answer["result"]
        error: Json = answer["error"]
        return error

    async def closed(self) -> None:
        """Wait until the server has closed its end."""
        async with asyncio.timeout(WAIT_S):
            await asyncio.shield(self._reading)

    def read_later(self) -> None:
        """Read nothing more, as an editor that is busy."""
        self._may_read.clear()

    def read_on(self) -> None:
        """Read again."""
        self._may_read.set()

    # What is said.

    def write(self, data: bytes) -> None:
        """Send exact bytes."""
        if self._kept is None:
            self._writer.write(data)
        else:
            self._kept += data

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Send everything that is said in the block by one write."""
        self._kept = b""
        yield
        data, self._kept = self._kept, None
        self.write(data)

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> int:
        """Send a request; returns its id."""
        request_id = next(self._ids)
        message = {"id": request_id, "method": method, "params": params}
        self.talk.asked[request_id] = message
        self.send(message)
        return request_id

    def reply(self, request: Json, result: object) -> None:
        """Answer a request of the server."""
        self.send({"id": request["id"], "result": result})

    def cancel(self, request_id: int) -> None:
        """Cancel a request."""
        self.notify("$/cancelRequest", {"id": request_id})

    def close(self) -> None:
        """Close our end of the connection."""
        self._writer.close()

    # The protocol of a session.

    async def initialize(self, **params: object) -> Json:
        """Shake hands; returns the server's capabilities."""
        hello = {"processId": None, "rootUri": None, "capabilities": self.capabilities}
        result = await self.result(self.ask("initialize", {**hello, **params}))
        capabilities: Json = result["capabilities"]
        self.encoding = capabilities["positionEncoding"]
        self.notify("initialized", {})
        return capabilities

    async def shut_down(self) -> None:
        """End the connection in order."""
        assert await self.result(self.ask("shutdown", None)) is None
        self.notify("exit", None)

    # Documents.

    def open(
        self, uri: str, text: str, *, language: str = "python", version: int = 1
    ) -> EditorDocument:
        """Open a document."""
        document = EditorDocument(uri, text, encoding=self.encoding)
        document.version = version
        self.documents[uri] = document
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return document

    def close_document(self, uri: str) -> None:
        """Close a document."""
        del self.documents[uri]
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def type(self, uri: str, where: Json, text: str) -> None:
        """Replace a range, as the user does, and tell the server."""
        document = self.documents[uri]
        changes = document.apply([{"range": where, "newText": text}])
        self._did_change(document, changes)

    def replace_all(self, uri: str, text: str) -> None:
        """Replace a whole document, as a reload from disk does."""
        document = self.documents[uri]
        document.text = text
        document.version += 1
        self._did_change(document, [{"text": text}])

    def text(self, uri: str) -> str:
        """A document's text."""
        return self.documents[uri].text

    # Redline.

    def run(
        self, command: str, *arguments: object, token: str | int | None = None
    ) -> int:
        """Run a command; returns the request's id."""
        params: Json = {"command": command, "arguments": list(arguments)}
        if token is not None:
            params["workDoneToken"] = token
        return self.ask("workspace/executeCommand", params)

    async def run_now(self, command: str, arguments: object) -> Any:
        """Run a command that must succeed; returns its result."""
        return await self.result(self.run(command, arguments))

    def edit(
        self,
        uri: str,
        where: Json,
        instruction: str = "improve it",
        *,
        token: str | int | None = None,
        **more: object,
    ) -> int:
        """Ask for an edit; returns the request's id."""
        arguments = {"uri": uri, "range": where, "instruction": instruction, **more}
        return self.run("redline.edit", arguments, token=token)

    # How it takes edits.

    def apply(self, params: Json) -> list[tuple[EditorDocument, list[Json]]] | None:
        """Apply a workspace edit; None if it is for another version of a document.

        Returns:
            The changes that are not reported yet.
        """
        edit = params["edit"]
        parts: list[tuple[str, int | None, list[Json]]] = [
            (
                part["textDocument"]["uri"],
                part["textDocument"]["version"],
                part["edits"],
            )
            for part in edit.get("documentChanges") or []
        ]
        parts += [(uri, None, edits) for uri, edits in edit.get("changes", {}).items()]
        assert parts, "the edit changes nothing"
        for uri, version, _ in parts:
            document = self.documents.get(uri)
            if document is None or version not in (None, document.version):
                return None
        return [
            (self.documents[uri], self.documents[uri].apply(edits))
            for uri, _, edits in parts
        ]

    def tell(self, changed: Collection[tuple[EditorDocument, list[Json]]]) -> None:
        """Tell the server what an edit of its has changed."""
        for document, changes in changed:
            self._did_change(document, changes)

    # Reading.

    def _did_change(self, document: EditorDocument, changes: list[Json]) -> None:
        identifier = {"uri": document.uri, "version": document.version}
        params = {"textDocument": identifier, "contentChanges": changes}
        self.notify("textDocument/didChange", params)

    async def _read(self) -> None:
        try:
            while (message := await self._next_message()) is not None:
                await self.may_read.wait()
                self.heard.append(message)
                self.talk.heard_at.append(asyncio.get_running_loop().time())
                self._serve(message)
                self._has_news.set()
        finally:
            self._is_open = False
            self._has_news.set()

    async def _next_message(self) -> Json | None:
        await self._may_read.wait()
        try:
            header = await self._reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        name, _, size = header.strip().partition(b": ")
        assert name == b"Content-Length", f"a header of the server is {header!r}"
        message: Json = json.loads(await self._reader.readexactly(int(size)))
        assert message.pop("jsonrpc") == "2.0"
        return message

    def _serve(self, message: Json) -> None:
        if "id" not in message or "method" not in message:
            return
        if message["method"] == APPLY_EDIT:
            self.take_edit(self, message)
        elif message["method"] == "window/showMessageRequest":
            self.reply(message, self.choice and {"title": self.choice})
        elif message["method"] != "workspace/configuration":
            self.reply(message, None)
        elif not isinstance(self.settings, asyncio.Event):
            self.reply(message, [self.settings])


def take(editor: WireEditor, request: Json) -> None:
    """Handle an edit as VS Code does: apply it, report the change, then answer."""
    changed = editor.apply(request["params"])
    editor.tell(changed or ())
    editor.reply(request, {"applied": changed is not None})


def answer_then_tell(editor: WireEditor, request: Json) -> None:
    """Take an edit as Neovim does: the answer comes before the change."""
    changed = editor.apply(request["params"])
    editor.reply(request, {"applied": changed is not None})
    editor.tell(changed or ())


def refuse(editor: WireEditor, request: Json) -> None:
    """Say that the edit was not applied."""
    editor.reply(request, {"applied": False, "failureReason": "read-only"})


def fail(editor: WireEditor, request: Json) -> None:
    """Answer with an error."""
    error = {"code": -32603, "message": "the plug-in has crashed"}
    editor.send({"id": request["id"], "error": error})


def drop(editor: WireEditor, request: Json) -> None:
    """Say that the edit was applied, and forget it."""
    editor.reply(request, {"applied": True})


def ignore(editor: WireEditor, request: Json) -> None:
    """Neither apply nor answer it: the test will."""
