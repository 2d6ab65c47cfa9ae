"""Reads the text to insert at the cursor out of a model's reply.

A reply is read again from its beginning whenever it has grown, so that no way of
cutting it into deltas matters. Until it is whole, text is held back whose meaning
depends on what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Literal

from redline.completion.place import Place, depth_of

ReplyForm = Literal["line", "insertion", "text"]
"""`line`: the reply restarts the cursor's line, as chat models are asked to do, though
they may not. `insertion`: it continues at the cursor. `text`: it was read before, for
an earlier cursor, and is what is to be inserted."""

CURSOR = "<|cursor|>"
"""The mark of the cursor in a prompt."""

_MAX_REPEATED = 10
"""Most lines above the cursor that a reply may repeat."""

_MIN_OVERLAP = 3
_WORDS = re.compile(r"\w+")
_OPENERS = frozenset("([{")

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>\s*|\Z)", re.DOTALL)
_LATE_THOUGHT = re.compile(r"\A.*?</think(?:ing)?>\s*", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*```[^\n`]*$", re.MULTILINE)
_SPECIAL = re.compile(
    r"<\|[^|>\n]{1,40}\|>|<\uff5c[^\uff5c>\n]{1,40}\uff5c>|<fim_\w+>|<file_sep>|</?s>|"
    r"<\[[^\]>\n]{1,40}\]>|\[/?(?:PREFIX|SUFFIX|MIDDLE|INST)\]|<EOT>"
)
_OPEN_SPECIAL = re.compile(
    r"<[|\uff5c/\[]?[\w\u2581-]{0,40}[|\uff5c\]]?\Z|\[/?[A-Z]{0,6}\Z|`{1,2}\Z"
)
_REFUSAL = re.compile(
    r"\s*(?:I['\u2019]?m sorry|I am sorry|Sorry,|I (?:cannot|can['\u2019]t|am unable)|"
    r"As an AI|NO_EDITS|NO CHANGE)"
)
_NOTHING = frozenset(
    ("none", "null", "nothing", "(nothing)", "(empty)", "<empty>", "n/a")
)
_PROSE = re.compile(
    r"\s*(?:Here(?:'s| is| are)|Sure|Certainly|Of course|To complete|The (?:next|"
    r"following|code|completion|missing)|This |You can|Below is|Okay|Let me)\b[^()=]*$"
)


def decode(reply: str, place: Place, *, form: ReplyForm, is_whole: bool) -> str:
    """Return the text to insert, as far as it is certain.

    Args:
        reply: What the model has written so far.
        place: The cursor that the model was shown.
        form: How the reply joins the cursor's line.
        is_whole: Whether nothing will follow.
    """
    text = _code(reply.replace("\r\n", "\n").replace("\r", "\n"), is_whole=is_whole)
    if not text.strip() or _REFUSAL.match(text):
        return ""
    if place.is_blank and text.strip().lower() in _NOTHING:
        return ""
    if not is_whole and "\n" not in text.lstrip("\n") and len(text) <= len(place.left):
        return ""
    if not is_whole and _may_repeat(text, place):
        return ""
    whole, text = text, _joined(text, place, form)
    restarts = form == "line" and len(text) < len(whole)
    if restarts and not place.is_blank:
        # It has written the cursor's line to its end: blank lines are meant.
        return text
    return _with_one_newline(text, place, form)


def _code(text: str, *, is_whole: bool) -> str:
    """Remove thoughts, prose, fences and special tokens."""
    text = _THOUGHT.sub("", text)
    if "</think" in text:
        text = _LATE_THOUGHT.sub("", text)
    if (fence := _FENCE.search(text)) is not None:
        before = text[: fence.start()]
        if before.strip() and not _is_prose(before):
            # The fence only ends the code.
            text = before
        elif fence.end() == len(text) and not is_whole:
            return ""
        else:
            text = text[fence.end() + 1 :]
            if (end := _FENCE.search(text)) is not None:
                text = text[: end.start()]
                text = text.removesuffix("\n")
    elif _is_prose(text) and not is_whole:
        return ""
    text = text.replace(CURSOR, "")
    if (special := _SPECIAL.search(text)) is not None:
        text = text[: special.start()]
    elif not is_whole:
        text = _OPEN_SPECIAL.sub("", text)
    return text


def _is_prose(text: str) -> bool:
    first, _, _ = text.lstrip().partition("\n")
    return _PROSE.match(first) is not None


def _joined(text: str, place: Place, form: ReplyForm) -> str:
    """Take what already stands before the cursor off the front of a reply."""
    text = _without_lines_above(text, place)
    left = place.left.lstrip()
    if not left:
        return text
    line = text.lstrip(" \t")
    if len(left) >= _MIN_OVERLAP and text.lstrip().startswith(left):
        # Below blank lines that stand above the cursor.
        line = text.lstrip()
    if form == "line" and line.startswith(left):
        return line[len(left) :]
    text = _continued(text, line, left, form)
    has_blank = left[-1].isspace() and text[:1] in (" ", "\t")
    return text[1:] if has_blank else text


def _continued(text: str, line: str, left: str, form: ReplyForm) -> str:
    """Take the cursor's line off a reply that does not begin with exactly the same."""
    if form == "line" and line.startswith(left.rstrip()):
        return line[len(left.rstrip()) :].lstrip(" \t")
    if (n_chars := _n_alike(line, left)) and form == "line":
        return line[n_chars:]
    # Whole lines of code are repeated by models of either form.
    if len(left) >= _MIN_OVERLAP and line.startswith(left.rstrip() + " "):
        return line[len(left) :]
    return text[_n_overlap(text, left) :]


