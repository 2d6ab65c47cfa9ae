"""`redline demo`: an edit, and one that is stopped half-way, on a real file.

The server runs as a real process over stdio and the built-in gateway as another, paced
at a fast model's speed; `--model` takes a configured model instead. The file is read
and never written: the edits land in the demo's own small editor.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: JSON of messages that are only shown.

from redline.errors import InvalidArgumentsError

if TYPE_CHECKING:
    from redline.cli.demo_editor import DemoEditor
    from redline.cli.demo_screen import Screen

_FIRST = "Add docstrings"
_SECOND = "Add type hints"
_MAX_DIFF_LINES = 40
_READY_LIMIT_S = 15.0

# `-P`: a `redline` in the current folder must not run in the server's place.
_SERVE = (sys.executable, "-P", "-m", "redline", "serve")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--file", type=Path, help="a file to work on; it is read, never written"
    )
    parser.add_argument(
        "--instruction", default=_FIRST, help="the first edit (default: %(default)s)"
    )
    parser.add_argument(
        "--model", help="a model of your settings, instead of the built-in rules engine"
    )
    parser.add_argument("--config", type=Path, help="the settings file to use")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns its exit code."""
    from redline.cli.demo_screen import Screen

    path = arguments.file or Path(str(files("redline.cli") / "samples" / "report.py"))
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgumentsError(f"{path} cannot be read: {error}.") from error
    demo = _Demo(arguments, Screen(), path.resolve(), text)
    return asyncio.run(demo.run())


class _Demo:
    """One showing."""

    def __init__(
        self, arguments: argparse.Namespace, screen: Screen, path: Path, text: str
    ) -> None:
        self._arguments = arguments
        self._screen = screen
        self._path = path
        self._text = text
        self._stream = _Stream(screen)

    async def run(self) -> int:
        from redline.cli.demo_editor import connected
        from redline.cli.demo_model import demo_model

        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(
                demo_model(self._arguments.config, self._arguments.model)
            )
            command = [*_SERVE, *model.arguments]
            environment = os.environ | model.environment
            editor = await stack.enter_async_context(
                connected(command, environment, self._stream.heard)
            )
            await editor.initialize(self._path.parent.as_uri(), model.options)
            language = _language(self._path)
            editor.open(self._path.as_uri(), language, self._text)
            self._screen.title(self._path, language, self._n_lines, model.engine)
            await self._stream.connected()
            await self._edit(editor)
            await self._stopped_edit(editor)
        return 0

    @property
    def _n_lines(self) -> int:
        return self._text.count("\n") + 1

    async def _edit(self, editor: DemoEditor) -> None:
        instruction = self._arguments.instruction
        self._screen.heading(f"1. An edit: “{instruction}”")
        before = editor.document.snapshot().lines
        with self._screen.streaming():
            result = await self._ask(editor, "demo-1", instruction)
        if result["outcome"] not in ("offered", "held"):
            self._screen.say(
                f"Outcome: {result['outcome']}. {result.get('message', '')}"
            )
            return
        asked = time.monotonic()
        await editor.execute("redline.accept", {"sessionId": "demo-1"})
        applied_s = time.monotonic() - asked
        rows = _server_times(result["timing"])
        rows.append((_ms(applied_s), "after the accept: in the document, as one edit"))
        self._screen.timeline(rows)
        self._show_diff(before, editor.document.snapshot().lines)

    async def _stopped_edit(self, editor: DemoEditor) -> None:
        self._screen.heading(f"2. The same again, stopped half-way: “{_SECOND}”")
        version = editor.document.version
        half = len(editor.document.snapshot().lines) // 2
        with self._screen.streaming():
            async with asyncio.TaskGroup() as group:
                asking = group.create_task(self._ask(editor, "demo-2", _SECOND))
                await self._stream.wait_for_line(half, asking)
                stopped = time.monotonic()
                answer = await editor.execute("redline.stop", {"sessionId": "demo-2"})
                told = time.monotonic()
        result = asking.result()
        is_same = editor.document.version == version
        rows = [
            *_server_times(result["timing"]),
            (_ms(told - stopped), f"from stop to its answer: {answer['stopped']}"),
            (_ms(max(0.0, self._stream.last_hunks - stopped)), "from stop to silence"),
        ]
        self._screen.timeline(rows)
        self._screen.say(
            f"Outcome: {result['outcome']}. The document is "
            + ("untouched." if is_same else "CHANGED.")
        )

    async def _ask(
        self, editor: DemoEditor, session_id: str, instruction: str
    ) -> Mapping[str, Any]:
        self._stream.begin(session_id)
        last = len(editor.document.snapshot().lines)
        arguments = {
            "uri": editor.document.uri,
            "range": {
                "start": {"line": 0, "character": 0},
                "end": {"line": last, "character": 0},
            },
            "instruction": instruction,
            "apply": "preview",
            "sessionId": session_id,
        }
        result: Mapping[str, Any] = await editor.execute("redline.edit", arguments)
        return result

    def _show_diff(self, before: Sequence[str], after: Sequence[str]) -> None:
        lines = list(difflib.unified_diff(before, after, "before", "after", n=1))
        self._screen.diff(lines[:_MAX_DIFF_LINES])
        if len(lines) > _MAX_DIFF_LINES:
            self._screen.say(
                f"… and {len(lines) - _MAX_DIFF_LINES} more lines of diff."
            )


