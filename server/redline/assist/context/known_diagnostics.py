"""The diagnostics of the editor's other servers, as far as the editor sends them.

LSP sends a server the diagnostics of others only with a code action request: those at
the cursor. The last ones of each document are kept, since an instruction often follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.assist.actions.action import Diagnostic

_MAX_DIAGNOSTICS = 50
_MAX_DOCUMENTS = 64


class _VersionedDiagnostics(Struct, frozen=True, kw_only=True):
    version: int
    diagnostics: tuple[Diagnostic, ...]


class KnownDiagnostics:
    """The last known diagnostics of each document."""

    def __init__(self) -> None:
        self._by_uri: dict[str, _VersionedDiagnostics] = {}

    def note(self, uri: str, version: int, diagnostics: Sequence[Diagnostic]) -> bool:
        """Replace the diagnostics of a document.

        Returns:
            Whether they differ from the ones before.
        """
        before = self._by_uri.pop(uri, None)
        now: _VersionedDiagnostics | None = None
        if diagnostics:
            kept = tuple(diagnostics[:_MAX_DIAGNOSTICS])
            now = _VersionedDiagnostics(version=version, diagnostics=kept)
            self._by_uri[uri] = now
        for oldest in list(self._by_uri)[:-_MAX_DOCUMENTS]:
            del self._by_uri[oldest]
        return now != before

    def forget(self, uri: str) -> None:
        self._by_uri.pop(uri, None)

    def recall(self, uri: str) -> tuple[int, tuple[Diagnostic, ...]]:
        """Return a document's last diagnostics, and the version that they refer to."""
        last = self._by_uri.get(uri)
        return (0, ()) if last is None else (last.version, last.diagnostics)
