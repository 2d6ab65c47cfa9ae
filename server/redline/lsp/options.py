"""The checked options of the command line for a server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class TcpAddress:
    """The address to listen on for one editor, on this machine."""

    host: str
    port: int
    """Zero: the system chooses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of `redline serve`."""

    tcp: TcpAddress | None = None
    """None: standard input and output."""
    config: Path | None = None
    """A settings file to read instead of the user's own."""
    verbose: bool = False
    """Keep the log at debug level, regardless of the settings."""
