"""The tier that an instruction names by a tag: `#fast`, `#standard` or `#deep`."""

from __future__ import annotations

import re

from redline.routing.route import Tier

_WORD = re.compile(r"\S+")

_TIERS: dict[str, Tier] = {"#fast": "fast", "#standard": "standard", "#deep": "deep"}


def split_tier(instruction: str) -> tuple[str, Tier | None]:
    """Split the tags at the beginning and the end off an instruction.

    Anywhere else a tag is part of the text, such as the name of an issue label. The
    time is linear: instructions may be long, and this runs in the event loop.

    Returns:
        The instruction without the tags and the space around them, and the tier;
        without a tag, the instruction as it is, and None. Of several tags, the last one
        of the end counts, or else the first one of the beginning.
    """
    if "#" not in instruction:
        return instruction, None
    words = list(_WORD.finditer(instruction))
    first, last = 0, len(words)
    while last > 0 and words[last - 1][0] in _TIERS:
        last -= 1
    while first < last and words[first][0] in _TIERS:
        first += 1
    if (first, last) == (0, len(words)):
        return instruction, None
    tag = words[-1] if last < len(words) else words[0]
    if first == last:
        return "", _TIERS[tag[0]]
    text = instruction[words[first].start() : words[last - 1].end()]
    return text, _TIERS[tag[0]]
