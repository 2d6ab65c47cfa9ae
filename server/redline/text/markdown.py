"""Makes text from a model, a server or a file harmless to show in an editor.

Editors run the command of a `command:` link, and fetch images. Links to web pages stay;
of everything else only the words do. There are two kinds of places: those that render
Markdown (`harmless`), and messages, titles and labels, which are plain text in the
protocol, but in which some editors follow links (`plain_message`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.printable import printable

_LINK = re.compile(r"\]\((?!\s*<?https?://)(?=[^)\s]{0,200}[:&\\%])", re.IGNORECASE)
"""The middle of a link whose address has a scheme, or may have one once decoded."""

_LINK_APART = re.compile(r"\]\((?=\s+(?!<?https?://))", re.IGNORECASE)
_LINK_TO_ROOT = re.compile(r"\]\((?=<?/)")
"""The middle of a link to a file by its whole path, or on another machine."""
_LINK_TO_FILE = re.compile(r"\]\((?!\s*<?https?://)", re.IGNORECASE)
"""The middle of any link that is not to a web page, or of code."""

_IMAGE = re.compile(r"!\[")
_DEFINITION = re.compile(r"^(?P<depth>[ >*+-]{0,12})\[(?=[^\]\n]+\]:)", re.MULTILINE)
_AUTOLINK = re.compile(r"<(?=\s*(?!https?:)[a-z][a-z0-9+.-]+:(?!:))", re.IGNORECASE)
_TAG = re.compile(r"<(?=/?[a-z][a-z0-9]*(?:\s+[a-z-]+\s*=|\s*/>))", re.IGNORECASE)
_SCRIPT = re.compile(
    r"<(?=/?(?:script|style|iframe|object|embed|svg)\b)", re.IGNORECASE
)
_NAMES = """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo
    bgsound big blink blockquote body br button canvas caption center cite code col
    colgroup data datalist dd del details dfn dialog dir div dl dt em fieldset
    figcaption figure font footer form frame frameset h[1-6] head header hgroup hr
    html i image img input ins isindex kbd keygen label legend li link listing main
    map mark marquee math menu menuitem meta meter multicol nav nextid nobr noembed
    noframes noscript ol optgroup option output p param picture plaintext portal pre
    progress q rb rp rt rtc ruby s samp search section select slot small source
    spacer span strike strong sub summary sup table tbody td template textarea tfoot
    th thead time title tr track tt u ul var video wbr xmp
"""
_ELEMENT = re.compile(
    rf"<(?=[!?]|/?(?:{'|'.join(_NAMES.split())})[\s/>])", re.IGNORECASE
)
"""The start of an element of HTML, a comment or a declaration; other words in brackets
are types of code."""

_FENCE = re.compile(r"[ ]{0,3}(?P<run>`{3,}|~{3,})[^`]*")
_FENCE_ELSEWHERE = re.compile(
    r"^(?:[ ]{4,}|[ ]{0,3}[^\s`~])[^`~\n]{0,20}(?:```|~~~)", re.M
)
"""One in a list or a quotation, whose end depends on what that is."""
_CODE_SPAN = re.compile(r"(?<![`\\])(?P<run>`{1,3})(?!`)[^`|\n]{1,2000}(?P=run)(?!`)")
"""Code within a line; not of several cells of a table."""


def harmless(markdown: str) -> str:
    """Remove links that are not to web pages, images and tags.

    In code, only what could do something by itself is changed, too, by a space or a
    `&lt;`: only the program that shows it knows where code ends, and no two agree.
    """
    text = _IMAGE.sub("! [", printable(markdown))
    for pattern in (_LINK, _LINK_APART, _LINK_TO_ROOT):
        text = pattern.sub("] (", text)
    text = _DEFINITION.sub(r"\g<depth>\\[", text)
    for pattern in (_AUTOLINK, _TAG, _SCRIPT):
        text = pattern.sub("&lt;", text)
    return "".join(
        part if is_code else _ELEMENT.sub("&lt;", _LINK_TO_FILE.sub("] (", part))
        for part, is_code in _parts(text)
    )


def plain_message(text: str) -> str:
    """Remove links from a plain text, and mark characters that cannot be shown.

    Everything else stays, since nothing renders it.
    """
    if "]" not in text:
        # There is no link.
        return printable(text)
    return _LINK_APART.sub("] (", _LINK.sub("] (", printable(text)))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a Markdown text, and whether each certainly is code."""
    has_fences = _FENCE_ELSEWHERE.search(text) is None
    run = ""
    for line in text.splitlines(keepends=True):
        found = _FENCE.fullmatch(line.rstrip()) if has_fences else None
        if run:
            yield line, True
            is_end = line.strip().strip(run[0]) == "" and len(line.strip()) >= len(run)
            run = "" if found and is_end else run
        elif found:
            run = found["run"]
            yield line, True
        else:
            at = 0
            for span in _CODE_SPAN.finditer(line):
                yield line[at : span.start()], False
                yield span[0], True
                at = span.end()
            yield line[at:], False
