"""`compile-error` in Kotlin and Swift: cases that a `when` or `switch` lacks.

Of the enumerations and sealed types of the file, if every case that is there names one
of a single type, and none stands for all others. Read without a grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, parts
from redline.checks.problem import Problem

_SEALED = re.compile(
    r"\bsealed\s++(?:class|interface)\s++(?P<name>\w++)[^{};]{0,200}\{"
)
_SUBTYPE = re.compile(
    r"\b(?:data\s++)?(?:class|object)\s++(?P<name>\w++)(?:\([^()]*+\))?\s*+:\s*+(?P<base>\w++)"
)
_ENUM = {
    "kotlin": re.compile(r"\benum\s++class\s++(?P<name>\w++)[^{};]{0,200}\{"),
    "swift": re.compile(r"\benum\s++(?P<name>\w++)[^{};]{0,200}\{"),
}
_MATCH = {
    "kotlin": re.compile(r"\bwhen\s*+\([^(){}]*+(?:\([^()]*+\))?[^(){}]*+\)\s*+\{"),
    "swift": re.compile(r"\bswitch\s++[^{};\n]{1,120}\{"),
}
_LABEL = {
    "kotlin": re.compile(r"^[ \t]*+(?P<label>[^{}\n]{1,200}?)\s*+->", re.MULTILINE),
    "swift": re.compile(r"^[ \t]*+case\s++(?P<label>[^{}\n]{1,200}?):", re.MULTILINE),
}
_PART = {
    "kotlin": re.compile(r"(?<![\w.])(?:is\s++)?(?:\w++\.)*+(?P<name>[A-Z]\w*+)"),
    "swift": re.compile(
        r"(?<![\w.])(?:let\s++)?(?:\w++)?\.(?P<name>\w++)(?:\([^()]*+\))?"
    ),
}
_OTHERS = re.compile(
    r"\belse\s*+->|\bdefault\s*+:|@unknown|\bcase\s++(?:_|let\s++\w++)\s*+:"
)
_SWIFT_CASE = re.compile(
    r"^[ \t]*+(?:indirect\s++)?case\s++(?P<names>[^:{}\n]++)$", re.MULTILINE
)


def check_text_cases(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report cases that nothing lacked before."""
    language = candidate.language_id
    if language not in _ENUM:
        return
    if "enum" not in candidate.text_after and "sealed" not in candidate.text_after:
        return
    found = list(_lacking(candidate.code_after, language))
    if not found:
        return
    known = set(_lacking(candidate.code_before, language))
    for enum, name in dict.fromkeys(found):
        if (enum, name) not in known:
            word = "when" if language == "kotlin" else "switch"
            yield Problem(
                rule="compile-error",
                message=f"A `{word}` of the file lacks `{name}` of `{enum}`.",
            )
            return


def _lacking(code: str, language: str) -> Iterator[tuple[str, str]]:
    enums = dict(_enums(code, language))
    for found in _MATCH[language].finditer(code):
        body = in_brackets(code, found.end() - 1)
        if body is None or _OTHERS.search(body):
            continue
        used = _used(body, language)
        owners = [name for name, all_of in enums.items() if used and used <= all_of]
        if len(owners) == 1 and len(used) > 1:
            yield from ((owners[0], one) for one in sorted(enums[owners[0]] - used))


def _used(body: str, language: str) -> set[str]:
    """Return the names of the cases; none if one may be something else."""
    inner = re.sub(r"\{[^{}]*+\}", "{}", re.sub(r"\{[^{}]*+\}", "{}", body))
    names: set[str] = set()
    for found in _LABEL[language].finditer(inner):
        for part in parts(found["label"]):
            one = _PART[language].fullmatch(part.strip())
            if one is None:
                return set()
            names.add(one["name"])
    return names


def _enums(code: str, language: str) -> Iterator[tuple[str, set[str]]]:
    for found in _ENUM[language].finditer(code):
        body = in_brackets(code, found.end() - 1)
        if body is None:
            continue
        if language == "kotlin":
            head = re.sub(r"\([^()]*+\)|\{[^{}]*+\}|@\w++", " ", body.partition(";")[0])
            yield found["name"], set(re.findall(r"\b[A-Z]\w*", head))
        else:
            listed = " ".join(one["names"] for one in _SWIFT_CASE.finditer(body))
            plain = re.sub(r"\([^()]*+\)|=\s*+(?:\"[^\"]*+\"|[^,\s]++)|,", " ", listed)
            yield found["name"], set(plain.replace("case", " ").split())
    if language == "kotlin":
        for found in _SEALED.finditer(code):
            name = found["name"]
            names = {
                one["name"] for one in _SUBTYPE.finditer(code) if one["base"] == name
            }
            yield name, names
