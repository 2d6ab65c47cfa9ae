"""Removes comments in place of the code around the range: `... existing code ...`.

Such a comment within the range's text stands for code of the range, which is lost. So
it is removed only in front of the line that the range begins with, and behind its end.
"""

from __future__ import annotations

from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.elision import find_elision
from redline.text.indentation import indent_of
from redline.text.reply_forms.brackets import depth, ends_like, is_whole
from redline.text.reply_forms.enclosed import CLOSERS, name_of
from redline.text.reply_forms.likeness import begins_as_range
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_DOTS = frozenset({"...", "\u2026", "[...]", "(...)"})


def without_elisions(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Remove what stands for code around the range.

    Returns:
        None if there is none, or if code of the range may be missing, which the checks
        find where it is a comment.
    """
    found = _without_elisions(lines, around)
    if found is not None or around.language in PROSE_LANGUAGES | {"python"}:
        return found
    texts = [line.strip() for line in lines if line.strip()]
    is_at_border = texts != [] and {texts[0], texts[-1]} & _DOTS
    return "unsure" if is_at_border and not any(map(around.has, _DOTS)) else None


def _without_elisions(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    places = [at for at, line in enumerate(lines) if _is_elision(line, around)]
    if not places or any(around.has(lines[at].strip()) for at in places):
        return None
    start = _start(lines, around)
    if start is None:
        return None
    head = [at for at in places if at < start]
    tail = [at for at in places if at > start]
    stop = tail[0] if tail else len(lines)
    body = list(lines[start:stop])
    while body and not body[-1].strip():
        body.pop()
    if tail and not _has_end(body, lines[stop], around):
        return None
    known = {line.strip() for line in around.after}
    rest = [line for at, line in enumerate(lines[stop:], stop) if at not in tail]
    if any(
        line.strip() and line.strip() not in known and not CLOSERS.match(line)
        for line in rest
    ):
        return None
    above = [line for at, line in enumerate(lines[:start]) if at not in head]
    return [*above, *body, *filter(str.strip, rest)]


def _is_elision(line: str, around: Surroundings) -> bool:
    is_dots = line.strip() in _DOTS
    return is_dots or find_elision(line, around.language) is not None


def _start(lines: Sequence[str], around: Surroundings) -> int | None:
    """Return the place of the first line that the range begins with, or a similar."""
    first = next((line for line in around.target if line.strip()), "")
    name = name_of(first)
    for at, line in enumerate(lines):
        if line.strip() and line.strip() == first.strip():
            return at
        if name and name_of(line) == name:
            return at
    for at, line in enumerate(lines):
        if not _is_elision(line, around) and begins_as_range(lines[at:], around):
            return at
    return None


def _has_end(body: Sequence[str], mark: str, around: Surroundings) -> bool:
    """Whether nothing of the range is missing at its end."""
    if not body or depth(body) != depth(around.target):
        return False
    own = [line for line in around.target if line.strip()]
    known = {line.strip() for line in body}
    if any(
        indent_of(line) == indent_of(own[0])
        and not CLOSERS.match(line)
        and line.strip() not in known
        for line in own[1:]
    ):
        return False  # The range goes on behind the mark.
    if len(own) == 1:
        return True
    if ends_like(body, around.target) or is_whole(body, around.target):
        return True
    # What is less deep than a definition's body is not part of it.
    is_outside = len(indent_of(mark)) <= len(indent_of(body[0]))
    return is_outside and bool(name_of(body[0])) and len(body) > 1
