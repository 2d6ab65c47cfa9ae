"""Which paths are on disks of this machine, which answer at once.

Linux lists the mounted file systems with their types. Elsewhere none counts as local.
"""

from __future__ import annotations

import os
import re
import select
import weakref
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial

from redline.assist.privacy.git_folders import Stamps
from redline.assist.privacy.linked_files import FileKey
from redline.text.uri import is_file, uri_path

MOUNTS = "/proc/self/mountinfo"
"""The mounts of this process, a line for each (proc_pid_mountinfo(5))."""

_LOCAL_TYPES = frozenset(
    [
        "bcachefs",
        "btrfs",
        "erofs",
        "exfat",
        "ext2",
        "ext3",
        "ext4",
        "f2fs",
        "hfsplus",
        "iso9660",
        "jfs",
        "msdos",
        "nilfs2",
        "ntfs3",
        "overlay",
        "ramfs",
        "reiserfs",
        "squashfs",
        "tmpfs",
        "udf",
        "vfat",
        "xfs",
        "zfs",
    ]
)
"""The others have a server or a program behind them."""

_MOUNT = re.compile(rb"(?m)^(?:\S+ ){4}(\S+) .* - (\S+)")
"""The mount point and the type."""

_ESCAPED = re.compile(rb"\\([0-7]{3})")

_CHUNK_BYTES = 65_536

_MAX_N_CACHED = 4_096


class LocalDisks:
    """What is mounted at one time."""

    def __init__(self, types: Mapping[str, str]) -> None:
        """Take the type of the file system at each mount point."""
        self._types = types
        self.hold = lru_cache(_MAX_N_CACHED)(self._hold)

    def _hold(self, path: str) -> bool:
        """Whether an absolute path is on a local disk, if no link leads elsewhere."""
        while (kind := self._types.get(path)) is None:
            above = os.path.dirname(path)
            if above == path:
                return False
            path = above
        return kind in _LOCAL_TYPES


class Mounts:
    """The table of mounts, which is read again when the system says that it changed."""

    def __init__(self, file: str = MOUNTS) -> None:
        self._table = _opened(file)
        self._changes: select.poll | None = None
        if self._table is not None:
            weakref.finalize(self, os.close, self._table)
            self._changes = select.poll()
            self._changes.register(self._table, select.POLLPRI)
        self._now = self._read()

    def local_disks(self) -> LocalDisks:
        """Return the local disks; the same object as long as nothing is mounted."""
        if self._changes is not None and self._changes.poll(0):
            self._now = self._read()
        return self._now

    def _read(self) -> LocalDisks:
        if self._table is None:
            return LocalDisks({})
        os.lseek(self._table, 0, os.SEEK_SET)
        content = b"".join(iter(partial(os.read, self._table, _CHUNK_BYTES), b""))
        # Of two mounts at one point, the later one hides the other.
        types = {_path(at): kind.decode() for at, kind in _MOUNT.findall(content)}
        return LocalDisks(types)


class LocalFolders:
    """Folders of which all is on local disks that a look at a file in them touches."""

    def __init__(self, mounts: Mounts) -> None:
        self._mounts = mounts
        self._disks = mounts.local_disks()
        self._folders: set[FileKey] = set()

    def has(self, uri: str, roots: tuple[str, ...]) -> bool:
        """Whether a look at a file is one at local disks."""
        if (disks := self._mounts.local_disks()) is not self._disks:
            self._disks, self._folders = disks, set()
        if (_above(uri), roots) not in self._folders:
            return False
        path = str(uri_path(uri))
        # Only now is it certain that this look at the file itself does not wait.
        return disks.hold(path) and not os.path.islink(path)

    def learning(
        self, key: FileKey, look: Callable[[], str | None], seen: Stamps
    ) -> Callable[[], str | None]:
        """Return a look that also finds whether others in its folder can be at once.

        Args:
            key: The file that the look is at.
            look: Returns why the file must not be sent. It adds to `seen` what it
                touches: of a file that may be sent, all that decides about its folder.
            seen: Absolute paths.
        """
        disks, folders = self._disks, self._folders

        def learn() -> str | None:
            reason = look()
            if reason is None and is_file(key[0]):
                files = filter(is_file, (key[0], *key[1]))
                paths = {*seen, *map(os.path.abspath, map(uri_path, files))}
                if all(map(disks.hold, paths | set(map(os.path.realpath, paths)))):
                    folders.add((_above(key[0]), key[1]))
            return reason

        return learn


@cache
def system_mounts() -> Mounts:
    return Mounts()


def _opened(file: str) -> int | None:
    try:
        return os.open(file, os.O_RDONLY)
    except OSError:
        return None


def _path(escaped: bytes) -> str:
    return os.fsdecode(_ESCAPED.sub(lambda octal: bytes([int(octal[1], 8)]), escaped))


def _above(uri: str) -> str:
    return uri.rpartition("/")[0]
