"""What a completion's prompt shows of other places: signatures, parts of open files.

It is chosen behind the first key in a document, then in each pause of typing. A key
never waits for it, and providers can cache the prompt up to what changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from redline.assist.context.gatherer import NearCursor
from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.pause_timer import PAUSE_S, PauseTimer
from redline.prompts.completion import NearbyCode
from redline.prompts.context import ContextItem
from redline.prompts.redaction import text_around
from redline.prompts.relevance import names_in, rank
from redline.prompts.secrets.search import secrets_by_place
from redline.text.document import Document
from redline.text.lines import with_line_feeds

MAX_SIGNATURE_CHARS, MAX_FILE_CHARS = 3_000, 2_500
"""Of all signatures, and of all parts of files."""

_N_PART = 32
"""Lines of a part of a file."""

_AROUND_LINES = 200
"""Lines around a part that are searched for secrets with it."""

_MAX_READ = 2_000
"""Lines of a file in which a part is looked for."""

_MAX_ALIKE = 0.5
"""The largest Dice coefficient of the lines of a part and those around the cursor: a
part that is more alike adds nothing."""

_N_ABOVE, _N_BELOW = 96, 48
"""Lines around the cursor that count as shown; about what the prompt has."""


class Nearby(Protocol):
    """What knows the code near a cursor; see `ContextGatherer`."""

    def near_cursor(self, document: Document, *, shown: range) -> NearCursor | None:
        """Return signatures and related documents; None: not known yet."""

    def may_show_all(self, uris: Sequence[str]) -> bool:
        """Whether none of these files has become ignored."""


class NearbyAtPause:
    """The code near the last cursor, chosen in the last pause."""

    def __init__(self, workspace: Workspace, nearby: Nearby | None) -> None:
        """Begin.

        Args:
            workspace: Names the paths of documents.
            nearby: Knows what is near; None: nothing is shown.
        """
        self._workspace = workspace
        self._nearby = nearby
        self._cursor: tuple[Document, int] | None = None
        self._timer = PauseTimer(self._choose)
        self._chosen_for: Document | None = None
        self._chosen: tuple[NearbyCode, ...] = ()
        self._uris: tuple[str, ...] = ()

    def note_cursor(self, document: Document, line: int, now_s: float) -> None:
        """Record where the user works."""
        self._cursor = document, line
        if self._nearby is not None:
            pause_s = PAUSE_S if self._chosen_for is document else 0.0
            self._timer.note_key(now_s, pause_s=pause_s)

    def forget(self, document: Document) -> None:
        """Release a document that is closed, and show nothing of it any more.

        Its file may have got another name, under which it is not sent.
        """
        if self._cursor is not None and self._cursor[0] is document:
            self._cursor = None
        if self._chosen_for is document or document.uri in self._uris:
            self._chosen_for = None

    def close(self) -> None:
        """Choose nothing any more."""
        self._timer.close()
        self._nearby = None

    def code(self, document: Document) -> tuple[NearbyCode, ...]:
        """Return what was chosen for a document, unless a file has become ignored."""
        if self._chosen_for is not document or self._nearby is None:
            return ()
        return self._chosen if self._nearby.may_show_all(self._uris) else ()

    def _choose(self) -> None:
        if self._cursor is None or self._nearby is None:
            return
        document, line = self._cursor
        shown = range(max(0, line - _N_ABOVE), min(line + _N_BELOW, document.n_lines))
        near = self._nearby.near_cursor(document, shown=shown)
        if near is None:
            return
        here = document.lines_between(shown.start, shown.stop)
        texts = {
            one.uri: one.lines_between(0, _MAX_READ)
            for one in near.related
            if one is not document
        }
        path_of = self._workspace.relative_path
        self._chosen_for = document
        self._chosen = (
            *_signatures(near.signatures),
            *_parts({path_of(uri): lines for uri, lines in texts.items()}, here),
        )
        self._uris = near.uris


def _signatures(items: Sequence[ContextItem]) -> list[NearbyCode]:
    """Group signatures by their file, the first ones as far as there is room."""
    by_path: dict[str, list[str]] = {}
    room = MAX_SIGNATURE_CHARS
    for item in items:
        path = item.path or item.source
        text = item.text.strip("\n")
        room -= len(text) + 1
        if room < 0:
            break
        by_path.setdefault(path, []).append(text)
    return [
        NearbyCode(path=path, text="\n".join(texts), kind="signatures")
        for path, texts in sorted(by_path.items())
    ]


def _parts(files: Mapping[str, Sequence[str]], here: Sequence[str]) -> list[NearbyCode]:
    """Return the part of each file that is most related to the lines at the cursor."""
    parts = {
        (path, first): lines[first : first + _N_PART]
        for path, lines in files.items()
        for first in range(0, len(lines), _N_PART)
    }
    ranked = _ranked(parts, here)
    chosen: dict[str, NearbyCode] = {}
    room = MAX_FILE_CHARS
    for path, first in ranked:
        lines = parts[path, first]
        if path in chosen or _alike(lines, here) > _MAX_ALIKE:
            continue
        text = with_line_feeds(lines).strip("\n")
        if len(text) > room:
            text = text[:room].rpartition("\n")[0]
        if not text:
            continue
        room -= len(text)
        around = text_around(
            files[path], first, first + _N_PART, n_around=_AROUND_LINES
        )
        secrets = tuple(secrets_by_place(around, path))
        chosen[path] = NearbyCode(path=path, text=text, kind="part", secrets=secrets)
    return [chosen[path] for path in sorted(chosen)]


def _ranked(
    parts: Mapping[tuple[str, int], Sequence[str]], here: Sequence[str]
) -> list[tuple[str, int]]:
    keys = {f"{path}\n{first}": (path, first) for path, first in parts}
    names = {key: names_in("".join(parts[part])) for key, part in keys.items()}
    return [keys[key] for key in rank(names_in("".join(here)), names)]


def _alike(some: Sequence[str], others: Sequence[str]) -> float:
    """Return the Dice coefficient of two sets of lines."""
    one = {line.strip() for line in some} - {""}
    other = {line.strip() for line in others} - {""}
    return 2 * len(one & other) / max(1, len(one) + len(other))
