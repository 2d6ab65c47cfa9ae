"""Text that a model, a server or a file wrote, made harmless to show in an editor.

Editors run what a `command:` link names, and fetch images. Links to web pages stay; of
everything else only the words do. There are two kinds of places: those that render
Markdown (`harmless`), and messages, titles and labels, which are plain text to the
protocol and in which some editors follow links all the same (`plain_message`).
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
    """Take the links out that are not to web pages, the images and the tags.

    Code that looks like one of them is changed too, by a space or a `&lt;`: where code
    ends is for the program that shows it to say, and no two agree.
    """
    text = _IMAGE.sub("! [", printable(markdown))
    text = _LINK.sub("] (", text)
    text = _LINK_APART.sub("] (", text)
    text = _DEFINITION.sub(r"\g<depth>\\[", text)
    for pattern in (_AUTOLINK, _TAG, _SCRIPT):
        text = pattern.sub("&lt;", text)
    return text


def plain_message(text: str) -> str:
    """Take the links out of a plain text, and mark what cannot be shown.

    Everything else stays as it is: nothing renders it.
    """
    return _LINK_APART.sub("] (", _LINK.sub("] (", printable(text)))
