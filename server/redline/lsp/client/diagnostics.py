"""Publishes the diagnostics that several parts of Redline have for a document.

Each message replaces all diagnostics of a document, so it must include those of all
owners.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol.messages import LspRange
from redline.text.markdown import plain_message

ERROR = 1
WARNING = 2
INFORMATION = 3
HINT = 4
"""`DiagnosticSeverity`."""


class Location(Struct, frozen=True):
    """A place in a file."""

    uri: str
    range: LspRange


class RelatedInformation(Struct, frozen=True):
    location: Location
    message: str


class LspDiagnostic(
    Struct, frozen=True, omit_defaults=True, kw_only=True, rename="camel"
):
    """A diagnostic; `source` names its owner, without a default so that it is sent."""

    range: LspRange
    message: str
    severity: int
    source: str
    code: str | UnsetType = UNSET
    related_information: tuple[RelatedInformation, ...] | UnsetType = UNSET
    data: Struct | UnsetType = UNSET
    """Data that the client sends back with code actions."""


class _PublishDiagnostics(Struct, frozen=True, omit_defaults=True):
    uri: str
    diagnostics: list[LspDiagnostic]
    version: int | UnsetType = UNSET


def warning(
    span: LspRange, message: str, *, code: str | UnsetType = UNSET
) -> LspDiagnostic:
    """Make a warning with Redline as its source."""
    return LspDiagnostic(
        range=span,
        message=plain_message(message),
        severity=WARNING,
        source="redline",
        code=code,
    )


class DiagnosticBoard:
    """All diagnostics that one editor shows."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._shown: dict[str, dict[str, Sequence[LspDiagnostic]]] = {}

    def put(
        self,
        owner: str,
        uri: str,
        diagnostics: Sequence[LspDiagnostic],
        *,
        version: int | None = None,
    ) -> None:
        """Replace an owner's diagnostics of a document.

        Args:
            owner: The owner; diagnostics of other owners are kept.
            uri: The document.
            diagnostics: All current diagnostics of the owner; may be empty.
            version: The version of the document; None: it is a file.
        """
        by_owner = self._shown.setdefault(uri, {})
        by_owner.pop(owner, None)
        if diagnostics:
            by_owner[owner] = diagnostics
        everything = [each for group in by_owner.values() for each in group]
        if not everything:
            del self._shown[uri]
        self._endpoint.notify(
            "textDocument/publishDiagnostics",
            _PublishDiagnostics(uri, everything, UNSET if version is None else version),
        )
