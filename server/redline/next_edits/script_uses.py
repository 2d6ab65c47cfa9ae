"""The uses of what a file of JavaScript or TypeScript imports, from tokens alone.

Nothing is renamed in the file if the name is shadowed somewhere, or if a use is
ambiguous or needs more than the new name.
"""

from __future__ import annotations

from redline.next_edits.block_names import (
    NOT_TYPES,
    closing_bracket,
    declares,
    opening_bracket,
)
from redline.next_edits.tokens import Token

_BEGINS = frozenset(["{", "}", ";", ","])
"""What stands before a member of a class, an object or an interface."""
_BETWEEN = frozenset(
    ["in", "of", "instanceof", "as", "satisfies", "is", "extends", "implements", "from"]
)
"""Words that follow an operand."""


def uses_of_name(
    text: str, tokens: list[Token], start: int, old: str, new: str
) -> list[int] | None:
    """Return where an imported name is used, with its place in the import.

    Args:
        text: The file.
        tokens: Its tokens, without blanks and comments.
        start: Where it is imported, by its own name.
        old: The name.
        new: What it becomes.

    Returns:
        None: not all uses can be renamed.
    """
    starts = [start]
    for number, one in enumerate(tokens):
        if one.kind != "name" or one.text not in (old, new) or one.start == start:
            continue
        if one.text == new or declares(tokens, number):
            return None
        if _text_at(tokens, number - 1) in (".", "#") or _is_key(tokens, number):
            continue
        if not _is_plain(text, tokens, number):
            return None
        starts.append(one.start)
    return starts


def uses_of_member(
    tokens: list[Token], start: int, module: str, old: str
) -> list[int] | None:
    """Return where a member of an imported module is used.

    Args:
        tokens: The tokens of the file, without blanks and comments.
        start: Where the module's name is bound.
        module: The module's name.
        old: The member.

    Returns:
        None: the name is bound elsewhere too, or used without a member.
    """
    starts: list[int] = []
    for number, one in enumerate(tokens):
        if one.kind != "name" or one.text != module or one.start == start:
            continue
        if _text_at(tokens, number - 1) in (".", "#") or _is_key(tokens, number):
            continue
        if _text_at(tokens, number + 1) != ".":
            return None
        if _text_at(tokens, number + 2) == old:
            starts.append(tokens[number + 2].start)
    return starts


def _text_at(tokens: list[Token], number: int) -> str:
    return tokens[number].text if 0 <= number < len(tokens) else ""


def _is_key(tokens: list[Token], number: int) -> bool:
    """Whether a name is the key of an object, or a member with a type."""
    after = _text_at(tokens, number + 1)
    if after == "?":
        after = _text_at(tokens, number + 2)
    if after != ":" or _text_at(tokens, number - 1) not in ("{", ",", ";"):
        return False
    opening = opening_bracket(tokens, number)
    return opening is not None and tokens[opening].text == "{"


def _is_plain(text: str, tokens: list[Token], number: int) -> bool:
    """Whether a name is surely a use, of which only the name changes."""
    before, after = _text_at(tokens, number - 1), _text_at(tokens, number + 1)
    is_label = after == ":" and before != "?"
    if after == "=" or before == "@" or is_label or (before, after) == (">", "<"):
        return False
    if before in _BEGINS and after in (";", "<"):
        return False  # A field, or a method with types.
    if after == "(":
        behind = _text_at(tokens, closing_bracket(tokens, number + 1) + 1)
        if behind == "{" or (behind == ":" and before != "?"):
            return False  # A method.
    if after in ("}", ",") and before in ("{", ",", "as"):
        # `{total}` is a key, too; `export {x as total}` is another name.
        opening = opening_bracket(tokens, number)
        if opening is None or tokens[opening].text == "{":
            return False
    return not _is_in_words(text, tokens, number)


def _is_in_words(text: str, tokens: list[Token], number: int) -> bool:
    """Whether a word is beside a name in its line, as in the text of an element."""
    one = tokens[number]
    for other in tokens[max(0, number - 1) : number]:
        is_operator = other.text in NOT_TYPES | _BETWEEN
        if other.kind == "name" and not is_operator:
            return "\n" not in text[other.stop : one.start]
    for other in tokens[number + 1 : number + 2]:
        if other.kind == "name" and other.text not in _BETWEEN:
            return "\n" not in text[one.stop : other.start]
    return False
