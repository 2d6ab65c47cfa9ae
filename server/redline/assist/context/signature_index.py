"""Every definition of the workspace by its name; each file can be replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redline.prompts.signatures import Signature

MAX_SIGNATURES = 60_000
"""About 40 MB in the indexer's process."""


class SignatureIndex:
    """Signatures by name; a file is replaced as a whole."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[Signature]] = {}
        self._by_uri: dict[str, tuple[Signature, ...]] = {}
        self._n_signatures = 0

    @property
    def uris(self) -> frozenset[str]:
        """The files in the index."""
        return frozenset(self._by_uri)

    def find(self, name: str) -> Sequence[Signature]:
        """Return the definitions of a name."""
        return self._by_name.get(name, ())

    def put(self, uri: str, signatures: Iterable[Signature]) -> None:
        """Replace the definitions of a file."""
        self.remove(uri)
        room = MAX_SIGNATURES - self._n_signatures
        taken = self._by_uri[uri] = tuple(signatures)[:room]
        self._n_signatures += len(taken)
        for one in taken:
            self._by_name.setdefault(one.name, []).append(one)

    def remove(self, uri: str) -> None:
        """Remove a file."""
        gone = self._by_uri.pop(uri, ())
        self._n_signatures -= len(gone)
        for one in gone:
            others = self._by_name[one.name]
            # By identity: several files may have equal definitions.
            others[:] = [other for other in others if other is not one]
            if not others:
                del self._by_name[one.name]
