"""The places of failures in a workspace, with the lines that were run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.testing.output_failures import frames_of
from redline.assist.testing.workspace_frames import WorkspaceFrames
from redline.errors import UnreadableFileError
from redline.files import read_text
from redline.text.lines import split_lines
from redline.traces.failure import ProgramFailure

_MAX_PLACES = 20
_MAX_BYTES = 2_000_000


class RunPlace(Struct, frozen=True, kw_only=True):
    """A line of a file of the workspace."""

    uri: str
    line: int
    """From 0."""
    text: str
    """The line as it was run, without blanks around it."""
    function: str = ""


class FailurePlaces:
    """Finds the lines of failures in the workspace, as they were run."""

    def __init__(
        self,
        root: Path,
        documents: Mapping[str, str],
        uris: Mapping[str, str] | None = None,
    ) -> None:
        """Place failures in a workspace.

        Args:
            root: The workspace folder.
            documents: The texts that were run instead of those on disk, by path.
            uris: The URIs of open documents by path, as the editor writes them.
        """
        self._root = root
        self._uris = uris or {}
        self._frames = WorkspaceFrames(root)
        self._lines: dict[str, list[str]] = {
            path: _lines(text) for path, text in documents.items()
        }

    def places(self, failure: ProgramFailure) -> tuple[RunPlace, ...]:
        """Return the lines of a failure in the workspace, where it failed first."""
        found: list[RunPlace] = []
        for one in self._frames.place(frames_of((failure,))):
            if one.path is None or len(found) == _MAX_PLACES:
                continue
            place = self.line(one.path, one.frame.line - 1)
            found.append(replace(place, function=one.frame.function or ""))
        return tuple(dict.fromkeys(found))

    def line(self, path: str, line: int) -> RunPlace:
        """Return a line of a file of the workspace."""
        if path not in self._lines:
            try:
                text = read_text(
                    self._root / path, max_bytes=_MAX_BYTES, roots=[self._root]
                )
            except UnreadableFileError:
                text = ""
            self._lines[path] = _lines(text)
        lines = self._lines[path]
        line = max(0, min(line, len(lines) - 1))
        text = lines[line].strip() if lines else ""
        uri = self._uris.get(path) or (self._root / path).as_uri()
        return RunPlace(uri=uri, line=line, text=text)


def _lines(text: str) -> list[str]:
    """Return the lines as documents count them, without the empty one at the end."""
    lines = split_lines(text)
    return lines if lines[-1] else lines[:-1]
