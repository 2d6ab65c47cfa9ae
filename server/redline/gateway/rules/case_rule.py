"""Changes the case of names and lines in any language."""

from __future__ import annotations

import re

from redline.gateway.rules.naming import change_case
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.gateway.rules.word_rename import rename_word
from redline.instructions.request import CaseStyle, ChangeCase, Rename

_NAME = re.compile(r"[^\W\d][\w-]*")
# A list of names: only names, and separators between or around them.
_LIST = re.compile(r"(?:[^\W\d][\w-]*+|[\s,;|\"'`\[\]])++")
TEXT_STYLES: frozenset[CaseStyle] = frozenset({"upper", "lower", "title"})
_FIRST_LETTER = re.compile("(?<![\\w'\u2019])[^\\W\\d_]")

NO_NAMES = Declined(
    reason="it cannot tell which names are meant; say for example: change `someName` to"
    " snake case"
)


def change_case_in_words(region: EditedLines, request: ChangeCase) -> Outcome:
    """Change the case of the given names, or of the whole range if it is text."""
    if request.names:
        return _rename_all(region, request)
    if request.style in TEXT_STYLES:
        return change_text_case(region.target, request.style)
    if _LIST.fullmatch(region.target):
        style = request.style
        return _NAME.sub(lambda found: change_case(found[0], style), region.target)
    return NO_NAMES


def change_text_case(text: str, style: CaseStyle) -> str:
    """Change every letter of a text, or for titles the first letter of every word."""
    match style:
        case "upper":
            return text.upper()
        case "lower":
            return text.lower()
        case _:
            return _FIRST_LETTER.sub(lambda found: found[0].upper(), text)


def _rename_all(region: EditedLines, request: ChangeCase) -> Outcome:
    target = region.target
    for name in request.names:
        new = change_case(name, request.style)
        if new == name:
            continue
        outcome = rename_word(region.with_target(target), Rename(old=name, new=new))
        if isinstance(outcome, Declined):
            return outcome
        target = outcome
    return target
