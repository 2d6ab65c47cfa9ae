"""`stub`: code that says that it is not written yet, or does nothing where code was.

Four signs, each only if the edit introduces it: a statement that fails because
something is not implemented, a comment that asks the reader to write the code, a body
whose code has become such a statement, and one whose code has become one plain return.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.definitions import Defined, code_of, is_hollow, statements_of
from redline.checks.problem import Problem
from redline.checks.requested_changes import (
    wants_constant,
    wants_declaration,
    wants_nothing,
    wants_refusal,
    wants_stub,
    wants_text,
)
from redline.text.elision import find_elision

_UNWRITTEN = (
    r"\bnot (?:yet |been )*(?:implemented|written|finished)\b|\bunimplemented\b"
    r"|\bimplement(?:ation)? (?:me|this|that|here|goes|pending|missing|needed|later)\b"
    r"|\bto[- ]?do\b|\b(?:logic|code|implementation) (?:goes|comes|belongs) here\b"
    r"|\b(?:not supported yet|coming soon)\b"
    r"|\bleft (?:as an exercise|for later|to (?:you|the (?:caller|reader)))\b"
)
_FAILURE = (
    r"\b(?:throw|raise|panic|die|abort|fail|reject|Err|bail|error|errors?\.New|Errorf"
    r"|assert|exit|fatalError|preconditionFailure|static_assert|\w*NotImplemented\w*)\b"
)
_FAILURE_WORD = re.compile(_FAILURE)
_QUOTE = re.compile(r"[\"'`]")
_MISSING_CODE = re.compile(_UNWRITTEN, re.IGNORECASE)

_FAILING_NAME = re.compile(
    r"\b(?:todo|unimplemented)!\s*[(\[{]|\bthrow new \w*NotImplemented\w*"
    r"|\bTODO\((?=[)\"'])|\bthrow \w*Un(?:implemented|supported)\w*\(\)|\?{3}\s*$"
    r"|\bNotImplementedError\b(?:\(\))?(?:\s*$|[;\s]+(?:\#|//|end\b|\}))"
    r"|\#error\b.*(?i:implement)"
)
"""The same by the name of a macro, or of an exception without a message."""

_RAISING = re.compile(
    r"\s*+(?:raise|throw new) (?P<name>NotImplemented\w*+"
    r"|UnsupportedOperationException)\("
)
_MAX_FAILING_LINES = 4
"""Of a function whose only statement fails, with its header."""

_UNWRITTEN_BODY = re.compile(
    r"[\s{:]*+(?:raise|throw) (?:new )?\w*NotImplemented\w*+(?:\s*+[,(][^\n]*+)?+"
    r"[\s};]*+(?:end)?\s*+"
)
"""A body that only fails."""

_EXCEPTION = re.compile(r"\b\w*NotImplemented\w*|\b(?:todo|unimplemented)!")

_COMMENT = re.compile(r"(?:#|//|/\*|--|<!--)\s?(.*)")
_WHAT = r"(?:\w+ ){0,3}(?:code|logic|implementation|body|details)"
_ASKING = re.compile(
    r"\W*(?:"
    + "|".join(
        [
            r"(?:to[- ]?do|fixme)\b.{0,20}?\b(?:implement|fill|complete|finish)\b.*",
            r"(?:to[- ]?do|fixme|xxx)\W*",
            r"implement(?:ation)? (?:me|this|that|here|goes|comes|missing)\b.*",
            rf"(?:your|actual|real) {_WHAT}(?: (?:goes|comes|is))? (?:here|needed).*",
            r"(?:add|put|insert|write|place|fill in)"
            rf"(?: \w+)? {_WHAT}(?: goes)? here.*",
            rf"(?:add|put|insert|write|place|fill in) your {_WHAT}\b.*",
            rf"{_WHAT} (?:goes|comes|belongs|to be added) here.*",
            r"(?:placeholder|stub)(?: (?:implementation|for now|only|until)\b.*|\W*)",
        ]
    )
    + ")",
    re.IGNORECASE,
)
"""A comment that asks the reader to write code, or says that code is missing."""

_ASKS_LATER = re.compile(
    r"\b(?:to[- ]?do|fixme|implement|for now|placeholder|stub|not (?:yet )?implemented"
    r"|unimplemented|omitted|simplified)\b",
    re.IGNORECASE,
)
"""A comment with which a body without code is a placeholder."""

_VALUE = (
    r"(?:nil|null|None|nullptr|undefined|[Tt]rue|[Ff]alse|NULL|0|-1|0\.0|''|\"\"|``"
    r"|\[\]|\{\}|\(\)|Ok\(\(\)\)|Vec::new\(\)|String::new\(\)|Default::default\(\)"
    r"|default|Optional\.empty\(\)|List\.of\(\)|new \w+(?:<[\w<>, ]*>)?\(\)|self|this)"
)
_PLAIN_RETURN = re.compile(
    rf"[\s{{:]*+(?:(?:return|pass|\.\.\.)?;?\s*+(?:{_VALUE}(?:\s*+,\s*+{_VALUE})*+)?;?)"
    r"[\s};]*+(?:end)?\s*+"
)
"""A body that does nothing but return a constant."""

_NO_CODE = re.compile(r"(?:[\s{};:.]|\bpass\b|\bend\b)*")

_MIN_N_LINES = 3
"""Lines of code that a body must have had before it became one plain return."""


def check_stubs(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report placeholders, which may be asked for, and may be where they were."""
    if wants_stub(candidate.instruction):
        return
    found = list(_said(candidate))
    yield from found or _hollow_bodies(candidate)


