"""Takes the range's part out of a page of HTML that a model has put around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from redline.text.reply_forms.copies import is_telling
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_PAGES = frozenset({"html", "svelte", "vue"})
"""LSP language ids of pages and of templates for them."""

_FRAME = re.compile(r"<(?:!doctype|html|body)\b", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:<(?:!doctype|html|head|body)\b[^<>]*>[ \t]*)+"
    r"|</head>(?:[ \t]*<body\b[^<>]*>)?",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:</(?:head|body|html)>[ \t]*)+|<body>[ \t]*</body>", re.IGNORECASE
)
_OF_PAGE = re.compile(r"<meta\b[^<>]*>|<title>[^<>]*</title>", re.IGNORECASE)
"""What says something about the page alone."""


def without_page(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Cut off the page around the range's part, if the range is within one.

    Returns:
        None if the reply has more of the file: then it repeats the file's page.
    """
    if around.language not in _PAGES or any(map(_FRAME.search, around.target)):
        return None
    texts = [at for at, line in enumerate(lines) if line.strip()]
    if not texts or not _FRAME.match(lines[texts[0]].strip()):
        return None
    above = "".join(around.before)
    if not above.strip() and not "".join(around.after).strip():
        return None
    inner = _inside(lines, texts, is_in_head=_is_in_head(above))
    if not inner or _has_more(inner, around):
        return None
    is_part = _FRAME.search(above) and not any(map(_FRAME.search, inner))
    return inner if is_part and fits(inner, around) else "unsure"


def _is_in_head(above: str) -> bool:
    text = above.lower()
    return text.rfind("<head>") > text.rfind("</head>")


def _inside(
    lines: Sequence[str], texts: Sequence[int], *, is_in_head: bool
) -> list[str]:
    """Return what is between the tags; nothing if no tag closes the page."""

    def is_above(at: int) -> bool:
        text = lines[at].strip()
        is_of_page = not is_in_head and _OF_PAGE.fullmatch(text)
        return bool(_OPENING.fullmatch(text) or is_of_page)

    def is_below(at: int) -> bool:
        return _CLOSING.fullmatch(lines[at].strip()) is not None

    n_above = len(list(takewhile(is_above, texts)))
    n_below = len(list(takewhile(is_below, reversed(texts))))
    if not n_below or n_above + n_below >= len(texts):
        return []
    return list(lines[texts[n_above] : texts[-n_below]])


def _has_more(inner: Sequence[str], around: Surroundings) -> bool:
    """Whether lines of the file around the range came, too."""
    own = {line.strip() for line in around.target}
    new = {text for line in inner if not _OPENING.fullmatch(text := line.strip())} - own
    parts = (around.before, around.after)
    shared = {line.strip() for part in parts for line in part} & new
    return is_telling(sorted(shared))
