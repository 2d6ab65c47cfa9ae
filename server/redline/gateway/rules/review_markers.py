"""Finds leftover markers: merge conflicts, breakpoints, exclusive tests, and comments
that stand for code which a model omitted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from redline.findings.parts import Excerpt
from redline.findings.test_paths import is_test
from redline.gateway.rules.review_fault import CodeFault
from redline.syntax.language import Language
from redline.syntax.tree import parse
from redline.text.elision import find_elision

_OURS = re.compile(r"<{7} \S")
_DIVIDER = re.compile(r"={7}$")
_THEIRS = re.compile(r">{7} \S")
_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})")

_MAX_CONFLICT_LINES = 20_000
"""Most lines between the first and the last marker."""

_SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})
_DEBUGGERS = {
    **dict.fromkeys(_SCRIPTS, re.compile(r"\s*debugger\s*+;?\s*+$")),
    Language.RUBY: re.compile(r"\s*(?:binding\.(?:pry|irb)|byebug|debugger)\s*$"),
}
_ALONE = re.compile(
    r"\s*(?:(?:describe|context|it|test|suite)\.only|fdescribe|fcontext|fit)\s*\("
)
_DOTTED_COMMENT = re.compile(r"\s*(?:#|//|/\*|--|<!--)(?=.*\w).*(?:\.{3}|…)")
"""Dots are required: without them, similar comments are often ordinary ones."""


def find_markers(
    lines: list[str], excerpt: Excerpt, language: Language | None
) -> Iterator[CodeFault]:
    """Find leftover markers.

    Args:
        lines: The lines of the excerpt.
        excerpt: The excerpt.
        language: The language; None: no grammar fits, so the text may not be code.
    """
    continues_text = _continues_text(excerpt.text, language)
    yield from _conflicts(lines, continues_text or partial(_is_fenced, lines))
    if language is None or continues_text is None:
        return
    is_in_test = is_test(excerpt.path)
    for number, line in enumerate(lines):
        fault = _line_fault(number, line, language, is_test=is_in_test)
        if fault is not None and not continues_text(number):
            yield fault


def _continues_text(
    text: str, language: Language | None
) -> Callable[[int], bool] | None:
    """Return a test for lines that begin inside a string or comment; parses lazily."""
    if language is None:
        return None
    tree = cache(lambda: parse(text, language))
    return lambda line: tree().continues_text(line)


def _is_fenced(lines: list[str], line: int) -> bool:
    """Whether a line is inside a fenced block of Markdown, and so an example."""
    return sum(1 for one in lines[:line] if _FENCE.match(one)) % 2 == 1


def _conflicts(
    lines: list[str], is_example: Callable[[int], bool]
) -> Iterator[CodeFault]:
    at = 0
    while at < len(lines):
        end = _conflict_end(lines, at)
        if end is None or is_example(at):
            at += 1
            continue
        yield CodeFault(
            first=at,
            end=end,
            rule="conflict-marker",
            category="correctness",
            severity="critical",
            title="A merge conflict is not resolved",
            explanation=(
                f"The lines from here to `{lines[end - 1].strip()}`, {end - at} in all,"
                " hold both sides of a conflict and the marks between them. Choose one"
                " side, or join them, and remove the marks."
            ),
            breaks_syntax=True,
        )
        at = end


def _conflict_end(lines: list[str], start: int) -> int | None:
    """Return the line after a conflict; None: no conflict begins here."""
    if not _OURS.match(lines[start]):
        return None
    is_divided = False
    for n in range(start + 1, min(len(lines), start + _MAX_CONFLICT_LINES)):
        if _OURS.match(lines[n]):
            return None
        is_divided = is_divided or _DIVIDER.match(lines[n]) is not None
        if is_divided and _THEIRS.match(lines[n]):
            return n + 1
    return None


def _line_fault(
    number: int, line: str, language: Language, *, is_test: bool
) -> CodeFault | None:
    debugger = _DEBUGGERS.get(language)
    if debugger is not None and debugger.match(line):
        return CodeFault(
            first=number,
            end=number + 1,
            rule="debugger",
            category="correctness",
            severity="medium",
            title="A debugger's breakpoint is left in the code",
            explanation="The program stops here if a debugger is attached. Otherwise"
            " it fails or continues silently.",
        )
    if is_test and language in _SCRIPTS and _ALONE.match(line):
        return CodeFault(
            first=number,
            end=number + 1,
            rule="exclusive-test",
            category="testing",
            severity="high",
            title="Only this test is run",
            explanation="The other tests of the file are left out, and no failure"
            " reports it.",
        )
    if _DOTTED_COMMENT.match(line) and find_elision(line, language) is not None:
        return CodeFault(
            first=number,
            end=number + 1,
            rule="elision",
            category="correctness",
            severity="high",
            title="A comment stands for code that is missing",
            explanation="Models write such a line in place of code that they do not"
            " repeat. If the code was there before, it is lost.",
        )
    return None
