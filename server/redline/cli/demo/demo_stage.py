"""What the demo's scenes share: the screen, the editor, the preview, the clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any  # JSON of messages that are only shown.

from rich.console import Group, RenderableType
from rich.live import Live
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from redline.cli.demo.demo_editor import DemoEditor
from redline.cli.terminal.consoles import OutputConsole, cursor_kept
from redline.printable import printable

_TAIL_LINES = 14
_REFRESH_PER_S = 30


class Screen:
    """A terminal, or a file that gets the same without animation."""

    def __init__(self) -> None:
        self._console = OutputConsole(highlight=False)
        self._live: Live | None = None
        self._language = "text"

    def title(self, path: Path, language: str, n_lines: int, engine: str) -> None:
        self._language = language
        self._console.print()
        self._console.rule("[bold]Redline[/]", align="left", style="dim")
        self._console.print(
            f"[bold]{path.name}[/] ({n_lines} lines, read only) is open in a small "
            "editor that speaks LSP to a real `redline serve` process."
        )
        self._console.print(f"Writing: {engine}")

    def heading(self, text: str) -> None:
        self._console.print()
        self._console.rule(f"[bold]{text}[/]", align="left", style="dim")

    def say(self, text: str) -> None:
        self._console.print(text)

    def say_plainly(self, text: str) -> None:
        """Print text of a server or a model, without interpreting markup."""
        self._console.print(Text(printable(text)))

    @contextmanager
    def streaming(self) -> Iterator[None]:
        """Update the text of `paint` in place until the block ends."""
        with (
            cursor_kept(self._console),
            Live(
                console=self._console,
                refresh_per_second=_REFRESH_PER_S,
                transient=True,
                auto_refresh=False,
            ) as live,
        ):
            self._live = live if self._console.is_terminal else None
            yield
        self._live = None

    def paint(self, lines: Sequence[str], caption: str) -> None:
        """Show the newest lines of the stream."""
        if self._live is not None:
            self._live.update(self._tail(lines, caption), refresh=True)

    def timeline(self, rows: Sequence[tuple[str, str]]) -> None:
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right", style="cyan")
        table.add_column()
        for when, what in rows:
            table.add_row(when, what)
        self._console.print(table)

    def diff(self, lines: Sequence[str]) -> None:
        self._console.print(
            Syntax(
                "".join(lines),
                "diff",
                background_color="default",
                theme="ansi_dark",
                word_wrap=True,
            )
        )

    def _tail(self, lines: Sequence[str], caption: str) -> RenderableType:
        code = Syntax(
            "".join(lines[-_TAIL_LINES:]),
            self._language,
            background_color="default",
            theme="ansi_dark",
        )
        return Group(Text(caption, style="bold green"), code)


class Stream:
    """The hunks of the running session, from the preview's notifications."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._session_id = ""
        self._hunks: dict[int, Any] = {}
        self._began = 0.0
        self._changed = asyncio.Event()
        self.connection_tried = asyncio.Event()
        """Set once the model is connected, or cannot be."""
        self.first_hunks = 0.0
        self.last_hunks = 0.0
        """When the session's newest hunks were read."""

    @property
    def reached(self) -> int:
        """The last line that the preview has reached."""
        ends = [hunk["range"]["end"]["line"] for hunk in self._hunks.values()]
        return max(ends, default=0)

    @property
    def n_hunks(self) -> int:
        """How many changes are shown."""
        return len(self._hunks)

    def begin(self, session_id: str) -> None:
        self._session_id = session_id
        self._hunks = {}
        self._began = time.monotonic()
        self.mark()

    def mark(self) -> None:
        """Treat the next hunks as the first."""
        self.first_hunks = 0.0

    def heard(self, method: str, params: Any, at: float) -> None:
        """Handle a notification of the server."""
        if method == "redline/status" and params["connection"] in ("ready", "down"):
            self.connection_tried.set()
        if method != "redline/edit/hunks" or params["sessionId"] != self._session_id:
            return
        if params["full"]:
            self._hunks.clear()
        for gone in params["removed"]:
            self._hunks.pop(gone, None)
        for hunk in params["hunks"]:
            self._hunks[hunk["id"]] = hunk
        self.first_hunks = self.first_hunks or at
        self.last_hunks = at
        self._changed.set()
        self._paint(at)

    async def until(
        self, is_reached: Callable[[], bool], asking: asyncio.Task[Any]
    ) -> None:
        """Wait until a condition on the preview holds, or the edit is answered."""
        asking.add_done_callback(lambda _: self._changed.set())
        while not asking.done() and not is_reached():
            self._changed.clear()
            await self._changed.wait()

    def _paint(self, at: float) -> None:
        ordered = sorted(
            self._hunks.values(), key=lambda h: (h["range"]["start"]["line"], h["id"])
        )
        lines = [
            line
            for hunk in ordered
            for line in hunk["newText"].splitlines(keepends=True)
        ]
        caption = f"{len(lines)} lines changed or new, {at - self._began:.2f} s"
        self._screen.paint(lines, caption)


class Stage:
    """An editor with a document, and the screen."""

    def __init__(self, editor: DemoEditor, screen: Screen, stream: Stream) -> None:
        self.editor = editor
        self.screen = screen
        self.stream = stream

    @property
    def lines(self) -> Sequence[str]:
        return self.editor.document.snapshot().lines

    async def edit(
        self,
        session_id: str,
        instruction: str,
        *,
        command: str = "redline.edit",
        **options: object,
    ) -> Mapping[str, Any]:
        """Request an edit of the whole document, with a preview."""
        arguments = {
            "uri": self.editor.document.uri,
            "range": {
                "start": {"line": 0, "character": 0},
                "end": {"line": len(self.lines), "character": 0},
            },
            "instruction": instruction,
            "apply": "preview",
            "sessionId": session_id,
            **options,
        }
        result: Mapping[str, Any] = await self.editor.execute(command, arguments)
        return result

    async def say(self, command: str, session_id: str, **options: object) -> Any:
        return await self.editor.execute(command, {"sessionId": session_id, **options})


def milliseconds(seconds: float) -> str:
    """Format a duration for a timeline."""
    return f"{seconds * 1_000:.1f} ms"


def server_times(timing: Mapping[str, float]) -> list[tuple[str, str]]:
    """Convert the times in a result to rows of a timeline."""
    names = {
        "sentS": "request on the wire",
        "firstDeltaS": "first delta",
        "lastDeltaS": "last delta",
        "endedS": "answered",
    }
    return [
        (milliseconds(timing[key]), what)
        for key, what in names.items()
        if key in timing
    ]
