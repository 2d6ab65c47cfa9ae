"""The texts of a plan's files: what they were, and what its steps make of them.

An overlay never changes: each step returns another one. A text of None is a file that
does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace


class PlannedChange(Struct, frozen=True, kw_only=True):
    """What becomes of one file."""

    path: str
    before: str | None
    """None: the file is created."""
    after: str | None
    """None: the file is deleted."""
    old_path: str = ""
    """Where the file was, if it is renamed."""

    @property
    def back(self) -> PlannedChange:
        """The change that undoes it."""
        return PlannedChange(
            path=self.old_path or self.path,
            before=self.after,
            after=self.before,
            old_path=self.path if self.old_path else "",
        )


class Overlay(Struct, frozen=True, kw_only=True):
    """Texts by path, over those that the workspace had when the plan began."""

    base: Mapping[str, str | None] = {}
    """The files that the plan names, as they were. LF line ends."""
    texts: Mapping[str, str | None] = {}
    """The files that are different now."""
    renamed: Mapping[str, str] = {}
    """Old paths by new path."""

    def text(self, path: str) -> str | None:
        return self.texts[path] if path in self.texts else self.base.get(path)

    def write(self, path: str, text: str) -> Overlay:
        """Give a file another text, or create it."""
        return replace(self, texts={**self.texts, path: text})

    def delete(self, path: str) -> Overlay:
        kept = {new: old for new, old in self.renamed.items() if new != path}
        return replace(self, texts={**self.texts, path: None}, renamed=kept)

    def rename(self, path: str, to: str) -> Overlay:
        """Move a file with its text; a missing one stays missing."""
        text = self.text(path)
        if text is None:
            return self
        first = self.renamed.get(path, path)
        kept = {new: old for new, old in self.renamed.items() if new != path}
        return replace(
            self,
            texts={**self.texts, path: None, to: text},
            renamed={**kept, to: first},
        )

    def changes(self) -> tuple[PlannedChange, ...]:
        """Return the files that differ from the base, by path."""
        moved = set(self.renamed.values())
        changes: list[PlannedChange] = []
        for path, after in sorted(self.texts.items()):
            if (old := self.renamed.get(path)) is not None:
                before = self.base.get(old)
                change = PlannedChange(
                    path=path, before=before, after=after, old_path=old
                )
                changes.append(change)
            elif after != (before := self.base.get(path)) and path not in moved:
                changes.append(PlannedChange(path=path, before=before, after=after))
        return tuple(changes)
