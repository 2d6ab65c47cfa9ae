"""Makes text from a model, a server or a file harmless to show in an editor.

Editors run the command of a `command:` link, and fetch images. Links to web pages stay;
of everything else only the words do. There are two kinds of places: those that render
Markdown (`harmless`), and messages, titles and labels, which are plain text in the
protocol, but in which some editors follow links (`plain_message`).
"""

from __future__ import annotations

import re

from redline.printable import printable

_LINK = re.compile(r"\]\((?!\s*<?https?://)(?=[^)\s]{0,200}[:&\\%])", re.IGNORECASE)
"""The middle of a link whose address has a scheme, or may have one once decoded."""

_LINK_APART = re.compile(r"\]\((?=\s+(?!<?https?://))", re.IGNORECASE)
_IMAGE = re.compile(r"!\[")
_DEFINITION = re.compile(r"^(?P<depth>[ >*+-]{0,12})\[(?=[^\]\n]+\]:)", re.MULTILINE)
_AUTOLINK = re.compile(r"<(?=\s*(?!https?:)[a-z][a-z0-9+.-]+:(?!:))", re.IGNORECASE)
_TAG = re.compile(r"<(?=/?[a-z][a-z0-9]*(?:\s+[a-z-]+\s*=|\s*/>))", re.IGNORECASE)
_SCRIPT = re.compile(
    r"<(?=/?(?:script|style|iframe|object|embed|svg)\b)", re.IGNORECASE
)


def harmless(markdown: str) -> str:
    """Remove links that are not to web pages, images and tags.

    Code that looks like one of them is changed too, by a space or a `&lt;`: only the
    program that shows it knows where code ends, and no two agree.
    """
    text = _IMAGE.sub("! [", printable(markdown))
    text = _LINK.sub("] (", text)
    text = _LINK_APART.sub("] (", text)
    text = _DEFINITION.sub(r"\g<depth>\\[", text)
    for pattern in (_AUTOLINK, _TAG, _SCRIPT):
        text = pattern.sub("&lt;", text)
    return text


def plain_message(text: str) -> str:
    """Remove links from a plain text, and mark characters that cannot be shown.

    Everything else stays, since nothing renders it.
    """
    if "]" not in text:
        # There is no link.
        return printable(text)
    return _LINK_APART.sub("] (", _LINK.sub("] (", printable(text)))
