"""Takes the answer out of a reply that repeats the turns of its prompt.

Models that were trained on plain instructions write the headings of these, such as
`### Instruction:`, `### Response:` and `### End`, or `Human:` and `Assistant:`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_HEADING = re.compile(
    r"#{2,6} ?(?:(?P<ask>(?:user |new )?(?:instructions?|human|user|prompt|task|system"
    r"|question|request|input|context))"
    r"|(?P<answer>(?:new )?(?:response|assistant|answer|output|completion|solution))"
    r"|(?P<end>end))(?: ?:.*)?",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"(?:(?P<ask>human|user|system)|(?P<answer>assistant))[ \t]?:.*", re.IGNORECASE
)
_WITH_HASHES = PROSE_LANGUAGES | frozenset(
    {"dockercompose", "dockerfile", "dotenv", "elixir", "makefile", "perl", "php"}
    | {"powershell", "python", "r", "ruby", "shellscript", "terraform", "toml", "yaml"}
)
"""LSP language ids in which `#` begins a heading or a comment."""


def answer(lines: list[str], around: Surroundings) -> list[str] | Doubt | None:
    """Return the lines of the one answer; None if no heading of a turn is there."""
    kinds = _kinds(lines, _HEADING, "##") or _kinds(lines, _SPEAKER, ":")
    if not kinds or any(lines[at].strip() in around.texts for at in kinds):
        return None
    first = next(at for at, line in enumerate(lines) if line.strip())
    if first not in kinds:
        if kinds[min(kinds)] == "answer":
            return None if around.language in PROSE_LANGUAGES else "unsure"
        return _before_turn(lines, min(kinds), around)
    if "answer" not in kinds.values():
        return None
    if around.language in PROSE_LANGUAGES or _may_be_comments(lines, kinds, around):
        return "unsure"
    starts = [at for at, kind in kinds.items() if kind == "answer"]
    answers = [_turn(lines, at, kinds) for at in starts]
    is_one = len(answers) == 1 and fits(answers[0], around)
    return answers[0] if is_one else "unsure"


def _kinds(lines: Sequence[str], pattern: re.Pattern[str], sign: str) -> dict[int, str]:
    """Return the kinds of the headings by their lines; each heading has the sign."""
    found = (
        (at, pattern.fullmatch(line.strip()))
        for at, line in enumerate(lines)
        if sign in line
    )
    return {at: one.lastgroup or "" for at, one in found if one is not None}


def _turn(lines: Sequence[str], at: int, kinds: dict[int, str]) -> list[str]:
    """Return what stands in the turn of a heading, also behind the heading itself."""
    stop = min((one for one in kinds if one > at), default=len(lines))
    _, _, text = lines[at].partition(":")
    return [*[text.strip()] * bool(text.strip()), *lines[at + 1 : stop]]


def _may_be_comments(
    lines: Sequence[str], kinds: dict[int, str], around: Surroundings
) -> bool:
    """Whether headings may be comments that were asked for, above code of the range."""
    if around.language not in _WITH_HASHES:
        return False
    asked = [_turn(lines, at, kinds) for at, kind in kinds.items() if kind == "ask"]
    own = {line.strip() for line in around.own_texts}
    return any(line.strip() in own for turn in asked for line in turn)


def _before_turn(
    lines: list[str], at: int, around: Surroundings
) -> list[str] | Doubt | None:
    """Cut off the turns below the code; where `#` is a comment, they may be code."""
    if _HEADING.fullmatch(lines[at].strip()) is None:
        return None
    if around.language not in _WITH_HASHES:
        return lines[:at] if fits(lines[:at], around) else "unsure"
    is_known = any(line.lstrip().startswith("##") for line in around.lines)
    return None if is_known or around.language in PROSE_LANGUAGES else "unsure"
