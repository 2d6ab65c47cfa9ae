"""Entries of the menu that run a command of a review, a plan or a test run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from msgspec import Struct

from redline.lsp.protocol.messages import LspRange


class MenuEntry(Struct, frozen=True, kw_only=True):
    """One entry of the menu, executed by a command."""

    title: str
    kind: str
    command: str
    arguments: Struct
    finding_id: str | None = None
    """The id of its finding."""
    failure: str | None = None
    """The id of the failure of a test run that it is about."""
    is_preferred: bool = False


Menu: TypeAlias = Callable[[str, LspRange, Collection[str] | None], Sequence[MenuEntry]]
"""Takes an open document, a place in the client's units and the requested kinds (None:
not specified); it must be fast."""
