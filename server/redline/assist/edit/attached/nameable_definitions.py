"""Lists the definitions that an instruction can name by `@path#definition`."""

from __future__ import annotations

import asyncio
from itertools import islice

from redline.assist.edit.attached.definitions import definitions_of
from redline.assist.edit.attached.named_files import load_named_file
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import RedlineError
from redline.parsing.work import WorkRunner
from redline.text.document import Snapshot
from redline.text.lines import with_line_feeds
from redline.text.uri import is_file

MAX_LISTED = 20

_MAX_OPEN = 50
"""Most open documents whose definitions are listed."""


class NameableDefinitions:
    """The definitions of the open documents, and of a file that is named."""

    def __init__(
        self, workspace: Workspace, rules: IgnoreRules, parser: WorkRunner
    ) -> None:
        self._workspace = workspace
        self._rules = rules
        self._parser = parser
        self._known: dict[str, tuple[int, tuple[str, ...]]] = {}
        """By URI: the version of an open document, and its names for instructions."""

    async def find(self, typed: str) -> tuple[str, ...]:
        """List the definitions that match what is typed, at most `MAX_LISTED`.

        Args:
            typed: Part of a qualified name in the open documents; or a file, `#` and
                part of a name in it. In either case; empty: none.

        Returns:
            Names as they follow `@`, the likeliest first; none in a file that the
            ignore rules exclude.
        """
        path, mark, wanted = typed.rpartition("#")
        if path:
            names = await self._names_in(path)
        elif wanted and not mark:
            names = await self._opened()
        else:
            return ()
        ranked = {
            name: rank
            for name in names
            if (rank := _rank(name.rpartition("#")[2], wanted)) is not None
        }
        return tuple(islice(sorted(ranked, key=ranked.__getitem__), MAX_LISTED))

    async def _names_in(self, path: str) -> tuple[str, ...]:
        try:
            file = await asyncio.to_thread(
                load_named_file,
                path,
                roots=self._workspace.roots,
                documents=self._workspace.snapshots(),
                rules=self._rules,
            )
        except RedlineError:
            # It cannot be sent: the instruction that names it is refused, and says why.
            return ()
        if file is None:
            return ()
        return await self._names(file.path, file.text)

    async def _opened(self) -> tuple[str, ...]:
        snapshots = await asyncio.to_thread(
            self._allowed, self._workspace.snapshots(), self._workspace.roots
        )
        self._known = {uri: self._known[uri] for uri in snapshots if uri in self._known}
        names: list[str] = []
        for uri, snapshot in snapshots.items():
            version, known = self._known.get(uri, (None, ()))
            if version != snapshot.version:
                path = self._workspace.relative_path(uri)
                known = await self._names(path, with_line_feeds(snapshot.lines))
                self._known[uri] = snapshot.version, known
            names += known
        return tuple(names)

    def _allowed(
        self, snapshots: dict[str, Snapshot], roots: tuple[str, ...]
    ) -> dict[str, Snapshot]:
        """Return the open documents of the workspace that may be sent; blocks."""
        allowed = (
            (uri, snapshot)
            for uri, snapshot in snapshots.items()
            if is_file(uri)
            and uri.startswith(tuple(f"{root.rstrip('/')}/" for root in roots))
            and self._rules.reason(uri, roots) is None
        )
        return dict(islice(allowed, _MAX_OPEN))

    async def _names(self, path: str, text: str) -> tuple[str, ...]:
        found = await definitions_of(path, text, self._parser)
        names = (f"{path}#{each.name}" for each in found)
        # What cannot be typed, as a name with a line end or a quote, is left out.
        typeable = (name for name in names if name.isprintable() and '"' not in name)
        return tuple(dict.fromkeys(typeable))


def _rank(name: str, wanted: str) -> tuple[bool, int] | None:
    """Return how well a qualified name matches, the least best; None: it does not."""
    lower, part = name.lower(), wanted.lower()
    if part not in lower:
        return None
    is_start = lower.startswith(part) or lower.rpartition(".")[2].startswith(part)
    return (not is_start, name.count("."))
