"""Conditions of a text: those under which code leaves early, and those that it asserts.

A grammar is not needed, so that every language has them: a guard is a condition whose
block, by its indentation, leaves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from redline.checks.code_text import in_brackets, parts
from redline.checks.protections.changed_code import Code, CodeLine, words_in

_MAX_N_LINES = 8
"""Longer conditions, and longer blocks, are no guards."""

_MAX_N_CHARS = 600
"""Longer conditions are cut."""
_MAX_N_REFUSING = 5
"""Most lines of a block that refuses."""

_EXIT = (
    r"(?:return|raise|throw|continue|break|next|redo|die|exit|abort|panic|fatal\w*|goto"
    r"|revert|halt|error|fail|bail!|Err|reject|redirect|process\.exit|sys\.exit"
    r"|os\.Exit"
    r"|log\.Fatal\w*|res\.(?:status|sendStatus)|http\.Error|fatalError|yield)"
)
_LEAVES = re.compile(rf"(?:^|[{{;]\s*|\bthen\s+){_EXIT}\b", re.MULTILINE)
_REFUSES = re.compile(
    r"(?:raise|throw|panic|die|exit|abort|fatal\w*|revert|halt|fail\w*|bail!|reject"
    r"|error"
    r"|fatalError|process\.exit|sys\.exit|os\.Exit|log\.Fatal\w*|http\.Error|goto"
    r"|res\.(?:status|sendStatus)|redirect)\b"
    r"|\breturn\b[^\n]{0,300}(?:[Ee]rr(?:or)?(?![a-z])|fail|invalid|forbid|denied|\b4\d\d\b"
    r"|[Bb]adRequest|Unauth|NotFound|Forbid)"
    r"|\breturn\b\s*+\(?(?:None|null|nil|false|False|nullptr|undefined|-\s*\d+|0|\[\]"
    r"|\{\}"
    r"|\"\"|''|Optional\.empty\(\)|std::nullopt|-?[A-Z_][A-Z\d_]*+|nil, nil"
    r"|(?:0|nil|\"\"), false)?\)?\s*(?:[;}]|$|if\b"
    r"|unless\b)"
    r"|(?:^|[{;]\s*)(?:continue|break|next)\b",
    re.MULTILINE,
)
"""Ways to leave without a value: a return of a value is a case, which an edit may
handle in another way."""
_TEST = re.compile(r"if\s++(?:\[|!|test\b|\(\()")
_FAILS = re.compile(r"(?:^|;\s)return\s++[1-9]")
"""How a function of a shell says that it failed."""
_HEAD = re.compile(r"(?<![\w.@:])(?:if|elif|elsif|unless|guard)\b\s*(?P<rest>.*)")
_POSTFIX = re.compile(rf"{_EXIT}\b.*?\s(?:if|unless)\s+(?P<rest>[^?]+)")
_OR_LEAVES = re.compile(rf"\s(?:\|\||or|&&)\s++(?:\{{|\(?{_EXIT}\b|false\b)")
_ASSERTION = re.compile(
    r"(?:assert|require|precondition|check|requireNotNull|checkNotNull"
    r"|ensure|invariant|assume|Debug\.Assert|console\.assert|Preconditions\.\w+"
    r"|Assert\.\w+|Objects\.requireNonNull|ArgumentNullException\.\w+)!?"
    r"(?:\s*\(|\s+(?=[^\s=]))(?P<rest>.*)"
)
_FILE = re.compile(r"require\s*+\(?\s*+[\"'$_]")
_BLOCK = re.compile(r"\s*(?:\{|:\s*$|\bthen\b|\bdo\b|\belse\s*\{|;\s*then\b)")
_CLAMP = re.compile(r"(?P<name>[\w.]+)\s*=\s*[^=].*")
_LESS = re.compile(r"[<>]|\s-[gl][te]\s")


class GuardClause(Struct, frozen=True, kw_only=True):
    text: str
    """Its first line."""
    condition: str
    body: tuple[CodeLine, ...]
    """The lines of its block; the first line itself if it has no other."""
    at: int
    """The number of its first line in the code."""
    depth: int
    n_lines: int = 1
    refuses: bool = True
    """Whether it gives no value, or asserts."""


def guards_in(code: Code) -> Iterator[GuardClause]:
    """Yield the guards of a code, in order."""
    for number, line in enumerate(code.lines):
        guard = (
            _assertion(line, number)
            or _postfix(line, number)
            or _guard(code.lines, number)
        )
        if guard is not None:
            yield guard


class Condition(Struct, frozen=True, kw_only=True):
    line: CodeLine
    """Its first line."""
    text: str
    refuses: bool
    """Whether the code leaves if it holds."""


def conditions_in(code: Code) -> Iterator[Condition]:
    """Yield the conditions of a code, in order."""
    for number, line in enumerate(code.lines):
        if (found := _HEAD.search(line.code)) is None:
            continue
        end, head, text = _joined(code.lines, number, found.start("rest"))
        condition, rest = _divided(head, text)
        body = [one.code for one in _block(code.lines, end, line.depth)]
        refuses = _LEAVES.search("\n".join([rest.lstrip("{: "), *body])) is not None
        yield Condition(line=line, text=condition, refuses=refuses)


def _assertion(line: CodeLine, at: int) -> GuardClause | None:
    found = _ASSERTION.match(line.text)
    if found is None or _FILE.match(line.text):
        return None
    condition = in_brackets(line.code, found.start("rest") - 1)
    parts_of = parts(condition) if condition else []
    text = found["rest"][: len(parts_of[0])] if parts_of else found["rest"]
    return GuardClause(
        text=line.text, condition=text, body=(line,), at=at, depth=line.depth
    )


def _postfix(line: CodeLine, at: int) -> GuardClause | None:
    if _HEAD.match(line.code):
        return None
    if found := _POSTFIX.match(line.code):
        condition = line.text[found.start("rest") :]
    elif found := _OR_LEAVES.search(line.code):
        condition = line.text[: found.start()]
    else:
        return None
    return GuardClause(
        text=line.text,
        condition=condition,
        body=(line,),
        at=at,
        depth=line.depth,
        refuses=_REFUSES.search(line.code) is not None,
    )


def _guard(lines: Sequence[CodeLine], number: int) -> GuardClause | None:
    """Return the guard that begins in a line."""
    first = lines[number]
    if (found := _HEAD.search(first.code)) is None:
        return None
    end, code, text = _joined(lines, number, found.start("rest"))
    condition, rest = _divided(code, text)
    body = _block(lines, end, first.depth)
    if len(body) > _MAX_N_LINES:
        return None
    inside = "\n".join([rest.lstrip("{: "), *(one.code for one in body)])
    clamps = _clamps(condition, body, rest)
    if not _LEAVES.search(inside) and not clamps:
        return None
    forms = (_REFUSES, _FAILS) if _TEST.match(first.code) else (_REFUSES,)
    return GuardClause(
        text=first.text,
        condition=condition,
        body=tuple(body) or (first,),
        at=number,
        depth=first.depth,
        n_lines=end - number + len(body),
        refuses=clamps
        or (
            len(body) <= _MAX_N_REFUSING
            and any(form.search(one) for form in forms for one in inside.split("\n"))
        ),
    )


def _joined(lines: Sequence[CodeLine], number: int, start: int) -> tuple[int, str, str]:
    """Join the lines of a condition whose brackets close on a later one.

    Returns:
        The line behind them, their code, and their text.
    """
    code, text = lines[number].code[start:], lines[number].text[start:]
    end = number + 1
    last = min(len(lines), number + _MAX_N_LINES)
    while _is_open(code) and end < last and len(code) < _MAX_N_CHARS:
        code, text = f"{code} {lines[end].code}", f"{text} {lines[end].text}"
        end += 1
    return end, code, text


def _is_open(code: str) -> bool:
    return code.count("(") > code.count(")")


def _divided(code: str, text: str) -> tuple[str, str]:
    """Return the condition, with its strings, and the code behind it."""
    if code.startswith("("):
        inside = in_brackets(code, 0)
        if inside is not None:
            end = len(inside) + 2
            rest = code[end:]
            if not rest.strip() or _BLOCK.match(rest) or _LEAVES.match(rest.lstrip()):
                return text[1 : end - 1], rest
    found = _end(code)
    return (text[:found].strip(), code[found:]) if found else (text, "")


def _end(code: str) -> int:
    """Return the place where a condition without brackets ends."""
    for sign in (" {", " then", "; then", " else"):
        at = code.find(sign)
        if at > 0:
            return at
    depth = 0
    for at, sign in enumerate(code):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == ":" and not depth and code[at + 1 : at + 2] in ("", " "):
            return at
    return len(code)


def _block(lines: Sequence[CodeLine], start: int, depth: int) -> list[CodeLine]:
    body: list[CodeLine] = []
    for line in lines[start:]:
        if line.depth <= depth and line.code != "{":
            break
        if line.code != "{":
            body.append(line)
        if len(body) > _MAX_N_LINES:
            break
    return body


def _clamps(condition: str, body: Sequence[CodeLine], rest: str) -> bool:
    """Whether a block only sets a name that its condition compares."""
    code = body[0].code if len(body) == 1 else rest.strip(" {};")
    found = _CLAMP.match(code) if len(body) <= 1 else None
    if found is None or not _LESS.search(condition):
        return False
    return found["name"] in words_in(condition)
