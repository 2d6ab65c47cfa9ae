"""`undefined-name` in PHP: variables that a function uses and nothing sets.

A function of PHP sees no variable from around it, unless it is an arrow function or
names it in `use`. So what the edit introduces must be set in the function itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import RULE
from redline.checks.problem import Problem
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


def check_php_variables(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report variables that the edit introduces and its function does not set."""
    tree = candidate.tree_after
    if tree is None or tree.language is not Language.PHP or tree.errors:
        return
    introduced = {
        name for _, text in candidate.introduced for name in re.findall(r"\$\w+", text)
    }
    if not introduced - _GIVEN:
        return
    for one in tree.definitions:
        lines = range(one.first_line, one.last_line + 1)
        if one.kind not in ("function", "method") or not _overlap(
            lines, candidate.region_after
        ):
            continue
        text = with_line_feeds(candidate.after[lines.start : lines.stop])
        if _DYNAMIC.search(text):
            continue
        for name in sorted(introduced - _GIVEN):
            if re.search(rf"{re.escape(name)}(?!\w)", text) and not _is_set(name, text):
                yield _problem(name, candidate)


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


def _problem(name: str, candidate: CheckedEdit) -> Problem:
    line = next(
        line for line, text in candidate.introduced if re.search(re.escape(name), text)
    )
    return Problem(rule=RULE, message=f"Undefined variable `{name}`.", line=line)
