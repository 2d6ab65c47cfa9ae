"""The files that define what the code of a failure calls."""

from __future__ import annotations

import pytest

from redline.assist.plan.debug.case import MAX_HOLDING_FILES, defining_paths


@pytest.mark.parametrize(
    "text",
    [
        "def total(rows):",
        "class total:",
        "func (c Cart) total() int {",
        "function total() {",
        "pub fn total() -> u32 {",
        "const total = (rows) => 0",
    ],
)
def test_files_that_define_a_name_are_found(text: str) -> None:
    """In the languages whose failures are read; a call is no definition."""
    held = {"total": {"calls.py": "n = total(rows)\n", "defines": f"\n{text}\n"}}
    assert list(defining_paths(held)) == ["defines"]


@pytest.mark.parametrize(("n_more", "found"), [(-1, ["a", "b"]), (0, ["b"])])
def test_a_name_that_very_many_files_hold_is_left_out(
    n_more: int, found: list[str]
) -> None:
    """It is a common word, and comparing all of them would take long."""
    calls = {f"{n}.py": "show()\n" for n in range(MAX_HOLDING_FILES + n_more)}
    held = {
        "show": {**calls, "a": "def show(): ...\n"},
        "total": {"b": "def total(): ...\n", "calls": "total()\n"},
        "totals": {"b": "def totals(): ...\ndef total(): ...\n"},
    }
    assert list(defining_paths(held)) == found
