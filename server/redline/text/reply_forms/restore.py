"""Restores the plain text of a range from a whole reply in another form."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms import (
    characters,
    edges,
    excerpt,
    frames,
    numbers,
    patch,
    payload,
    prose,
    stray_fences,
    transport,
    versions,
    wrappers,
)
from redline.text.reply_forms.copies import letters_of
from redline.text.reply_forms.steps import (
    AFTER_EXCERPT,
    BEFORE_EXCERPT,
    SIGNS_OF_DOUBT,
    SIGNS_OF_MORE,
    Step,
)
from redline.text.reply_forms.surroundings import Surroundings

_SPILLED = (
    "The reply also has lines from around the range, and changes them or mixes them"
    " with the range's. Reply with the range alone."
)
_NOT_APPLIED = (
    "The reply is a diff that does not apply to the range. Reply with the whole new"
    " text of the range alone."
)

AMBIGUOUS = (
    "The reply may be the range's text, or another form of it. Reply with the whole new"
    " text of the range alone, as it is to stand in the file."
)

_NUMBERED_KEYS = frozenset({"yaml", "dockercompose"})
"""Languages in which a number and a colon begin a line of the file itself."""

_MAX_N_WRAPPERS = 4

_MAX_N_ASKED = 3
"""Lines like those around that may be new ones; more of them are an excerpt."""

_MAX_N_NEAR = 2 * _MAX_N_ASKED
"""Lines on each side of the range that they are compared with."""


class Restored(Struct, frozen=True, kw_only=True):
    """The code of a reply in plain form."""

    lines: list[str]
    is_changed: bool = False
    goes_beyond: bool = False
    """Whether the reply also has lines that follow the range."""
    fault: str = ""
    """Why the text is not certain, as a sentence for the model and the user."""


def restore(
    code: Sequence[str],
    around: Surroundings,
    *,
    is_unopened: bool = False,
    fence_name: str | None = None,
) -> Restored:
    """Return the range's text from a reply's code, before it is indented.

    Args:
        code: The lines of the code.
        around: The range.
        is_unopened: Whether a fence was closed behind it that nothing opens.
        fence_name: The language that the fence around it names, perhaps none; None
            without a fence.
    """
    plain, is_bare = _bare(code, around, is_unopened=is_unopened)
    blocks = wrappers.blocks(plain, around)
    if blocks is not None:
        new = wrappers.with_blocks_applied(blocks, around)
        return Restored(
            lines=plain if new is None else new,
            is_changed=True,
            fault=_NOT_APPLIED if new is None else "",
        )
    lines, is_sure = _through(BEFORE_EXCERPT, patch.bare(plain), around)
    if fence_name is not None:
        is_sure &= not stray_fences.has_talk_in_block(lines, around)
    part = _part(lines, around, fence_name=fence_name or "")
    lines, is_still_sure = _through(AFTER_EXCERPT, part.lines, around)
    is_still_sure &= not any(is_odd(lines, around) for is_odd in SIGNS_OF_DOUBT)
    is_sure = is_bare and is_sure and is_still_sure
    return Restored(
        lines=lines,
        is_changed=lines != list(code),
        goes_beyond=part.goes_beyond,
        fault=part.fault or ("" if is_sure else AMBIGUOUS),
    )


def _bare(
    code: Sequence[str], around: Surroundings, *, is_unopened: bool
) -> tuple[list[str], bool]:
    """Return the code without what is around all of it, and whether that is certain."""
    plain, is_decoded = transport.decoded(code, around) or (list(code), True)
    unfenced = stray_fences.without_fences(plain, around)
    if unfenced is not None:
        plain, is_without_opening = unfenced
        is_unopened |= is_without_opening
    plain = prose.without_talk(plain, around) or plain
    plain = versions.below_talk(plain, around) or plain
    named = wrappers.without_fence_name(plain, around) if is_unopened else None
    if named is not None and named != "unsure":
        plain = named
    plain = versions.given_once(plain, around) or plain
    plain, is_bare = _without_wrappers(plain, around)
    return plain, is_bare and is_decoded and named != "unsure"


def _part(lines: list[str], around: Surroundings, *, fence_name: str) -> Restored:
    """Apply a diff to the range, or cut the range's part out of lines around it."""
    is_patch = patch.is_named(fence_name, lines, around) or patch.is_patch(
        lines, around
    )
    if is_patch == "unsure":
        return Restored(lines=lines, fault=AMBIGUOUS)
    if is_patch:
        new = patch.applied(lines, around)
        if new is None:
            return Restored(lines=lines, fault=_NOT_APPLIED)
        return Restored(lines=new)
    lines, _ = _through((characters.reindented,), lines, around)
    part = excerpt.range_part(lines, around)
    n_around = len(lines) - len(part.lines)
    if around.is_target(part.lines) and 0 < n_around <= _MAX_N_ASKED:
        # Nothing else is new, so the lines like those around may have been asked for;
        # one that says something else was.
        is_new = _adds_lines(lines, part.lines, around)
        return Restored(lines=lines, fault="" if is_new else AMBIGUOUS)
    has_more = any(is_left(part.lines, around) for is_left in SIGNS_OF_MORE)
    return Restored(
        lines=part.lines,
        goes_beyond=part.goes_beyond,
        fault="" if part.is_sure and not has_more else _SPILLED,
    )


