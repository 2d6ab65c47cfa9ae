"""The checked options of the command line for a server.

Named tuples, since reading the command line loads no msgspec.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class TcpAddress(NamedTuple):
    """The address to listen on for one editor, on this machine."""

    host: str
    port: int
    """Zero: the system chooses."""


class ServeOptions(NamedTuple):
    """The options of `redline serve`."""

    tcp: TcpAddress | None = None
    """None: standard input and output."""
    config: Path | None = None
    """A settings file to read instead of the user's own."""
    verbose: bool = False
    """Keep the log at debug level, regardless of the settings."""
