"""The tier that an instruction names by a tag: `#fast`, `#standard` or `#deep`."""

from __future__ import annotations

import re

from redline.routing.route import Tier

_TAG = re.compile(r"\A#(fast|standard|deep)(?=\s|\Z)|(?<!\S)#(fast|standard|deep)\Z")

_TIERS: dict[str, Tier] = {"fast": "fast", "standard": "standard", "deep": "deep"}


def split_tier(instruction: str) -> tuple[str, Tier | None]:
    """Split a tag at the beginning or the end off an instruction.

    Anywhere else it is part of the text, such as the name of an issue label.

    Returns:
        The instruction without the tag and the space around it, and the tier; without a
        tag, the instruction as it is, and None. If both ends have one, the last counts.
    """
    tier: Tier | None = None
    text = instruction.strip()
    while (found := _last(text)) is not None:
        tier = tier or _TIERS[found[1] or found[2]]
        text = (text[: found.start()] + text[found.end() :]).strip()
    return (instruction, None) if tier is None else (text, tier)


def _last(text: str) -> re.Match[str] | None:
    return max(_TAG.finditer(text), key=re.Match.start, default=None)