def _adds_lines(
    lines: Sequence[str], part: Sequence[str], around: Surroundings
) -> bool:
    """Whether a reply has the range, and above or below it a line that says something
    else than those next to it."""
    texts, own = (list(filter(None, map(str.strip, each))) for each in (lines, part))
    if own not in (texts[: len(own)], texts[-len(own) :]):
        return False
    near = (*around.before[-_MAX_N_NEAR:], *around.target, *around.after[:_MAX_N_NEAR])
    known = {"", *map(letters_of, near)}
    return any(letters_of(line) not in known for line in lines)


def _without_wrappers(lines: list[str], around: Surroundings) -> tuple[list[str], bool]:
    """Return the lines without what is around all of them, and whether that is certain.

    One wrapper may be in another.
    """
    is_sure = True
    for _ in range(_MAX_N_WRAPPERS):
        new, is_decoded = transport.decoded(lines, around) or (lines, True)
        new, is_framed = frames.without_frames(new, around) or (new, True)
        outer = edges.without_edges(new, around)
        if outer is not None and outer != "unsure":
            new = outer
        inner = payload.taken_out(new, around) or wrappers.unwrapped(new, around)
        is_sure = is_decoded and is_framed and "unsure" not in (outer, inner)
        if inner is not None and inner != "unsure":
            new = inner
        if new == lines:
            break
        lines = new
    return lines, is_sure


def _through(
    steps: Sequence[Step], lines: list[str], around: Surroundings
) -> tuple[list[str], bool]:
    """Return the lines after all steps, and whether none of them has a doubt.

    If undoing a form gives the unchanged range, the user asked for that form, such as
    escaped lines. Lines of code are not numbered on request; in text for people and
    in YAML, whose keys may be numbers, numbers may be what the user asked for.
    """
    is_sure = True
    is_code = around.language not in PROSE_LANGUAGES
    may_be_wish = not is_code or around.language in _NUMBERED_KEYS
    for step in steps:
        new = step(lines, around)
        if new == "unsure":
            is_sure = False
        elif new and not around.is_target(new):
            lines = new
            if step is numbers.without_numbers and may_be_wish:
                is_sure = False
        elif new and step is numbers.without_numbers and is_code:
            is_sure = False
    return lines, is_sure


def may_need_whole(line: str, around: Surroundings) -> bool:
    """Whether the first line of a reply suggests that it must be read as a whole.

    Then nothing of it is shown before its end.
    """
    own = next((text for text in around.target if text.strip()), "").strip()
    text = line.strip()
    if text == own:
        return False
    marks = (numbers.looks_numbered, patch.looks_like_patch)
    if any(looks(line) and not looks(own) for looks in marks):
        return True
    return len(text) > 1 and any(
        text == one.strip() for part in (around.before,) for one in part
    )
