"""Writes the files back that an applied plan has deleted.

No edit of an editor can say which line ends and which byte order mark a new file has,
so the server writes these files itself, only where there is none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from redline.assist.plan.application import AppliedFile
from redline.errors import EditNotLandedError
from redline.files import leads_out
from redline.text.uri import uri_path

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


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
            _write(Path(uri_path(file.uri)), file.exact or "", folder)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            faults.append(f"{file.path} ({reason})")
    if faults:
        raise EditNotLandedError(
            f"These deleted files could not be written again: {', '.join(faults)}.",
            remedy="The other files of the plan were restored. Take the plan back "
            "again when these files can be written.",
        )


def _write(path: Path, text: str, root: Path) -> None:
    if leads_out(path, [root]):
        raise OSError(None, "it is reached through a link")
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, _FLAGS, 0o666), "wb") as stream:
        stream.write(text.encode("utf-8", "surrogateescape"))
