"""The files and settings that the measures work on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.checks.all_checks import RULES

ROOT_URI = "file:///bench"
"""A workspace folder that does not exist, since documents come from the editor."""

URI = f"{ROOT_URI}/module.py"

N_TOKENS_A_LINE = 10

_MARK = re.compile(rb"new_(\d{6})")

_SETTINGS = """\
[models.bench]
api = "{api}"
url = "{url}"
name = "bench"
{model}
[tiers]
fast = "bench"

[edit]
{edit}

[checks]
off = {off}
repair = false
escalate = false

[next_edit]
model = "none"
"""


def source_lines(n_lines: int) -> list[str]:
    """Return lines of Python, without their ends, each different from all others.

    45 bytes a line on average, as in the standard library.
    """
    return [
        f"    value_{number:06d} = transform(value, scale={number})"
        if number % 8
        else f"def function_{number:06d}(value: int) -> int:"
        for number in range(n_lines)
    ]


def rewritten(lines: Sequence[str]) -> list[str]:
    """Return lines with their ends, every other one changed.

    Each delta that is one of them then paints something, and little of it. The changed
    ones hold `new_` and their number in six digits.
    """
    return [
        f"    value_{number:06d} = changed(value)  # new_{number:06d}\n"
        if number % 2
        else line + "\n"
        for number, line in enumerate(lines)
    ]


def first_seen(read: Sequence[tuple[float, bytes]]) -> dict[int, float]:
    """Return when each changed line of `rewritten` was first read, by its number."""
    seen: dict[int, float] = {}
    for at, data in read:
        for mark in _MARK.findall(data):
            seen.setdefault(int(mark), at)
    return seen


def in_tokens(lines: Sequence[str]) -> list[str]:
    """Cut lines into pieces of four to five characters, as a tokenizer cuts code."""
    text = "".join(lines)
    size = max(1, len(text) // (len(lines) * N_TOKENS_A_LINE))
    return [text[at : at + size] for at in range(0, len(text), size)]


def text_of(lines: Sequence[str]) -> str:
    """Return lines with their ends."""
    return "".join(line + "\n" for line in lines)


def settings(
    url: str,
    *,
    api: str = "responses-socket",
    edit: Sequence[str] = (),
    model: Sequence[str] = (),
) -> str:
    """Write a `config.toml` whose fast tier is the model at an address.

    The checks are off, because a measure of its own has their cost.

    Args:
        url: Where the model is.
        api: Which wire format it speaks.
        edit: Further lines of the `edit` table.
        model: Further lines of the model's own table.
    """
    return _SETTINGS.format(
        api=api,
        url=url,
        edit="\n".join(edit),
        model="\n".join(model),
        off=list(RULES),
    )
