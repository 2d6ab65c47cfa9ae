"""New code from its description: a `redline:` comment, another comment, or a signature
without a body.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from redline.assist.actions import kinds
from redline.assist.actions.action import Action, EditWork, RangeWork
from redline.assist.actions.comment import (
    Comment,
    comment_at,
    instruction_at,
    instructions_in,
    range_of_comment,
)
from redline.assist.actions.definition import IndentedDefinition, definitions_around
from redline.assist.actions.scope import ActionScope, lines_of
from redline.text.chatter import MARKDOWN_LANGUAGES
from redline.text.edit_parts import MAX_RANGES
from redline.text.position import Position, Range

_TITLE_N_CHARS = 60
_MAX_PARAGRAPH_LINES = 200
_MAX_STUB_LINES = 30

_STUB = re.compile(
    r"\s*+(?:pass|\.\.\.|raise NotImplementedError\b.*+|\{?\s*+\}?;?|todo!\(.*\);?"
    r"|unimplemented!\(.*\);?|panic\((?>.*?not implemented).*\)|end|throw new"
    r" (?:Error|(?>\w*?(?:NotImplemented|UnsupportedOperation))\w*+)\(.*\);?"
    r"|raise NotImplementedError|(?:#|//|/?\*).*+)\s*+",
    re.IGNORECASE,
)
"""Lines of a body that does nothing yet."""

_STRING = re.compile(r"\s*[rRuU]?(?P<quotes>\"\"\"|''')")
_EMPTY_BODY = re.compile(r"\{\s*+\}\s*+;?\s*+$|:\s*+(?:\.\.\.|pass)\s*+$")


def comment_instructions(scope: ActionScope) -> Iterator[Action]:
    """Offer to carry out a `redline:` comment, and to remove it."""
    comment = instruction_at(scope.spot.lines, lines_of(scope.spot.selection)[0])
    if comment is None:
        return
    what = " ".join(comment.text.split())
    short = what[:_TITLE_N_CHARS].rstrip() + (" …" if what[_TITLE_N_CHARS:] else "")
    yield Action(
        title=f"Do this with Redline: {short}",
        lsp_kind=kinds.QUICK_FIX,
        work=EditWork(
            range=_range_of_order(scope, comment),
            instruction=comment.text,
            kind="edit",
            from_comment=range_of_comment(scope.spot.lines, comment),
        ),
        is_preferred=True,
    )


def all_comment_instructions(
    scope: ActionScope, lsp_kind: str = kinds.QUICK_FIX
) -> Iterator[Action]:
    """Offer to carry out all `redline:` comments of the file as one edit."""
    comments = instructions_in(scope.spot.lines)
    # At a single one, the menu has an entry for it.
    if len(comments) > (lsp_kind == kinds.QUICK_FIX):
        n_done = min(len(comments), MAX_RANGES)
        which = "all" if n_done == len(comments) else f"the first {n_done}"
        yield Action(
            title=f"Do {which} `redline:` comments of this file with Redline",
            lsp_kind=lsp_kind,
            work=EditWork(
                range=scope.file, ranges=tuple(_ranges_of(scope, comments[:n_done]))
            ),
        )


def _ranges_of(scope: ActionScope, comments: Iterable[Comment]) -> Iterator[RangeWork]:
    for comment in comments:
        at = Position(comment.first, 0)
        there = ActionScope.of(replace(scope.spot, selection=Range(at, at)))
        yield RangeWork(
            range=_range_of_order(there, comment),
            instruction=comment.text,
            from_comment=range_of_comment(scope.spot.lines, comment),
        )


def bodies(scope: ActionScope) -> Iterator[Action]:
    """Offer to write code that a signature or a comment announces."""
    stub = scope.function
    if stub is not None and _is_stub(scope, stub):
        yield Action(
            title=f"Write the body of `{stub.name}` with Redline",
            lsp_kind=kinds.QUICK_FIX,
            work=EditWork(
                range=scope.range_of(stub),
                instruction=f"Write the body of `{stub.name}`: it does what its name, "
                "its signature, its comments and its documentation say. Keep those as "
                "they are.",
                kind="generate",
            ),
        )
        return
    comment = _announcement(scope)
    if comment is not None:
        yield Action(
            title="Write the code for this comment with Redline",
            lsp_kind=kinds.QUICK_FIX,
            work=EditWork(
                range=scope.lines(comment.first, comment.last),
                instruction="Write the code that this comment describes, below it and "
                "as deep as it stands. Keep the comment.",
                kind="generate",
            ),
        )


def _range_of_order(scope: ActionScope, comment: Comment) -> Range:
    """Return the range of an instruction: the code after it, else around it."""
    lines = scope.spot.lines
    last = len(lines) - 1
    below = min(comment.last + 1, last)
    if not comment.has_code:
        for one in definitions_around(lines, below, scope.spot.language):
            if one.first <= below <= one.header:
                return scope.lines(min(comment.first, one.first), one.last)
    if scope.definition is not None:
        return scope.range_of(scope.definition)
    top = lines[comment.first]
    margin = top[: len(top) - len(top.lstrip(" \t"))]
    end = comment.last
    while end < last and end < below + _MAX_PARAGRAPH_LINES:
        following = lines[end + 1]
        # The end of the enclosing block is indented less.
        if not following.strip() or not following.startswith(margin):
            break
        end += 1
    return scope.lines(comment.first, end)


def _is_stub(scope: ActionScope, function: IndentedDefinition) -> bool:
    lines = scope.spot.lines
    body = lines[function.body : function.last + 1]
    if function.body > function.last:
        return _EMPTY_BODY.search(lines[function.last]) is not None
    code = _without_docstring(body)
    return len(code) <= _MAX_STUB_LINES and all(
        _STUB.fullmatch(line.rstrip("\r\n")) for line in code
    )


def _without_docstring(body: Sequence[str]) -> list[str]:
    lines = list(body)
    while lines and not lines[0].strip():
        lines.pop(0)
    found = _STRING.match(lines[0]) if lines else None
    if found is None:
        return lines
    if lines[0].count(found["quotes"]) > 1:
        return lines[1:]
    for number, line in enumerate(lines[1:], 1):
        if found["quotes"] in line:
            return lines[number + 1 :]
    return lines


def _announcement(scope: ActionScope) -> Comment | None:
    """Find a comment at this place that no code follows."""
    lines = scope.spot.lines
    line = lines_of(scope.spot.selection)[0]
    if scope.spot.language in MARKDOWN_LANGUAGES:
        return None  # `#` begins a heading.
    comment = comment_at(lines, line)
    if comment is None or instruction_at(lines, line) is not None or not comment.text:
        return None
    if lines[comment.first].startswith("#!"):
        return None
    following = lines[comment.last + 1] if comment.last + 1 < len(lines) else ""
    return comment if not following.strip() else None
