"""Characters that are not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

import pytest

from redline.checks.hidden import check_hidden
from redline.text.hidden_characters import hidden_characters

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate


@pytest.mark.parametrize(
    ("after", "name"),
    [
        ("x = 1\nif role != 'user\u202e \u2066': # admin\n", "RIGHT-TO-LEFT OVERRIDE"),
        ("x = 1\nad\u200bmin = True\n", "ZERO WIDTH SPACE"),
        ("x = 1\nad\u200dmin = True\n", "ZERO WIDTH JOINER"),
        ("x = 1\nconst { \u3164 } = query\n", "HANGUL FILLER"),
        ("x = 1\nprint('\x1b]0;title\x07')\n", "U+001B"),
        ("x = 1\ny = '\ufe01\ufe07\ufe03'\n", "VARIATION SELECTOR-2"),
        ("x = 1\ny = 'ok\U000e0041\U000e0042'\n", "TAG LATIN CAPITAL LETTER A"),
        ("x = 1\n\ufeffy = 2\n", "ZERO WIDTH NO-BREAK SPACE"),
    ],
)
def test_hidden(make_candidate: MakeCandidate, after: str, name: str) -> None:
    """The first of a line is named, in code, strings and comments."""
    (problem,) = check_hidden(make_candidate("x = 1\n", after))
    assert (problem.rule, problem.line) == ("hidden-character", 1)
    assert name in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\x0c\r\n",
        "flag = '\U0001f3f4\U000e0067\U000e0062\U000e007f'\n",
        "family = '\U0001f468\u200d\U0001f469 1\ufe0f\u20e3 \u2764\ufe0f'\n",
        "word = '\u0645\u06cc\u200c\u062e\u0648 \u0915\u094d\u200d\u0937'\n",
        "name = 'na\xefve \u65e5\u672c\u8a9e'\n",
    ],
)
def test_shown(make_candidate: MakeCandidate, text: str) -> None:
    """What scripts and pictures are written with is no fault."""
    assert not [*check_hidden(make_candidate("x = 1\n", text))]


def test_each_control_character_is_hidden() -> None:
    """Those of Unicode's first blocks, but for the ends of lines and pages."""
    found = {one for one in map(chr, range(0x361)) if [*hidden_characters(one)]}
    controls = {one for one in map(chr, range(0x361)) if category(one) in ("Cc", "Cf")}
    assert found == controls - set("\t\n\f\r\x85")


def test_known(make_candidate: MakeCandidate) -> None:
    """What the file or the instruction has is no fault, as others still are."""
    before, after = "rtl = '\u200f'\n", "rtl = '\u200f\u200f'\n"
    assert not [*check_hidden(make_candidate(before, after))]
    assert [*check_hidden(make_candidate(before, "rtl = '\u200f\u202e'\n"))]
    asked = make_candidate("x = ''\n", "x = '\u200b'\n", instruction="join by '\u200b'")
    assert not [*check_hidden(asked)]