def _said(candidate: CheckedEdit) -> Iterator[Problem]:
    """Yield a problem for each line that says so."""
    bodies = list(_bodies(candidate))
    for line, text in candidate.introduced:
        if find_elision(text, candidate.language) is not None:
            continue  # `elision` reports it.
        is_stub = _fails(candidate, line, text) or _asks(candidate, line, text, bodies)
        if is_stub or _only_fails(candidate, line, text):
            yield Problem(
                rule="stub",
                message=f"This stands for code that is not written: {text.strip()}",
                line=line,
            )


def _failing_statement(text: str) -> re.Match[str] | None:
    """Find a statement that fails with a message saying that code is missing."""
    word = _FAILURE_WORD.search(text)
    quote = _QUOTE.search(text, word.end()) if word else None
    if quote is None or not _MISSING_CODE.search(text, quote.end()):
        return None
    return word


def _fails(candidate: CheckedEdit, line: int, text: str) -> bool:
    named = _FAILING_NAME.search(text)
    found = _failing_statement(text) or named
    if found is None or candidate.is_text(line, found.start()):
        return False
    if named and wants_text(candidate.instruction, named[0].rstrip("([{ ")):
        return False
    # What the range had, it may have with another message.
    name = _EXCEPTION.search(text)
    return name is None or not any(name[0] in old for old in candidate.old_lines)


def _only_fails(candidate: CheckedEdit, line: int, text: str) -> bool:
    """Whether it is the body of a new function that the edit itself calls."""
    found, tree = _RAISING.match(text), candidate.tree_after
    if found is None or tree is None or tree.errors:
        return False
    at = candidate.region_after.start + line
    around = [one for one in tree.definitions if one.name_line < at <= one.last_line]
    if not around or candidate.is_text(line, found.start("name")):
        return False
    inner = max(around, key=lambda one: one.name_line)
    own = range(inner.first_line, inner.last_line + 1)
    called = re.compile(rf"(?<!def )\b{re.escape(inner.name)}\(")
    return (
        len(own) <= _MAX_FAILING_LINES
        and not any(inner.name in one for one in candidate.before)
        and any(
            number not in own and called.search(candidate.after[number])
            for number in candidate.region_after
        )
    )


def _asks(
    candidate: CheckedEdit, line: int, text: str, bodies: list[tuple[range, str]]
) -> bool:
    found = _COMMENT.search(text)
    if found is None or candidate.is_value(line, found.start()):
        return False
    if candidate.grammar is not None and not candidate.is_text(line, found.start()):
        return False
    if _ASKING.fullmatch(found[1]):
        return True
    at = candidate.region_after.start + line
    return _ASKS_LATER.search(found[1]) is not None and any(
        at in lines and _PLAIN_RETURN.fullmatch(code) for lines, code in bodies
    )


def _bodies(candidate: CheckedEdit) -> Iterator[tuple[range, str]]:
    """Yield the functions of the region after the edit: their lines and their code."""
    tree = candidate.tree_after
    if tree is None or tree.errors:
        return
    for one in candidate.defined_after:
        definition = one.definition
        lines = range(definition.first_line, definition.last_line + 1)
        if definition.kind in ("function", "method") and _overlap(
            lines, candidate.region_after
        ):
            yield lines, code_of(one.body)


def _hollow_bodies(candidate: CheckedEdit) -> Iterator[Problem]:
    wish = candidate.instruction
    may_fail = wants_refusal(wish) or wants_declaration(wish) or wants_nothing(wish)
    may_return = wants_constant(wish)
    for old, new in _rewritten(candidate):
        definition = new.definition
        code = code_of(new.body)
        # `elision` reports a body without any code.
        is_plain = not _NO_CODE.fullmatch(code) and _PLAIN_RETURN.fullmatch(code)
        if not may_fail and _only_raises(new) and _has_statement(old):
            message = f"Nothing of the code of `{definition.name}` is left."
        elif is_plain and not may_return and _n_lines(old) >= _MIN_N_LINES:
            message = f"`{definition.name}` does nothing any more but return."
        else:
            continue
        line = candidate.line_in_region(definition.first_line)
        yield Problem(rule="stub", message=message, line=line)


def _rewritten(candidate: CheckedEdit) -> Iterator[tuple[Defined, Defined]]:
    """Yield each definition of the region before and after the edit."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.errors:
        return
    had = {one.key: one for one in candidate.defined_before}
    found = candidate.defined_after
    counts = Counter(one.key for one in found)
    for one in found:
        definition = one.definition
        lines = range(definition.first_line, definition.last_line + 1)
        is_alone = counts[one.key] == 1 and one.key in had
        if is_alone and _overlap(lines, candidate.region_after):
            yield had[one.key], one


def _only_raises(one: Defined) -> bool:
    return _UNWRITTEN_BODY.fullmatch(statements_of(one.body)) is not None


def _has_statement(one: Defined) -> bool:
    return not (is_hollow(one.body) or _only_raises(one))


def _n_lines(one: Defined) -> int:
    return sum(1 for line in code_of(one.body).splitlines() if re.search(r"\w", line))


def _overlap(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)
