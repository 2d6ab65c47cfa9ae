"""Reads and lists files of the workspace, which may hold anything.

Opening a pipe or a terminal blocks until there is a writer, a device never ends, and a
link may lead to the user's own files. So only regular files are read, up to a limit,
and no link below a workspace folder may lead out of the workspace. Disks may be slow:
call these functions from a thread or another process, never from the event loop.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from redline.errors import (
    IrregularFileError,
    MissingFileError,
    UnreadableFileError,
)

Stamp: TypeAlias = tuple[int, int]
"""A file's time of change, in nanoseconds, and its size."""

FullStamp: TypeAlias = tuple[int, int, int]
"""The times of change of a file's text and of the file, in nanoseconds, and its size.

They are of the disk's clock, which may differ from this machine's."""

_FLAGS = (
    os.O_RDONLY
    # The path is already resolved. If it has become a link or a pipe since, opening it
    # fails instead of following or blocking.
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_CHUNK_BYTES = 1 << 20


def read_file(
    path: Path | str, *, max_bytes: int, roots: Sequence[Path | str] = ()
) -> bytes:
    """Read a regular file.

    Args:
        path: The file; links in it are followed.
        max_bytes: The largest size that is read.
        roots: The workspace folders. A path below one of them must not lead out of all
            of them by a link; a path elsewhere is not restricted.

    Raises:
        MissingFileError: If there is no such file.
        IrregularFileError: If it is not a regular file.
        UnreadableFileError: If it is too large, is not in the workspace, or the system
            does not let us read it.
    """
    name = os.fspath(path)
    with _opened(name, roots, max_bytes) as descriptor:
        return _read(name, descriptor, max_bytes)


def read_start(path: Path | str, n_bytes: int) -> bytes:
    """Read the first bytes of a regular file, or all if it has fewer.

    Raises:
        UnreadableFileError: As by `read_file`, except for its size.
    """
    name = os.fspath(path)
    with _opened(name, (), None) as descriptor:
        return os.read(descriptor, n_bytes)


@contextmanager
def _opened(
    name: str, roots: Sequence[Path | str], max_bytes: int | None
) -> Iterator[int]:
    with _reported(name):
        real = os.path.realpath(name, strict=True)
        # Check before opening: opening some devices has side effects.
        _check_size(name, os.lstat(real), max_bytes)
        if _leads_out(name, real, roots):
            raise UnreadableFileError(name, "it is a link that leads out of the folder")
        descriptor = os.open(real, _FLAGS)
        try:
            _check_size(name, os.fstat(descriptor), max_bytes)
            yield descriptor
        finally:
            os.close(descriptor)


def read_text(
    path: Path | str, *, max_bytes: int, roots: Sequence[Path | str] = ()
) -> str:
    """Read a regular file as `read_file` does, and replace what is not UTF-8.

    Returns:
        The text with LF line ends, without a byte order mark.

    Raises:
        UnreadableFileError: Also if it is no text, or is in UTF-16: between the zero
            bytes no secret would be found.
    """
    text = read_file(path, max_bytes=max_bytes, roots=roots)
    if b"\0" in text:
        raise UnreadableFileError(os.fspath(path), "it is not text in UTF-8")
    decoded = text.decode("utf-8-sig", "replace")
    return decoded.replace("\r\n", "\n").replace("\r", "\n")


def stamp_of(path: Path | str, *, denied: Stamp | None = None) -> Stamp | None:
    """Return a value that changes with the file; None if the file is missing.

    Args:
        path: The file.
        denied: Returned if the system does not let us look into the folder.
    """
    try:
        found = os.stat(path)
    except PermissionError:
        return denied
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def full_stamp_of(path: Path | str) -> FullStamp | None:
    """Return a value that also changes if another file of the same age and size is put
    in the file's place; None if the file is missing.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size


def leads_out(path: Path | str, roots: Sequence[Path | str]) -> bool:
    """Whether a path below one of some folders leads out of all of them by a link.

    The file need not exist: creating it would write at the end of the link.
    """
    return _leads_out(os.fspath(path), os.path.realpath(path), roots)


def entries_of(folder: Path | str, *, max_entries: int) -> list[os.DirEntry[str]]:
    """List a folder, in arbitrary order.

    Raises:
        MissingFileError: If there is no such folder.
        UnreadableFileError: If it is not a folder, cannot be listed, or has more than
            `max_entries` entries.
    """
    name = os.fspath(folder)
    found: list[os.DirEntry[str]] = []
    with _reported(name), os.scandir(name) as entries:
        for entry in entries:
            if len(found) == max_entries:
                raise UnreadableFileError(
                    name, f"it has more than {max_entries:,} entries"
                )
            found.append(entry)
    return found


@contextmanager
def _reported(name: str) -> Iterator[None]:
    """Translate errors of the operating system."""
    try:
        yield
    except FileNotFoundError as exc:
        raise MissingFileError(name, "it does not exist") from exc
    except OSError as exc:
        reason = exc.strerror or type(exc).__name__
        raise UnreadableFileError(name, f"it cannot be read: {reason}") from exc
    except ValueError as exc:
        # A NUL in the path.
        raise MissingFileError(name, "it does not exist") from exc


def _check_size(name: str, found: os.stat_result, max_bytes: int | None) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IrregularFileError(name, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise IrregularFileError(name, "it is not a regular file")
    if max_bytes is not None and found.st_size > max_bytes:
        raise UnreadableFileError(name, _too_large(max_bytes))


def _read(name: str, descriptor: int, max_bytes: int) -> bytes:
    """Read to the end: `st_size` is only a hint, and 0 for some files."""
    content = bytearray()
    while chunk := os.read(descriptor, min(_CHUNK_BYTES, max_bytes + 1)):
        content += chunk
        if len(content) > max_bytes:
            raise UnreadableFileError(name, _too_large(max_bytes))
    return bytes(content)


def _too_large(max_bytes: int) -> str:
    if max_bytes % 1_000_000 == 0:
        return f"it is larger than {max_bytes // 1_000_000} MB"
    if max_bytes % 1_000 == 0:
        return f"it is larger than {max_bytes // 1_000} kB"
    return f"it is larger than {max_bytes:,} bytes"


def _leads_out(name: str, real: str, roots: Sequence[Path | str]) -> bool:
    path = Path(os.path.abspath(name))
    folders = [Path(os.path.abspath(root)) for root in roots]
    if not any(path.is_relative_to(folder) for folder in folders):
        return False
    return not any(
        Path(real).is_relative_to(os.path.realpath(folder)) for folder in folders
    )
