"""The functions that an edit changes, and their calls in the rest of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from redline.checks.callers import is_of_function
from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.function_headers import (
    BRACKET,
    TYPED_LANGUAGES,
    FunctionHeader,
    functions,
    only_functions,
)

_CALLED = re.compile(r"(?<!\w)(\w++)[?!]?\s*+(?:<[^<>()\n]*+>)?\(")
_MODIFIERS = re.compile(
    r"^(?:(?:mut|ref|out|in|final|const|val|var|private|public|protected|readonly"
    r"|override|internal|@\w+)\s+)++"
)
_NAME = re.compile(r"[\w$]++")
_MAX_N_CALLS = 200


class FunctionEdit(Struct, frozen=True, kw_only=True):
    """A function that begins in the range, and is the only one of its name."""

    candidate: CheckedEdit
    old: FunctionHeader
    new: FunctionHeader

    @property
    def name(self) -> str:
        return self.new.name

    @property
    def parameters(self) -> tuple[list[str], list[str]]:
        """The names of its parameters before and after."""
        language = self.candidate.language_id
        return _names(self.old, language), _names(self.new, language)

    def calls(self) -> Iterator[OutsideCall]:
        """Yield the calls of it outside of the range."""
        code = self.candidate.code_after
        word = re.compile(rf"(?<![\w$]){re.escape(self.name)}{BRACKET.pattern}")
        for call in islice(word.finditer(code), _MAX_N_CALLS):
            line = code.count("\n", 0, call.start())
            given = in_brackets(code, call.end() - 1)
            if line in self.candidate.region_after or given is None:
                continue
            language = self.candidate.language_id
            if is_of_function(code, call.start(), self.name, language):
                head = code[code.rfind("\n", 0, call.start()) + 1 : call.start()]
                end = call.end() + len(given) + 1
                yield OutsideCall(line=line, head=head, given=parts(given), end=end)


class OutsideCall(Struct, frozen=True, kw_only=True):
    line: int
    head: str
    """Its line in front of it."""
    given: list[str]
    """The values that it passes."""
    end: int
    """The place behind it."""


def function_edits(candidate: CheckedEdit) -> Sequence[FunctionEdit]:
    """Return the functions that the range has before and after."""
    language, region = candidate.language_id, candidate.region_after
    words = {one for line in candidate.new_lines for one in _CALLED.findall(line)}
    lines = candidate.code_after.split("\n") if words else []
    own = "\n".join(lines[region.start : region.stop + 1])
    names = {one.name.strip("#?!") for one in functions(own, language, words)}
    if not names:
        return []
    after = candidate.code_after
    old = only_functions(candidate.code_before, language, names)
    new = only_functions(after, language, names)
    return [
        FunctionEdit(candidate=candidate, old=old[name], new=new[name])
        for name in sorted(old.keys() & new.keys())
        if after.count("\n", 0, new[name].first) in region
    ]


def _names(function: FunctionHeader, language: str) -> list[str]:
    at = -1 if language in TYPED_LANGUAGES else 0
    names = []
    for one in function.given:
        text = _MODIFIERS.sub("", one.partition("=")[0].partition("[")[0] or one)
        if language == "php":
            text = text.rpartition("$")[2]
        found = _NAME.findall(text)
        names.append(found[at] if found else one)
    return names
