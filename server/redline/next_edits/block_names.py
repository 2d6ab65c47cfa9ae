"""The uses of a variable in languages with braces, from tokens alone.

A variable lives in the braces around its declaration. A second declaration of the name
in there, in any form, means that it may be shadowed: then nothing is offered.
"""

from __future__ import annotations

from collections.abc import Iterable

from redline.next_edits.source import EditedSource
from redline.next_edits.tokens import Token, code

_DECLARING = frozenset(
    [
        "let",
        "const",
        "var",
        "val",
        "mut",
        "auto",
        "static",
        "final",
        "function",
        "fn",
        "func",
    ]
)
NOT_TYPES = frozenset(
    [
        "return",
        "new",
        "else",
        "throw",
        "typeof",
        "in",
        "of",
        "await",
        "case",
        "delete",
        "yield",
        "goto",
        "import",
        "from",
        "export",
        "default",
        "as",
        "if",
        "while",
        "not",
        "and",
        "or",
        "instanceof",
        "void",
        "ref",
        "out",
        "move",
        "do",
        "async",
        "package",
        "extends",
        "implements",
        "use",
        "using",
        "namespace",
    ]
)
_TYPE_WORDS = frozenset(
    ["any", "bigint", "boolean", "never", "number", "object", "string", "symbol"]
)
"""Types of TypeScript that a variable can be named after."""
_HAS_MEMBERS = frozenset(["class", "interface", "struct"])
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def uses_in_blocks(source: EditedSource, old: str, new: str, offset: int) -> list[int]:
    """Return where a variable is used whose declaration was renamed.

    Args:
        source: The document after the change.
        old: The name before.
        new: The name now.
        offset: Where the declaration has the new name.
    """
    if old in _TYPE_WORDS and source.language.startswith("typescript"):
        return []
    own = code(source.tokens_between(*source.part_at(offset)))
    number = next((n for n, one in enumerate(own) if one.start == offset), None)
    if number is None or not declares(own, number):
        return []
    block = _block_around(own, number)
    if block is None:
        return []
    first, end, is_outermost = block
    parts: Iterable[list[Token]] = [own[first:end]]
    if is_outermost:
        parts = [code(part) for part in source.parts_with(old, new)]
    starts: list[int] = []
    for part in parts:
        for index, one in enumerate(part):
            if one.kind != "name" or one.text not in (old, new) or one.start == offset:
                continue
            if declares(part, index):
                return []
            if one.text == old and _is_variable(part, index):
                starts.append(one.start)
    return starts


def declares(part: list[Token], number: int) -> bool:
    """Whether a name is declared here; doubtful forms count as declarations."""
    before = part[number - 1] if number else None
    after = part[number + 1].text if number + 1 < len(part) else ""
    if after == ":=":
        return True
    if before is None:
        return False
    if before.text in _DECLARING or after == "=>":
        return True
    if before.kind == "name" and before.text not in NOT_TYPES:
        # `int total`, `String total`.
        return after in ("=", ";", ",", ")", "[", ":", "{")
    if before.text in (">", "*", "&", "]") and after in ("=", ";"):
        return _is_typed(part, number)
    if before.text in ("(", ","):
        # Parameters: `(a: number`, `(a int`, `(a, b) =>`.
        return _is_listed(part, number)
    is_first = before.text in ("{", "[", "...")
    return is_first and _is_pattern(part, number)


def _is_listed(part: list[Token], number: int) -> bool:
    """Whether a name behind `(` or a comma is a parameter, or part of a pattern."""
    opening = opening_bracket(part, number)
    if opening is None:
        return False
    if part[opening].text != "(":
        return _is_pattern(part, number)
    after = part[number + 1].text if number + 1 < len(part) else ""
    is_typed = after == ":" or _is_name(part, number + 1)
    return is_typed or _is_parameter(part, number)


