"""Where a step edits: the lines of a definition, of a quote, or the whole file."""

from __future__ import annotations

from collections.abc import Sequence

from redline.plans.plan import MAX_STEP_LINES, PlanStep
from redline.syntax.facts import Definition

MAX_QUOTE_LINES = 40
"""Longest quote: a few lines tell a place from all others."""


def quoted_lines(text: str, quote: str) -> range | None:
    """Find a quote in a text; blanks at both ends of lines do not matter.

    Returns:
        The lines that it touches; None if it is not there, is empty, or has more than
        `MAX_QUOTE_LINES`.
    """
    wanted = [line.strip() for line in quote.strip("\n").split("\n")]
    if not any(wanted) or len(wanted) > MAX_QUOTE_LINES:
        return None
    lines = [line.strip() for line in text.split("\n")]
    if len(wanted) == 1:
        found = (n for n, line in enumerate(lines) if wanted[0] in line)
        first = next(found, None)
        return None if first is None else range(first, first + 1)
    for first in range(len(lines) - len(wanted) + 1):
        if lines[first : first + len(wanted)] == wanted:
            return range(first, first + len(wanted))
    return None


def named_definition(
    definitions: Sequence[Definition], symbol: str
) -> Definition | None:
    """Find a definition by its qualified name, or its last name if only one has it."""
    exact = [one for one in definitions if one.qualified_name == symbol]
    if exact:
        return exact[0]
    last = [one for one in definitions if one.name == symbol]
    return last[0] if len(last) == 1 else None


def place_of(
    step: PlanStep, text: str, definitions: Sequence[Definition]
) -> range | None:
    """Return the lines that a step rewrites; None if its place is not in the text.

    A step without a definition rewrites a short file whole, for example to add an
    import and a function; of a long one, the definition around the quote.
    """
    n_lines = text.count("\n") + 1
    if step.kind != "edit":
        return range(n_lines)
    quoted = quoted_lines(text, step.quote) if step.quote else None
    if step.symbol:
        found = named_definition(definitions, step.symbol)
        if found is not None:
            return range(found.first_line, found.last_line + 1)
        # A constant, or a name of a language that has no grammar.
        return quoted
    if step.quote and quoted is None:
        return None
    if n_lines <= MAX_STEP_LINES:
        return range(n_lines)
    return quoted and _around(definitions, quoted)


def _around(definitions: Sequence[Definition], lines: range) -> range:
    """Return the innermost definition that holds some lines, else the lines."""
    holding = [
        one
        for one in definitions
        if one.first_line <= lines.start and lines.stop - 1 <= one.last_line
    ]
    if not holding:
        return lines
    return range(holding[-1].first_line, holding[-1].last_line + 1)
