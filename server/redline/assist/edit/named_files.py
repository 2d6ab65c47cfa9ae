"""Loads the files that an instruction names by `@path`, to be shown to the model.

A path is relative to a workspace folder. What names no file, such as a decorator, is
left as it is, unless its suffix is that of a source file: then it is a mistake.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import (
    AttachmentError,
    IrregularFileError,
    MissingFileError,
    UnreadableFileError,
)
from redline.files import read_file
from redline.prompts.blocks import Block, on_one_line
from redline.prompts.surrounding_lines import with_line_feeds
from redline.syntax.language import language_of
from redline.text.document import Snapshot
from redline.text.lines import split_lines
from redline.text.named_files import named_files
from redline.text.uri import is_file, uri_path

MAX_FILES = 10
MAX_FILE_BYTES = 1_000_000

_WINDOW_SHARE = 1 / 3
"""Share of a model's window that named files may take: half is for the reply."""

_REMEDY = "Nothing was sent; name another file, or leave it out."


class NamedFile(Struct, frozen=True, kw_only=True):
    """A file that an instruction names."""

    name: str
    """Relative to its workspace folder, as it is named."""
    text: str
    """LF line ends."""


def load_named_files(
    instruction: str,
    *,
    roots: Sequence[str],
    documents: Mapping[str, Snapshot],
    rules: IgnoreRules,
) -> tuple[NamedFile, ...]:
    """Load the named files; blocks, so call it in a thread.

    Args:
        instruction: The user's words.
        roots: URIs of the workspace folders.
        documents: The open documents, whose text counts instead of that on disk.
        rules: The ignore rules.

    Raises:
        AttachmentError: If one is missing, is a folder, is no text or is too large.
        HeldBackError: If one must not be sent.
    """
    folders = [Path(uri_path(root)) for root in roots if is_file(root)]
    opened = {
        os.path.normpath(uri_path(uri)): snapshot
        for uri, snapshot in documents.items()
        if is_file(uri)
    }
    found = [
        file
        for name in named_files(instruction)
        if (file := _load(name, folders, roots, opened, rules)) is not None
    ]
    if len(found) > MAX_FILES:
        raise AttachmentError(
            f"At most {MAX_FILES} files can be named.", remedy=_REMEDY
        )
    return tuple(found)


def blocks_of(files: Sequence[NamedFile]) -> tuple[Block, ...]:
    """Return how files are shown in a prompt."""
    return tuple(
        Block(
            title=f"The file that the instruction names as @{on_one_line(file.name)}",
            text=file.text,
            path=file.name,
        )
        for file in files
    )


def check_room(
    files: Sequence[NamedFile], *, context_tokens: int, count: Callable[[str], int]
) -> None:
    """Refuse files that do not fit into a model's window beside everything else.

    Raises:
        AttachmentError: If they are too large together.
    """
    limit = int(context_tokens * _WINDOW_SHARE)
    n_tokens = sum(count(file.text) for file in files)
    if n_tokens > limit:
        names = ", ".join(f"@{file.name}" for file in files)
        raise AttachmentError(
            f"{names} has about {n_tokens:,} tokens, and the model has room for "
            f"{limit:,}.",
            remedy="Nothing was sent; name smaller files, or a model with more room.",
        )


def _load(
    name: str,
    folders: Sequence[Path],
    roots: Sequence[str],
    opened: Mapping[str, Snapshot],
    rules: IgnoreRules,
) -> NamedFile | None:
    for folder in folders:
        path = Path(os.path.normpath(folder / name))
        if not path.is_relative_to(folder) or path == folder:
            continue
        try:
            data = read_file(path, max_bytes=MAX_FILE_BYTES, roots=folders)
        except MissingFileError:
            if (snapshot := opened.get(str(path))) is None:
                continue
            data = b""
        except IrregularFileError as exc:
            raise AttachmentError(
                f"@{name} is not attached: {exc.reason}.", remedy=_REMEDY
            ) from exc
        except UnreadableFileError as exc:
            _refuse_ignored(name, path, roots, rules)
            raise AttachmentError(
                f"@{name} is not attached: {exc.reason}.", remedy=_REMEDY
            ) from exc
        _refuse_ignored(name, path, roots, rules)
        snapshot = opened.get(str(path))
        if snapshot is not None:
            return NamedFile(name=name, text=with_line_feeds(snapshot.lines))
        return NamedFile(name=name, text=_text(name, data))
    if language_of(name) is not None:
        raise AttachmentError(
            f"@{name} names no file of this workspace.",
            remedy="Nothing was sent; give its path from the workspace folder.",
        )
    return None


def _refuse_ignored(
    name: str, path: Path, roots: Sequence[str], rules: IgnoreRules
) -> None:
    # A link must not lead to a file that is held back.
    for each in (path, Path(os.path.realpath(path))):
        rules.refuse(each.as_uri(), roots, f"@{name}")


def _text(name: str, data: bytes) -> str:
    if b"\0" in data:
        raise AttachmentError(
            f"@{name} is not attached: it is not text.", remedy=_REMEDY
        )
    return with_line_feeds(split_lines(data.decode("utf-8-sig", "replace")))
