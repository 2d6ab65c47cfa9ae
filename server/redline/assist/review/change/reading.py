"""Reads the files of a review: open documents first, ignored files never."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from redline.assist.privacy.git_folders import Stamps
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import IrregularFileError, UnreadableFileError
from redline.files import leads_out, read_file
from redline.findings.scope import LeftOutFile
from redline.syntax.language import language_of
from redline.text.document import Snapshot
from redline.text.uri import is_file, uri_path

MAX_FILE_BYTES = 2_000_000
"""Larger files are generated, or data."""


class NotRead(msgspec.Struct, frozen=True):
    """The reason why a file is not reviewed, as the end of a sentence."""

    reason: str
    by_rule: bool = False
    """Whether no review may read it: it is ignored, or it holds no text."""

    def of(self, name: str) -> LeftOutFile:
        """Return the entry for a file that is left out for this reason."""
        return LeftOutFile(path=name, reason=self.reason, by_rule=self.by_rule)


EMPTY = NotRead("it is empty", by_rule=True)
TOO_LARGE = NotRead(f"it is larger than {MAX_FILE_BYTES // 1_000_000} MB")
_FOLDER = NotRead("it is a folder", by_rule=True)
_LINK_OUT = NotRead("it is a link out of the workspace", by_rule=True)


class Reader:
    """The files of one workspace at one moment."""

    def __init__(
        self, *, roots: Sequence[str], documents: Mapping[str, Snapshot]
    ) -> None:
        self._roots = tuple(roots)
        self._folders = [path for root in roots if (path := path_of(root)) is not None]
        self._ignore_rules = IgnoreRules()
        self._stamps: Stamps = {}
        self._documents = {
            path: snapshot
            for uri, snapshot in documents.items()
            if (path := path_of(uri)) is not None
        }

    @property
    def open_files(self) -> tuple[Path, ...]:
        return tuple(self._documents)

    def name(self, path: Path) -> str:
        """Name a file as prompts and findings do: relative to its root."""
        for folder in self._folders:
            if path.is_relative_to(folder):
                return _showable(path.relative_to(folder).as_posix())
        return _showable(path.name)

    def is_inside(self, path: Path) -> bool:
        """Whether a file is under one of the roots."""
        return any(path.is_relative_to(folder) for folder in self._folders)

    def refused(self, path: Path) -> NotRead | None:
        """Return why a file is not reviewed, without reading it; None: it may be."""
        ignored = self.ignored(path)
        if ignored is None and _showable(str(path)) != str(path):
            return NotRead("its name is not in UTF-8")
        return ignored

    def uri(self, path: Path) -> str:
        """Return a file's URI, in the editor's own spelling where it is open."""
        document = self._documents.get(path)
        return path.as_uri() if document is None else document.uri

    def language(self, path: Path) -> str:
        """Return a file's language id; empty: not known."""
        document = self._documents.get(path)
        return (
            language_of(path.name) or "" if document is None else document.language_id
        )

    def ignored(self, path: Path) -> NotRead | None:
        """Return why a file must not be sent; None: it may be."""
        reason = self.reason(path.as_uri())
        return None if reason is None else NotRead(reason, by_rule=True)

    def reason(self, uri: str) -> str | None:
        """Return why a document must not be sent, as `IgnoreRules.reason` does."""
        return self._ignore_rules.reason(uri, self._roots, stamps=self._stamps)

    def text(self, path: Path) -> str | NotRead:
        """Read a file as the developer sees it: the open document, else the disk."""
        # `Path.is_dir` raises for a name that is too long.
        if os.path.isdir(path):
            return _LINK_OUT if self.leads_out(path) else _FOLDER
        refused = self.refused(path)
        if refused is not None:
            return refused
        text = self.open_text(path)
        return self.text_on_disk(path) if text is None else text

    def open_text(self, path: Path) -> str | None:
        """Return the text of an open document; None: it is not open."""
        document = self._documents.get(path)
        return None if document is None else with_line_feeds("".join(document.lines))

    def text_on_disk(self, path: Path) -> str | NotRead:
        """Read a file from the disk, even if it is open in the editor."""
        if self.leads_out(path):
            return _LINK_OUT
        try:
            return text_of(
                read_file(path, max_bytes=MAX_FILE_BYTES, roots=self._folders)
            )
        except IrregularFileError as exc:
            return NotRead(exc.reason, by_rule=True)
        except UnreadableFileError as exc:
            return NotRead(exc.reason)

    def leads_out(self, path: Path) -> bool:
        """Whether a path under one of the roots leads to a place that is not."""
        return leads_out(path, self._folders)


def text_of(content: bytes) -> str | NotRead:
    """Decode a file's bytes to text with LF line ends."""
    if len(content) > MAX_FILE_BYTES:
        return TOO_LARGE
    if b"\0" in content:
        return NotRead("it is binary", by_rule=True)
    try:
        return with_line_feeds(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return NotRead("it is not text in UTF-8")


def with_line_feeds(text: str) -> str:
    """Replace all line ends by LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def n_lines(text: str) -> int:
    """Count the lines of a text with LF line ends."""
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def path_of(uri: str) -> Path | None:
    """Return the path of a file URI; None: it names no file."""
    return Path(uri_path(uri)) if is_file(uri) else None


def _showable(name: str) -> str:
    """Replace bytes in a name that are not UTF-8: messages and reports reject them."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
