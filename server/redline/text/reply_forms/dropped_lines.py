"""Lines of the range that came with a reply, and are not in the text that was read.

Forms take off what is not the range's: talk, frames, marks. Whatever they take a line
for, one that the range has, or nearly has, may belong to its new text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import chain

from redline.text.fence import read_fence
from redline.text.reply_forms.surroundings import Surroundings

_MIN_RATIO = 0.8
"""Of two lines that are the same but for a correction."""

_MIN_RATIO_OF_COMMENTS = 0.6
"""Of two comments that may name different files."""

_MIN_N_CHARS = 12
"""Shorter lines are similar by chance."""

_MAX_N_PAIRS = 2_000
"""Pairs of lines that are compared; replies with more of them are rewritten."""

_COMMENT = re.compile(r"#|//|--|/\*|;")
_ONE_BLOCK = 2
"""Fences of a reply with one block."""

_TAG = re.compile(r"<(/?)[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?>")
_FRAME = re.compile(r"(\W{2,20})\w(?:.*\w)?(\W{2,20})")
"""A heading between signs, such as `### Setup ###`."""

_MARK = re.compile(r"[<\[]/?[\w:|-]+[>\]]")
"""A line that begins or ends reasoning, or a token."""


def drops_own_lines(
    received: Sequence[str], lines: Sequence[str], around: Surroundings
) -> bool:
    """Whether lines beside the text that was read are certainly or nearly the range's.

    A reply may quote all that it replaces, which is no part of the new text.

    Args:
        received: The lines of the reply.
        lines: The text that was read from it.
        around: The range.
    """
    left = set(map(str.strip, lines))
    own = {text for line in around.target if (text := line.strip())}
    texts = [line.strip() for line in received]
    beside = set(_beside(texts, left, own))
    if beside:
        # The reply may repeat lines around the range.
        beside.difference_update(map(str.strip, chain(around.before, around.after)))
    if not beside or _quotes(texts, own, left):
        return False
    if all(map(_TAG.fullmatch, beside)) and around.is_target(lines):
        return True  # Tags around the range may be what was asked for.
    missing = own - left
    return len(beside) * len(missing) <= _MAX_N_PAIRS and any(
        _is_like(text, one) and not any(_is_like(new, one) for new in left)
        for one in missing
        for text in beside
    )


def _beside(texts: Sequence[str], left: Set[str], own: Set[str]) -> Iterator[str]:
    """Yield the lines of a reply around those that are left, up to a fence or the end
    of reasoning; all of them if none is left as it came.
    """
    kept = [at for at, text in enumerate(texts) if text and text in left]
    if not kept:
        yield from filter(None, texts)
        return
    has_tags = any(text.startswith("<") for text in own)
    for beside in (texts[: kept[0]][::-1], texts[kept[-1] + 1 :]):
        for text in beside:
            if read_fence(text) or (_MARK.fullmatch(text) and not has_tags):
                break
            if text:
                yield text


def _quotes(texts: Sequence[str], own: Set[str], left: Set[str]) -> bool:
    """Whether a reply has what it replaces beside the new text: as a diff, as another
    version in a fence, or whole.
    """
    missing = own - left
    if sum(read_fence(text) is not None for text in texts) > _ONE_BLOCK:
        return True
    if any(
        text.startswith("<<<<<<<")
        or (text[:1] in "+-<" and text[1:].strip() in missing)
        for text in texts
        if text
    ):
        return True
    quoted = "\n".join(text for text in texts if text not in left)
    is_most = 2 * len(missing) >= len(own)
    return is_most and bool(missing) and all(text in quoted for text in missing)


def _is_like(text: str, own: str) -> bool:
    tag, own_tag = _TAG.fullmatch(text), _TAG.fullmatch(own)
    if tag and own_tag and tag[1] == own_tag[1]:
        return True
    frame, own_frame = _FRAME.fullmatch(text), _FRAME.fullmatch(own)
    if frame and own_frame and frame.groups() == own_frame.groups():
        return True
    sign, own_sign = _COMMENT.match(text), _COMMENT.match(own)
    are_comments = sign and own_sign and sign[0] == own_sign[0]
    least = _MIN_RATIO_OF_COMMENTS if are_comments else _MIN_RATIO
    if not are_comments and min(len(text), len(own)) < _MIN_N_CHARS:
        return False
    matcher = SequenceMatcher(None, text, own, autojunk=False)
    return matcher.quick_ratio() >= least and matcher.ratio() >= least
