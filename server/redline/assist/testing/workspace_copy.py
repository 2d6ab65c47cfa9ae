"""A copy of a workspace, in which tests run.

A change that the user has not accepted never meets the user's files. What the ignore
rules exclude is not copied. Folders of installed packages are links, since tests need
them and they may be large.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from threading import Event

from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import CommandRunError, UnreadableFileError
from redline.files import entries_of, read_file
from redline.plans.overlay import Overlay
from redline.text.document import Snapshot
from redline.text.uri import path_in

MAX_COPY_BYTES = 200_000_000
MAX_COPY_FILES = 50_000

_LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".tox"}
)
_INSTALLED = frozenset({"node_modules", ".venv", "venv"})

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
        place = tempfile.mkdtemp(prefix=f"{_NAME}{os.getpid()}-")
    try:
        folder = Path(place) / root.name
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
        deleting = asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
        await asyncio.shield(asyncio.ensure_future(deleting))


def open_texts(documents: Mapping[str, Snapshot], root: str) -> dict[str, str]:
    """Return the texts of the open documents of a folder by path.

    Args:
        documents: The open documents by URI.
        root: The URI of the folder.
    """
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
    """Return the output of a command in a copy with the paths of the workspace."""
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
                shutil.rmtree(entry.path, ignore_errors=True)


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
    _delete_stale(tempfile.gettempdir())
    rules = IgnoreRules()
    roots = [root.as_uri()]
    with _reported("The workspace cannot be copied"):
        folder.mkdir()
        _copy_files(root, folder, rules, is_given_up)
        for path, text in documents.items():
            is_left_out = rules.reason((root / path).as_uri(), roots) is not None
            if not (is_left_out or is_installed(path)):
                _write_text(folder, path, text)


def _entries(folder: Path, *, is_root: bool) -> list[os.DirEntry[str]]:
    try:
        return entries_of(folder, max_entries=MAX_COPY_FILES)
    except UnreadableFileError:
        if is_root:
            raise
        # Such as the data of a database in a container.
        return []


def _copy_files(
    root: Path, folder: Path, rules: IgnoreRules, is_given_up: Event
) -> None:
    roots = [root.as_uri()]
    n_bytes = n_files = 0
    waiting = [Path()]
    while waiting:
        inside = waiting.pop()
        for entry in _entries(root / inside, is_root=inside == Path()):
            target = folder / inside / entry.name
            if entry.name in _INSTALLED and entry.is_dir():
                target.symlink_to(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in _LEFT_OUT:
                    target.mkdir()
                    waiting.append(inside / entry.name)
            elif entry.is_file(follow_symlinks=False):
                if is_given_up.is_set():
                    return
                if rules.reason(Path(entry.path).as_uri(), roots) is not None:
                    continue
                found = entry.stat(follow_symlinks=False)
                n_files += 1
                n_bytes += found.st_size
                if n_bytes > MAX_COPY_BYTES or n_files > MAX_COPY_FILES:
                    raise CommandRunError(
                        f"The workspace is larger than {MAX_COPY_BYTES // 1_000_000} "
                        f"MB or {MAX_COPY_FILES:,} files, so it is not copied."
                    )
                target.write_bytes(read_file(entry.path, max_bytes=MAX_COPY_BYTES))
                # Scripts that a test starts.
                target.chmod(stat.S_IMODE(found.st_mode) | stat.S_IWUSR)
