"""A document in which lines are completed, and the times of their keys."""

from __future__ import annotations

import asyncio
import itertools
import time
from dataclasses import dataclass

from benchmarks.editor import Asked, Editor
from benchmarks.sources import ROOT_URI
from benchmarks.stub_model import Call, StubModel
from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.framing import frame

TYPED = "+"
"""The key that sends a request."""
REST = " offset + scale"
"""What the model adds to it."""

_INSTEAD = "-"
_PAUSE_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTimes:
    """The seconds of one key's life."""

    request_s: float
    """From the key to the request to the model."""
    again_s: float
    """The same for another key in its place."""
    item_s: float
    """From the delta that ends the line to the item."""
    cached_s: float
    """From a request that a complete reply answers to the answer."""
    along_s: float
    """The same behind a key that agrees with the reply."""


class CompletedFile:
    """A document in which a line is completed in each sample."""

    def __init__(self, connected: Editor, model: StubModel, n_lines: int) -> None:
        self.n_lines = n_lines
        self.n_in = self.n_out = self.n_asked = self.n_answered = 0
        self._editor = connected
        self._calls: asyncio.Queue[Call] = asyncio.Queue()
        self._model = model
        self.uri = f"{ROOT_URI}/completed_{n_lines}.py"
        self._version = 1
        # Short lines: documents above two million characters are not completed.
        self._lines = [f"v{number:06d} = f({number})" for number in range(n_lines)]
        self._places = itertools.cycle(range(n_lines // 4, n_lines // 4 * 3))
        connected.open_document(self.uri, self._lines)

    async def announce(self) -> None:
        """Request a completion where nothing is shown: this editor requests them."""
        await self._ask(0, 4).result()

    async def once(self) -> KeyTimes:
        """Type a key, and follow it."""
        self._model.on_call = self._calls.put_nowait
        line = next(self._places)
        text = self._lines[line]
        key = self._key(line, len(text), TYPED)
        call, request_s = await self._request(key)
        at = len(text) + len(TYPED)
        asked = self._ask(line, at)
        call.begin()
        call.delta(text.strip() + TYPED)
        await asyncio.sleep(_PAUSE_S)
        ended = time.monotonic()
        call.delta(f"{REST}\n")
        _, shown = await asked.wait()
        call.complete()
        await asyncio.sleep(_PAUSE_S)
        cached = await self._answered(self._ask(line, at))
        await asyncio.sleep(_PAUSE_S)
        along_key = self._key(line, at, REST[:1])
        along = await self._answered(self._ask(line, at + 1, after=along_key))
        self._lines[line] = text + TYPED + REST[:1]
        self.n_in, self.n_out, self.n_asked = len(key), len(call.body), asked.n_bytes
        # Keys that are taken back leave every sample the same file.
        self._editor.send(self._key(line, len(text), "", n_old=2))
        await asyncio.sleep(_PAUSE_S)
        call, again_s = await self._request(self._key(line, len(text), _INSTEAD))
        call.answer(f"{text.strip()}{_INSTEAD}{REST}\n")
        await asyncio.sleep(_PAUSE_S)
        self._editor.send(self._key(line, len(text), "", n_old=1))
        self._lines[line] = text
        await asyncio.sleep(_PAUSE_S)
        return KeyTimes(
            request_s=request_s,
            again_s=again_s,
            item_s=shown - ended,
            cached_s=cached,
            along_s=along,
        )

    async def _request(self, key: bytes) -> tuple[Call, float]:
        """Type a key; return the request that it sends, and the seconds to it."""
        sent = self._editor.send(key)
        async with asyncio.timeout(20):
            call = await self._calls.get()
        return call, call.at - sent

    async def _answered(self, asked: Asked) -> float:
        response, answered = await asked.wait()
        assert REST.strip().encode() in bytes(response.result), "nothing is shown"
        self.n_answered = len(response.result) + 60
        return answered - asked.sent

    def _ask(self, line: int, character: int, *, after: bytes = b"") -> Asked:
        params = {
            "textDocument": {"uri": self.uri},
            "position": {"line": line, "character": character},
            "context": {"triggerKind": 2},
        }
        return self._editor.ask("textDocument/inlineCompletion", params, after=after)

    def _key(self, line: int, character: int, text: str, *, n_old: int = 0) -> bytes:
        self._version += 1
        return key_message(self.uri, self._version, line, character, text, n_old=n_old)


def key_message(
    uri: str, version: int, line: int, character: int, text: str, *, n_old: int = 0
) -> bytes:
    """Write a `didChange` that replaces some characters of a line by a text."""
    document = {"uri": uri, "version": version}
    start = {"line": line, "character": character}
    end = {"line": line, "character": character + n_old}
    change = {"range": {"start": start, "end": end}, "text": text}
    params = {"textDocument": document, "contentChanges": [change]}
    return frame(rpc.encode_notification("textDocument/didChange", params))
