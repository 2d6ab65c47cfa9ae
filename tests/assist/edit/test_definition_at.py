"""What an edit at a cursor works on."""

from __future__ import annotations

import pytest

from redline.assist.edit.definition_at import target_at
from redline.text.document import Document
from redline.text.position import Encoding, Position

PYTHON = """\
import math

RATE = 0.19

class Shop:
    name = "a"

    @property
    def total(self):
        def tax(x):
            return x * RATE
        return tax(1)

def last(items): return items[-1]"""

GO = "package a\n\nfunc (s *Shop) Total() int {\n\treturn 1\n}\n"


@pytest.mark.parametrize(
    ("text", "language", "line", "expected", "name"),
    [
        (PYTHON, "python", 0, (0, 1), None),
        (PYTHON, "python", 1, (1, 1), None),
        (PYTHON, "python", 2, (2, 3), None),
        (PYTHON, "python", 5, (4, 12), "Shop"),
        (PYTHON, "python", 7, (7, 12), "Shop.total"),
        (PYTHON, "python", 10, (9, 11), "Shop.total.tax"),
        (PYTHON, "python", 11, (7, 12), "Shop.total"),
        (PYTHON, "python", 13, (13, 13), "last"),
        (GO, "go", 3, (2, 5), "Shop.Total"),
        ("some text\n", "plaintext", 0, (0, 1), None),
        ("", "python", 0, (0, 0), None),
        ("def f():\n" + "    x = 1\n" * 300, "python", 9, (9, 10), None),
    ],
)
async def test_the_innermost_definition(
    text: str, language: str, line: int, expected: tuple[int, int], name: str | None
) -> None:
    """Else the line, or a place on a blank one."""
    document = Document(
        uri="file:///a/text",
        language_id=language,
        version=1,
        text=text,
        encoding=Encoding.UTF_16,
    )
    target = await target_at(document.snapshot(), Position(line, 0))
    assert (target.range.start.line, target.range.end.line) == expected
    assert target.name == name
