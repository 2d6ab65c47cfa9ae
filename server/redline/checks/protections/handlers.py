"""Handlers of errors and scopes of resources that an edit takes away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.checks.problem import Problem
from redline.checks.protections.changed_code import (
    ChangedCode,
    CodeLine,
    squeezed,
    value_changed,
    words_in,
)
from redline.checks.protections.names import lost
from redline.checks.protections.wishes import removes, speaks_of_errors

_HANDLER = re.compile(
    r"(?<![\w.])(?:except|catch|rescue|pcall|suppress)\b|\bon \w+ catch\b"
    r"|\.(?:catch\w*|onError\w*|recover\w*|rescue|onFailure|getOrElse"
    r"|exceptionally)\s*[({]"
)
_FINAL = re.compile(r"^(?:(?:\}\s*)?(?:finally|ensure)\b\s*[:{]?$|defer\s+\w)")
_START = re.compile(r"(?:try|begin|do)\b\s*[:{]?$|(?:try)\b.*\{$")
_INSTEAD = re.compile(
    r"suppress|\bcatch|\btry\b|\btry\?|Result|runCatching|unwrap_or|\.ok\(\)|exists"
    r"|rescue"
    r"|\bexcept\b|errdefer|onError|recover|Try\b|contextmanager|\bsafe|@\w|pcall"
    r"|attempt"
    r"|Either|or_else|TryParse|tryParse|safeParse|missing_ok|exist_ok|ensure|finally"
    r"|\bwith\b"
    r"|\busing\b|\bdefer\b|\berr\b|\bclosing"
)
_CLEANUP = re.compile(
    r"finally|ensure|errdefer|contextmanager|\bclosing|\b(?:with|using|defer)\b|\btry\s*\("
)
"""What cleans up instead."""
_SCOPE = re.compile(r"(?:async\s++)?(?:(?:with|using)\b|try(?=\s*+\())\s*+(?P<rest>.*)")
_VARIABLE = re.compile(
    r"\A\(?(?:[\w<>?.,\[\]]++(?:\s++[\w<>?.,\[\]]++)?\s++\w++\s*+=\s*+)?"
)
_WRAPPED = re.compile(r"[\w.]++\((?P<value>[\w.]++\(.*\))\)")
"""A call with another call as its only argument."""
_CALLED = re.compile(r"(?<!\w)([^\W\d]\w*)[!?]?\(")
_CLOSES = re.compile(
    r"close|dispose|enter_context|ExitStack|finally|release|with\b|using\b|defer|yield"
    r"|read_text|read_bytes|write_text|write_bytes"
)
_MIN_ALIVE = 0.8
"""Part of the names of a guarded block that are still used without it."""


def lost_handlers(change: ChangedCode) -> Iterator[Problem]:
    """Yield handlers that are gone while what they guarded is there."""
    wish = change.instruction
    for what, form in (("error handling", _HANDLER), ("cleanup", _FINAL)):
        is_cleanup = form is _FINAL
        if removes(wish) or (speaks_of_errors(wish) and not is_cleanup):
            continue
        if (_CLEANUP if is_cleanup else _INSTEAD).search(change.added.code):
            continue
        gone = [line for line in change.removed.lines if form.search(line.code)]
        n_old, n_new = (
            sum(form.search(line.code) is not None for line in code.lines)
            for code in (change.old, change.new)
        )
        lines = [line for line in gone if _is_alive(change, line)]
        if lines and n_new < n_old:
            yield lost(what, lines[0].text.rstrip(" {"))
            return


def lost_scopes(change: ChangedCode) -> Iterator[Problem]:
    """Yield resources that are still opened and that nothing closes any more."""
    if _CLOSES.search(change.added.code):
        return
    added = squeezed(change.added.text)
    for line in change.removed.lines:
        found = _SCOPE.match(line.text)
        if (
            found
            and "(" in found["rest"]
            and any(one in added for one in _opened(found["rest"]))
        ):
            yield lost("scope", line.text.rstrip(" {:"))
            return


def _opened(scope: str) -> list[str]:
    """Return the value that a scope is of, without blanks, and what it wraps."""
    value = scope.rstrip(" :{").partition(" as ")[0].partition(";")[0]
    opened = squeezed(_VARIABLE.sub("", value))
    is_bracket = opened.endswith(")") and opened.count(")") > opened.count("(")
    opened = opened[:-1] if is_bracket else opened
    wrapped = _WRAPPED.fullmatch(opened)
    return [opened, wrapped["value"]] if wrapped else [opened]


def _is_alive(change: ChangedCode, handler: CodeLine) -> bool:
    """Whether most names of the guarded block are still in the code."""
    names = set(words_in(handler.code)) - {"defer"}
    if any(value_changed(change, name) for name in names):
        return False
    if handler.code.startswith("defer"):
        return names <= change.new.words
    guarded = _guarded(change.old.lines, handler)
    kept = {squeezed(line.text) for line in change.new.lines}
    n_kept = sum(squeezed(line) in kept for line in guarded)
    if 2 * n_kept > len(guarded):
        return True
    words = set(words_in("\n".join(guarded)))
    n_alive = len(words & change.new.words)
    if n_alive < _MIN_ALIVE * len(words):
        return False
    calls, came = (
        set(_CALLED.findall(text)) for text in ("\n".join(guarded), change.added.text)
    )
    return calls <= came or not came - change.old.words


def _guarded(lines: Sequence[CodeLine], handler: CodeLine) -> list[str]:
    """Return the lines above a handler, up to the start of its block."""
    at = lines.index(handler)
    inside: list[str] = []
    for line in reversed(lines[:at]):
        if _START.fullmatch(line.code) and line.depth <= handler.depth:
            break
        inside.append(line.text)
    return inside or [handler.text]
