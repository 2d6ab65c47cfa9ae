"""Takes code out of a fence that the reply does not begin with.

Text that does not look like talk may stand above an opening fence, and remarks below a
closing one that nothing opens.
"""

from __future__ import annotations

from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES, is_beside_code
from redline.text.fence import read_fence
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Surroundings


def without_fences(
    lines: Sequence[str], around: Surroundings
) -> tuple[list[str], bool] | None:
    """Return the code, and whether nothing opens the fence that closes it.

    Returns:
        None if there is no fence, or code on both sides of one.
    """
    if around.language in PROSE_LANGUAGES:
        return None
    places = [at for at, line in enumerate(lines) if _is_fence(line)]
    if not 0 < len(places) < 3 or any(map(_is_fence, around.lines())):
        return None
    first, last = places[0], places[-1]
    is_unopened = first == last
    start = 0 if is_unopened else first + 1
    closing = read_fence(lines[last])
    if closing is None or not closing.is_bare:
        return None
    beside = [*lines[: 0 if is_unopened else first], *lines[last + 1 :]]
    code = list(lines[start:last])
    opening = read_fence(lines[first])
    if opening is not None and opening.info == "json" and around.language != "json":
        return code, False  # The arguments of a tool, whose name may be above.
    if not all(is_beside_code(line) for line in beside if line.strip()):
        return None
    return (code, is_unopened) if fits(code, around) else None


def without_glued_end(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut off a closing fence at the end of the last line; None if there is none."""
    places = [at for at, line in enumerate(lines) if line.strip()]
    if not places or around.has("```"):
        return None
    head, mark, tail = lines[places[-1]].partition("```")
    if not mark or tail.strip() or not head.strip():
        return None
    return [*lines[: places[-1]], head.rstrip()]


def _is_fence(line: str) -> bool:
    fence = read_fence(line)
    return fence is not None and not fence.indent and fence.run[0] == "`"