class _Stream:
    """The hunks of the running session, as the preview tells them."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._session_id = ""
        self._hunks: dict[int, Any] = {}
        self._began = 0.0
        self._changed = asyncio.Event()
        self._is_ready = asyncio.Event()
        self.last_hunks = 0.0

    def begin(self, session_id: str) -> None:
        """Follow another session."""
        self._session_id = session_id
        self._hunks = {}
        self._began = time.monotonic()

    def heard(self, method: str, params: Any, at: float) -> None:
        """Take a notification of the server's."""
        if method == "redline/status" and params["connection"] == "ready":
            self._is_ready.set()
        if method != "redline/edit/hunks" or params["sessionId"] != self._session_id:
            return
        if params["full"]:
            self._hunks.clear()
        for gone in params["removed"]:
            self._hunks.pop(gone, None)
        for hunk in params["hunks"]:
            self._hunks[hunk["id"]] = hunk
        self.last_hunks = at
        self._changed.set()
        self._paint(at)

    async def connected(self) -> None:
        """Wait for the warm connection; without one the first edit says why."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_READY_LIMIT_S):
                await self._is_ready.wait()

    async def wait_for_line(self, line: int, asking: asyncio.Future[Any]) -> None:
        """Wait until the preview has reached a line, or the edit is answered."""
        asking.add_done_callback(lambda _: self._changed.set())
        while not asking.done() and self._reached() < line:
            self._changed.clear()
            await self._changed.wait()

    def _reached(self) -> int:
        ends = [hunk["range"]["end"]["line"] for hunk in self._hunks.values()]
        return max(ends, default=0)

    def _paint(self, at: float) -> None:
        ordered = sorted(
            self._hunks.values(), key=lambda h: h["range"]["start"]["line"]
        )
        lines = [
            line
            for hunk in ordered
            for line in hunk["newText"].splitlines(keepends=True)
        ]
        caption = f"{len(lines)} lines changed or new, {at - self._began:.2f} s"
        self._screen.paint(lines, caption)


def _server_times(timing: Mapping[str, float]) -> list[tuple[str, str]]:
    names = {
        "sentS": "request on the wire",
        "firstDeltaS": "first delta",
        "lastDeltaS": "last delta",
        "endedS": "answered",
    }
    return [(_ms(timing[key]), what) for key, what in names.items() if key in timing]


def _ms(seconds: float) -> str:
    return f"{seconds * 1_000:.1f} ms"


def _language(path: Path) -> str:
    return {".py": "python", ".ts": "typescript", ".js": "javascript"}.get(
        path.suffix, path.suffix.lstrip(".") or "plaintext"
    )
