"""A copy of a workspace, in which tests and checkers run.

A change that the user has not accepted never meets the user's files. What the ignore
rules exclude is not copied. Folders of installed packages are links, since tests need
them and they may be large.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import secrets
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TypeAlias

from redline.assist.privacy.git_folders import Stamps
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import CommandRunError, UnreadableFileError
from redline.files import entries_of, read_file
from redline.owner_only_files import let_owner_in
from redline.plans.overlay import Overlay
from redline.text.document import Snapshot
from redline.text.uri import path_in

MAX_COPY_BYTES = 200_000_000
MAX_COPY_FILES = 50_000

_LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".tox"}
)
_INSTALLED = frozenset({"node_modules", ".venv", "venv"})

Stamp: TypeAlias = tuple[int, int]
"""The size of a file in bytes, and its time of modification in nanoseconds."""

_NAME = "redline-test-"
_OWNED = re.compile(rf"{_NAME}(?P<pid>\d+)-")


@asynccontextmanager
async def workspace_copy(
    root: Path, documents: Mapping[str, str]
) -> AsyncIterator[Path]:
    """Copy a workspace into a temporary folder, which is deleted at the end.

    Cancelling is safe: the copy is deleted, also one that is being written.

    Args:
        root: The workspace folder.
        documents: Texts of open documents by path, which replace those on disk.

    Raises:
        CommandRunError: If it is too large, or cannot be copied.
    """
    with _reported("The workspace cannot be copied"):
        place = new_place()
    try:
        folder = place / root.name
        is_given_up = Event()
        copying = asyncio.ensure_future(
            asyncio.to_thread(_copy, root, folder, documents, is_given_up)
        )
        try:
            await asyncio.shield(copying)
        except asyncio.CancelledError:
            is_given_up.set()
            await asyncio.wait({copying})
            raise
        yield folder
    finally:
        deleting = asyncio.to_thread(delete_place, place)
        await asyncio.shield(asyncio.ensure_future(deleting))


def new_place() -> Path:
    """Create a temporary folder for copies, after deleting those of killed servers.

    Raises:
        OSError: If it cannot be created.
    """
    _delete_stale(tempfile.gettempdir())
    place = Path(tempfile.mkdtemp(prefix=f"{_NAME}{os.getpid()}-"))
    let_owner_in(place)
    return place


def delete_place(place: Path | str) -> None:
    """Delete a temporary folder of copies, or what can be deleted of it; blocks.

    Programs may have nested folders deeper than recursion, open files and the length of
    a path allow. So each folder is moved up into the place before it is listed.
    """
    top = os.fspath(place)
    prefix = secrets.token_hex(8)
    numbers = itertools.count()
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        with suppress(UnreadableFileError):
            for entry in entries_of(folder, max_entries=sys.maxsize):
                with suppress(OSError):
                    if _is_folder(entry):
                        # A program may have taken the permission to move or list it.
                        os.chmod(entry.path, stat.S_IRWXU)
                        moved = os.path.join(top, f"{prefix}-{next(numbers)}")
                        os.rename(entry.path, moved)
                        waiting.append(moved)
                    else:
                        os.unlink(entry.path)
        if folder != top:
            with suppress(OSError):
                os.rmdir(folder)
    with suppress(OSError):
        os.rmdir(top)


def copy_changed(
    root: Path, folder: Path, known: Mapping[str, Stamp], is_given_up: Event
) -> dict[str, Stamp]:
    """Make a folder a copy of a workspace on disk, or bring it up to date; blocks.

    What programs have created in the copy, such as their caches, stays.

    Args:
        root: The workspace folder.
        folder: The copy; it exists.
        known: The files that it has of the workspace, by path.
        is_given_up: Set to return early.

    Returns:
        The files that it has now.

    Raises:
        CommandRunError: If the workspace is too large, or cannot be copied.
    """
    with _reported("The workspace cannot be copied"):
        stamps = _copy_files(root, folder, IgnoreRules(), known, is_given_up)
        if not is_given_up.is_set():
            for path in known.keys() - stamps.keys():
                (folder / path).unlink(missing_ok=True)
    return stamps


def write_documents(root: Path, folder: Path, documents: Mapping[str, str]) -> None:
    """Write the texts of open documents into a copy, but of ignored ones; blocks.

    Raises:
        CommandRunError: If they cannot be written.
    """
    rules, roots = IgnoreRules(), [root.as_uri()]
    with _reported("The open documents cannot be copied"):
        for path, text in documents.items():
            is_left_out = rules.reason((root / path).as_uri(), roots) is not None
            if not (is_left_out or is_installed(path)):
                _write_text(folder, path, text)


def open_texts(documents: Mapping[str, Snapshot], root: str) -> dict[str, str]:
    """Return the texts of the open documents of a folder by path."""
    return {
        path: "".join(one.lines)
        for uri, one in documents.items()
        if (path := path_in(uri, root))
    }


def write_overlay(folder: Path, overlay: Overlay) -> None:
    """Make a copy what an overlay makes of the workspace; blocks.

    Raises:
        CommandRunError: If it cannot be written.
    """
    with _reported("The change cannot be written to a copy"):
        for change in overlay.changes():
            for path in filter(None, (change.old_path, change.path)):
                if is_installed(path):
                    raise CommandRunError(
                        f"{path} is changed, which the copy shares with the workspace."
                    )
            if change.old_path:
                (folder / change.old_path).unlink(missing_ok=True)
            if change.after is None:
                (folder / change.path).unlink(missing_ok=True)
            else:
                _write_text(folder, change.path, change.after)


def with_true_paths(output: str, folder: Path, root: Path) -> str:
    # The longer one first: it may contain the other, such as /private/var and /var.
    for place in sorted({str(folder.resolve()), str(folder)}, key=len, reverse=True):
        output = output.replace(place, str(root))
    return output


def is_installed(path: str) -> bool:
    """Whether a path of the workspace is in a folder of installed packages, to which
    the copy has a link.
    """
    return not _INSTALLED.isdisjoint(path.split("/"))


def _delete_stale(place: str) -> None:
    """Delete the copies of killed servers in a folder."""
    with suppress(UnreadableFileError):
        for entry in entries_of(place, max_entries=MAX_COPY_FILES):
            owned = _OWNED.match(entry.name)
            if owned is None or _is_running(int(owned["pid"])):
                continue
            if entry.is_dir(follow_symlinks=False):
                delete_place(entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder itself, not a link or a junction of Windows to one."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    found = entry.stat(follow_symlinks=False)
    attributes: int = getattr(found, "st_file_attributes", 0)
    return not attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT


def _is_running(pid: int) -> bool:
    if os.name == "nt":
        # There, a signal would end it.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


@contextmanager
def _reported(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CommandRunError(f"{what}: {reason}.") from error
    except UnreadableFileError as error:
        raise CommandRunError(f"{what}: {error}") from error


def _write_text(folder: Path, path: str, text: str) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))


def _copy(
    root: Path, folder: Path, documents: Mapping[str, str], is_given_up: Event
) -> None:
    """Fill a copy; returns early when it is given up."""
    with _reported("The workspace cannot be copied"):
        folder.mkdir()
    copy_changed(root, folder, {}, is_given_up)
    write_documents(root, folder, documents)


def _entries(folder: Path, *, is_root: bool) -> list[os.DirEntry[str]]:
    try:
        return entries_of(folder, max_entries=MAX_COPY_FILES)
    except UnreadableFileError:
        if is_root:
            raise
        # Such as the data of a database in a container.
        return []


def _copy_files(
    root: Path,
    folder: Path,
    rules: IgnoreRules,
    known: Mapping[str, Stamp],
    is_given_up: Event,
) -> dict[str, Stamp]:
    roots = [root.as_uri()]
    seen: Stamps = {}
    n_bytes = 0
    stamps: dict[str, Stamp] = {}
    for entry, path in _walk(root, folder):
        if is_given_up.is_set():
            return stamps
        found = entry.stat(follow_symlinks=False)
        stamp = (found.st_size, found.st_mtime_ns)
        is_known = known.get(path.as_posix()) == stamp
        uri = Path(entry.path).as_uri()
        if not is_known and rules.reason(uri, roots, stamps=seen) is not None:
            continue
        stamps[path.as_posix()] = stamp
        n_bytes += found.st_size
        if n_bytes > MAX_COPY_BYTES or len(stamps) > MAX_COPY_FILES:
            raise CommandRunError(
                f"The workspace is larger than {MAX_COPY_BYTES // 1_000_000} "
                f"MB or {MAX_COPY_FILES:,} files, so it is not copied."
            )
        if not is_known:
            target = folder / path
            target.write_bytes(read_file(entry.path, max_bytes=MAX_COPY_BYTES))
            # Scripts that a test starts.
            target.chmod(stat.S_IMODE(found.st_mode) | stat.S_IWUSR)
    return stamps


def _walk(root: Path, folder: Path) -> Iterator[tuple[os.DirEntry[str], Path]]:
    """Yield the files of a workspace, and create their folders in the copy."""
    waiting = [Path()]
    while waiting:
        inside = waiting.pop()
        for entry in _entries(root / inside, is_root=inside == Path()):
            path = inside / entry.name
            target = folder / path
            if entry.name in _INSTALLED and entry.is_dir():
                if not target.is_symlink():
                    target.symlink_to(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in _LEFT_OUT:
                    target.mkdir(exist_ok=True)
                    waiting.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield entry, path
