"""Debugging of what is selected: the output of a program in any document."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from redline.assist.actions.kinds import DEBUG, is_wanted
from redline.assist.editor.workspace import Workspace
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.plan.plan_messages import DebugArguments
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspRange
from redline.text.document import Snapshot
from redline.traces.read import read_failures

_MAX_LINES = 400
_MAX_CHARS = 20_000
"""Selected text that the menu reads: its end, where failures are."""


def selected_text(snapshot: Snapshot, place: LspRange | None) -> str:
    if place is None:
        return snapshot.text
    end = place.end.line + (place.end.character > 0)
    return "".join(snapshot.lines[place.start.line : end])


def debug_actions(
    workspace: Workspace, uri: str, place: LspRange, only: Collection[str] | None
) -> Sequence[MenuEntry]:
    """Offer to debug selected lines that show a failure; asks no model."""
    if place.start.line >= place.end.line or not is_wanted(DEBUG, only):
        return []
    if not workspace.has(uri):
        return []
    snapshot = workspace.document(uri).snapshot()
    end = place.end.line + (place.end.character > 0)
    first = max(place.start.line, end - _MAX_LINES)
    text = "".join(snapshot.lines[first:end])[-_MAX_CHARS:]
    if not read_failures(text):
        return []
    return [
        MenuEntry(
            title="Debug this with Redline",
            kind=DEBUG,
            command=names.DEBUG,
            arguments=DebugArguments(uri=uri, range=place),
        )
    ]
