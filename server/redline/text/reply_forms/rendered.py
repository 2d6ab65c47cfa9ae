"""Reads the text of a reply that came as HTML, as a page shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_START = re.compile(
    r"\s*<(?P<name>pre|div|table|thead|tbody|tr|p|span|code|font|ol|ul|figure|section"
    r"|article|html|body|!doctype)\b[^<>]*+>",
    re.IGNORECASE,
)
_WITH_TAGS = frozenset(
    {"astro", "blade", "erb", "handlebars", "html", "javascript", "javascriptreact"}
    | {"php", "svelte", "typescriptreact", "vue", "xml"}
)
"""LSP language ids in which a tag is code."""
_ELEMENTS = frozenset(
    {"a", "article", "b", "body", "br", "button", "code", "div", "em", "figcaption"}
    | {"figure", "font", "head", "hr", "html", "i", "li", "link", "meta", "mark", "ol"}
    | {
        "p",
        "pre",
        "section",
        "small",
        "span",
        "strong",
        "style",
        "svg",
        "path",
        "table",
    }
    | {"tbody", "td", "th", "thead", "title", "tr", "u", "ul", "summary", "details"}
    | {"h1", "h2", "h3", "h4"}
)
"""Elements of pages that show code."""
_LINES = frozenset({"br", "div", "figure", "li", "p", "tr"})
"""Elements that end a line."""
_BREAK = re.compile(r"<br ?/?>\s*$|&nbsp;")


def text_of_page(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Return the text that a page shows; None if the reply is none."""
    if around.language in PROSE_LANGUAGES or around.may_be_in_text:
        return None
    text = "\n".join(lines).strip()
    start = _START.match(text)
    if start is not None:
        is_code = around.language in _WITH_TAGS and start["name"] != "pre"
        if is_code or around.has(f"<{start['name']}") or not text.endswith(">"):
            return None
    elif not _is_broken_by_tags(lines, around):
        return None
    page = _Page()
    page.feed(text)
    page.close()
    if page.has_other:
        return None
    fitting = [one for one in page.texts() if fits(one, around)]
    if len(fitting) == 1:
        return fitting[0]
    return None if around.language in _WITH_TAGS else "unsure"


def _is_broken_by_tags(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether all lines but the last end with a tag for that."""
    texts = [line for line in lines if line.strip()]
    ends = [line for line in texts if _BREAK.search(line)]
    return (
        len(ends) > 1
        and len(ends) >= len(texts) - 1
        and not any(map(_BREAK.search, around.lines))
    )


class _Page(HTMLParser):
    """Collects the texts of a page: those of its blocks of code, or else all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._all: list[str] = []
        self._blocks: list[list[str]] = []
        self._is_in_block = False
        self._n_cells = 0
        self._is_after_break = False
        self.has_other = False
        """Whether a tag is none that shows code."""

    def texts(self) -> list[list[str]]:
        """Return the texts as lines."""
        blocks = self._blocks or [self._all]
        return ["".join(block).strip("\n").split("\n") for block in blocks]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a block, a line or a cell."""
        self.has_other |= tag not in _ELEMENTS
        if tag == "pre":
            self._is_in_block = True
            self._blocks.append([])
        elif tag == "br":
            self._add("\n")
        elif tag == "tr":
            self._n_cells = 0
        elif tag in ("td", "th"):
            self._n_cells += 1
            if self._n_cells > 1:
                self._add("\t")  # As behind the number of a line.
        self._is_after_break = tag == "br"

    def handle_endtag(self, tag: str) -> None:
        """End a block or a line."""
        if tag == "pre":
            self._is_in_block = False
        text = (self._blocks[-1] if self._is_in_block else self._all)[-1:]
        if tag in _LINES and text and not text[0].endswith("\n"):
            self._add("\n")
        self._is_after_break = tag in _LINES

    def handle_data(self, data: str) -> None:
        """Add a text; a line end behind a tag that ends the line is not one more."""
        if self._is_after_break:
            data = data.removeprefix("\n")
        self._is_after_break = False
        if data:
            self._add(data)

    def _add(self, text: str) -> None:
        (self._blocks[-1] if self._is_in_block else self._all).append(text)
