"""What a client with a preview has on its screen, and texts that are long enough.

The screen believes nothing: each message must fit the ones before, and each range the
document of the version that it names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.e2e.editor_document import EditorDocument, Json
from tests.e2e.wire_editor import WireEditor

HUNKS = "redline/edit/hunks"


def numbered(n_lines: int, *, first: int = 0) -> list[str]:
    """Lines that are all different: a diff of them is what it looks like."""
    return [f"name_{i:03} = make({i})\n" for i in range(first, first + n_lines)]


def with_changes(lines: list[str], *places: int, to: str = "changed") -> list[str]:
    """The lines with others at some places."""
    return [
        f"{to}_{i:03} = {to}({i})\n" if i in places else line
        for i, line in enumerate(lines)
    ]


@dataclass
class Screen:
    """The preview of one session, drawn from what an editor has heard."""

    editor: WireEditor
    session_id: str
    hunks: dict[int, Json] = field(default_factory=dict)
    version: int = 0
    seq: int = 0
    n_full: int = 0
    seen: list[Json] = field(default_factory=list)
    """The messages, in order."""

    def refresh(self) -> Screen:
        """Draw everything that was heard since the last time."""
        own = [
            params
            for params in self.editor.all_of(HUNKS)
            if params["sessionId"] == self.session_id
        ]
        for params in own[len(self.seen) :]:
            self._draw(params)
        return self

    async def until(self, is_so: Callable[[Screen], object]) -> Screen:
        """Wait until it shows something."""
        await self.editor.hear(lambda message: is_so(self.refresh()))
        return self

    @property
    def places(self) -> list[tuple[int, int]]:
        """The first and the end line of each hunk, in order."""
        return sorted(
            (hunk["range"]["start"]["line"], hunk["range"]["end"]["line"])
            for hunk in self.hunks.values()
        )

    @property
    def settled(self) -> list[int]:
        """The ids of the settled hunks, from the top."""
        settled = [h for h in self.hunks.values() if h["state"] == "settled"]
        settled.sort(key=lambda hunk: _start(hunk))
        return [hunk["id"] for hunk in settled]

    @property
    def is_current(self) -> bool:
        """Whether it shows hunks of the session's document as that is now."""
        (began,) = (
            params
            for params in self.editor.all_of("redline/edit/began")
            if params["sessionId"] == self.session_id
        )
        return self.version == self.editor.documents[began["uri"]].version

    def edits(self, *ids: int) -> list[Json]:
        """Hunks as text edits, from the top; without ids all of them."""
        shown = [self.hunks[i] for i in ids or self.hunks]
        shown.sort(key=lambda hunk: _start(hunk))
        return [{"range": h["range"], "newText": h["newText"]} for h in shown]

    def applied(self, uri: str) -> str:
        """The document with everything on the screen accepted."""
        document = self.editor.documents[uri]
        assert self.version == document.version, "the screen is not up to date"
        copy = EditorDocument(uri, document.text, encoding=self.editor.encoding)
        if self.hunks:
            copy.apply(self.edits())
        return copy.text

    def is_like(self, preview: Json) -> bool:
        """Whether a whole state, as `redline.editState` tells it, is on the screen."""
        assert preview["full"]
        assert preview["sessionId"] == self.session_id
        whole = {hunk["id"]: hunk for hunk in preview["hunks"]}
        return (whole, preview["version"]) == (self.hunks, self.version)

    def _draw(self, params: Json) -> None:
        self.seen.append(params)
        assert params["seq"] == self.seq + 1
        self.seq = params["seq"]
        if params["full"]:
            self.hunks.clear()
            self.n_full += 1
        elif self.version:
            assert params["version"] == self.version, "another version, and not full"
        self.version = params["version"]
        new = {hunk["id"]: hunk for hunk in params["hunks"]}
        assert not new.keys() & set(params["removed"])
        for gone in params["removed"]:
            del self.hunks[gone]
        self.hunks.update(new)


def _start(hunk: Json) -> tuple[int, int]:
    start = hunk["range"]["start"]
    return start["line"], start["character"]


async def offered(editor: WireEditor, request: int, session_id: str = "live") -> Screen:
    """Wait until an edit is offered; returns what is on the screen then."""
    outcome = await editor.result(request)
    assert outcome["outcome"] == "offered", outcome
    return Screen(editor, session_id).refresh()
