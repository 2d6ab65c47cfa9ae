"""The messages of code actions, as msgspec types; see `messages`.

Input is read leniently: editors written in Lua send `{}` for an empty list, and an
invalid diagnostic must not empty the menu.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Raw, Struct

from redline.assist.actions.action import Diagnostic
from redline.lsp.protocol.messages import DocumentId, LspRange, WorkspaceEdit, our_range
from redline.text.document import Snapshot


class ActionContext(Struct, frozen=True):
    """The context of a code action request."""

    diagnostics: Raw = Raw(b"[]")
    only: Raw = Raw(b"null")


class CodeActionParams(Struct, frozen=True, rename="camel"):
    """The params of `textDocument/codeAction`."""

    text_document: DocumentId
    range: LspRange
    context: ActionContext = ActionContext()


class LspCommand(Struct, frozen=True, omit_defaults=True):
    """A command that the client sends back in `workspace/executeCommand`."""

    title: str
    command: str
    arguments: list[object] | None = None


class CodeAction(Struct, frozen=True, rename="camel", omit_defaults=True):
    """One action, as sent to the client."""

    title: str
    kind: str | None = None
    diagnostics: Raw | Sequence[Raw] | None = None
    is_preferred: bool = False
    tags: Sequence[int] | None = None
    edit: WorkspaceEdit | None = None
    command: Raw | LspCommand | None = None
    data: Raw | Struct | None = None


class _WireDiagnostic(Struct, frozen=True):
    range: LspRange
    message: str = ""
    source: str | None = None
    code: int | str | None = None
    data: Raw = Raw(b"null")


class _FindingId(Struct, frozen=True, rename="camel"):
    finding_id: str


class _FailureId(Struct, frozen=True):
    failure: str


class GivenDiagnostic(Struct, frozen=True):
    """A diagnostic, decoded and raw."""

    ours: Diagnostic
    raw: Raw
    finding_id: str | None = None
    """The id of the review's finding, if it is one."""
    failure: str | None = None
    """The id of the failure of a test run, if it is one."""


_LIST = msgspec.json.Decoder(list[Raw])
_KINDS = msgspec.json.Decoder(list[str])
_DIAGNOSTIC = msgspec.json.Decoder(_WireDiagnostic)
_FINDING = msgspec.json.Decoder(_FindingId)
_FAILURE = msgspec.json.Decoder(_FailureId)


def read_only(raw: Raw) -> tuple[str, ...] | None:
    """Read the kinds that a client requests; None: not specified."""
    try:
        return tuple(_KINDS.decode(raw))
    except msgspec.DecodeError:
        return None


def read_diagnostics(raw: Raw, snapshot: Snapshot) -> list[GivenDiagnostic]:
    """Read the valid diagnostics, in code points of a snapshot."""
    try:
        given: Sequence[Raw] = _LIST.decode(raw)
    except msgspec.DecodeError:
        return []
    found = []
    for each in given:
        try:
            wire = _DIAGNOSTIC.decode(each)
        except msgspec.DecodeError:
            continue
        ours = Diagnostic(
            range=snapshot.range_from_client(our_range(wire.range)),
            message=wire.message,
            source=wire.source or "",
            code="" if wire.code is None else str(wire.code),
        )
        found.append(GivenDiagnostic(ours, each, _finding_id(wire), _failure(wire)))
    return found


def _finding_id(wire: _WireDiagnostic) -> str | None:
    if wire.source != "redline":
        return None
    try:
        return _FINDING.decode(wire.data).finding_id
    except msgspec.DecodeError:
        return None


def _failure(wire: _WireDiagnostic) -> str | None:
    if wire.source != "redline-test":
        return None
    try:
        return _FAILURE.decode(wire.data).failure
    except msgspec.DecodeError:
        return None
