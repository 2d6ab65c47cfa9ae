"""Takes code out of a fence that the reply does not begin with.

Text that does not look like talk may stand above an opening fence, and remarks below a
closing one that nothing opens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import MARKDOWN_LANGUAGES, PROSE_LANGUAGES, is_beside_code
from redline.text.fence import Fence, read_fence
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_CODE_INDENTS = ("    ", "\t")
"""What begins a line of code in Markdown, outside of lists."""
_SIGN = re.compile(r"(?://+!?|\*|#+!?|--+|;+)?")
"""What may stand in front of a fence in a comment."""
_LIST_ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s")


def without_fences(
    lines: Sequence[str], around: Surroundings
) -> tuple[list[str], bool] | None:
    """Return the code, and whether nothing opens the fence that closes it.

    Returns:
        None if there is no fence, or code on both sides of one.
    """
    if around.language in PROSE_LANGUAGES:
        return None
    places = [at for at, line in enumerate(lines) if "```" in line and _is_fence(line)]
    if not 0 < len(places) < 3 or any(map(_is_fence, around.lines)):
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


def page_in_fence(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Take a part of a page of Markdown out of the fence around it.

    Returns:
        None if no text stands above the fence, or if the file has it, too.
    """
    found = _page(lines, around) if around.language in MARKDOWN_LANGUAGES else None
    if found is None:
        return None
    above, opening, inner = found
    own = [line.strip() for line in around.target if line.strip()]
    known = {line.strip() for line in inner}
    has_own = sum(line in known for line in own)
    if not own or any(line.strip() in own for line in above):
        return None
    is_of_range = own[0] in known or 2 * has_own > len(own)
    if not (_is_balanced(inner) and is_of_range):
        return "unsure" if opening.info else None
    # A page may begin with text and a block without a language.
    return inner if opening.info else "unsure"


def _page(
    lines: Sequence[str], around: Surroundings
) -> tuple[Sequence[str], Fence, list[str]] | None:
    """Return the lines above a fence of Markdown, the fence, and what is in it."""
    fences = [(at, one) for at, line in enumerate(lines) if (one := read_fence(line))]
    if len(fences) < 2:
        return None
    (start, opening), (stop, closing) = fences[0], fences[-1]
    is_page = opening.info.lower() in {"", "md", *MARKDOWN_LANGUAGES}
    is_around = closing.is_bare and closing.may_end(opening)
    if not (is_page and is_around and closing.indent == opening.indent):
        return None
    above = [line for line in lines[:start] if line.strip()]
    if not above or around.has(lines[start]):
        return None
    return above, opening, list(lines[start + 1 : stop])


def unbalanced_page(lines: Sequence[str], around: Surroundings) -> Doubt | None:
    """Say whether a page of Markdown has a fence too many, as one around it is."""
    if around.language not in MARKDOWN_LANGUAGES or not _is_balanced(around.target):
        return None
    return None if _is_balanced(lines) else "unsure"


def has_talk_in_block(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a page that was in a fence has a block of nothing but talk.

    Then its two fences are rather the end of one version and the start of the next.
    """
    if around.language not in MARKDOWN_LANGUAGES:
        return False
    block: list[str] | None = None
    for line in lines:
        fence = read_fence(line)
        if fence is None:
            if block is not None and line.strip():
                block.append(line)
        elif block is None:
            block = [] if fence.is_bare else [fence.info]
        else:
            if block and all(map(is_beside_code, block)):
                return True
            block = None
    return False


def _is_balanced(lines: Sequence[str]) -> bool:
    """Whether a text closes each fence that it opens."""
    opening: Fence | None = None
    for fence in filter(None, map(read_fence, lines)):
        if opening is None:
            opening = fence
        elif fence.is_bare and fence.may_end(opening):
            opening = None
    return opening is None


def replaces_indented_code(first: str, around: Surroundings) -> bool:
    """Whether a text that begins with a fence replaces an indented block of Markdown.

    Then the fence stands at the margin. In a list it has the indentation of the item.
    """
    own = next(filter(str.strip, around.target), "")
    fence = read_fence(first)
    if around.language not in MARKDOWN_LANGUAGES or fence is None or fence.indent:
        return False
    above = next(filter(str.strip, reversed(around.before)), "")
    is_in_list = above[:1].isspace() or _LIST_ITEM.match(above) is not None
    return own.startswith(_CODE_INDENTS) and not is_in_list


def is_indented_code(first: str, around: Surroundings) -> bool:
    """Whether a text for a page of Markdown begins with a block of indented code.

    A first line that begins as the range does is a text that is too deep.
    """
    if around.language not in MARKDOWN_LANGUAGES or not first.startswith(_CODE_INDENTS):
        return False
    own = next(filter(str.strip, around.target), "")
    return not own[:1].isspace() and first.split()[:1] != own.split()[:1]


def without_glued_end(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut off a closing fence at the end of the last line; None if there is none.

    Talk may stand below it.
    """
    places = [at for at, line in enumerate(lines) if line.strip()]
    while places and is_beside_code(lines[places[-1]]):
        places.pop()
    if not places or not has_glued_fence(lines[places[-1]]):
        return None
    head = lines[places[-1]].rstrip().removesuffix("```")
    is_known = any(map(has_glued_fence, around.lines))
    if around.language in PROSE_LANGUAGES:
        is_known = around.has("```")
    if is_known or head.count("`") % 2:
        return None
    return [*lines[: places[-1]], head.rstrip()]


def has_glued_fence(line: str) -> bool:
    """Whether a line ends with a fence behind more than the sign of a comment."""
    text = line.strip()
    return text.endswith("```") and not _SIGN.fullmatch(text[:-3].rstrip())


def _is_fence(line: str) -> bool:
    fence = read_fence(line)
    return fence is not None and not fence.indent and fence.run[0] == "`"