def _without_lines_above(text: str, place: Place) -> str:
    above = list(place.around.code_above[-_MAX_REPEATED:])
    left = place.left.strip()
    lines = text.split("\n")
    given = [(n, line.strip()) for n, line in enumerate(lines) if line.strip()]
    for n_lines in range(min(len(above), len(given)), 0, -1):
        if [line for _, line in given[:n_lines]] != above[-n_lines:]:
            continue
        rest = lines[given[n_lines - 1][0] + 1 :]
        while left and rest and not rest[0].strip():
            del rest[0]
        if not rest:
            continue
        is_certain = n_lines > 1 or len(above[-1]) > _MAX_REPEATED
        if rest[0].strip().startswith(left) if left else is_certain:
            return "\n".join(rest)
    return text


def _may_repeat(text: str, place: Place) -> bool:
    """Whether all complete lines of an unfinished text repeat the lines above, so that
    the next one decides whether it repeats the cursor's line, too."""
    above = place.around.code_above[-_MAX_REPEATED:]
    given = [line.strip() for line in text.split("\n")[:-1] if line.strip()]
    n_given = len(given)
    return 0 < n_given <= len(above) and any(
        list(above[at : at + n_given]) == given
        for at in range(len(above) - n_given + 1)
    )


def _n_alike(text: str, left: str) -> int:
    """Return how many characters of a text equal `left`, blanks aside; 0: it does not
    begin with it."""
    at = 0
    for char in left:
        if char in " \t":
            continue
        while at < len(text) and text[at] in " \t":
            at += 1
        if at >= len(text) or text[at] != char:
            return 0
        at += 1
    return at


def _n_overlap(text: str, left: str) -> int:
    """Return the length of the longest end of `left` that a text begins with.

    It begins with a word, as a model that repeats something does: a text that begins
    with a blank or a sign goes on behind the word at the cursor. Behind a sign, a text
    may well begin like what is before it, as in `f(None, None`, so it takes more.
    """
    for start in range(len(left)):
        piece = left[start:]
        if not text.startswith(piece):
            continue
        begins = _is_word(left[start]) and not _is_word(left[start - 1])
        if start > 0 and not begins:
            continue
        if start > 0 and not _is_word(left[-1]) and not _is_distinct(piece):
            continue
        is_word = len(piece) > 1 and piece.isidentifier()
        if len(piece) >= _MIN_OVERLAP or is_word:
            return len(piece)
    return 0


def _is_distinct(piece: str) -> bool:
    """Whether a piece of code is hardly written twice in a row."""
    n_words = len(set(_WORDS.findall(piece)))
    is_object = piece.endswith(".")
    return is_object or "=" in piece or (n_words > 1 and not _OPENERS.isdisjoint(piece))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _with_one_newline(text: str, place: Place, form: ReplyForm) -> str:
    """Keep one leading newline at most; in a blank line only if it separates."""
    head = text[: len(text) - len(text.lstrip())]
    if "\n" not in head:
        return text
    rest = text[head.rindex("\n") + 1 :]
    if place.is_blank and not (form == "line" and _separates(rest, place)):
        return rest
    return "\n" + rest


def _runs(place: Place) -> Iterator[tuple[bool, Iterator[str]]]:
    """Group the lines above into text and blank lines."""
    return groupby(place.above, key=lambda line: bool(line.strip()))


def _separates(text: str, place: Place) -> bool:
    """Whether the cursor's line is to stay blank: before a text of another depth, or
    as one of the blank lines that separate others above."""
    runs = [len(list(run)) for is_text, run in _runs(place) if not is_text]
    if not place.above:
        return False
    if not place.above[-1].strip():
        return runs[-1] < max(runs[:-1], default=0)
    depth = depth_of(text)
    return depth < depth_of(place.above[-1]) or depth != depth_of(place.left)
