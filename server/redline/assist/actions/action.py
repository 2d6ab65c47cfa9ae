"""Code actions as values: title, kind and the work that they request.

Positions are in code points, lines count from zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from redline.routing.route import Tier
from redline.routing.task import ActionKind
from redline.text.position import Range


class Diagnostic(Struct, frozen=True, kw_only=True):
    """A message of a linter or a compiler, as the editor passes it on."""

    range: Range
    message: str
    source: str = ""
    """The name of the linter or compiler."""
    code: str = ""


class Spot(Struct, frozen=True, kw_only=True):
    """The place that the menu is for."""

    language: str
    """LSP language id."""
    lines: Sequence[str]
    """The document's lines, ends kept."""
    selection: Range
    """Empty: a cursor."""
    diagnostics: tuple[Diagnostic, ...] = ()


class LiveSession(Struct, frozen=True, kw_only=True):
    """A session on the text of a place."""

    session_id: str
    label: str
    is_waiting: bool
    """Whether it is offered or held; otherwise it is being written."""


class RangeWork(Struct, frozen=True, kw_only=True):
    """One of several ranges of an edit."""

    range: Range
    """In code points, clamped to the document."""
    instruction: str = ""
    """What to do with it, besides the instruction of the edit; may be empty."""
    from_comment: Range | None = None
    """The comment in the document that holds its instruction."""


class EditWork(Struct, frozen=True, kw_only=True):
    """An edit of a range, or of several."""

    range: Range
    """Whole lines; the first one of several ranges."""
    ranges: tuple[RangeWork, ...] = ()
    """Several ranges; none: `range` alone."""
    instruction: str = ""
    kind: ActionKind = "edit"
    tier: Tier | None = None
    model: str | None = None
    """The configured model that the user named."""
    from_comment: Range | None = None
    """The comment that holds the instruction."""


class TestsWork(Struct, frozen=True, kw_only=True):
    """Tests of a range, in a separate file."""

    range: Range


class ExplainWork(Struct, frozen=True, kw_only=True):
    """An explanation of a range."""

    range: Range


class SessionWork(Struct, frozen=True, kw_only=True):
    """A command to a session that runs or waits."""

    session_id: str
    what: Literal["stop", "accept", "reject", "redirect"]
    instruction: str | None = None
    """The new instruction of a redirect; None: the client asks the user for it."""
    from_comment: Range | None = None
    """The comment that holds the instruction."""


Work: TypeAlias = EditWork | TestsWork | ExplainWork | SessionWork


class Action(Struct, frozen=True, kw_only=True):
    """One entry of the menu."""

    title: str
    lsp_kind: str
    """A `CodeActionKind`."""
    work: Work
    diagnostics: tuple[int, ...] = ()
    """Indexes of the diagnostics that it fixes."""
    is_preferred: bool = False
