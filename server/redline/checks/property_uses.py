"""`phantom-parameter`: a property that became a method, or a method a property.

The file still uses it the other way. Read without a grammar, in Python, JavaScript and
TypeScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.problem import Problem

_PROPERTY = {
    "python": re.compile(
        r"@(?:\w++\.)?(?:cached_)?property[ \t]*+\n\s*+def\s++(?P<name>\w++)\("
    ),
    "javascript": re.compile(r"^[ \t]++get\s++(?P<name>\w++)\s*+\(", re.MULTILINE),
}
_METHOD = {
    "python": re.compile(r"\bdef\s++(?P<name>\w++)\("),
    "javascript": re.compile(
        r"^[ \t]++(?:async\s++)?(?P<name>\w++)\s*+\([^(){}]*+\)[^(){};=]{0,80}\{", re.M
    ),
}


def check_property_uses(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first use that no longer fits."""
    language = candidate.language_id
    kind = "python" if language == "python" else "javascript"
    if language not in _LANGUAGES:
        return
    old, new = (
        without_text("".join(lines), language)
        for lines in (candidate.old_lines, candidate.new_lines)
    )
    properties = [set(_PROPERTY[kind].findall(code)) for code in (old, new)]
    methods = [set(_METHOD[kind].findall(code)) for code in (old, new)]
    became_methods = properties[0] & methods[1] - properties[1]
    became_properties = methods[0] & properties[1] - properties[0]
    code = candidate.code_after
    for name in sorted(became_methods | became_properties):
        found = _wrong_use(name, code, is_method=name in became_methods)
        if found is not None:
            line = code.count("\n", 0, found.start())
            what = "without" if name in became_methods else "with"
            yield Problem(
                rule="phantom-parameter",
                message=f"`{name}` is still used {what} brackets, in line {line + 1}.",
            )
            return


def _wrong_use(name: str, code: str, *, is_method: bool) -> re.Match[str] | None:
    """Return a use of a member of which the file has only one; None: there is none."""
    declared = (
        rf"\b(?:def|get)\s+{name}\b|^[ \t]+(?:async )?{name}\s*\([^()]*\)[^;\n]*\{{"
    )
    if len(re.findall(declared, code, re.MULTILINE)) > 1:
        return None
    sign = r"(?!\s*\(|\w)" if is_method else r"\s*\("
    return re.search(rf"(?<=\.){name}{sign}", code)


_LANGUAGES = frozenset(
    {"python", "javascript", "javascriptreact", "typescript", "typescriptreact"}
)
