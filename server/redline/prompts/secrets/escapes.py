"""Text with escapes, as in a notebook, JSON in JSON, a URL or an attribute of HTML."""

from __future__ import annotations

import re
from html import unescape

_SIGNS = "0a|20|22|27|2[cC]|3[aA]|3[b-eB-E]|3[fF]|40|5[bdBD]|7[bdBD]"
"""Codes of signs that separate a name and a value; none of them begins an escape."""

_ESCAPE = re.compile(
    rf"\\u00(?:{_SIGNS}|26)|\\x(?:{_SIGNS}|26)|%(?:{_SIGNS}|26)|\\[^\n]"
    rf"|&(?:quot|apos|lt|gt|\#0?3[49]|\#x(?:{_SIGNS}));"
)
"""An escape sequence of strings, of URLs (RFC 3986 section 2.1) or of HTML.

None stands for a percent sign, and none of HTML for an ampersand: what was decoded has
fewer escapes.
"""

_HIDES_SIGN = re.compile(
    rf"\\[\"']|\\u00(?:{_SIGNS}|26)|\\x(?:{_SIGNS})|%(?:22|27|3[aA]|3[dD])"
    r"|&(?:quot|apos|\#0?3[49]|\#x(?:22|27));"
)
_CHARS = {"n": "\n", "r": "\r", "t": "\t"}


def has_escaped_sign(line: str) -> bool:
    """Whether a line has an escape of a sign that stands beside a value."""
    return ("\\" in line or "%" in line or "&" in line) and _HIDES_SIGN.search(
        line
    ) is not None


def unescaped(line: str) -> tuple[str, list[int]]:
    """Replace each escape by the character that it stands for.

    Returns:
        The text, and where each of its characters starts in the line; then the length
        of the line.
    """
    pieces: list[str] = []
    starts: list[int] = []
    end = 0
    for escape in _ESCAPE.finditer(line):
        begin = escape.start()
        pieces += line[end:begin], _char(escape[0])
        starts += range(end, begin + 1)
        end = escape.end()
    pieces.append(line[end:])
    starts += range(end, len(line) + 1)
    return "".join(pieces), starts


def _char(escape: str) -> str:
    if escape[0] == "&":
        return unescape(escape)
    if len(escape) > 2:
        return chr(int(escape[-2:], 16))
    return _CHARS.get(escape[1], escape[1])
