"""Removes comments from JSON in a file that has none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.surroundings import Surroundings

_TOKEN = re.compile(
    r"(?P<kept>\"(?:\\.|[^\"\\\n])*+\"|/\*(?:[^*]|\*(?!/))*+\Z)"
    r"|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/",
    re.DOTALL,
)
"""A string or a comment; a comment that does not end is kept."""

_MEMBER = re.compile(r"\s*\"(?:\\.|[^\"\\])*+\"\s*:")


def without_comments(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Remove comments; None if there are none, or the file has some itself."""
    if around.language != "json" or _stripped("\n".join(around.lines())) is not None:
        return None
    return _stripped("\n".join(lines))


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
