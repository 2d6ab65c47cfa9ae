"""Finds the files of a workspace that a failure names, and reads the code there.

An output names files as the failing program saw them: relative to the folder that it
ran in, or absolute in a container. A file of the workspace is found by the end of its
path. What ignore rules exclude is named, and its code is not read.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct

from redline.assist.context.workspace_files import source_files
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.errors import UnreadableFileError
from redline.files import read_text
from redline.text.uri import uri_path
from redline.traces.failure import TraceFrame

N_AROUND = 2
"""Lines of code that are read above and below the line of a frame."""

MAX_SEARCH_S = 5.0
"""Longest search of the workspace for files that are named by the end of their path."""

_MAX_BYTES = 2_000_000
_INSTALLED = frozenset(
    {"site-packages", "dist-packages", "node_modules", ".cargo", "rustlib", "rustc"}
)
"""Folders of other people's code; a path through one is not of the workspace."""


class PlacedFrame(Struct, frozen=True, kw_only=True):
    frame: TraceFrame
    path: str | None = None
    """Relative to the workspace; None: the file is not in it."""
    withheld: str | None = None
    """Why its code is not shown, as the end of a sentence."""
    first_line: int = 0
    """The number of the first line of `code`, from 1."""
    code: tuple[str, ...] = ()
    """The lines around the frame, as the file is now."""
    has_changed: bool = False
    """Whether the file has another line there than the output shows."""


class WorkspaceFrames:
    """Places the frames of one output."""

    def __init__(self, workspace: Path, *, max_search_s: float = MAX_SEARCH_S) -> None:
        self.is_cut = False
        """Whether the workspace was too large: files that are named only by the end of
        their path are not placed then, since several could be meant."""
        self._workspace = workspace
        self._max_search_s = max_search_s
        self._rules = IgnoreRules()
        self._by_name: dict[str, list[PurePosixPath]] | None = None
        self._texts: dict[str, list[str] | str] = {}

    def place(self, frames: Sequence[TraceFrame]) -> tuple[PlacedFrame, ...]:
        """Find the frames in the workspace, and read the code around them."""
        return tuple(map(self._place, frames))

    def _place(self, frame: TraceFrame) -> PlacedFrame:
        path = self._find(frame)
        if path is None:
            return PlacedFrame(frame=frame)
        lines = self._lines(path)
        if isinstance(lines, str):
            return PlacedFrame(frame=frame, path=path, withheld=lines)
        first = max(frame.line - 1 - N_AROUND, 0)
        code = tuple(lines[first : frame.line + N_AROUND])
        here = lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else None
        is_other = frame.text is not None and here != frame.text
        return PlacedFrame(
            frame=frame,
            path=path,
            first_line=first + 1,
            code=code,
            has_changed=here is None or is_other,
        )

    def _find(self, frame: TraceFrame) -> str | None:
        """Return the path of the frame's file from the workspace; None: not in it."""
        name = frame.path.removeprefix("file://")
        path = PurePosixPath(name if "/" in name else name.replace("\\", "/"))
        if ".." in path.parts or "\0" in name:
            return None
        if path.is_absolute():
            return self._find_absolute(path, frame)
        if _INSTALLED.intersection(path.parts):
            return None
        if self._is_file(path):
            return path.as_posix()
        # Unless several files could be meant.
        found = [one for one in self._named(path.name) if _ends_with(one, path)]
        return found[0].as_posix() if len(found) == 1 else None

    def _find_absolute(self, path: PurePosixPath, frame: TraceFrame) -> str | None:
        root = PurePosixPath(self._workspace.as_posix())
        if path.is_relative_to(root):
            inside = path.relative_to(root)
            is_own = not _INSTALLED.intersection(inside.parts)
            return inside.as_posix() if is_own and self._is_file(inside) else None
        if _INSTALLED.intersection(path.parts):
            return None
        # The same project in another place: a container, or another machine.
        for n_left_out in range(2, len(path.parts) - 1):
            inside = PurePosixPath(*path.parts[n_left_out:])
            if self._is_file(inside):
                return inside.as_posix() if self._agrees(inside, frame) else None
        return None

    def _agrees(self, path: PurePosixPath, frame: TraceFrame) -> bool:
        """Whether the file has the code that the output shows there."""
        lines = self._lines(path.as_posix())
        if frame.text is None or isinstance(lines, str):
            return True
        at = frame.line - 1
        return 0 <= at < len(lines) and lines[at].strip() == frame.text

    def _is_file(self, path: PurePosixPath) -> bool:
        return (self._workspace / path).is_file()

    def _named(self, name: str) -> Sequence[PurePosixPath]:
        """Return the code of the workspace with a file name, without ignored files."""
        if self._by_name is None:
            self._by_name = self._search()
        return self._by_name.get(name, ())

    def _search(self) -> dict[str, list[PurePosixPath]]:
        by_name: defaultdict[str, list[PurePosixPath]] = defaultdict(list)
        end = time.monotonic() + self._max_search_s
        for file in source_files([self._workspace.as_uri()], self._rules):
            if time.monotonic() >= end:
                self.is_cut = True
                return {}
            if file is not None:
                inside = Path(uri_path(file.uri)).relative_to(self._workspace)
                by_name[inside.name].append(PurePosixPath(inside.as_posix()))
        return by_name

    def _lines(self, path: str) -> list[str] | str:
        """Return the lines of a file, or why they are not shown."""
        if path not in self._texts:
            self._texts[path] = self._read(self._workspace / path)
        return self._texts[path]

    def _read(self, file: Path) -> list[str] | str:
        root = self._workspace
        if (reason := self._rules.reason(file.as_uri(), [root.as_uri()])) is not None:
            return reason
        try:
            text = read_text(file, max_bytes=_MAX_BYTES, roots=[root])
        except UnreadableFileError as exc:
            return exc.reason
        return text.removesuffix("\n").split("\n")


def _ends_with(path: PurePosixPath, end: PurePosixPath) -> bool:
    return path.parts[-len(end.parts) :] == end.parts
