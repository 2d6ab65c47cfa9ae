"""Creates the files and folders that only the user may read.

These are the store, the log, shown documents and reports. A new file has mode 0600 and
a new folder 0700 from the moment it exists, so there is no time in which others can
open it; a umask that takes them from the user, too, is corrected. A symbolic link in
place of a file is refused and never followed: in a folder that several users share, it
would lead the text to a file of another's choice.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

FILE_MODE, FOLDER_MODE = 0o600, 0o700

_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    # A pipe without a reader fails instead of blocking.
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def create_private_folder(path: Path) -> None:
    """Create a folder and the missing ones above it; existing ones are not changed.

    Raises:
        OSError: If it cannot be created, or something else has its name.
    """
    for folder in (*reversed(path.parents), path):
        try:
            os.mkdir(folder, FOLDER_MODE)
            let_owner_in(folder)
        except OSError:
            # Many systems refuse to create `/` or a mount point for another reason than
            # its existence.
            if not folder.is_dir():
                raise


def let_owner_in(folder: Path | str) -> None:
    """Give a new folder to its owner, if the umask has taken it.

    Raises:
        OSError: If that is not possible.
    """
    if FOLDER_MODE & ~os.lstat(folder).st_mode:
        os.chmod(folder, FOLDER_MODE)


def create_private_file(path: Path) -> None:
    """Create an empty file, unless there is one already: see `make_private`.

    Raises:
        OSError: If it cannot be created, or is a link, a folder or another user's.
    """
    try:
        os.close(_create(path, os.O_RDWR))
    except FileExistsError:
        make_private(path)


def make_private(path: Path) -> None:
    """Take a file from everybody else, without opening it.

    Raises:
        OSError: If it is missing, or is a link, a folder or another user's.
    """
    found = os.lstat(path)
    _check(path, found)
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISREG(found.st_mode) and mode & ~FILE_MODE:
        path.chmod(mode & FILE_MODE)


def open_for_appending(path: Path) -> int:
    """Open a file, which is created if missing; return its descriptor.

    Raises:
        OSError: If it cannot be opened, or is a link or another user's.
    """
    flags = os.O_WRONLY | os.O_APPEND
    try:
        with suppress(FileExistsError):
            return _create(path, flags)
        descriptor = os.open(path, flags | os.O_CREAT | _FLAGS, FILE_MODE)
    except OSError as exc:
        if path.is_symlink():
            raise _link_error(path) from exc
        raise
    try:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode):
            _check(path, found)
            _tighten(descriptor, found)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def write_private_file(path: Path, text: str) -> None:
    """Write a whole file in UTF-8; whatever had its name is replaced, not followed.

    Raises:
        OSError: If it cannot be written; a file that was there is not changed then.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = _create(draft, os.O_WRONLY)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _create(path: Path, flags: int) -> int:
    """Create a file; return its descriptor.

    Raises:
        OSError: If it cannot be created, or something has its name.
    """
    flags |= os.O_CREAT | os.O_EXCL | _FLAGS
    descriptor = os.open(path, flags, FILE_MODE)
    # Some disks have no modes to set, and show those that they have.
    if FILE_MODE & ~os.fstat(descriptor).st_mode and hasattr(os, "fchmod"):
        try:
            os.fchmod(descriptor, FILE_MODE)
        except BaseException:
            os.close(descriptor)
            raise
    return descriptor


def _check(path: Path, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise _link_error(path)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    user = os.geteuid() if hasattr(os, "geteuid") else None
    # The administrator may use the files of others.
    if user and found.st_uid != user:
        raise PermissionError(errno.EPERM, "it belongs to another user", str(path))


def _link_error(path: Path) -> OSError:
    return OSError(errno.ELOOP, "it is a symbolic link", str(path))


def _tighten(descriptor: int, found: os.stat_result) -> None:
    """Take a file from everybody else that an earlier version created readable."""
    if stat.S_IMODE(found.st_mode) & ~FILE_MODE and hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode) & FILE_MODE)
