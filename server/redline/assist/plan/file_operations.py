"""Creates, renames and deletes the files of plans where an editor's edit cannot.

No edit can say which line ends and which byte order mark a restored file has, and some
editors create, rename or delete no files. No file is replaced, and none is deleted that
has another text than the plan is about.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from redline.assist.plan.application import AppliedFile, edited_text
from redline.assist.plan.planned_files import MAX_PLANNED_BYTES
from redline.drafts import open_draft, rename_to_new
from redline.errors import EditNotLandedError, UnreadableFileError
from redline.files import leads_out, read_file
from redline.text.uri import uri_path

_USUAL = 0o666
"""Those of any new file, less what the user's umask takes; for a file whose own
permissions are not known."""


def restore_files(files: Sequence[AppliedFile], root: str) -> None:
    """Write deleted files exactly as they were; blocks, so call it in a thread.

    Raises:
        EditNotLandedError: If some cannot be written; the others are.
    """
    faults = _faults(files, root, _restore)
    if faults:
        named = ", ".join(f"{path} ({reason})" for path, reason in faults.items())
        raise EditNotLandedError(
            f"These deleted files could not be written again: {named}.",
            remedy="The other files of the plan were restored. Take the plan back "
            "again when these files can be written.",
        )


def change_files(files: Sequence[AppliedFile], root: str) -> Mapping[str, str]:
    """Create, rename and delete files; blocks, so call it in a thread.

    Returns:
        Why a file is as it was, by path.
    """
    return _faults(files, root, _change)


def _faults(
    files: Sequence[AppliedFile],
    root: str,
    change: Callable[[AppliedFile, Path], None],
) -> dict[str, str]:
    faults: dict[str, str] = {}
    for file in files:
        try:
            change(file, Path(uri_path(root)))
        except OSError as error:
            faults[file.path] = error.strerror or type(error).__name__
        except UnreadableFileError as error:
            faults[file.path] = error.reason
    return faults


def _restore(file: AppliedFile, root: Path) -> None:
    _write(file, _bytes(file.exact or ""), file.permissions, root)


def _change(file: AppliedFile, root: Path) -> None:
    """Create, rename or delete one file.

    Raises:
        OSError: If that is not possible, or it has another text.
        UnreadableFileError: If it cannot be read.
    """
    if file.before is None:
        _write(file, _bytes(file.after or ""), None, root)
        return
    old = Path(uri_path(file.old_uri or file.uri))
    now = read_file(old, max_bytes=MAX_PLANNED_BYTES, roots=[root])
    if now != _bytes(file.mark + file.snapshot.text):
        raise OSError(None, "it has changed, or is not saved")
    if file.after is not None:
        content = _bytes(file.mark + edited_text(file))
        _write(file, content, stat.S_IMODE(old.stat().st_mode), root)
    try:
        old.unlink()
    except OSError:
        if file.after is not None:
            # There is one file again: the rename can be tried again.
            Path(uri_path(file.uri)).unlink()
        raise


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _write(
    file: AppliedFile, content: bytes, permissions: int | None, root: Path
) -> None:
    """Write a whole file beside its place first: none is there in parts.

    Raises:
        OSError: If it cannot be written, or there is one.
    """
    path = Path(uri_path(file.uri))
    if leads_out(path, [root]):
        raise OSError(None, "it is reached through a link")
    if not root.is_dir():
        raise OSError(None, "the workspace folder is gone")
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = _USUAL if permissions is None else 0o600
    with open_draft(path, mode) as (descriptor, draft):
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if permissions is not None:
            draft.chmod(permissions)
        rename_to_new(draft, path)
