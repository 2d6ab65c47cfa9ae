"""Gathers the files of a change, and the lines that it touches.

A file that git lists is read from the index, a commit, or the working tree, where an
open document has priority over the disk. A file with unsaved text is compared here,
since git does not know that text.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from redline.assist.review.change.git import DiffRange, Repository
from redline.assist.review.change.git_listing import ChangedPath, title_of
from redline.assist.review.change.reading import (
    EMPTY,
    MAX_FILE_BYTES,
    TOO_LARGE,
    NotRead,
    Reader,
    n_lines,
    text_of,
)
from redline.errors import NotReviewableError
from redline.findings.diff import FileChange, parse_diff
from redline.findings.scope import (
    ChangeTarget,
    LeftOutFile,
    ReviewedFile,
    Since,
    Staged,
    WorkingTree,
)
from redline.text.unified_diff import unified_diff

logger = logging.getLogger(__name__)

_KINDS = {
    "120000": NotRead("it is a symbolic link", by_rule=True),
    "160000": NotRead("it is a submodule", by_rule=True),
}
"""Git's modes of entries that are not regular files."""


_NOT_HERE = NotRead("git does not have its text here")
_CONFLICT = NotRead("its merge conflict is not resolved")
_UNCHANGED = NotRead("none of its lines is changed", by_rule=True)


