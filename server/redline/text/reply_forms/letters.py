"""Reads a whole reply in a form that carries text where only some signs may be sent.

That is the response of a server with its headers, a form of a page, a data URI, lines
in base64, and the literal of bytes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote, unquote_plus

from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Doubt, Surroundings
from redline.text.reply_forms.transport import from_base64

_HTTP = re.compile(r"HTTP/\d(?:\.\d)? \d{3}\b")
_HEADER = re.compile(r"[A-Za-z][\w-]*: ?\S")
_FORM = re.compile(r"[\w-]{1,40}=(?P<value>[^\s&=]+)(?:&[\w-]{1,40}=[^\s&=]*)*")
_URI = re.compile(r"data:[\w/+.;=-]{0,80},(?P<data>\S+)")
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}|[A-Za-z0-9+/]+={0,2}")
_BYTES = re.compile(r"b(?:\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+')")
_MAX_N_CHARS = 200_000


def text_of_data(
    lines: Sequence[str], around: Surroundings
) -> list[str] | Doubt | None:
    """Return the text that a reply carries; None if it has no such form."""
    text = "\n".join(lines).strip()
    if len(text) > _MAX_N_CHARS or around.may_be_in_text:
        return None
    for read in _READERS:
        if (found := read(text)) and fits(found.split("\n"), around):
            return found.strip("\n").split("\n")
    return None


def _body(text: str) -> str:
    """Return what follows the headers of a response."""
    head, _, body = text.partition("\n\n")
    first, *headers = head.split("\n")
    return body if _HTTP.match(first) and all(map(_HEADER.match, headers)) else ""


def _of_form(text: str) -> str:
    found = _FORM.fullmatch(text)
    if found is None or "%0A" not in found["value"].upper():
        return ""
    return unquote_plus(found["value"])


def _of_uri(text: str) -> str:
    found = _URI.fullmatch(text)
    if found is None:
        return ""
    head = text[: found.start("data")]
    return (from_base64 if ";base64" in head else unquote)(found["data"])


def _of_lines(text: str) -> str:
    lines = text.split("\n")
    if len(lines) < 2 or len({len(line) for line in lines[:-1]}) > 1:
        return ""
    is_all = all(map(_BASE64_LINE.fullmatch, lines))
    return from_base64("".join(lines)) if is_all else ""


def _of_bytes(text: str) -> str:
    if not _BYTES.fullmatch(text):
        return ""
    try:
        return str(ast.literal_eval(text).decode())
    except (SyntaxError, ValueError):
        return ""


_READERS: tuple[Callable[[str], str], ...] = (
    _body,
    _of_form,
    _of_uri,
    _of_lines,
    _of_bytes,
)
