"""Uses outside of the range of what the edit renames or removes in it.

A function that the file still calls, a field that other methods of the class still
read, a case or constant that is still taken of its type. The code is read without its
syntax tree, so that this works in every language. What may come from a base class that
the file does not have is reported only if it was private, or if a line of the range is
the same but for the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.callers import is_of_function
from redline.checks.candidate import CheckedEdit
from redline.checks.function_headers import BRACKET, functions
from redline.checks.name_uses import OF_TYPE, TYPE, WordEdit, names_gone
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_deletion
from redline.checks.written_types import is_of_type
from redline.syntax.word_set import word_set

_LANGUAGES = word_set(
    "c cpp csharp dart go java javascript javascriptreact kotlin lua php python ruby"
    " rust scala swift typescript typescriptreact"
)
_OPEN = re.compile(
    r"\b(?:__getattr__|__getattribute__|__slots__|setattr|__dict__|method_missing"
    r"|define_method|instance_variable_set|__get|__set|__call|Object\.assign|new Proxy"
    r"|public_send|__send__|OpenStruct|macro_rules)\b|\bpartial\s++[a-z]|globals\(\)"
)
"""Signs of a file in which names are defined that its text does not declare."""
_RECORD = re.compile(r"\b(?:record|(?:data|case|value) class)\s")
"""The header of a type, whose parameters are members."""
_OBJECT = re.compile(r"(?<![\w.>)\]])([A-Za-z_]\w*)(?:[?!]?\.|->)$")
_CALL = re.compile(rf"{BRACKET.pattern}(?![^()\n]*+\)\s*+:\s*+[\w<\[])")
"""A call, and not the signature of a method in an interface."""
_CLASS_LANGUAGES = frozenset(
    {"cpp", "csharp", "dart", "java", "kotlin", "scala", "swift"}
)
"""Languages in which a method is called without its object."""


def check_left_behind(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first use of something that the edit no longer declares."""
    language = candidate.language_id
    if wants_deletion(candidate.instruction):
        return
    if language not in _LANGUAGES:
        return
    names = list(names_gone(candidate))
    if names and _OPEN.search(candidate.code_after):
        return
    for name in names:
        edit = WordEdit(candidate, name)
        if not edit.is_left_behind or _is_quoted(candidate, name):
            continue
        for find in (_left_call, _left_member):
            if (line := find(edit)) is not None:
                yield Problem(
                    rule="undefined-name",
                    message=f"`{name}` is gone, and line {line + 1} of the file still"
                    " uses it.",
                )
                return


def _is_quoted(candidate: CheckedEdit, name: str) -> bool:
    """Whether a text or a symbol has the name, by which it may be declared."""
    signs = "\"'" + ":" * (candidate.language_id == "ruby")
    quoted = rf"[{signs}]{re.escape(name)}(?!\w)"
    return re.search(quoted, candidate.text_after) is not None


def _left_call(edit: WordEdit) -> int | None:
    """Return the line of a call of a function that is gone."""
    name, language = edit.name, edit.candidate.language_id
    was, now = (
        list(functions(code, language, {name}))
        for code in (edit.candidate.code_before, edit.candidate.code_after)
    )
    lines = [edit.candidate.code_before.count("\n", 0, one.first) for one in was]
    if now or not lines or not all(map(edit.was_in_region, lines)):
        return None
    calls = []
    for one in edit.new:
        if one.is_of_other:
            continue
        if not _CALL.match(one.tail) or one.is_declared:
            return None
        if one.may_declare and edit.owner("after", one.line):
            return None
        if not is_of_function(edit.candidate.code_after, one.at, name, language):
            return None
        if edit.is_left(one):
            calls.append(one)
    has_class = any(one.is_own for one in calls) or language in _CLASS_LANGUAGES
    if not calls or (has_class and not edit.is_certain(lines)):
        return None
    return calls[0].line


def _left_member(edit: WordEdit) -> int | None:
    """Return the line that takes a member that is gone: of its own object, of a type of
    the file, or of a variable whose type the file writes."""
    was = [one for one in edit.old if one.sets_own or edit.declares(one, "before")]
    lines = [one.line for one in was]
    if not lines or not all(map(edit.was_in_region, lines)):
        return None
    if any(one.sets_own or edit.declares(one, "after") for one in edit.new):
        return None
    code = edit.candidate.code_after
    is_certain, is_record = edit.is_certain(lines), _is_bare_or_record(edit)
    owners = {edit.owner("before", line) for line in lines} - {""}
    types = {one["name"]: one.end() for one in TYPE.finditer(code)}
    for one in filter(edit.is_left, edit.new):
        if one.is_own and is_certain:
            return one.line
        found = OF_TYPE.search(one.head)
        if found and found["name"] in owners & types.keys() and not is_record:
            at = types[found["name"]]
            return one.line if edit.has_plain_bases(at, code) else None
        found = _OBJECT.search(one.head)
        if found and is_certain and not is_record:
            above = code.split("\n")
            if any(is_of_type(above, one.line, found[1], each) for each in owners):
                return one.line
    return None


def _is_bare_or_record(edit: WordEdit) -> bool:
    """Whether a place may declare it without the form of a declaration."""
    return any(
        _RECORD.search(one.head) or not (one.is_own or one.is_of_other)
        for one in edit.new
    )
