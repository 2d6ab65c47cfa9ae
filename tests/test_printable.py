"""What others wrote reaches a terminal and a log as text and nothing else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.printable import MARK, printable, printable_line


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain, ünïcode, \u65e5\u672c", "plain, ünïcode, \u65e5\u672c"),
        ("two\n\tlines", "two\n\tlines"),
        ("\x1b[31mred\x1b[0m", f"{MARK}[31mred{MARK}[0m"),
        ("\x1b]8;;file:///etc\x07x", f"{MARK}]8;;file:///etc{MARK}x"),
        ("over\rwritten\b", f"over{MARK}written{MARK}"),
        ("\u202egnp.exe", f"{MARK}gnp.exe"),
        ("a\u200bb\u2066c", f"a{MARK}b{MARK}c"),
        ("no\u00a0break\u2028line", "no break line"),
        ("\udcff", MARK),
    ],
)
def test_controls_are_marked(written: str, shown: str) -> None:
    assert printable(written) == shown


@given(text=st.text(st.characters()))
def test_no_control_character_is_left(text: str) -> None:
    """Of any kind: C0, C1, format, surrogate, private and unassigned."""
    kinds = {unicodedata.category(one) for one in printable(text) if one not in "\n\t"}
    assert not {kind for kind in kinds if kind.startswith("C")}
    assert not {"Zl", "Zp"} & kinds
    assert not set("\n\t") & set(printable_line(text))
