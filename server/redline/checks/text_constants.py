"""`compile-error` in Kotlin and Swift: a local constant that gets another value.

A name counts only if nothing else in its block declares it. Read without a grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem

_CONSTANT = {
    "kotlin": r"^[ \t]*+val\s++(?P<name>{})\s*+(?::[^=\n]++)?=(?!=)\s*+(?P<value>\S?)",
    "swift": r"^[ \t]*+let\s++(?P<name>{})\s*+(?::[^=\n]++)?=(?!=)\s*+(?P<value>\S?)",
}
_WORDS = {"kotlin": "val", "swift": "let"}
_SETS = r"(?:^|[{{;)]|->|\belse\b)[ \t]*+(?P<name>{})\s*+(?P<sign>[-+*/%]?)=(?!=)"
_OTHERS = (
    r"\b(?:va[lr]|let|for|case|catch|fun|func)\b[^=\n]{{0,200}}?\b{0}\b"
    r"|(?<![\w.?]){0}\s*+(?::|->|\bin\b|,[^=\n(){{}}]{{0,200}}+(?:->|\bin\b))"
    r"|\b{0}\s*+\)\s*+(?:->|in\b)"
)
_TYPE = re.compile(
    r"\b(?:class|object|interface|enum|struct|extension|protocol|actor)\b"
)
_BRACE = re.compile(r"[{}]")
_ANY = r"[a-z_]\w*+"
_PAIRS = {"}": "{", ")": "(", "]": "["}
_MAX_N_HEAD = 600


def check_text_constants(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first new value of a constant."""
    language = candidate.language_id
    if language not in _CONSTANT:
        return
    code, before = candidate.code_after, candidate.code_before
    now = _places(code, candidate.region_after)
    then = _places(before, candidate.region_before)
    for name in _names(candidate, language):
        if f"{_WORDS[language]} {name}" not in code:
            continue
        place = _set_again(code, name, language, now)
        if place and not _set_again(before, name, language, then):
            line = code.count("\n", 0, place)
            yield Problem(
                rule="compile-error",
                message=f"`{name}` is constant and gets another value.",
                line=candidate.line_in_region(line),
            )
            return


def _names(candidate: CheckedEdit, language: str) -> list[str]:
    """Return the names that new lines declare as constant or set."""
    text = "\n".join(line for _, line in candidate.introduced)
    forms = (_CONSTANT[language], _SETS)
    found = (
        one["name"]
        for form in forms
        for one in re.finditer(form.format(_ANY), text, re.MULTILINE)
    )
    return list(dict.fromkeys(found))


def _places(code: str, lines: range) -> range:
    """Return the places of some lines."""
    starts = [0, *(one.end() for one in re.finditer(r"\n", code)), len(code)]
    last = len(starts) - 1
    return range(starts[min(lines.start, last)], starts[min(lines.stop, last)])


def _set_again(code: str, name: str, language: str, near: range) -> int:
    """Return the place at which a constant of a name gets another value; 0: nowhere.

    Args:
        code: The whole file.
        name: The name.
        language: The id of the language.
        near: Only constants are judged whose blocks touch these places.
    """
    constants = re.compile(_CONSTANT[language].format(name), re.MULTILINE)
    sets = re.compile(_SETS.format(name), re.MULTILINE)
    for constant in constants.finditer(code):
        if constant.start() >= near.stop:
            return 0
        start = constant.end("value")
        end = _end_of_block(code, start)
        if end < near.start or not _is_local(code, constant.start()):
            continue
        block = code[start:end]
        if re.search(_OTHERS.format(name), block):
            continue
        for found in sets.finditer(block):
            is_number = constant["value"].isdigit() or constant["value"] == '"'
            # `+=` of Kotlin adds to a list that the name keeps.
            is_set = not found["sign"] or language == "swift" or is_number
            at = found.start("name")
            if is_set and _innermost(block[:at]) in ("", "{"):
                return start + at
    return 0


def _is_local(code: str, place: int) -> bool:
    """Whether the innermost block around a place is that of a function."""
    depth = 0
    for at in range(place - 1, -1, -1):
        if code[at] == "}":
            depth += 1
        elif code[at] == "{":
            if depth == 0:
                head = code[max(0, at - _MAX_N_HEAD) : at]
                return not _TYPE.search(re.split(r"[{};]", head)[-1])
            depth -= 1
    return False


def _end_of_block(code: str, start: int) -> int:
    depth = 0
    for found in _BRACE.finditer(code, start):
        depth += 1 if found[0] == "{" else -1
        if depth < 0:
            return found.start()
    return len(code)


def _innermost(code: str) -> str:
    """Return the bracket that is still open at the end; empty: none is."""
    waiting: list[str] = []
    for found in re.finditer(r"[()\[\]{}]", code):
        bracket = found[0]
        if bracket not in _PAIRS:
            waiting.append(bracket)
        elif waiting and waiting[-1] == _PAIRS[bracket]:
            waiting.pop()
    return waiting[-1] if waiting else ""
