"""K4: the parameters of a Python function changed; its calls follow.

A renamed or removed parameter changes the keyword arguments of the calls. For a new one
without default, only the place is known: a jump to each call that lacks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from redline.next_edits.journal import UserChange
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.python_names import PythonFunction, read_names
from redline.next_edits.source import EditedSource
from redline.next_edits.tokens import Token, code, with_depth

_MAX_HEADER = 12
"""Lines above a change in which its `def` is looked for."""

_MAX_CALL = 300
"""Tokens of a call; a longer one is left alone."""


class FunctionChange(Struct, frozen=True):
    """A function whose header changed."""

    before: PythonFunction
    now: PythonFunction


class FunctionCall(Struct, frozen=True):
    """One call: the first token of its function, and its arguments."""

    start: int
    arguments: tuple[tuple[Token, ...], ...]
    closing: Token

    def keyword(self, name: str) -> tuple[Token, ...] | None:
        """Return the argument that is passed by this keyword."""
        for one in self.arguments:
            if len(one) > 2 and one[0].text == name and one[1].text == "=":
                return one
        return None


def calls(source: EditedSource, change: UserChange) -> list[NextEdit]:
    """Return what a changed header means for the calls of its function, in order."""
    changed = changed_function(source, change)
    if changed is None:
        return []
    before, now = changed.before.parameters, changed.now.parameters
    removed = [one for one in before if one not in now]
    added = [one for one in now if one not in before]
    name = changed.now.name.text
    if len(removed) == 1 and len(added) == 1 and len(before) == len(now):
        if before.index(removed[0]) != now.index(added[0]):
            return []
        return _renamed(source, changed, removed[0], added[0])
    if len(removed) == 1 and not added:
        return _removed(source, changed, removed[0])
    if len(added) == 1 and not removed and added[0] in changed.now.required:
        n_before = now.index(added[0])
        why = f"`{name}` has the new parameter `{added[0]}`"
        n_own = 1 if changed.now.scope.kind == "class" else 0
        return [
            source.edit("calls", call.closing.start, call.closing.start, "", why)
            for call in calls_of(source, changed.now)
            if call.keyword(added[0]) is None
            and not any(one[0].text in ("*", "**") for one in call.arguments if one)
            and len(call.arguments) < len(changed.now.required) - n_own
            and len(call.arguments) <= max(n_before, len(now))
        ]
    return []


def _renamed(
    source: EditedSource, changed: FunctionChange, old: str, new: str
) -> list[NextEdit]:
    why = f"The parameter `{old}` is now `{new}`"
    return [
        source.edit("calls", argument[0].start, argument[0].stop, new, why)
        for call in calls_of(source, changed.now)
        if (argument := call.keyword(old)) is not None
    ]


def _removed(source: EditedSource, changed: FunctionChange, old: str) -> list[NextEdit]:
    offers: list[NextEdit] = []
    for call in calls_of(source, changed.now):
        argument = call.keyword(old)
        if argument is None:
            continue
        index = call.arguments.index(argument)
        start, stop = argument[0].start, argument[-1].stop
        if index:
            start = call.arguments[index - 1][-1].stop
        elif len(call.arguments) > 1:
            stop = call.arguments[1][0].start
        why = f"The parameter `{old}` was removed"
        offers.append(source.edit("calls", start, stop, "", why))
    return offers


def changed_function(source: EditedSource, change: UserChange) -> FunctionChange | None:
    """Return the one Python function whose header a change touches."""
    if source.family != "python":
        return None
    if not _is_header(source, change):
        return None
    start, stop = source.part_at(source.line_start(change.first))
    if source.line_start(change.end) > stop:
        return None
    now = read_names([source.tokens_between(start, stop)], ()).functions
    first = source.position(start).line
    end = source.position(stop).line if stop < len(source.text) else len(source.lines)
    old_lines = [
        *source.lines[first : change.first],
        *change.old,
        *source.lines[change.end : end],
    ]
    part = EditedSource(old_lines, source.language, max_tokenized=source.max_tokenized)
    before = read_names([part.tokens_between(0, len(part.text))], ()).functions
    if [one.name.text for one in before] != [one.name.text for one in now]:
        return None
    different = [
        FunctionChange(*pair)
        for pair in zip(before, now, strict=True)
        if _header(pair[0]) != _header(pair[1])
    ]
    return different[0] if len(different) == 1 else None


def _is_header(source: EditedSource, change: UserChange) -> bool:
    """Whether a change seems to be in the header of a function, by its lines alone."""
    if any("def " in line for line in change.new):
        return True
    for line in range(change.first - 1, max(-1, change.first - _MAX_HEADER), -1):
        text = source.lines[line].rstrip()
        if text.endswith(":"):
            return False
        if "def " in text:
            return True
    return False


def _header(function: PythonFunction) -> tuple[object, ...]:
    return function.parameters, function.required, function.is_async


def calls_of(source: EditedSource, function: PythonFunction) -> Iterator[FunctionCall]:
    """Yield the calls of a function: by its name, or of a method through `self`."""
    name = function.name.text
    is_method = function.scope.kind == "class"
    if function.scope.kind == "def" or _n_definitions(source, name) != 1:
        return
    parts = [source.tokens_between(*source.part_at(function.name.start))]
    if not is_method:
        parts = source.parts_with(name)
    for part in parts:
        tokens = code(part)
        for number, one in enumerate(tokens[:-1]):
            if one.text != name or one.kind != "name" or tokens[number + 1].text != "(":
                continue
            before = [each.text for each in tokens[max(0, number - 2) : number]]
            if before[-1:] in (["def"], ["class"]):
                continue
            is_through_self = before == ["self", "."] or before == ["cls", "."]
            if is_method != is_through_self or (not is_method and before[-1:] == ["."]):
                continue
            first = number - 2 if is_method else number
            call = _call(tokens, first, number + 1)
            if call is not None:
                yield call


def _n_definitions(source: EditedSource, name: str) -> int:
    return len(re.findall(rf"\b(?:def|class)\s+{name}\b", source.text))


def _call(tokens: list[Token], first: int, opening: int) -> FunctionCall | None:
    arguments: list[list[Token]] = [[]]
    within = with_depth(tokens[opening:])
    next(within)
    for depth, one in islice(within, _MAX_CALL):
        if depth == 0:
            whole = tuple(tuple(each) for each in arguments if each)
            return FunctionCall(tokens[first].start, whole, one)
        if depth == 1 and one.text == ",":
            arguments.append([])
        else:
            arguments[-1].append(one)
    return None
