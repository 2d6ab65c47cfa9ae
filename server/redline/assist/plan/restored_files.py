"""Writes the files back that an applied plan has deleted.

No edit of an editor can say which line ends and which byte order mark a new file has,
so the server writes these files itself, only where there is none.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from redline.assist.plan.application import AppliedFile
from redline.errors import EditNotLandedError
from redline.files import leads_out
from redline.text.uri import uri_path

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

_USUAL = 0o666
"""Those of any new file, less what the user's umask takes; for a file whose own
permissions are not known."""


def restore_files(files: Sequence[AppliedFile], root: str) -> None:
    """Write deleted files exactly as they were; blocks, so call it in a thread.

    Args:
        files: Files with an `exact` text.
        root: URI of the folder that they are in.

    Raises:
        EditNotLandedError: If some cannot be written; the others are.
    """
    faults: list[str] = []
    folder = Path(uri_path(root))
    for file in files:
        try:
            _write(file, folder)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            faults.append(f"{file.path} ({reason})")
    if faults:
        raise EditNotLandedError(
            f"These deleted files could not be written again: {', '.join(faults)}.",
            remedy="The other files of the plan were restored. Take the plan back "
            "again when these files can be written.",
        )


def _write(file: AppliedFile, root: Path) -> None:
    """Write a whole file beside its place first: none is there in parts.

    Raises:
        OSError: If it cannot be written, or there is one.
    """
    path = Path(uri_path(file.uri))
    if leads_out(path, [root]):
        raise OSError(None, "it is reached through a link")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".redline-{secrets.token_hex(8)}")
    try:
        mode = _USUAL if file.permissions is None else 0o600
        with os.fdopen(os.open(draft, _FLAGS, mode), "wb") as stream:
            stream.write((file.exact or "").encode("utf-8", "surrogateescape"))
            stream.flush()
            os.fsync(stream.fileno())
        if file.permissions is not None:
            draft.chmod(file.permissions)
        _put(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _put(draft: Path, path: Path) -> None:
    """Give a file its name, unless another one has it."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no links, such as those of memory cards.
        if os.path.lexists(path):
            raise
        os.rename(draft, path)
