"""`undefined-name` in PHP: variables that a function uses and nothing sets.

A function of PHP sees no variable from around it, unless it is an arrow function or
names it in `use`. So what the edit introduces must be set in the function itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import RULE
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.text.lines import with_line_feeds

_GIVEN = frozenset(
    {"$this", "$GLOBALS", "$_SERVER", "$_GET", "$_POST", "$_FILES", "$_COOKIE"}
    | {"$_SESSION", "$_REQUEST", "$_ENV", "$argc", "$argv", "$php_errormsg"}
    | {"$http_response_header"}
)
_DYNAMIC = re.compile(
    r"\$\$|\$\{|\b(?:extract|compact|parse_str|include|require|eval)\b"
)
"""Code that may set any variable."""
_PLAIN = re.compile(
    r"\"(?:\\.|[^\"\\])*+\"|<<<[ \t]*+\"?(?P<here>[A-Za-z_]\w*+).*?"
    r"(?:\n[ \t]*+(?P=here)\b|\Z)"
    r"|(?P<plain>'(?:\\.|[^'\\])*+'|/\*.*?(?:\*/|\Z)|//[^\n]*|#(?!\[)[^\n]*"
    r"|<<<[ \t]*+'(?P<now>\w++)'.*?(?:\n[ \t]*+(?P=now)\b|\Z))",
    re.DOTALL,
)
"""Strings and comments; `plain` are those whose dollar signs are only text."""


def check_php_variables(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report variables that the edit introduces and its function does not set."""
    tree = candidate.tree_after
    if tree is None or tree.language is not Language.PHP or tree.errors:
        return
    if not any("$" in text for _, text in candidate.introduced):
        return
    for one in tree.definitions:
        lines = range(one.first_line, one.last_line + 1)
        is_function = one.kind in ("function", "method")
        if is_function and _overlap(lines, candidate.region_after):
            yield from _unset(candidate, project, lines)


def _unset(
    candidate: CheckedEdit, project: ProjectFiles | None, lines: range
) -> Iterator[Problem]:
    """Report variables that the edit introduces into a function and it does not set."""
    text = _with_variables(candidate.after[lines.start : lines.stop])
    if _DYNAMIC.search(text):
        return
    code = text.split("\n")
    introduced: dict[str, int] = {}
    for number, _ in candidate.introduced:
        at = candidate.region_after.start + number - lines.start
        if 0 <= at < len(lines):
            for name in re.findall(r"(?<!::)\$\w+", code[at]):
                introduced.setdefault(name, number)
    for name in sorted(introduced.keys() - _GIVEN):
        if not (_is_set(name, text) or _is_set_by_call(name, text, project)):
            yield Problem(
                rule=RULE,
                message=f"Undefined variable `{name}`.",
                line=introduced[name],
            )


def _is_set_by_call(name: str, text: str, project: ProjectFiles | None) -> bool:
    """Whether a function of the workspace takes the variable by reference."""
    given = rf"(\w+)\s*\([^()]*{re.escape(name)}(?!\w)"
    called = set(re.findall(given, text))
    return project is not None and any(
        project.is_found(rf"function &?{one}\s*\([^()]*&\s*\$", (".php",))
        for one in called
    )


def _with_variables(lines: Sequence[str]) -> str:
    """Return code without comments and the strings that insert no variables."""
    return _PLAIN.sub(_blank, with_line_feeds(lines))


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0]) if found["plain"] else found[0]


def _overlap(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


def _is_set(name: str, text: str) -> bool:
    """Whether a function has a place that may set a variable.

    Any place is one but a plain use: as a parameter, of an assignment, of a loop, by
    reference in a call, and so on.
    """
    word = re.escape(name) + r"(?!\w)"
    head, _, body = text.partition("{")
    if re.search(word, head):
        return True
    return any(
        re.search(form, body)
        for form in (
            rf"{word}\s*(?:\[[^\]]*\]\s*)*(?:\?\?|[-.+*/|&]{{1,2}})?=(?![=>])",
            rf"\bas\b[^)]*{word}",
            rf"(?:\bcatch\b|\bfn\b|\bfunction\b|\buse\b|\blist\b)\s*\([^)]*{word}",
            rf"\b(?:global|static)\b[^;]*{word}",
            rf"\[[^\[\];]*{word}[^\[\];]*\]\s*=(?![=>])",
            rf"&\s*{word}",
            # Functions of the library set an argument that is given by reference.
            rf"\b(?:preg_match\w*|exec|sscanf|similar_text|getopt|openssl_\w+"
            rf"|system|passthru|proc_open|is_callable|stream_\w+|curl_\w+|fsockopen"
            rf"|str_i?replace|bind_param|bindParam|bind_result|\w*_bind)\s*\([^;]*{word}",
            rf"\bisset\s*\([^)]*{word}|{word}\s*\?\?",
        )
    )
