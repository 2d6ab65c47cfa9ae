"""The file of `redline edit`: which lines are edited, and writing the file again."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.review.change.reading import MAX_FILE_BYTES, NotRead, text_of
from redline.cli.arguments.named_lines import NamedLines, named_lines
from redline.cli.arguments.review_target import place_of
from redline.cli.arguments.text_argument import check_name_argument
from redline.drafts import open_draft
from redline.errors import (
    EditNotLandedError,
    InvalidArgumentsError,
    UnreadableFileError,
)
from redline.files import read_file
from redline.text.lines import split_lines
from redline.text.position import Position, Range
from redline.text.region import range_of_lines

_MAY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class EditedFile:
    """One file, as it was when it was read."""

    def __init__(self, path: Path, *, workspace: Path, content: bytes) -> None:
        self.path = path
        """Absolute."""
        self.name = _name(path, workspace)
        """Relative to the workspace, with slashes."""
        self.is_written = False
        """Whether the edit is in the file."""
        self._roots = (workspace,)
        self._content = content
        self._mark = _BYTE_ORDER_MARK if content.startswith(_BYTE_ORDER_MARK) else b""
        self.text = content.decode("utf-8-sig")
        """Its text with its own line ends, without a byte order mark."""

    def with_mark(self, text: str) -> str:
        """Return a text as the file has it: with its byte order mark."""
        return (self._mark + text.encode()).decode()

    def interrupted(self) -> str:
        """Return what an interrupted command reports; empty: nothing is written."""
        if not self.is_written:
            return ""
        return f"{self.name} was written before the interrupt."

    def write(self, text: str) -> None:
        """Replace the file in one step; its mode, its mark and its owner stay.

        Raises:
            EditNotLandedError: If it has changed since it was read, or cannot be
                replaced. It is as it was then.
        """
        target = Path(os.path.realpath(self.path))
        try:
            self._check(target)
            _replace(target, self._mark + text.encode(), check=self._check)
        except (OSError, UnreadableFileError) as exc:
            reason = getattr(exc, "strerror", None) or str(exc).rstrip(".")
            raise EditNotLandedError(
                f"{self.name} is not written: {reason}.", remedy=_APPLY_YOURSELF
            ) from exc
        self.is_written = True

    def _check(self, target: Path) -> None:
        """Raise if the file is not as it was read, or writing would change more."""
        now = read_file(self.path, max_bytes=2 * MAX_FILE_BYTES, roots=self._roots)
        if now != self._content:
            raise EditNotLandedError(
                f"{self.name} is not written: it has changed since it was read.",
                remedy=_APPLY_YOURSELF,
            )
        found = target.stat()
        # The system lets an administrator write to any file.
        is_locked = not stat.S_IMODE(found.st_mode) & _MAY_WRITE
        if is_locked or not os.access(target, os.W_OK):
            raise PermissionError(None, "it is read-only")
        if found.st_nlink > 1:
            raise PermissionError(None, "it has several names (hard links)")


_APPLY_YOURSELF = (
    "The file is as it was; the diff is printed, for `git apply` or another run."
)


def read_edited_file(
    argument: str, workspace: Path
) -> tuple[EditedFile, NamedLines | None]:
    """Read the file that an argument names, and which of its lines; None: all.

    Raises:
        InvalidArgumentsError: If there is no such file, it cannot be read, or it is
            not text in UTF-8.
        HeldBackError: If it must not be sent to a model.
    """
    lines = named_lines(argument)
    path = place_of(Path(argument) if lines is None else lines.path, workspace)
    _check_name(argument, path)
    name = _name(path, workspace)
    IgnoreRules().refuse(path.as_uri(), [workspace.as_uri()], name)
    try:
        content = read_file(path, max_bytes=MAX_FILE_BYTES, roots=[workspace])
    except UnreadableFileError as exc:
        raise InvalidArgumentsError(f"{name} is not edited: {exc.reason}.") from exc
    if isinstance(refused := text_of(content), NotRead):
        raise InvalidArgumentsError(
            f"{name} is not edited: {refused.reason}.",
            remedy="Redline edits text in UTF-8.",
        )
    return EditedFile(path, workspace=workspace, content=content), lines


def range_of(file: EditedFile, lines: NamedLines | None) -> Range:
    """Return the range of the lines to edit, in code points; None: of all lines.

    Raises:
        InvalidArgumentsError: If the file does not have them.
    """
    all_lines = split_lines(file.text)
    if lines is None:
        return Range(Position(0, 0), Position(len(all_lines) - 1, len(all_lines[-1])))
    n_lines = len(all_lines) - (not all_lines[-1])
    if lines.last > n_lines:
        have = f"has {n_lines} line{'s' * (n_lines != 1)}" if n_lines else "is empty"
        raise InvalidArgumentsError(
            f"{file.name} {have}, so there is no line {lines.last}.",
            remedy="Lines are counted from 1, both included, as in a.py:3-9.",
        )
    return range_of_lines(all_lines, lines.first - 1, lines.last - lines.first + 1)


def _check_name(argument: str, path: Path) -> None:
    check_name_argument(argument)
    if not os.path.lexists(path):
        remedy = "An edit needs a file; an empty one is enough."
        if ":" in argument:
            remedy = "Lines of a file are written as in a.py:3-9 or a.py:3, from 1."
        raise InvalidArgumentsError(f"{argument} does not exist.", remedy=remedy)


def _name(path: Path, workspace: Path) -> str:
    inside = path.is_relative_to(workspace)
    return path.relative_to(workspace).as_posix() if inside else path.name


def _replace(target: Path, content: bytes, *, check: Callable[[Path], None]) -> None:
    """Write beside a file, and put that in its place.

    Raises:
        OSError: If it is not possible; the file is as it was.
    """
    with open_draft(target, 0o600) as (descriptor, draft):
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        was, now = target.stat(), draft.stat()
        if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
            shutil.chown(draft, was.st_uid, was.st_gid)
        # The mode and extended attributes, but not the times.
        shutil.copystat(target, draft)
        os.utime(draft)
        # Again, since an editor may have saved the file while this was written.
        check(target)
        os.replace(draft, target)
