"""Writes an applied plan to the files of the workspace.

All files are compared first; each one is then replaced in one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from redline.assist.plan.application import AppliedFile, edited_text
from redline.cli.edit.edited_file import EditedFile, read_edited_file
from redline.drafts import rename_to_new
from redline.errors import EditNotLandedError
from redline.files import leads_out


class PlanFileWriter:
    """Writes the files of one plan, and knows which of them are written."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._written: list[str] = []

    @property
    def written(self) -> tuple[str, ...]:
        """Paths of the files that are written, in order."""
        return tuple(self._written)

    def interrupted(self) -> str:
        """Return what an interrupted command reports; empty: nothing is written."""
        if not self._written:
            return ""
        done = f"{', '.join(self._written)} {_was(self._written)} written"
        rest = self._names[len(self._written) :]
        if not rest:
            return f"{done} before the interrupt."
        return f"{done}, {', '.join(rest)} {_was(rest)} not."

    def write(self, files: Sequence[AppliedFile], workspace: Path) -> None:
        """Write the changes of a plan; blocks.

        Raises:
            RedlineError: If a file cannot be written; the message names those that
                were.
        """
        self._names = tuple(file.path for file in files)
        edited = {
            file.path: _checked(file, workspace) for file in files if not _is_new(file)
        }
        for file in files:
            try:
                _write(file, edited.get(file.path), workspace)
            except (OSError, EditNotLandedError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                done = ", ".join(self._written)
                raise EditNotLandedError(
                    f"{file.path} is not written: {reason.rstrip('.')}."
                    + (f" Written before it: {done}." if done else ""),
                    remedy="The diff is printed, for `git apply`.",
                ) from error
            self._written.append(file.path)


def _is_new(file: AppliedFile) -> bool:
    return file.before is None


def _checked(file: AppliedFile, workspace: Path) -> EditedFile:
    """Read a file that is changed, and compare it.

    Raises:
        EditNotLandedError: If it has another text than the change is for.
    """
    path = workspace / (file.old_path or file.path)
    read, _ = read_edited_file(str(path), workspace)
    if read.text != file.snapshot.text:
        raise EditNotLandedError(
            f"{read.name} has changed since it was read.", remedy="Nothing was written."
        )
    return read


def _write(file: AppliedFile, edited: EditedFile | None, workspace: Path) -> None:
    """Write one file.

    Raises:
        OSError: If that is not possible.
        EditNotLandedError: Likewise.
    """
    path = workspace / file.path
    if edited is None:
        _create(path, file.after or "", workspace)
    elif file.after is None:
        edited.path.unlink()
    else:
        if file.edits:
            edited.write(edited_text(file))
        if file.old_path:
            _refuse_link(path, workspace)
            path.parent.mkdir(parents=True, exist_ok=True)
            rename_to_new(edited.path, path)


def _create(path: Path, text: str, workspace: Path) -> None:
    _refuse_link(path, workspace)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="") as file:
        try:
            file.write(text)
            file.flush()
        except BaseException:
            # A part of a file is worse than none.
            path.unlink()
            raise


def _refuse_link(path: Path, workspace: Path) -> None:
    if leads_out(path, [workspace]):
        raise EditNotLandedError("It leads out of the workspace by a link.")


def _was(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"
