"""What a code action is: its title and kind, and the work it stands for. Values only.

Positions are in code points, lines count from zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from redline.routing.route import Tier
from redline.text.position import Range

EditKind = Literal[
    "edit",
    "fix",
    "generate",
    "simplify",
    "extract",
    "convert",
    "types",
    "docstring",
]
"""The kinds of `routing.task.Kind` that change the range they are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """What a linter or a compiler says, as the editor passes it on."""

    range: Range
    message: str
    source: str = ""
    """Who says it."""
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where actions are asked for."""

    language: str
    """LSP language id."""
    lines: Sequence[str]
    """The document's, ends kept."""
    selection: Range
    """Empty: the cursor."""
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSession:
    """A session on the text of a spot."""

    session_id: str
    label: str
    is_waiting: bool
    """Whether it is offered or held, instead of being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditWork:
    """An edit of a range."""

    range: Range
    """Whole lines."""
    instruction: str
    kind: EditKind = "edit"
    tier: Tier | None = None
    from_comment: Range | None = None
    """The comment that the instruction was written in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestsWork:
    """Tests of a range, in a file of their own."""

    range: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainWork:
    """An explanation of a range."""

    range: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionWork:
    """Something about a session that runs or waits."""

    session_id: str
    what: Literal["stop", "accept", "reject", "redirect"]
    instruction: str | None = None
    """Of a redirect; None: the client asks the user for it."""
    from_comment: Range | None = None
    """The comment that the instruction was written in."""


Work: TypeAlias = EditWork | TestsWork | ExplainWork | SessionWork


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One entry of the menu."""

    title: str
    lsp_kind: str
    """A `CodeActionKind`."""
    work: Work
    diagnostics: tuple[int, ...] = ()
    """Indexes of the spot's diagnostics that it is about."""
    is_preferred: bool = False
