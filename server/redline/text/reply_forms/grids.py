"""Takes code out of a frame or a table that is drawn with characters around it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.fence import in_code_span
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_RULE = re.compile(r"[\s+=-]*[\u2500-\u257f][\s+=\u2500-\u257f-]*")
_FILE = re.compile(r"\s*+[\u2502\u2503|]?\s*+File: \S")
_SIDE = re.compile(r"\s?[\u2502\u2503] ?")
_SIDES = ("\u2502", "\u2503")
_DRAWN = re.compile(r"[\u2500-\u257f]")
_ROW = re.compile(r"\|(?: {0,4}(?P<number>\d{1,6}) {0,4}\|)? ?(?P<text>.*?)\s?\|\s*")
_HEAD_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\s*")


def out_of_grid(lines: Sequence[str], around: Surroundings) -> list[str] | Doubt | None:
    """Return the lines in a frame or in the last column of a table.

    Returns:
        None if there is none, or the file has such signs.
    """
    if around.language in PROSE_LANGUAGES or around.may_be_in_text:
        return None
    texts = [line for line in lines if line.strip()]
    if len(texts) < 3:
        return None
    inner = _out_of_frame(texts, around) or _out_of_table(texts, around)
    if inner is None or fits(inner, around):
        return inner
    return "unsure"


def _out_of_frame(texts: Sequence[str], around: Surroundings) -> list[str] | None:
    if not _RULE.fullmatch(texts[0]) or any(map(_DRAWN.search, around.lines)):
        return None
    rows = [line for line in texts if not (_RULE.fullmatch(line) or _FILE.match(line))]
    if all(line.rstrip().endswith(_SIDES) for line in rows):
        rows = [line.rstrip()[:-1].rstrip() for line in rows]
    if all(map(_SIDE.match, rows)):
        rows = [_SIDE.sub("", line, count=1) for line in rows]
    return rows or None


def _out_of_table(texts: Sequence[str], around: Surroundings) -> list[str] | None:
    rows = [_ROW.fullmatch(line) for line in texts if not _HEAD_RULE.fullmatch(line)]
    if len(rows) == len(texts) or any(line.startswith("|") for line in around.lines):
        return None
    found = [row for row in rows[1:] if row is not None]
    is_numbered = all(row["number"] for row in found)
    if len(found) != len(rows) - 1 or not is_numbered:
        return None
    return [in_code_span(row["text"]) for row in found]
