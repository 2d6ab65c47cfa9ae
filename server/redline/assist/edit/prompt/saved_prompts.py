"""Reads the prompts that the user has saved: one text file each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import MissingFileError, UnreadableFileError
from redline.files import entries_of, read_text

SUFFIXES = (".md", ".txt")

MAX_BYTES = 100_000
"""Size of a file above which it is reported instead: as long as an instruction may be,
if each character takes one byte."""

MAX_TOTAL_BYTES = 2_000_000
"""Size of all together: an editor lists them each time that the user types `/`."""

_MAX_ENTRIES = 1_000


class PromptFolder(Struct, frozen=True, kw_only=True):
    """A folder of saved prompts; it need not exist."""

    path: Path
    root: Path | None = None
    """The workspace folder that it is in, which no link may lead out of."""


class PromptFile(Struct, frozen=True, kw_only=True):
    """An instruction that can be used again."""

    name: str
    text: str


class SavedPrompts(Struct, frozen=True, kw_only=True):
    """All saved prompts, by name."""

    prompts: tuple[PromptFile, ...]
    problems: tuple[str, ...]
    """Why a folder or a file was left out, a sentence each."""


def read_saved_prompts(folders: Iterable[PromptFolder]) -> SavedPrompts:
    """Read the files of folders that have one of `SUFFIXES`; blocks.

    The name is the file's, without its suffix. Of two files with the same name, that
    of the first folder counts. Files that are hidden or empty are left out, and those
    with which all together would have more than `MAX_TOTAL_BYTES`.
    """
    prompts: dict[str, PromptFile] = {}
    problems: list[str] = []
    n_bytes = n_left_out = 0
    for folder in folders:
        try:
            entries = entries_of(folder.path, max_entries=_MAX_ENTRIES)
        except MissingFileError:
            continue
        except UnreadableFileError as exc:
            problems.append(str(exc))
            continue
        for path in sorted(Path(entry.path) for entry in entries):
            if path.suffix.lower() not in SUFFIXES or path.name.startswith("."):
                continue
            try:
                text = _text(path, folder.root)
            except UnreadableFileError as exc:
                problems.append(str(exc))
                continue
            if not text or not path.stem.isprintable() or path.stem in prompts:
                continue
            if n_bytes + len(text.encode()) > MAX_TOTAL_BYTES:
                n_left_out += 1
                continue
            n_bytes += len(text.encode())
            prompts[path.stem] = PromptFile(name=path.stem, text=text)
    if n_left_out:
        problems.append(
            f"{n_left_out} saved prompts were left out: all together may have"
            f" {MAX_TOTAL_BYTES // 1_000_000} MB."
        )
    ordered = sorted(prompts.values(), key=lambda prompt: prompt.name.casefold())
    return SavedPrompts(prompts=tuple(ordered), problems=tuple(problems))


def _text(path: Path, root: Path | None) -> str:
    """Read one prompt.

    The ignore rules count only for what a link of a workspace leads to: the user may
    ignore the folder of prompts itself.

    Raises:
        UnreadableFileError: If it cannot be read, or must not be sent.
    """
    if root is None:
        return read_text(path, max_bytes=MAX_BYTES).strip()
    top, target = (Path(os.path.realpath(one)) for one in (root, path))
    if target != top / path.relative_to(root):
        reason = IgnoreRules().reason(target.as_uri(), (top.as_uri(),))
        if reason is not None:
            raise UnreadableFileError(str(path), reason)
    return read_text(path, max_bytes=MAX_BYTES, roots=(root,)).strip()
