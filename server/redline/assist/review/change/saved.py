"""What a review on save reads: a few changed places of the saved file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from redline.findings.scope import (
    LeftOutFile,
    ReviewedFile,
    ReviewScope,
    Span,
    joined,
)
from redline.routing.route import route
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings
from redline.syntax.facts import Definition

MAX_HUNKS = 5
"""Most changed places of one save that are reviewed."""

MAX_DEFINITION_LINES = 100
"""Longest definition that is reviewed as a whole for a change in it: longer ones, such
as classes, would cost more than the change is worth."""

_N_HEAD = 10

_GENERATED = re.compile(
    r"@generated|\b(?:auto)?generated\b.{0,200}\bdo not edit\b", re.IGNORECASE
)


def saved_scope(scope: ReviewScope) -> tuple[ReviewScope, dict[str, tuple[Span, ...]]]:
    """Narrow a scope to what a review on save reads.

    Returns:
        The scope, and by URI the changed lines that are left to the next save.
    """
    files, later = [], {}
    left_out = list(scope.left_out)
    for file in scope.files:
        head = " ".join(file.text.split("\n", _N_HEAD)[:_N_HEAD])
        if _GENERATED.search(head):
            reason = "it is generated"
            left_out.append(LeftOutFile(path=file.path, reason=reason, by_rule=True))
            continue
        files.append(replace(file, spans=file.spans[:MAX_HUNKS], diff=""))
        if rest := file.spans[MAX_HUNKS:]:
            later[file.uri] = rest
    named = ", ".join(file.path for file in files)
    narrow = replace(
        scope,
        title=f"what was saved in {named}" if named else scope.title,
        files=tuple(files),
        left_out=tuple(left_out),
    )
    return narrow, later


def widened(file: ReviewedFile, definitions: Sequence[Definition]) -> ReviewedFile:
    """Widen changed places to the definitions around them: a change in one line may
    break another one of its function."""
    spans = [_around(span, definitions) for span in file.spans]
    return replace(file, spans=joined(spans))


def _around(span: Span, definitions: Sequence[Definition]) -> Span:
    first, end = span
    around = [
        (one.first_line, one.last_line + 1)
        for one in definitions
        if one.first_line <= first and end <= one.last_line + 1
        if one.last_line - one.first_line < MAX_DEFINITION_LINES
    ]
    return min(around, key=lambda lines: lines[1] - lines[0], default=span)


def crosses_boundary(scope: ReviewScope, settings: RoutingSettings) -> bool:
    """Whether changed code is of a kind that the deep tier reviews."""
    for file in scope.files:
        lines = file.text.split("\n")
        code = "\n".join("\n".join(lines[first:end]) for first, end in file.spans)
        task = Task(instruction="", path=file.path, language=file.language, code=code)
        if route(task, settings=settings, asked=None).boundaries:
            return True
    return False
