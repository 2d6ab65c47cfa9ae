"""A copy of a workspace, in which tests run.

A change that the user has not accepted never meets the user's files. What the ignore
rules exclude is not copied. Folders of installed packages are links, since tests need
them and they may be large.
"""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import CommandRunError, UnreadableFileError
from redline.files import entries_of, read_file
from redline.plans.overlay import Overlay

MAX_COPY_BYTES = 200_000_000
MAX_COPY_FILES = 50_000

_LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".tox"}
)
_INSTALLED = frozenset({"node_modules", ".venv", "venv"})


@contextmanager
def workspace_copy(root: Path, documents: Mapping[str, str]) -> Iterator[Path]:
    """Copy a workspace into a temporary folder, which is deleted at the end; blocks.

    Args:
        root: The workspace folder.
        documents: Texts of open documents by path, which replace those on disk.

    Raises:
        CommandRunError: If it is too large, or cannot be copied.
    """
    try:
        with tempfile.TemporaryDirectory(
            prefix="redline-test-", ignore_cleanup_errors=True
        ) as name:
            folder = Path(name) / root.name
            folder.mkdir()
            _copy(root, folder)
            for path, text in documents.items():
                write_text(folder, path, text)
            yield folder
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CommandRunError(f"The workspace cannot be copied: {reason}.") from error
    except UnreadableFileError as error:
        raise CommandRunError(f"The workspace cannot be copied: {error}") from error


def write_overlay(folder: Path, overlay: Overlay) -> None:
    """Make a copy what an overlay makes of the workspace; blocks.

    Raises:
        CommandRunError: If it cannot be written.
    """
    try:
        for change in overlay.changes():
            if change.old_path:
                (folder / change.old_path).unlink(missing_ok=True)
            if change.after is None:
                (folder / change.path).unlink(missing_ok=True)
            else:
                write_text(folder, change.path, change.after)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CommandRunError(
            f"The fix cannot be written to a copy: {reason}."
        ) from error


def write_text(folder: Path, path: str, text: str) -> None:
    """Write a file of a copy."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))


def _copy(root: Path, folder: Path) -> None:
    rules = IgnoreRules()
    roots = [root.as_uri()]
    n_bytes = n_files = 0
    waiting = [Path()]
    while waiting:
        inside = waiting.pop()
        for entry in entries_of(root / inside, max_entries=MAX_COPY_FILES):
            target = folder / inside / entry.name
            if entry.name in _INSTALLED and entry.is_dir():
                target.symlink_to(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in _LEFT_OUT:
                    target.mkdir()
                    waiting.append(inside / entry.name)
            elif entry.is_file(follow_symlinks=False):
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
