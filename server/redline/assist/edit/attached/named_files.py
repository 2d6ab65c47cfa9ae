"""Loads what an instruction names by `@path` or `@path#definition`, for the model.

A path is relative to a workspace folder. What names no file, such as a decorator, is
left as it is, unless its suffix is that of a source file: then it is a mistake.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.edit.attached.definitions import definitions_of
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import (
    AttachmentError,
    IrregularFileError,
    MissingFileError,
    UnreadableFileError,
)
from redline.files import read_file
from redline.parsing.work import WorkRunner
from redline.prompts.blocks import Block, on_one_line
from redline.syntax.language import language_of
from redline.text.document import Snapshot
from redline.text.lines import split_lines, with_line_feeds
from redline.text.named_files import file_and_definition, named_files
from redline.text.uri import is_file, uri_path

MAX_FILES = 10
MAX_FILE_BYTES = 1_000_000

_WINDOW_SHARE = 1 / 3
"""Share of a model's window that named files may take: half is for the reply."""

_REMEDY = "Name another file, or leave it out."


class NamedFile(Struct, frozen=True, kw_only=True):
    name: str
    """As it is named: a path relative to its workspace folder, or a definition."""
    path: str
    """The same path, without a definition."""
    text: str
    """LF line ends."""
    definition: str = ""
    """The qualified name of the definition that is meant; empty: the whole file."""


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
    named = (
        load_named_file(name, roots=roots, documents=documents, rules=rules)
        for name in named_files(instruction)
    )
    found = tuple(file for file in named if file is not None)
    if len(found) > MAX_FILES:
        raise AttachmentError(
            f"At most {MAX_FILES} files can be named.", remedy=_REMEDY
        )
    return found


def load_named_file(
    name: str,
    *,
    roots: Sequence[str],
    documents: Mapping[str, Snapshot],
    rules: IgnoreRules,
) -> NamedFile | None:
    """Load one named file, as `load_named_files` does; None: the name is of no file."""
    folders = [Path(uri_path(root)) for root in roots if is_file(root)]
    opened = {
        os.path.normpath(uri_path(uri)): snapshot
        for uri, snapshot in documents.items()
        if is_file(uri)
    }
    path, definition = file_and_definition(name)
    for each in filter(None, (name, path)):
        file = _load(each, folders, roots, opened, rules)
        if file is not None:
            named = definition if each == path else ""
            return replace(file, name=name, definition=named)
    return None


def look_again_at_files(
    files: Sequence[NamedFile],
    *,
    roots: Sequence[str],
    documents: Mapping[str, Snapshot],
    rules: IgnoreRules,
) -> None:
    """Refuse loaded files that would not be loaded now, as `load_named_files` does."""
    for file in files:
        name = file.name
        if not load_named_file(name, roots=roots, documents=documents, rules=rules):
            raise _missing(name)


async def only_definitions(
    files: Sequence[NamedFile], parser: WorkRunner
) -> tuple[NamedFile, ...]:
    """Cut files of which a definition is named to the lines of that.

    A definition that there are several of, such as a property and its setter, is shown
    in all its forms.

    Raises:
        AttachmentError: If a file has no such definition.
    """
    return tuple([await _only_definition(file, parser) for file in files])


async def _only_definition(file: NamedFile, parser: WorkRunner) -> NamedFile:
    if not file.definition:
        return file
    found = await definitions_of(file.path, file.text, parser)
    lines = split_lines(file.text)
    parts = [
        "".join(lines[each.first_line : each.last_line + 1])
        for each in found
        if each.name == file.definition
    ]
    if not parts:
        raise AttachmentError(
            f"@{file.name} names no definition of {file.path}.",
            remedy="Name the definition with those around it, such as Invoice.total, "
            "or only the file.",
        )
    return replace(file, text="\n".join(parts))


def blocks_of(files: Sequence[NamedFile]) -> tuple[Block, ...]:
    """Return how files are shown in a prompt."""
    return tuple(
        Block(
            title=f"The {'definition' if file.definition else 'file'} that the "
            f"instruction names as @{on_one_line(file.name)}",
            text=file.text,
            path=file.path,
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
    if not files:
        return
    limit = int(context_tokens * _WINDOW_SHARE)
    n_tokens = sum(count(file.text) for file in files)
    if n_tokens > limit:
        names = ", ".join(f"@{file.name}" for file in files)
        raise AttachmentError(
            f"{names} has about {n_tokens:,} tokens, and the model has room for "
            f"{limit:,}.",
            remedy="Name smaller files, or a model with more room.",
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
            text = with_line_feeds(snapshot.lines)
            return NamedFile(name=name, path=name, text=text)
        return NamedFile(name=name, path=name, text=_text(name, data))
    if language_of(name) is not None:
        raise _missing(name)
    return None


def _missing(name: str) -> AttachmentError:
    return AttachmentError(
        f"@{name} names no file of this workspace.",
        remedy="Give its path from the workspace folder.",
    )


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
