"""The diagnostics of the editor's other servers, as far as they were told.

LSP tells a server of others' diagnostics only when code actions are asked for: those at
the cursor. The last ones of each document are kept, since an instruction often follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.assist.actions.action import Diagnostic

_MAX_DIAGNOSTICS = 50
_MAX_DOCUMENTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    version: int
    diagnostics: tuple[Diagnostic, ...]


class KnownDiagnostics:
    """The last ones of each document."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}

    def note(self, uri: str, version: int, diagnostics: Sequence[Diagnostic]) -> bool:
        """Take what the editor has told of a version of a document.

        Returns:
            Whether it had told something else before.
        """
        before = self._told.pop(uri, None)
        now: _Told | None = None
        if diagnostics:
            kept = tuple(diagnostics[:_MAX_DIAGNOSTICS])
            now = self._told[uri] = _Told(version=version, diagnostics=kept)
        for oldest in list(self._told)[:-_MAX_DOCUMENTS]:
            del self._told[oldest]
        return now != before

    def forget(self, uri: str) -> None:
        """Let go of a document that was closed."""
        self._told.pop(uri, None)

    def recall(self, uri: str) -> tuple[int, tuple[Diagnostic, ...]]:
        """The last ones of a document, and the version that they are about."""
        told = self._told.get(uri)
        return (0, ()) if told is None else (told.version, told.diagnostics)
