"""The target and the scope of a review.

A `Target` is what the developer wants reviewed. A `ReviewScope` is its content at one
moment: texts, and which of their lines are reviewed. Both are stored with a review, so
that it resumes after a restart with the texts that it started with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

_N_NAMED = 3

Span: TypeAlias = tuple[int, int]
"""Lines of a text: the index of the first from 0, and the index after the last."""


class Selection(msgspec.Struct, frozen=True, kw_only=True, tag="selection"):
    """Some lines of a document."""

    uri: str
    first_line: int
    """From 0."""
    end_line: int
    """Not included; lines past the end of the document do not matter."""


class WholeFiles(msgspec.Struct, frozen=True, kw_only=True, tag="files"):
    uris: tuple[str, ...]


class WorkingTree(msgspec.Struct, frozen=True, kw_only=True, tag="working-tree"):
    """The changes since the last commit, staged or not, with untracked files."""

    root: str
    """URI of a folder in the repository."""
    paths: tuple[str, ...] = ()
    """Only these paths, relative to the folder; none: the whole folder."""


class Staged(msgspec.Struct, frozen=True, kw_only=True, tag="staged"):
    root: str
    paths: tuple[str, ...] = ()


class Since(msgspec.Struct, frozen=True, kw_only=True, tag="since"):
    """The changes of the commits since a base: what a push would send."""

    root: str
    base: str
    """A branch, tag or commit; compared is its merge base with the head."""
    head: str = "HEAD"
    paths: tuple[str, ...] = ()


class SinceReview(msgspec.Struct, frozen=True, kw_only=True, tag="since-review"):
    """What has changed since the last review, or else since the last commit."""

    root: str
    """URI of a folder in a repository."""
    paths: tuple[str, ...] = ()
    """Only these paths, relative to the folder; none: the whole folder."""


def base_and_head(text: str) -> tuple[str, str]:
    """Parse `BASE`, `BASE..HEAD` or `BASE...HEAD`; the head may be left out.

    Two dots and three mean the same, since the merge base is compared. The base is
    empty if none is named.
    """
    base, _, head = text.partition("..")
    return base, head.removeprefix(".") or "HEAD"


ChangeTarget: TypeAlias = WorkingTree | Staged | Since
Target: TypeAlias = Selection | WholeFiles | ChangeTarget | SinceReview


class ReviewedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file, as it was when it was gathered."""

    path: str
    """Relative to the workspace folder, or to the folder of the target, with `/`."""
    uri: str
    language: str
    """LSP's language id; empty: not known."""
    text: str
    """The whole text, LF line ends; secrets are included and hidden when it is sent."""
    spans: tuple[Span, ...]
    """The reviewed lines, in order and without overlap, at least one: of a change its
    new lines, and the lines around deletions."""
    diff: str = ""
    """The file's hunks in git's format if a change is reviewed, LF line ends."""
    is_new: bool = False
    """Whether the change adds the file."""
    old_path: str | None = None
    """The old path if the change renames the file."""


class LeftOutFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A file of the target that is not reviewed, or not completely."""

    path: str
    reason: str
    """The end of a sentence: "app.key: it is of a kind that holds keys"."""
    by_rule: bool = False
    """Whether no review may read it: it is ignored, or it has no changed text."""


def missed(left_out: Iterable[LeftOutFile]) -> tuple[LeftOutFile, ...]:
    """Return the files that should have been reviewed."""
    return tuple(one for one in left_out if not one.by_rule)


def named_missed(left_out: Iterable[LeftOutFile]) -> str:
    """List the files that should have been reviewed in a sentence; empty: none."""
    ones = missed(left_out)
    named = [f"{one.path} ({one.reason.rstrip('.')})" for one in ones[:_N_NAMED]]
    if (n_more := len(ones) - len(named)) > 0:
        named.append(f"and {n_more} more")
    return f"Not reviewed: {', '.join(named)}." if named else ""


class ReviewScope(msgspec.Struct, frozen=True, kw_only=True):
    """The files that are reviewed, and those that are not."""

    target: Target
    title: str
    """What is reviewed, as the end of a sentence: "lines 3 to 9 of a.py"."""
    files: tuple[ReviewedFile, ...]
    """In the order of their paths; may be empty, see `left_out`."""
    left_out: tuple[LeftOutFile, ...] = ()
    deleted: tuple[str, ...] = ()
    """Paths of the files that a change deletes; they are not reviewed."""
    fingerprint: str = ""
    """Equal if and only if the same lines of the same texts are reviewed."""


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Sort spans, join those that touch, and drop empty ones."""
    result: list[Span] = []
    for first, end in sorted(spans):
        if first >= end:
            continue
        if result and first <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((first, end))
    return tuple(result)


def within(spans: Iterable[Span], window: range) -> tuple[Span, ...]:
    """Cut spans at the borders of a window of lines."""
    return joined((max(a, window.start), min(b, window.stop)) for a, b in spans)


def n_common(spans: Sequence[Span], lines: range) -> int:
    return sum(b - a for a, b in within(spans, lines))
