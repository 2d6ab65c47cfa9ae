"""Lines without a sign are not searched, so none of them may hold a secret."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.secrets import SHAPES, make_key
from hypothesis import example, given
from hypothesis import strategies as st

from redline.prompts.secrets import commands, formats, provider_keys
from redline.prompts.secrets.names import NAME, promise_of
from redline.prompts.secrets.neighbours import NEAR
from redline.prompts.secrets.signs import lines_with_signs

DATA = Path(__file__).parents[2] / "data" / "secrets"


def corpus() -> Iterator[str]:
    """Yield the lines of every example of a secret, in all places."""
    source = random.Random(5)
    keys = [
        make_key(shape["shape"], source) for shape in json.loads(SHAPES.read_text())
    ]
    yield from keys
    for path in sorted(DATA.glob("*.json")):
        for text in strings_of(json.loads(path.read_text(encoding="utf-8"))):
            for line in text.split("\n"):
                yield line.replace("VALUE", "Tr0ub4dor3x")


def strings_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings_of(each)


LINES = sorted(set(corpus()))
PIECES = sorted({piece for line in LINES for piece in re.findall(r"\w+|\W", line)})


PATTERNS = [
    provider_keys.KEY,
    formats.HEADER,
    formats.RANDOM_STRING,
    formats.URL_PASSWORD,
    commands._FIELD,
    commands._ACCOUNT,
    commands._CHANGED_PASSWORD,
    commands._PIPED,
    NEAR,
]
"""What finds secrets in a line, without the shortcuts of the search."""


def may_hold_secret(line: str) -> bool:
    """Whether a pattern finds something in a line."""
    if any(pattern.search(line) for pattern in PATTERNS):
        return True
    if formats.KEY_LINES.match(line + "\n"):
        return True
    if any(map(promise_of, NAME.findall(line))):
        return True
    return any(
        program.search(line) and options.search(line)
        for program, options in commands._COMMANDS
    )


def test_each_example_with_a_secret_has_a_sign() -> None:
    """A new pattern needs a sign, and an example here."""
    signed = lines_with_signs(LINES)
    assert len(LINES) > 1_000
    assert [
        line for line in LINES if line not in signed and may_hold_secret(line)
    ] == []


@example(["db:5432:shop:ada:hunter2x"])
@example(["mysql", " ", "-p", "hunter2x"])
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_a_line_without_a_sign_holds_nothing(pieces: list[str]) -> None:
    line = "".join(pieces)
    assert lines_with_signs([line]) or not may_hold_secret(line)


@given(st.lists(st.sampled_from(LINES), max_size=8))
def test_lines_have_signs_of_their_own(lines: list[str]) -> None:
    """The lines around a line do not matter."""
    alone = {line for line in lines if lines_with_signs([line])}
    assert lines_with_signs(lines) == alone
