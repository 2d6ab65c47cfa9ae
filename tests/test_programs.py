"""Programs are not looked for in the current folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from redline.assist.review.change.running_git import _ends_with_parent, git_command
from redline.errors import KeyMissingError
from redline.models.keys import CachedKey
from redline.programs import absolute_folders, find_program
from redline.settings.tree import KeySource

RELATIVE = ["", ".", "bin", "./bin", "../bin"]


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with programs of usual names, which leave a mark if they run."""
    mark = tmp_path / "mark"
    for folder in (tmp_path / "w", tmp_path / "w" / "bin", tmp_path / "bin"):
        folder.mkdir()
        for name in ("git", "setpriv", "pass", "true"):
            program = folder / name
            program.write_text(f"#!/bin/sh\ntouch {mark}\necho stolen\n")
            program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "w")
    return mark


def has_run(mark: Path) -> bool:
    """Whether one of the programs has run."""
    return mark.exists()


def path_with(element: str) -> str:
    """Return the search path of a shell with one more element in front."""
    return os.pathsep.join((element, os.environ["PATH"]))


@pytest.mark.parametrize("element", RELATIVE)
def test_relative_folders_are_left_out(hostile: Path, element: str) -> None:
    absolute = str(hostile.parent)
    search_path = os.pathsep.join((element, absolute))
    assert absolute_folders(search_path) == absolute
    assert find_program("git", search_path) is None
    assert find_program("git", f"{absolute}/bin") == f"{absolute}/bin/git"


@pytest.mark.parametrize("element", RELATIVE)
def test_git_is_not_the_one_of_the_workspace(
    hostile: Path, element: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path_with(element))
    _ends_with_parent.cache_clear()
    subprocess.run(git_command(["--version"]), check=True, capture_output=True)
    assert not hostile.exists()


@pytest.mark.parametrize("element", RELATIVE)
async def test_a_key_command_is_not_a_program_of_the_workspace(
    hostile: Path, element: str
) -> None:
    key = CachedKey(
        KeySource(command=("pass", "show", "key")), environ={"PATH": element}
    )
    with pytest.raises(KeyMissingError, match="Could not start"):
        await key.get()
    assert not has_run(hostile)