def _is_typed(part: list[Token], number: int) -> bool:
    """Whether a statement like `Map<String, Integer> total =` begins before a name."""
    index = number - 1
    while index >= 0 and part[index].text not in (";", "{", "}", "=", "(", "return"):
        index -= 1
    return part[index].text in (";", "{", "}") if index >= 0 else True


def _is_name(part: list[Token], number: int) -> bool:
    return number < len(part) and part[number].kind == "name"


def _is_parameter(part: list[Token], number: int) -> bool:
    """Whether the brackets around a name belong to the header of a function."""
    opening = opening_bracket(part, number)
    if opening is None or part[opening].text != "(":
        return False
    closing = closing_bracket(part, opening)
    after = part[closing + 1].text if closing + 1 < len(part) else ""
    before = [one.text for one in part[max(0, opening - 2) : opening]]
    return (
        after == "=>"
        or bool({"function", "fn", "func"} & set(before))
        or (after == "{" and not {"if", "while", "for", "switch"} & set(before))
    )


def _is_pattern(part: list[Token], number: int) -> bool:
    """Whether a name is in a destructuring pattern: `const {a, b} = x`."""
    opening = opening_bracket(part, number)
    if opening is None:
        return False
    closing = closing_bracket(part, opening)
    after = part[closing + 1].text if closing + 1 < len(part) else ""
    before = part[opening - 1].text if opening else ""
    return after == "=" or before in _DECLARING


def _is_variable(part: list[Token], number: int) -> bool:
    """Whether a name is a use of a variable and not of a property or a key."""
    before = part[number - 1].text if number else ""
    after = part[number + 1].text if number + 1 < len(part) else ""
    if before in (".", "?.", "->", "::", "#", "@", "$"):
        return False
    if _begins(part, number) and (after == ":" or _is_in_members(part, number)):
        return False  # A key, a label or a member.
    # `{total}` and `{a, total}`: the key would be renamed, too.
    return not (before in ("{", ",") and after in ("}", ",")) or not _in_braces(
        part, number
    )


def _begins(part: list[Token], number: int) -> bool:
    """Whether a name begins a statement, a member, an entry or an argument."""
    before = part[number - 1] if number else None
    if before is None or before.kind in ("number", "string"):
        return True
    if before.kind == "name":
        return before.text not in NOT_TYPES or before.text == "async"
    return before.text in ("{", "}", "(", ")", "]", ",", ";")


def _is_in_members(part: list[Token], number: int) -> bool:
    """Whether the braces around a name are those of a class or a struct."""
    index = opening_bracket(part, number)
    if index is None or part[index].text != "{":
        return False
    while index > 0 and part[index - 1].text not in ("{", "}", "(", ")", ";"):
        index -= 1
        if part[index].text in _HAS_MEMBERS:
            return True
    return False


def _in_braces(part: list[Token], number: int) -> bool:
    opening = opening_bracket(part, number)
    return opening is None or part[opening].text == "{"


def opening_bracket(part: list[Token], number: int) -> int | None:
    """Return the index of the innermost bracket that is open at a token."""
    depth = 0
    for index in range(number - 1, -1, -1):
        text = part[index].text
        if text in (")", "]", "}"):
            depth += 1
        elif text in _PAIRS:
            if depth == 0:
                return index
            depth -= 1
    return None


def closing_bracket(part: list[Token], opening: int) -> int:
    """Return the index of the bracket that closes one; the end if there is none."""
    depth = 0
    for index in range(opening, len(part)):
        text = part[index].text
        if text in _PAIRS:
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return index
    return len(part)


def _block_around(part: list[Token], number: int) -> tuple[int, int, bool] | None:
    """Return the tokens in which a declaration is visible, and whether that is all.

    None: it is in other brackets, such as the head of a `for`.
    """
    opening = opening_bracket(part, number)
    if opening is None:
        return 0, len(part), True
    if part[opening].text != "{":
        return None
    return number, closing_bracket(part, opening), False
