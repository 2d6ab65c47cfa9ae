"""`syntax`: the file parses no worse than before.

Tree-sitter checks every language. Python is also checked by the interpreter's own
parser, since its indentation has a meaning that a tolerant grammar does not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import dedent

from msgspec.structs import replace

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.source import python_fault
from redline.syntax.facts import SyntaxFault
from redline.syntax.language import Language
from redline.syntax.tree import parse
from redline.text.lines import strip_end, with_line_feeds

_MAX_REPORTED = 3
"""One slip often breaks several places; more reports do not help."""


def check_syntax(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report faults that the file did not have before."""
    for fault in _faults(candidate)[:_MAX_REPORTED]:
        line = candidate.line_in_region(fault.line)
        where = "" if line is not None else f" (line {fault.line + 1} of the file)"
        yield Problem(
            rule="syntax",
            message=f"The file no longer parses{where}: {fault.message.rstrip('.?')}.",
            line=line,
        )


def _faults(candidate: CheckedEdit) -> list[SyntaxFault]:
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None:
        return []
    new = _introduced(candidate, before.errors, after.errors)
    if before.errors:
        return new or _alone(candidate, before.language)
    if before.language is Language.PYTHON:
        # If both find it wrong, Python's own message is better.
        return _strictly(candidate.text_before, candidate.text_after) or new
    return new


def _introduced(
    candidate: CheckedEdit, before: Sequence[SyntaxFault], after: Sequence[SyntaxFault]
) -> list[SyntaxFault]:
    """Return the new faults, if there are more than before.

    A broken file may stay broken if the candidate does not fix it, and may be broken in
    another way if the candidate tried to: faults are compared by number, and
    distinguished by the text of their lines.
    """
    if len(after) <= len(before):
        return []
    known = Counter(_place(candidate.before, fault) for fault in before)
    new = []
    for fault in after:
        place = _place(candidate.after, fault)
        if known[place] > 0:
            known[place] -= 1
        else:
            new.append(fault)
    return new


def _place(lines: Sequence[str], fault: SyntaxFault) -> tuple[str, str]:
    line = strip_end(lines[fault.line]) if fault.line < len(lines) else ""
    return line, fault.message


def _alone(candidate: CheckedEdit, language: Language) -> list[SyntaxFault]:
    """Check the region alone, where the rest of the file hides its faults.

    One open bracket can turn everything after it into one error. Most regions of whole
    definitions parse alone; a region that did not before is not checked.
    """
    old, new = (
        dedent(with_line_feeds(lines))
        for lines in (candidate.old_lines, candidate.new_lines)
    )
    if parse(old, language).errors:
        return []
    faults: Sequence[SyntaxFault] = parse(new, language).errors
    if not faults and language is Language.PYTHON:
        faults = _strictly(old, new)
    first = candidate.region_after.start
    return [replace(fault, line=first + fault.line) for fault in faults]


def _strictly(before: str, after: str) -> list[SyntaxFault]:
    fault = python_fault(after)
    return [fault] if fault is not None and python_fault(before) is None else []
