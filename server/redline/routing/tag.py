"""The tier or the model that an instruction names by a tag: `#deep`, or `#` and a name.

The models are those of the settings. A tag that names none of them is part of the
text, such as the number of an issue.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec import Struct

from redline.routing.route import Tier

_WORD = re.compile(r"\S+")

_TIERS: dict[str, Tier] = {"fast": "fast", "standard": "standard", "deep": "deep"}


class Tag(Struct, frozen=True):
    """What a tag names: a tier, or a model by its name in the settings."""

    tier: Tier | None = None
    model: str | None = None


def can_be_tag(model: str) -> bool:
    """Whether a tag can name a model: one word, and no name of a tier."""
    return _WORD.fullmatch(model) is not None and model not in _TIERS


def unknown_tag(instruction: str) -> str | None:
    """Return what looks like a tag at an end of an instruction without its tags.

    The number of an issue does not.
    """
    words = instruction.split()
    found = (word for word in words[-1:] + words[:1] if word[0] == "#")
    return next((word for word in found if word[1:2].isalpha()), None)


def split_tag(instruction: str, models: Collection[str] = ()) -> tuple[str, Tag | None]:
    """Split the tags at the beginning and the end off an instruction.

    Anywhere else a tag is part of the text, such as the name of an issue label. The
    time is linear: instructions may be long, and this runs in the event loop.

    Args:
        instruction: What to do, in words.
        models: Names of models; that of a tier is the tier's.

    Returns:
        The instruction without the tags and the space around them, and the tag;
        without a tag, the instruction as it is, and None. Of several tags, the last one
        of the end counts, or else the first one of the beginning.
    """
    if "#" not in instruction:
        return instruction, None

    def is_tag(word: str) -> bool:
        return word[0] == "#" and (word[1:] in _TIERS or word[1:] in models)

    words = list(_WORD.finditer(instruction))
    first, last = 0, len(words)
    while last > 0 and is_tag(words[last - 1][0]):
        last -= 1
    while first < last and is_tag(words[first][0]):
        first += 1
    if (first, last) == (0, len(words)):
        return instruction, None
    name = (words[-1] if last < len(words) else words[0])[0][1:]
    tier = _TIERS.get(name)
    tag = Tag(tier=tier, model=None if tier else name)
    if first == last:
        return "", tag
    return instruction[words[first].start() : words[last - 1].end()], tag
