"""Drafts that parse and are broken, and right edits that look like them.

`tests/data/broken_drafts.jsonl` was written before the rules that it tests, in 20
languages, by their author. What is not caught is marked as `missed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from redline.checks.all_checks import check
from redline.checks.candidate import CheckedEdit
from redline.checks.python.environment import PythonEnvironment
from redline.text.lines import split_lines

DATA = Path(__file__).parents[1] / "data" / "broken_drafts.jsonl"


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the file."""

    id: str
    path: str
    file: str
    first: int
    end: int
    instruction: str
    reply: str
    expect: Literal["caught", "missed", "right", "held"]
    """`held` is right, and a problem is reported all the same."""
    fault: str
    files: Mapping[str, str] = {}


DRAFTS = [
    msgspec.json.decode(line, type=Draft) for line in DATA.read_bytes().splitlines()
]


@pytest.mark.parametrize("draft", DRAFTS, ids=lambda draft: draft.id)
def test_verdicts(draft: Draft, tmp_path: Path) -> None:
    """A broken draft has a problem, and a right one has none."""
    path = tmp_path / draft.path
    for name, text in {**draft.files, draft.path: draft.file}.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    lines, new = split_lines(draft.file), split_lines(draft.reply)[:-1]
    candidate = CheckedEdit(
        before=lines,
        after=[*lines[: draft.first], *new, *lines[draft.end :]],
        region_before=range(draft.first, draft.end),
        region_after=range(draft.first, draft.first + len(new)),
        path=str(path),
        instruction=draft.instruction,
    )
    environment = PythonEnvironment([tmp_path], configured=None)
    found = check(candidate, environment=environment)
    assert bool(found) == (draft.expect in ("caught", "held")), found
