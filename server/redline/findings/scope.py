"""What is to be reviewed: what was asked for, and what it came to.

A `Target` is what the developer asked for. A `ReviewScope` is what that was at one
moment: texts, and which of their lines are in question. Both are stored with a review,
so that it can go on after a restart with the texts that it began with.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

_N_NAMED = 3

Span: TypeAlias = tuple[int, int]
"""Lines of a text, counted from 0, the second one not included."""


class Selection(msgspec.Struct, frozen=True, kw_only=True, tag="selection"):
    """Some lines of a document."""

    uri: str
    first_line: int
    """From 0."""
    end_line: int
    """Not included; lines past the end of the document do not matter."""


class WholeFiles(msgspec.Struct, frozen=True, kw_only=True, tag="files"):
    """Files from their first line to their last."""

    uris: tuple[str, ...]


class WorkingTree(msgspec.Struct, frozen=True, kw_only=True, tag="working-tree"):
    """What was changed since the last commit, staged or not, with untracked files."""

    root: str
    """URI of a folder in the repository."""
    paths: tuple[str, ...] = ()
    """Only these, relative to the folder; none: all of the folder."""


class Staged(msgspec.Struct, frozen=True, kw_only=True, tag="staged"):
    """What the next commit would change."""

    root: str
    paths: tuple[str, ...] = ()


class Since(msgspec.Struct, frozen=True, kw_only=True, tag="since"):
    """What the commits after a base have changed: what a push would bring."""

    root: str
    base: str
    """A branch, tag or commit. What counts is where the head has left it."""
    head: str = "HEAD"
    paths: tuple[str, ...] = ()


def base_and_head(text: str) -> tuple[str, str]:
    """Read `BASE`, `BASE..HEAD` or `BASE...HEAD`; the head may be left out.

    Two dots and three say the same, since what counts is where the head has left the
    base. The base is empty where none is named.
    """
    base, _, head = text.partition("..")
    return base, head.removeprefix(".") or "HEAD"


ChangeTarget: TypeAlias = WorkingTree | Staged | Since
Target: TypeAlias = Selection | WholeFiles | ChangeTarget


class ReviewedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file, as it was when it was gathered."""

    path: str
    """In the workspace, or in the folder that was asked for, with `/`."""
    uri: str
    language: str
    """LSP's language id; empty: not known."""
    text: str
    """All of it, LF line ends, secrets included: they are hidden when it is sent."""
    spans: tuple[Span, ...]
    """The lines in question, in order and apart, at least one: of a change its new
    lines, and where lines were deleted those around the place."""
    diff: str = ""
    """Of a change, the file's hunks as git writes them, LF line ends."""
    is_new: bool = False
    """Whether the change adds the file."""
    old_path: str | None = None
    """Of a change that renames it, what it was called."""


class LeftOutFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A file that was asked for and is not reviewed, or not all of it."""

    path: str
    reason: str
    """The end of a sentence: "app.key: it is of a kind that holds keys"."""
    by_rule: bool = False
    """Whether it never is: it is held back, or there is no changed text in it."""


def missed(left_out: Iterable[LeftOutFile]) -> tuple[LeftOutFile, ...]:
    """Return what should have been reviewed."""
    return tuple(one for one in left_out if not one.by_rule)


def named_missed(left_out: Iterable[LeftOutFile]) -> str:
    """Name what should have been reviewed, in a sentence; empty: there is nothing."""
    ones = missed(left_out)
    named = [f"{one.path} ({one.reason.rstrip('.')})" for one in ones[:_N_NAMED]]
    if (n_more := len(ones) - len(named)) > 0:
        named.append(f"and {n_more} more")
    return f"Not reviewed: {', '.join(named)}." if named else ""


class ReviewScope(msgspec.Struct, frozen=True, kw_only=True):
    """All that is reviewed."""

    target: Target
    title: str
    """What it is, as the end of a sentence: "lines 3 to 9 of a.py"."""
    files: tuple[ReviewedFile, ...]
    """In the order of their paths; may be empty, see `left_out`."""
    left_out: tuple[LeftOutFile, ...] = ()
    deleted: tuple[str, ...] = ()
    """Paths of the files that a change deletes: nothing in them is in question."""
    fingerprint: str = ""
    """The same if and only if the same lines of the same texts are in question."""