class GatheredChange(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a change: reviewed, left out, and deleted."""

    files: tuple[ReviewedFile, ...]
    left_out: tuple[LeftOutFile, ...]
    deleted: tuple[str, ...]


def gather_change(target: ChangeTarget, folder: Path, reader: Reader) -> GatheredChange:
    """Read the files of a change.

    Raises:
        NotReviewableError: If git cannot list the change.
    """
    try:
        return _gather(target, folder, reader)
    except (ValueError, IndexError) as exc:
        logger.warning("git's answer cannot be read", exc_info=exc)
        raise NotReviewableError(
            "git gave an answer that cannot be read.",
            remedy="Check which git comes first on PATH, or name the files to review.",
        ) from exc


def _gather(target: ChangeTarget, folder: Path, reader: Reader) -> GatheredChange:
    repository = Repository(folder)
    match target:
        case WorkingTree():
            change = repository.working_tree(target.paths)
        case Staged():
            change = repository.staged(target.paths)
        case Since():
            change = repository.since(target.base, target.head, target.paths)
    gathering = _Gathering(folder, reader, repository, change)
    is_on_disk = isinstance(target, WorkingTree)
    gathering.take_listed(is_on_disk=is_on_disk)
    if is_on_disk:
        gathering.take_untracked(target.paths)
        gathering.take_unsaved(target.paths)
    return gathering.result()


class _Gathering:
    """One change while it is read."""

    def __init__(
        self, folder: Path, reader: Reader, repository: Repository, change: DiffRange
    ) -> None:
        self._folder = folder
        self._reader = reader
        self._repository = repository
        self._listed = {one.path: one for one in change.paths}
        # By title, since git may list a file in one of the two formats only.
        self._known = {
            one.title: one for one in parse_diff(change.patch.decode(errors="replace"))
        }
        self._files: dict[str, ReviewedFile] = {}
        self._left_out: dict[str, NotRead] = {}
        self._deleted: list[str] = []

    def result(self) -> GatheredChange:
        return GatheredChange(
            files=tuple(file for _, file in sorted(self._files.items())),
            left_out=tuple(
                why.of(self._reader.name(self._at(path)))
                for path, why in sorted(self._left_out.items())
            ),
            deleted=tuple(sorted(self._deleted)),
        )

    def take_listed(self, *, is_on_disk: bool) -> None:
        """Take the files that git lists, with text from the disk or from git."""
        wanted = [
            self._without_ignored_past(one)
            for one in self._listed.values()
            if self._may_be_read(one)
        ]
        if is_on_disk:
            for one in wanted:
                self._take_from_disk(one)
            return
        texts = self._committed(
            one.new_blob for one in wanted if one.new_blob is not None
        )
        for one in wanted:
            if one.status == "U":
                self._left_out[one.path] = _CONFLICT
            else:
                self._take(one, texts.get(one.new_blob or "", _NOT_HERE))

    def take_untracked(self, paths: tuple[str, ...]) -> None:
        """Take the new files that git does not track yet."""
        for path in self._repository.untracked(paths):
            # A folder in this list is a nested repository.
            mode = "120000" if self._at(path).is_symlink() else "100644"
            if path.endswith("/"):
                mode = "160000"
            one = ChangedPath(status="A", path=path.rstrip("/"), mode=mode)
            if self._may_be_read(one):
                self._take(one, self._reader.text(self._at(one.path)))

    def take_unsaved(self, paths: tuple[str, ...]) -> None:
        """Take open documents that only their unsaved text changes."""
        for file, path in self._open_files(paths):
            is_taken = path in self._listed or path in self._files
            if is_taken or path in self._left_out or not self._is_unsaved(file):
                continue
            if file.is_symlink() or self._reader.leads_out(file):
                # The document has the text of another file, and git has the link.
                continue
            blob = self._repository.blob_at_last_commit(path)
            if blob is None:
                # Neither in the commit nor untracked: git ignores it.
                continue
            one = ChangedPath(status="M", path=path, old_blob=blob)
            if self._may_be_read(one):
                self._take_compared(one, self._reader.text(file))

    def _take_from_disk(self, one: ChangedPath) -> None:
        file = self._at(one.path)
        text = self._reader.text(file)
        if self._is_unsaved(file):
            self._take_compared(one, text)
        else:
            self._take(one, text)

    def _take(self, one: ChangedPath, text: str | NotRead) -> None:
        """Take a file's text, with git's diff of it if that fits the text."""
        if isinstance(text, NotRead):
            self._left_out[one.path] = text
            return
        known = self._known.get(title_of(one))
        if one.status == "A":
            # A new file needs no diff.
            self._put(one, text, None)
        elif known is not None and _fits(known, text):
            self._put(one, text, known)
        else:
            # Git's diff does not fit: other line ends, a file written just now, or one
            # that an attribute calls binary. A change must not hide in such a file.
            self._take_compared(one, text)

    def _take_compared(self, one: ChangedPath, text: str | NotRead) -> None:
        """Take a file's text, with a diff that is computed here."""
        if isinstance(text, NotRead):
            self._left_out[one.path] = text
            return
        if one.old_blob is None:
            self._put(one, text, None)
            return
        old = self._committed([one.old_blob]).get(one.old_blob, _NOT_HERE)
        if isinstance(old, NotRead):
            self._put(one, text, None)
            return
        found = parse_diff(unified_diff(old, text))
        if found:
            self._put(one, text, found[0])
        else:
            self._left_out[one.path] = _UNCHANGED

    def _committed(self, blobs: Iterable[str]) -> dict[str, str | NotRead]:
        """Read blobs from git; too large ones are not read, only measured."""
        sizes = self._repository.sizes(blobs)
        small = [blob for blob, size in sizes.items() if size <= MAX_FILE_BYTES]
        contents = self._repository.texts(small)
        read = {blob: text_of(content) for blob, content in contents.items()}
        return {**dict.fromkeys(sizes, TOO_LARGE), **read}

    def _put(self, one: ChangedPath, text: str, change: FileChange | None) -> None:
        length = n_lines(text)
        spans = ((0, length),) if change is None else change.spans
        spans = tuple(
            (first, min(end, length))
            for first, end in spans
            if first < min(end, length)
        )
        if not spans:
            self._left_out[one.path] = EMPTY if not text else _UNCHANGED
            return
        file = self._at(one.path)
        name = self._reader.name(file)
        old = one.old_path and self._reader.name(self._at(one.old_path))
        self._files[one.path] = ReviewedFile(
            path=name,
            uri=self._reader.uri(file),
            language=self._reader.language(file),
            text=text,
            spans=spans,
            diff="" if change is None else change.text,
            is_new=one.status == "A",
            old_path=old,
        )

    def _may_be_read(self, one: ChangedPath) -> bool:
        """Whether a listed path is a file that may be read; if not, record why."""
        if one.status == "D":
            self._deleted.append(self._reader.name(self._at(one.path)))
            return False
        # Ignore rules come first, so that an ignored link is not followed.
        refused = self._reader.refused(self._at(one.path))
        why = refused or _KINDS.get(one.mode)
        if why is not None:
            self._left_out[one.path] = why
        return why is None

    def _without_ignored_past(self, one: ChangedPath) -> ChangedPath:
        """Treat a file whose old name is ignored as a new file."""
        old = one.old_path
        if old is None or self._reader.ignored(self._at(old)) is None:
            return one
        return replace(one, status="A", old_path=None, old_blob=None)

    def _is_unsaved(self, file: Path) -> bool:
        text = self._reader.open_text(file)
        return text is not None and text != self._reader.text_on_disk(file)

    def _open_files(self, paths: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
        wanted = [self._at(path) for path in paths or (".",)]
        for file in self._reader.open_files:
            if any(file.is_relative_to(place) for place in wanted):
                yield file, file.relative_to(self._folder).as_posix()

    def _at(self, path: str) -> Path:
        return Path(os.path.normpath(self._folder / path))


def _fits(change: FileChange, text: str) -> bool:
    """Whether git's hunks match the text at their lines."""
    if change.is_binary:
        return False
    lines = text.split("\n")
    for hunk in change.hunks:
        shown = [line[1:] for line in hunk.text.split("\n")[1:] if line[:1] in " +"]
        if lines[hunk.first_line : hunk.first_line + hunk.n_lines] != shown:
            return False
    return True
