"""The file of `redline review --output`: only an earlier report is ever overwritten.

A wrong name must not cost the user a file, and a repository must not choose, by a link,
what is overwritten. A character device or an open pipe, such as `/dev/stdout`, is only
written to. A named pipe is refused: opening it waits until something reads it.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_NO_TERMINAL = getattr(os, "O_NOCTTY", 0)

_SYSTEM_FOLDERS = ("/dev", "/dev/fd", "/proc/self/fd")
"""Their links, such as `/dev/stdout`, lead to what the user chose."""

_MAX_HEAD_BYTES = 100_000
"""How much of a file is read to recognize a report."""

_REPORTS = re.compile(
    rb"""
    \A \{ \s* "version": \s \d+, \s* "reviewId":
    | \A \{ \s* "\$schema": [^{]* "runs": \s \[ \s* \{ \s* "tool": \s \{ \s*
        "driver": \s \{ \s* "name": \s "Redline",
    | \A \# \s Review [\s\S]* review \s `\w+`\.\n
    | \A Redline's \s report \s of \s review \s \w+\n
    """,
    re.VERBOSE,
)
"""How a report begins: JSON, SARIF, Markdown and text."""


def text_head(review_id: str) -> str:
    """Return the first line of a report as text, by which it is recognized."""
    return f"Redline's report of review {review_id}\n"


def check_output(output: Path | None) -> None:
    """Check that a report can be written, before the review costs anything.

    Raises:
        OSError: If its folder does not exist or is read-only, or what is in its place
            is neither a report nor a device or open pipe.
    """
    if output is None:
        return
    if not output.absolute().parent.is_dir():
        raise OSError(
            f"{output} cannot be written: there is no folder {output.parent}."
        )
    with _reported(output):
        if not output.exists() and not os.access(output.absolute().parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if _is_stream(output):
            return
        if output.exists() or output.is_symlink():
            os.close(_opened(output, os.O_RDWR))


@contextmanager
def written_to(output: Path) -> Iterator[TextIO]:
    """Collect a report, and write it to its file at the end.

    Raises:
        OSError: If it cannot be written, or a file in its place is no report. An
            earlier report in it is overwritten only if there is room for the new one.
    """
    text = io.StringIO()
    yield text
    with _reported(output):
        content = text.getvalue().encode()
        if _is_stream(output):
            with open(os.open(output, os.O_WRONLY | _NO_TERMINAL), "wb") as file:
                file.write(content)
            return
        with open(_opened(output, os.O_RDWR | os.O_CREAT), "r+b") as file:
            _reserve(file.fileno(), len(content))
            file.write(content)
            file.truncate()


def _reserve(descriptor: int, n_bytes: int) -> None:
    """Take the room of a file on the disk, where the system can; raises OSError."""
    try:
        os.posix_fallocate(descriptor, 0, n_bytes)
    except AttributeError:
        return
    except OSError as exc:
        if exc.errno not in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
            raise


def _is_stream(output: Path) -> bool:
    """Whether it is a device or a pipe; false if it is a regular file or absent.

    Raises:
        OSError: If it is a folder, or opening it could fail or wait for ever.
    """
    try:
        mode = output.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISFIFO(mode) and not _is_of_system(output):
        raise OSError(
            errno.EINVAL, "it is a named pipe; redirect standard output to it instead"
        )
    is_stream = stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
    if not (is_stream or stat.S_ISREG(mode)):
        raise OSError(errno.EINVAL, "it is not a regular file")
    return is_stream


def _is_of_system(output: Path) -> bool:
    return str(output.absolute().parent) in _SYSTEM_FOLDERS


def _opened(output: Path, flags: int) -> int:
    """Open a regular file, and check what is in it by the same descriptor."""
    if not _is_of_system(output):
        flags |= getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(output, flags | _NO_TERMINAL, 0o666)
    try:
        head = os.read(descriptor, _MAX_HEAD_BYTES)
        if head and not _REPORTS.match(head):
            raise OSError(
                f"{output} is not overwritten: it is not a report of Redline. Remove it"
                " first, or name another file."
            )
        os.lseek(descriptor, 0, os.SEEK_SET)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def _reported(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        if exc.errno is None:
            raise
        reason = exc.strerror
        if exc.errno == errno.ELOOP:
            reason = "it is a symbolic link"
        raise OSError(f"{output} cannot be written: {reason}.") from exc
