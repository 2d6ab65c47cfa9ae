"""What is asked of a review, and what it is then about.

A request names a scope; gathering turns it into the texts themselves, which are stored
with the review, so that one that goes on after a restart is about the same text.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Origin = Literal["editor", "terminal"]

WORKING_TREE = "working tree"
STAGED = "staged"


class ReviewRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One review to start: of a selection, a file, or a change."""

    root: str
    """URI of the workspace folder."""
    uri: str | None = None
    """The file; None: a change is asked for."""
    first_line: int | None = None
    """First line of the selection, from 0; None: the whole file."""
    end_line: int | None = None
    """Line after the last one of the selection."""
    change: str | None = None
    """`working tree`, `staged`, or a base and two dots, such as `main..`."""
    is_forced: bool = False
    """Whether to review again what has not changed since the last review of it."""
    max_cost: float | None = None
    """US dollars after which no further model is asked; None: no limit."""
    origin: Origin = "editor"


class ScopeFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that is reviewed, as it was when the review was gathered."""

    path: str
    """In the workspace, with `/`."""
    uri: str
    language: str
    """LSP language id; empty: not known."""
    text: str
    """LF line ends."""
    spans: tuple[tuple[int, int], ...]
    """Lines in scope, each first and end, from 0; ascending, apart."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was asked for and is not reviewed."""

    path: str
    reason: str
    """As the end of a sentence: "it is binary"."""


class ReviewScope(msgspec.Struct, frozen=True, kw_only=True):
    """All that is reviewed."""

    words: str
    """As the end of a sentence: "lines 3 to 9 of a.py", "what is staged"."""
    files: tuple[ScopeFile, ...]
    diff: str = ""
    """Unified, of a change; empty: no change was asked for."""
    left_out: tuple[LeftOut, ...] = ()


class ScoutNote(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the scope besides its text."""

    title: str
    """Path and lines, or the linter."""
    text: str
