"""Removes comments from JSON in a file that has none."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import accumulate

from redline.text.elision import lines_are_lost, says_unchanged
from redline.text.lines import strip_end
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.surroundings import Surroundings

_TOKEN = re.compile(
    r"(?P<kept>\"(?:\\.|[^\"\\\n])*+\"|/\*(?:[^*]|\*(?!/))*+\Z)"
    r"|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/|^[ \t]*+#[^\n]*",
    re.DOTALL | re.MULTILINE,
)
"""A string or a comment; a comment that does not end is kept."""

_LAST_COMMA = re.compile(
    r"(?P<kept>\"(?:\\.|[^\"\\\n])*+\")|,(?P<end>\s*+[}\]])", re.DOTALL
)
"""A string, or a comma behind the last member of an object or an array."""

_MEMBER = re.compile(r"\s*\"(?:\\.|[^\"\\])*+\"\s*:")


def without_comments(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Remove comments; None if there are none, or the file has some itself."""
    if around.language != "json" or _stripped("\n".join(around.lines)) is not None:
        return None
    text = "\n".join(lines)
    new = _stripped(text)
    comments = (
        one[0].strip("/*# \t") for one in _TOKEN.finditer(text) if not one["kept"]
    )
    if new is None or not any(map(says_unchanged, comments)):
        return new
    # A comment in place of members is no comment on them.
    return None if lines_are_lost(around.target, new) else new


def without_last_commas(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Remove commas behind last members, which JSON does not allow.

    A file that has some is read by a program that does.
    """
    if around.language != "json":
        return None
    text = "\n".join(lines)
    below = next((line.strip()[:1] for line in around.after if line.strip()), "")
    closing = f"\n{below}" if below in ("}", "]") else ""
    parts = (around.before, (*around.target, closing), around.after)
    if any(map(_has_last_comma, parts)):
        return None
    found = _LAST_COMMA.sub(lambda one: one["kept"] or one["end"], text + closing)
    new = found.removesuffix(closing).split("\n")
    return None if new == list(lines) else new


def _has_last_comma(lines: Sequence[str]) -> bool:
    text = "\n".join(map(strip_end, lines))
    return any(not one["kept"] for one in _LAST_COMMA.finditer(text))


def unwrapped(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Take members of an object out of the braces that a reply adds around them.

    Where a member is, an object cannot be; where an element of an array is, it can.
    """
    if around.language != "json":
        return None
    texts = [line.strip() for line in lines if line.strip()]
    own = [line.strip() for line in around.target if line.strip()]
    if len(texts) < 3 or texts[0] != "{" or texts[-1] not in ("}", "},"):
        return None
    if not own or not _MEMBER.match(own[0]) or not _is_closed(own):
        return None
    inner = [line for line in lines if line.strip()][1:-1]
    if not _MEMBER.match(inner[0]) or not _is_closed(inner):
        return None
    if own[-1].endswith(",") and not inner[-1].rstrip().endswith(","):
        inner[-1] = inner[-1].rstrip() + ","
    return inner


def without_outer_object(
    lines: Sequence[str], around: Surroundings
) -> list[str] | None:
    """Take the range's members out of the objects around it that came, too.

    These are braces, and the keys of objects that begin above the range.
    """
    if around.language not in ("json", "jsonc"):
        return None
    above = {line.strip() for line in around.before}
    own = {line.strip() for line in around.target}
    inner = [line for line in lines if line.strip()]
    n_taken = 0
    while len(inner) > 2 and inner[-1].strip() in ("}", "},", "]", "],"):
        first = inner[0].strip()
        is_key = len(first) > 1 and _opens_known(first, above - own)
        is_brace = first == "{" and n_taken == 0 and _opens_known(inner[1], above)
        if not (is_key or is_brace) or not _is_closed(inner[1:-1]):
            break
        inner = inner[1:-1]
        n_taken += 1
    if not n_taken:
        return None
    # The whole object came: its members around the range are not the range's.
    before, after = _texts(around.before), _texts(around.after)
    while inner and before and inner[0].strip() == before.pop() not in own:
        inner = inner[1:]
    after.reverse()
    while inner and after and inner[-1].strip() == after.pop() not in own:
        inner = inner[:-1]
    return inner or None


def _texts(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip()]


def _opens_known(line: str, above: Set[str]) -> bool:
    text = line.strip()
    return text.endswith(("{", "[")) and text in above


def _is_closed(lines: Sequence[str]) -> bool:
    """Whether lines close what they open, and nothing else."""
    depths = list(accumulate(depth([line]) for line in lines))
    return min(depths) == depths[-1] == 0


def _stripped(text: str) -> list[str] | None:
    """Remove comments, and the lines that held nothing else."""
    kept = _TOKEN.sub(lambda found: found["kept"] or "\0", text)
    if "\0" not in kept:
        return None
    lines = [
        line for line in kept.split("\n") if line.strip(" \t\0") or "\0" not in line
    ]
    return [line.replace("\0", "").rstrip() if "\0" in line else line for line in lines]
