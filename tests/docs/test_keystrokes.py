"""The keystrokes in docs/reference/editors.md are keys of our editor plugins."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
PAGE = _ROOT / "docs" / "reference" / "editors.md"
PACKAGE = _ROOT / "editors" / "vscode" / "package.json"
PLUGIN = _ROOT / "editors" / "neovim" / "lua" / "redline"

COMMANDS = {
    "ask and accept all": ("instruct", "", "acceptAll"),
    "go to the next change": ("nextChange",),
    "accept a change": ("acceptHunk",),
    "reject a change": ("rejectHunk",),
    "reject all": ("rejectAll",),
    "stop while it writes": ("stopHere",),
    "redirect": ("instruct", ""),
}
"""VS Code's command for each key of a task; empty: Enter in the box."""

ACTIONS = {
    "ask and accept all": ("redirect", "", "accept"),
    "go to the next change": ("next-hunk",),
    "accept a change": ("accept-hunk",),
    "reject a change": ("reject-hunk",),
    "reject all": ("reject",),
    "stop while it writes": ("stop",),
    "redirect": ("redirect", ""),
}
"""Neovim's action for each key; the key that redirects asks where no edit is."""

NEOVIM_KEYS = {"<Esc>": "Escape", "<CR>": "Enter", "<Tab>": "Tab", "<BS>": "Backspace"}


def tasks() -> dict[str, list[str]]:
    """The cells of each task."""
    _, _, section = PAGE.read_text(encoding="utf-8").partition("## Keystrokes")
    rows = [line.strip("|").split("|") for line in re.findall(r"^\|.+$", section, re.M)]
    return {task.strip(): [cell.strip() for cell in cells] for task, *cells in rows[2:]}


TASKS = tasks()


def keys_of(cell: str) -> list[str]:
    """The keys in a cell, as many as it says."""
    keys = re.findall(r"`([^`]+)`", cell)
    assert int(cell.partition(":")[0]) == len(keys)
    return keys


def test_every_task_is_checked() -> None:
    """Of both editors."""
    assert list(TASKS) == list(COMMANDS) == list(ACTIONS)


@pytest.mark.parametrize("task", TASKS)
def test_keys_of_vs_code(task: str) -> None:
    """Each is bound to the command of its step."""
    bound = {
        (each["key"], each["command"])
        for each in json.loads(PACKAGE.read_text())["contributes"]["keybindings"]
    }
    for key, command in zip(keys_of(TASKS[task][0]), COMMANDS[task], strict=True):
        is_enter = command == "" and key == "Enter"
        assert is_enter or (key.lower(), f"redline.{command}") in bound


@pytest.mark.parametrize("task", TASKS)
def test_keys_of_neovim(task: str) -> None:
    """Each is a default key of the plugin."""
    options = (PLUGIN / "options.lua").read_text(encoding="utf-8")
    default = options.partition("default_preview_keys = {")[2].partition("}")[0]
    found = re.findall(r"^\s*\[?'?([\w-]+)'?\]? = '([^']+)'", default, re.MULTILINE)
    keys = {name: _words(key) for name, key in found}
    for key, action in zip(keys_of(TASKS[task][1]), ACTIONS[task], strict=True):
        assert key == (keys[action] if action else "Enter")


@pytest.mark.parametrize("task", TASKS)
def test_no_task_takes_more_keys_than_elsewhere(task: str) -> None:
    """VS Code and Neovim against the best of the others."""
    ours, others = TASKS[task][:2], TASKS[task][2:]
    assert max(len(keys_of(cell)) for cell in ours) <= min(map(int, others))


def _words(key: str) -> str:
    with_ctrl = re.sub(r"<C-(\w)>", lambda found: f"Ctrl+{found[1].upper()}", key)
    return NEOVIM_KEYS.get(key, with_ctrl)
