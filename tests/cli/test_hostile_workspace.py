"""A workspace of special files and wrong lines hangs nothing and fails nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

FAULTY = "def f(a=[]):\n    return a\n"

SPECIAL: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "kmsg": lambda path: path.symlink_to("/dev/kmsg"),
    "stdin": lambda path: path.symlink_to("/dev/stdin"),
    "full": lambda path: path.symlink_to("/dev/full"),
    "loop": lambda path: path.symlink_to(path.name),
}


@pytest.fixture
def open_input() -> Iterator[int]:
    """Standard input that nobody writes to and nobody closes."""
    reading, writing = os.pipe()
    yield reading
    os.close(reading)
    os.close(writing)


def n_findings(folder: Path, open_input: int) -> int:
    """Run `redline review a.py`, and count what it finds."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "redline", "review", "--quiet", "--force"),
            *("--format", "json", "a.py"),
        ],
        cwd=folder,
        stdin=open_input,
        capture_output=True,
        timeout=100,
        check=False,
        env=os.environ | {"HOME": str(folder.parent)},
    )
    assert done.returncode == 0, done.stderr
    return len(json.loads(done.stdout)["findings"])


@pytest.mark.parametrize("kind", SPECIAL)
def test_a_review_does_not_wait_for_special_files(
    tmp_path: Path, open_input: int, kind: str
) -> None:
    """Whichever of the files that are read it stands for."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text(FAULTY)
    for name in (
        *(".gitignore", ".redlineignore", "Pipfile", "pyproject.toml", "setup.cfg"),
        *("redline.toml", "b.py", "config.yaml", "requirements.txt"),
    ):
        SPECIAL[kind](project / name)
    assert n_findings(project, open_input) == 1


def test_wrong_lines_in_ignore_files_fail_no_review(
    tmp_path: Path, open_input: int
) -> None:
    """Git does not use them either."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text(FAULTY)
    for name in (".gitignore", ".redlineignore"):
        (project / name).write_text("bin\\\n!\n[z-a]\n[\n")
    assert n_findings(project, open_input) == 1
