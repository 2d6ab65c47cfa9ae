"""What a review on save reads: a few changed places of the saved file."""

from __future__ import annotations

import re

from msgspec.structs import replace

from redline.findings.scope import LeftOutFile, ReviewScope, Span
from redline.routing.route import route
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings

MAX_HUNKS = 5
"""Most changed places of one save that are reviewed."""

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


def crosses_boundary(scope: ReviewScope, settings: RoutingSettings) -> bool:
    """Whether changed code is of a kind that the deep tier reviews."""
    for file in scope.files:
        lines = file.text.split("\n")
        code = "\n".join("\n".join(lines[first:end]) for first, end in file.spans)
        task = Task(instruction="", path=file.path, language=file.language, code=code)
        if route(task, settings=settings, asked=None).boundaries:
            return True
    return False
