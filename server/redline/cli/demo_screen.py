"""The demo's output: the stream of the preview, timelines and the diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from redline.printable import printable

_TAIL_LINES = 14
_REFRESH_PER_S = 30


class Screen:
    """A terminal, or a file that gets the same without animation."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._live: Live | None = None
        self._language = "text"

    def title(self, path: Path, language: str, n_lines: int, engine: str) -> None:
        """Print the introduction."""
        self._language = language
        self._console.print()
        self._console.rule("[bold]Redline[/]", align="left", style="dim")
        self._console.print(
            f"[bold]{path.name}[/] ({n_lines} lines, read only) is open in a small "
            "editor that speaks LSP to a real `redline serve` process."
        )
        self._console.print(f"Writing: {engine}")

    def heading(self, text: str) -> None:
        """Open a section."""
        self._console.print()
        self._console.rule(f"[bold]{text}[/]", align="left", style="dim")

    def say(self, text: str) -> None:
        """Print a sentence."""
        self._console.print(text)

    def say_plainly(self, text: str) -> None:
        """Print text of a server or a model, without interpreting markup."""
        self._console.print(Text(printable(text)))

    @contextmanager
    def streaming(self) -> Iterator[None]:
        """Update the text of `paint` in place until the block ends."""
        with Live(
            console=self._console,
            refresh_per_second=_REFRESH_PER_S,
            transient=True,
            auto_refresh=False,
        ) as live:
            self._live = live if self._console.is_terminal else None
            yield
        self._live = None

    def paint(self, lines: Sequence[str], caption: str) -> None:
        """Show the newest lines of the stream."""
        if self._live is not None:
            self._live.update(self._tail(lines, caption), refresh=True)

    def timeline(self, rows: Sequence[tuple[str, str]]) -> None:
        """Print a timeline."""
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right", style="cyan")
        table.add_column()
        for when, what in rows:
            table.add_row(when, what)
        self._console.print(table)

    def diff(self, lines: Sequence[str]) -> None:
        """Show a unified diff."""
        self._console.print(
            Syntax(
                "".join(lines), "diff", background_color="default", theme="ansi_dark"
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
