"""K6: things that belong together: the tags of an element, `async` and `await`, and a
parameter of `__init__` and its attribute.
"""

from __future__ import annotations

import re

from redline.next_edits.calls import FunctionChange, calls_of, changed_function
from redline.next_edits.journal import UserChange
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.python_names import PythonFunction, PythonScope, read_names
from redline.next_edits.source import EditedSource
from redline.next_edits.tokens import with_depth
from redline.text.lines import line_end

_WITH_TAGS = frozenset(
    [
        "html",
        "xml",
        "vue",
        "svelte",
        "xhtml",
        "svg",
        "handlebars",
        "javascriptreact",
        "typescriptreact",
    ]
)
_TAG = re.compile(
    r"<(/?)([A-Za-z][\w:.-]{0,80}+)"
    r"((?:\"[^\"]{0,400}\"|'[^']{0,400}'|\{[^{}]{0,400}\}|[^<>\"'{}/]|/(?!>)){0,800}+)"
    r"(/?)>"
)
_MAX_TAGS = 20_000
"""Characters around a tag in which its partner is looked for."""


def pairs(source: EditedSource, change: UserChange) -> list[NextEdit]:
    if source.language in _WITH_TAGS:
        return _partner_tag(source, change)
    changed = changed_function(source, change)
    if changed is None:
        return []
    if changed.now.is_async and not changed.before.is_async:
        return _awaits(source, changed)
    if changed.now.name.text == "__init__":
        return _attribute(source, changed)
    return []


def _partner_tag(source: EditedSource, change: UserChange) -> list[NextEdit]:
    what = change.replacement
    if what is None or not re.fullmatch(r"[\w:.-]+", what.old + what.new):
        return []
    offset = source.line_start(change.first) + what.start
    low = max(0, offset - _MAX_TAGS)
    tags = list(_TAG.finditer(source.text, low, offset + _MAX_TAGS))
    index = next(
        (n for n, t in enumerate(tags) if t.start(2) <= offset <= t.end(2)), -1
    )
    if index < 0 or tags[index][4]:
        return []
    own = tags[index]
    new = own[2]
    start = offset - own.start(2)
    old = new[:start] + what.old + new[start + len(what.new) :]
    is_closing = bool(own[1])
    others = reversed(tags[:index]) if is_closing else iter(tags[index + 1 :])
    depth = 0
    for tag in others:
        if tag[4] or tag[2] not in (old, new):
            continue
        if bool(tag[1]) == is_closing:
            depth += 1
        elif depth:
            depth -= 1
        elif tag[2] == old:
            why = f"`<{old}>` is now `<{new}>`"
            return [source.edit("pairs", tag.start(2), tag.end(2), new, why)]
        else:
            return []
    return []


def _awaits(source: EditedSource, changed: FunctionChange) -> list[NextEdit]:
    """Return the calls of a function that has become `async`, in `async` functions."""
    name = changed.now.name.text
    part = source.tokens_between(*source.part_at(changed.now.name.start))
    own = read_names([part], ())
    if any(
        scope is changed_body and any(one.text == "yield" for one in statement)
        for changed_body in _bodies(own.functions, changed.now)
        for scope, statement in own.statements
    ):
        return []  # An async generator is not awaited.
    offers: list[NextEdit] = []
    for call in calls_of(source, changed.now):
        tokens = source.tokens_between(*source.part_at(call.start))
        read = read_names([tokens], ())
        inside = next(
            (
                (scope, statement)
                for scope, statement in read.statements
                if statement[0].start <= call.start <= statement[-1].start
            ),
            None,
        )
        if inside is None or not _is_async(inside[0], read.functions):
            continue
        before = [one for one in inside[1] if one.start < call.start]
        if before and before[-1].text == "await":
            continue
        depths = [depth for depth, _ in with_depth(before)]
        if depths and depths[-1]:
            continue  # It may be passed on without being awaited.
        why = f"`{name}` is now `async`"
        offers.append(source.edit("pairs", call.start, call.start, "await ", why))
    return offers


def _bodies(
    functions: list[PythonFunction], wanted: PythonFunction
) -> list[PythonScope]:
    return [one.body for one in functions if one.name.start == wanted.name.start]


def _is_async(scope: PythonScope, functions: list[PythonFunction]) -> bool:
    return any(one.body is scope and one.is_async for one in functions)


def _attribute(source: EditedSource, changed: FunctionChange) -> list[NextEdit]:
    """Return the line that stores a new parameter, where all others are stored."""
    added = [
        one for one in changed.now.parameters if one not in changed.before.parameters
    ]
    others = [one for one in changed.before.parameters if one != "self"]
    if (
        len(added) != 1
        or not others
        or set(changed.before.parameters) - set(changed.now.parameters)
    ):
        return []
    part = source.tokens_between(*source.part_at(changed.now.name.start))
    read = read_names([part], ())
    (body, *_) = _bodies(read.functions, changed.now)
    stores: dict[str, int] = {}
    for scope, statement in read.statements:
        texts = [one.text for one in statement]
        if scope is body and texts[:2] == ["self", "."] and texts[3:4] == ["="]:
            attribute, value = texts[2].lstrip("_"), texts[4:]
            if value == [attribute]:
                stores[attribute] = statement[0].start
    (name,) = added
    if any(one not in stores for one in others) or name in stores:
        return []
    index = changed.now.parameters.index(name)
    earlier = [one for one in changed.now.parameters[:index] if one in stores]
    after = stores[earlier[-1]] if earlier else min(stores.values())
    line = source.position(after).line
    text = source.lines[line]
    end = line_end(text)
    if not end:
        return []
    is_private = "._" in text.split("=")[0]
    indent = text[: len(text) - len(text.lstrip())]
    new = f"{indent}self.{'_' if is_private else ''}{name} = {name}{end}"
    at = source.line_start(line + 1 if earlier else line)
    return [source.edit("pairs", at, at, new, "`__init__` stores its other parameters")]
