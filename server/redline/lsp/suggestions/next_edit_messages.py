"""The messages of next edits, and those that refresh a completion."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from redline.lsp.actions.action_messages import LspCommand
from redline.lsp.protocol.messages import DocumentId, LspPosition, LspRange

NextEditReason = Literal["idle", "accepted", "saved", "moved", "diagnostics", "manual"]


NextEditDisplay = Literal["inline", "here", "jump"]


class NextEditContextArguments(Struct, frozen=True, rename="camel", kw_only=True):
    """Why a next edit is requested."""

    trigger_kind: int = 2
    """1: the user asked for it; 2: automatic."""
    reason: NextEditReason = "idle"


class NextEditArguments(Struct, frozen=True, rename="camel", kw_only=True):
    """Params of `redline/nextEdit`; unknown fields are ignored."""

    text_document: DocumentId
    position: LspPosition
    context: NextEditContextArguments = NextEditContextArguments()


class NextEditItem(Struct, frozen=True, rename="camel", kw_only=True):
    id: str
    kind: Literal["edit", "jump"]
    text_document: DocumentId
    """It may be another file; without a version if that is not open."""
    range: LspRange
    old: str
    """The replaced text."""
    text: str
    cursor: LspPosition
    """Where the cursor belongs afterwards."""
    why: str
    from_: Literal["rules", "model"] = field(name="from")
    left: int
    """How many follow it."""
    display: NextEditDisplay
    command: LspCommand


class NextEditList(Struct, frozen=True, kw_only=True):
    """The answer of `redline/nextEdit`."""

    edits: tuple[NextEditItem, ...]
    """One or none."""


class NextEditIdArguments(Struct, frozen=True, kw_only=True):
    """Of `redline.nextEditAccepted` and `redline/nextEdit/shown`."""

    id: str


class ApplyNextEditArguments(Struct, frozen=True, rename="camel", kw_only=True):
    """Of `redline.applyNextEdit`."""

    id: str
    places: int | None = None
    """How many edits are applied, with those that follow; None: this one."""


class NextEditDismissedArguments(Struct, frozen=True, kw_only=True):
    """Params of `redline/nextEdit/dismissed`."""

    id: str
    reason: Literal["rejected", "ignored", "typed"]


class NextEditChanged(Struct, frozen=True, kw_only=True):
    """`redline/nextEdit/changed`: the client should ask again."""

    uri: str


class InlineChanged(Struct, frozen=True, kw_only=True):
    """`redline/inline/changed`: the client should request the completion again."""

    uri: str
    version: int
    """Of the document for which more is there."""


class InlineDismissedArguments(Struct, frozen=True, kw_only=True):
    """Params of `redline/inline/dismissed`."""

    uri: str
