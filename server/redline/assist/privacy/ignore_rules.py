"""Decides which files are never sent to a model: secrets, and ignored files.

There are two layers. The built-in list of files that hold keys and credentials applies
everywhere, also to backups of such files, and nothing in a workspace can lift it. The
second layer is what git reads: the file of `core.excludesFile`, `info/exclude` of the
repository, and the `.gitignore` files; and then the `.redlineignore` files, in the same
syntax. A matching `.redlineignore` pattern decides: `!notes.txt` allows an ignored
file. These files count from the top of the file's repository, or from the workspace
folder if that is further up.

An ignore file that is not a regular file counts as absent, as in git. If one cannot be
read for another reason, it may hold anything, so the files below it are held back. The
repository's configuration may name such a file, and counts as one. Held back, too, are
files whose folder was there before and is not any more, with its ignore files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from redline.assist.privacy.git_config import check_config
from redline.assist.privacy.git_folders import Stamps
from redline.assist.privacy.git_index import left_out
from redline.assist.privacy.ignore_levels import (
    OWN_FILE,
    IgnoreLevel,
    decision,
    patterns_of,
)
from redline.assist.privacy.ignore_patterns import composed
from redline.assist.privacy.ignore_places import (
    CONFIG,
    IGNORE_FILES,
    INDEX,
    IgnorePlace,
    PathStates,
    are_unchanged,
    place_of,
    state_of,
)
from redline.assist.privacy.linked_files import MAX_FILES, FileKey, without_links
from redline.assist.privacy.paths_in_uris import files_of, shows_many_files
from redline.errors import HeldBackError, UnreadableFileError
from redline.files import Stamp
from redline.text.uri import is_file, uri_path

GONE = "it is gone"


class IgnoreRules:
    """The ignore rules of one workspace; rereads ignore files when they change."""

    def __init__(self) -> None:
        self._places: dict[FileKey, IgnorePlace] = {}
        self._verdicts: dict[FileKey, tuple[PathStates, str | None]] = {}
        """Each with the states of the ignore files that it is based on."""
        self._folders: set[str] = set()
        """Those that were there when a file in them was judged."""

    def reason(
        self,
        uri: str,
        roots: Sequence[str],
        *,
        stamps: Stamps | None = None,
        must_exist: bool = False,
    ) -> str | None:
        """Return why a file must not be sent, as the end of a sentence; None: it may.

        Args:
            uri: The document's; the target of a link must not be held back either.
                One of another scheme, such as `git:`, is judged by the path in it.
            roots: URIs of the workspace folders, which may be links themselves.
            stamps: States of ignore files read a moment ago, which are used and added
                to; files that are checked together share most of them.
            must_exist: Whether the text was read from the file, which may have moved
                to a place where it is ignored.
        """
        if shows_many_files(uri):
            return "it may show parts of files that are not sent"
        seen = {} if stamps is None else stamps
        folders = tuple(roots)
        for name in files_of(uri, folders):
            given = (name, folders)
            reason = self._reason_at(given, seen)
            # A link gives a file another path; each of them may be held back.
            if reason is None and (real := without_links(*given)) != given:
                reason = self._reason_at(real, seen)
            if reason is not None:
                return reason
        if must_exist and is_file(uri) and not os.access(uri_path(uri), os.F_OK):
            return GONE
        return None

    def refuse(self, uri: str, roots: Sequence[str], name: str) -> None:
        """Refuse a file that must not be sent.

        Raises:
            HeldBackError: If it must not; `name` is the file's in the message.
        """
        if (reason := self.reason(uri, roots)) is not None:
            raise held_back(name, reason)

    def _reason_at(self, key: FileKey, seen: Stamps) -> str | None:
        """Return the reason for one path of a file, as `reason` does."""
        place = self._places.get(key)
        if place is None or not are_unchanged(place.guards, seen):
            if len(self._places) >= MAX_FILES:
                self._places.clear()
                self._verdicts.clear()
            place = self._places[key] = place_of(*key, seen)
            self._verdicts.pop(key, None)
        if place.is_denied:
            return "it is of a kind that holds keys or credentials"
        if place.folder and self._is_gone(place, seen):
            return "its folder is gone, and with it the ignore files"
        known = self._verdicts.get(key)
        if known is None or not are_unchanged(known[0], seen):
            stamps = [state_of(source.file, seen) for source in place.sources]
            files = (source.file for source in place.sources)
            read = tuple(zip(files, stamps, strict=True))
            known = self._verdicts[key] = read, _verdict(place, stamps)
        return known[1]

    def _is_gone(self, place: IgnorePlace, seen: Stamps) -> bool:
        """Whether a folder above a file was there before: its editor still shows the
        file, and nothing says any more what may be sent."""
        if state_of(place.folder, seen) is not None:
            if place.folder not in self._folders:
                start = place.start or place.folder
                self._folders.update(_between(start, place.folder))
            return False
        return any(
            folder in self._folders and state_of(folder, seen) is None
            for folder in _between(os.sep, place.folder)
        )


@lru_cache(MAX_FILES)
def _between(start: str, folder: str) -> Sequence[str]:
    """Return a folder and those above it, as far as they are in the first one."""
    path = Path(folder)
    return [str(one) for one in (path, *path.parents) if one.is_relative_to(start)]


def held_back(name: str, reason: str) -> HeldBackError:
    """Return the error for a file with a reason of `IgnoreRules`."""
    return HeldBackError(f"{name} is not sent to a model: {reason}.")


def _verdict(place: IgnorePlace, stamps: Sequence[Stamp | None]) -> str | None:
    git: list[IgnoreLevel] = []
    own: list[IgnoreLevel] = []
    for (name, file, depth), stamp in zip(place.sources, stamps, strict=True):
        if name == INDEX:
            if _is_below_left_out(place, file, depth, stamp):
                return "git knows a .gitignore for it that is not in the worktree"
            continue
        if stamp is None and name == OWN_FILE and os.path.islink(file):
            return f"{name} cannot be used (it is a link to nothing)"
        # Those outside the worktree are where the user or a tool has put them.
        roots = (place.start,) if name in IGNORE_FILES else ()
        try:
            if name == CONFIG:
                check_config(file, stamp)
                continue
            patterns = patterns_of(file, stamp, roots, place.ignores_case)
        except UnreadableFileError as exc:
            return f"{name} cannot be used ({exc.reason})"
        if patterns is not None:
            levels = own if name == OWN_FILE else git
            levels.append(IgnoreLevel(name, depth, patterns))
    if (reason := _decided(own, git, place.parts)) or all(
        part.isascii() for part in place.parts
    ):
        return reason
    # A name and the line that ignores it may write a letter differently.
    own, git = (
        [level._replace(patterns=level.patterns.composed) for level in levels]
        for levels in (own, git)
    )
    return _decided(own, git, [composed(part) for part in place.parts])


def _decided(
    own: Sequence[IgnoreLevel], git: Sequence[IgnoreLevel], parts: Sequence[str]
) -> str | None:
    """Return why a path is not sent, by the patterns of `.redlineignore` and git."""
    for levels in (own, git):
        if (decided := decision(levels, parts)) is not None:
            is_ignored, name = decided
            return f"{name} leaves it out" if is_ignored else None
    return None


def _is_below_left_out(
    place: IgnorePlace, index: str, depth: int, stamp: Stamp | None
) -> bool:
    """Whether git reads a `.gitignore` above the file from its index.

    It does so for one that is not in the worktree.
    """
    out = left_out(index, stamp)
    if not out.ignore_files and not out.folders:
        return False
    parts = [part.encode("latin-1") for part in place.parts]
    above, folders = parts[:depth], parts[depth:-1]
    for end in range(len(folders) + 1):
        path = b"/".join((*folders[:end], b".gitignore"))
        file = os.path.join(os.fsencode(place.start), *above, path)
        if path in out.ignore_files and not os.path.lexists(file):
            return True
        if end and b"/".join(folders[:end]) in out.folders:
            return True
    return False
