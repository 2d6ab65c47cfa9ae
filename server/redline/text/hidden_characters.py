"""Finds characters that are not shown, or that change the order of what is shown.

Code with them does not read as it runs: bidirectional controls reorder it ("Trojan
Source", CVE-2021-42574), and names that look alike differ by a character without width.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_HIDDEN = re.compile(
    # Controls, but for tab, line feed, form feed and carriage return.
    r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
    # Bidirectional controls, blanks without width, invisible operators.
    r"\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    # Letters without a shape.
    r"\u115f\u1160\u3164\uffa0]"
    # Joiners, which other scripts and pictures need, behind a Latin letter.
    r"|(?<=[\x00-\u024f])[\u200c\u200d]"
    # Tags and selectors, which flags and pictures need, as a hidden text.
    r"|(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0000-\U000e007f]"
    r"|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}"
)


_USUAL = re.compile(r"[\t\n\f\r -~\xa1-\xac\xae-\u0360]*")
"""Characters of most texts, of which none is hidden."""


def hidden_characters(text: str) -> Iterator[str]:
    """Yield each hidden character of a text, in order."""
    if _USUAL.fullmatch(text):
        return
    for found in _HIDDEN.finditer(text):
        yield found[0][0]


def character_name(one: str) -> str:
    """Return a character's code point, with its name if Unicode has one."""
    return f"U+{ord(one):04X} {unicodedata.name(one, '')}".rstrip()
