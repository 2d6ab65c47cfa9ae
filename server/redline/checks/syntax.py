"""`syntax`: the file parses no worse than before.

Tree-sitter judges every language. Python is judged by the interpreter's own parser too,
since indentation means something there that a tolerant grammar does not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from textwrap import dedent

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.strict_python import python_fault
from redline.syntax.facts import SyntaxFault
from redline.syntax.language import Language
from redline.syntax.tree import parse
from redline.text.lines import strip_end

_MAX_N_TOLD = 3
"""One slip often breaks several places; more of them help nobody."""


def check_syntax(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report what cannot be parsed and could before."""
    for fault in _faults(candidate)[:_MAX_N_TOLD]:
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
        # Where both know that it is wrong, Python knows better what is.
        return _strictly(candidate.text_before, candidate.text_after) or new
    return new


def _introduced(
    candidate: CheckedEdit, before: Sequence[SyntaxFault], after: Sequence[SyntaxFault]
) -> list[SyntaxFault]:
    """Return the faults that are new, if there are more than before.

    A file that was broken stays as broken if the candidate does not mend it, and may be
    broken in another way where the candidate was asked to mend: its faults are compared
    by number, and told apart by the lines that they are in.
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
    """Judge the region by itself, where the rest of the file hides what is wrong.

    One open bracket can make all that follows one error. Most regions that are whole
    definitions parse alone; about one that did not before, nothing is said.
    """
    old, new = (
        dedent("".join(lines)) for lines in (candidate.old_lines, candidate.new_lines)
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
