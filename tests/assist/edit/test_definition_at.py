"""What an edit at a cursor works on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from redline.assist.edit.definition_at import target_at
from redline.parsing.parser_pool import ParserPool
from redline.text.document import Document, Snapshot
from redline.text.position import Encoding, Position

pytestmark = pytest.mark.asyncio(loop_scope="module")

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


def document(text: str, language: str) -> Snapshot:
    return Document(
        uri="file:///a/text",
        language_id=language,
        version=1,
        text=text,
        encoding=Encoding.UTF_16,
    ).snapshot()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def parser() -> AsyncIterator[ParserPool]:
    """A real parser process."""
    pool = ParserPool()
    yield pool
    await pool.aclose()


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
    parser: ParserPool,
    text: str,
    language: str,
    line: int,
    expected: tuple[int, int],
    name: str | None,
) -> None:
    """Else the line, or a place on a blank one."""
    target = await target_at(document(text, language), Position(line, 0), parser)
    assert (target.range.start.line, target.range.end.line) == expected
    assert target.name == name


async def test_a_text_that_is_made_to_take_gigabytes(parser: ParserPool) -> None:
    """The parser process ends, and the target is the line."""
    target = await target_at(document("a<" * 20_000, "java"), Position(0, 0), parser)
    assert (target.range.start.line, target.name) == (0, None)


async def test_a_parser_that_takes_too_long() -> None:
    """The user waits for the line no longer than for the parser's limit."""
    pool = ParserPool(limit_s=0.001)
    try:
        target = await target_at(document(PYTHON, "python"), Position(7, 0), pool)
    finally:
        await pool.aclose()
    assert (target.range.start.line, target.name) == (7, None)
