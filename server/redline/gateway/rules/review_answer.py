"""The rules engine for reviews: writes findings of fixed rules as a model would.

It reports only certain faults: what ruff finds in Python, syntax errors, and markers
that tools leave behind. Syntax errors are those of a language's grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from redline.findings.finding import Claim
from redline.findings.parts import Excerpt
from redline.findings.ruff_rules import SYNTAX
from redline.findings.scope import Span
from redline.gateway.rules.review_fault import CodeFault, LineFix, short_title
from redline.gateway.rules.review_markers import find_markers
from redline.gateway.rules.review_python import find_python_faults
from redline.syntax.language import Language, language_of
from redline.syntax.tree import parse

_MAX_N_LINES = 5
"""Most lines of a quote, as in the prompt for models."""

_MAX_N_FAULTS = 10
"""Most findings of one rule in one file."""


def find_claims(excerpt: Excerpt) -> list[Claim]:
    return list(_claims(excerpt))


def _claims(excerpt: Excerpt) -> Iterator[Claim]:
    lines = excerpt.text.split("\n")
    spans = [
        (first - excerpt.first_line, end - excerpt.first_line)
        for first, end in excerpt.spans
    ]
    n_reported: dict[str, int] = {}
    for fault in _faults(excerpt, lines):
        if not _is_in_question(fault, spans):
            continue
        n_reported[fault.rule] = n_reported.get(fault.rule, 0) + 1
        if n_reported[fault.rule] <= _MAX_N_FAULTS:
            yield _claim(fault, excerpt, lines)


def _faults(excerpt: Excerpt, lines: list[str]) -> Iterable[CodeFault]:
    language = language_of(excerpt.path, excerpt.language)
    markers = list(find_markers(lines, excerpt, language))
    yield from markers
    if any(fault.breaks_syntax for fault in markers):
        # Other errors of the parser have the same cause.
        return
    if language is Language.PYTHON:
        yield from find_python_faults(excerpt, lines)
    elif language is not None and excerpt.is_whole:
        yield from find_syntax_faults(excerpt.text, excerpt.path, language)


def _is_in_question(fault: CodeFault, spans: Iterable[Span]) -> bool:
    return any(first < fault.end and fault.first < end for first, end in spans)


def _claim(fault: CodeFault, excerpt: Excerpt, lines: list[str]) -> Claim:
    fix = fault.fix()
    first, end = _quoted(fault, fix, lines)
    return Claim(
        file=excerpt.path,
        quote="\n".join(lines[first:end]),
        severity=fault.severity,
        category=fault.category,
        title=fault.title,
        explanation=fault.explanation,
        fix=None if fix is None else fix.for_lines(lines, first, end),
        rule=fault.rule,
    )


def _quoted(fault: CodeFault, fix: LineFix | None, lines: list[str]) -> Span:
    """Choose the lines to quote: those of the fault and its fix, and as many around
    them as make the quote unique in the file, if possible."""
    first, end = fault.first, min(fault.end, fault.first + _MAX_N_LINES)
    if fix is not None:
        first, end = min(first, fix.first), max(end, fix.end)
    begin, stop = first, end
    while stop - begin < _MAX_N_LINES and _n_times(lines, begin, stop) > 1:
        if stop < len(lines):
            stop += 1
        elif begin > 0:
            begin -= 1
        else:
            break
    is_only = _n_times(lines, begin, stop) == 1
    return (begin, stop) if is_only else (first, end)


def _n_times(lines: list[str], first: int, end: int) -> int:
    """Count how often some lines occur in the file, ignoring indentation."""
    bare = [line.strip() for line in lines]
    quote = bare[first:end]
    return sum(
        bare[n : n + len(quote)] == quote for n in range(len(bare) - len(quote) + 1)
    )


_UNSURE = frozenset({Language.C, Language.CPP, Language.BASH})
"""Macros can change the syntax of C; 4 of 150 working shell scripts are rejected."""

_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
"""TypeScript declarations, whose syntax the grammar often does not know."""

_MAX_CHARS = 1_000_000
"""Longer files are generated."""


def find_syntax_faults(text: str, path: str, language: Language) -> Iterator[CodeFault]:
    """Report the first place that cannot be parsed: it mostly causes the others."""
    is_unsure = language in _UNSURE or path.endswith(_DECLARATIONS)
    if is_unsure or len(text) > _MAX_CHARS:
        return
    for fault in parse(text, language).errors[:1]:
        what = fault.message.rstrip(".?")
        yield CodeFault(
            first=fault.line,
            end=fault.line + 1,
            rule=SYNTAX,
            category="correctness",
            severity="high",
            title=short_title(f"Syntax error: {what}"),
            explanation=f"{what}. From here on, the file cannot be parsed.",
            breaks_syntax=True,
        )
