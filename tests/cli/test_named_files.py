"""Files that a command line names may be anything; a wrong one is one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redline.cli.main import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with an ordinary file, a pipe without a writer, and a huge file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "a.py").write_text("x = 1\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(200 * 2**30)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (command, name)
        for command in (
            "check --after a.py --before",
            "check --before a.py --after",
            "demo --file",
            "gateway --engine script --script",
            "stats --file",
        )
        for name in ("pipe", "folder", "/dev/zero", "huge", "absent")
        # `check` reads pipes, as of a shell's `<(command)`.
        if not (name == "pipe" and command.startswith("check"))
    ],
)
def test_a_file_that_cannot_be_read(
    command: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is neither waited for nor read until memory ends."""
    code = main([*command.split(), name])
    output = capsys.readouterr()
    # Usage that is damaged or missing is a failure, not a wrong argument.
    is_of_the_store = command == "stats --file" and name in ("huge", "absent")
    assert (code, output.out) == (1 if is_of_the_store else 2, "")
    assert output.err.count("\n") == 1
    assert Path(name).name in output.err
