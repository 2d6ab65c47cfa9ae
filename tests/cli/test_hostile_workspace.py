"""Special files and invalid lines in a workspace cause no hang and no failure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.runs import stride

FAULTY = "def f(a=[]):\n    return a\n"

SPECIAL: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "kmsg": lambda path: path.symlink_to("/dev/kmsg"),
    "zero": lambda path: path.symlink_to("/dev/zero"),
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


def review(
    folder: Path, open_input: int, *options: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `redline review`."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "redline", "review", "--quiet", "--force"),
            *("--format", "json", *options),
        ],
        cwd=folder,
        stdin=open_input,
        capture_output=True,
        timeout=100,
        check=False,
        env=os.environ | {"HOME": str(folder.parent)},
    )


def n_findings(folder: Path, open_input: int) -> int:
    """Run `redline review a.py`, and count what it finds."""
    done = review(folder, open_input, "a.py")
    assert done.returncode == 0, done.stderr
    return len(json.loads(done.stdout)["findings"])


def git(folder: Path, *words: str) -> None:
    """Run git with a fixed identity."""
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, timeout=100)


@pytest.mark.parametrize("kind", list(SPECIAL)[:: stride(3)])
def test_a_review_does_not_wait_for_special_files(
    tmp_path: Path, open_input: int, kind: str
) -> None:
    """For each kind of file that is read."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text(FAULTY)
    for name in (
        *(".gitignore", ".redlineignore", "Pipfile", "pyproject.toml", "setup.cfg"),
        *("redline.toml", "b.py", "config.yaml", "requirements.txt"),
    ):
        SPECIAL[kind](project / name)
    if kind == "loop":
        # What patterns it stands for is not known, so it holds back all files.
        (project / ".redlineignore").unlink()
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


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        (".gitignore", ()),
        ("inner/.gitattributes", ("--staged",)),
        (".git/info/exclude", ("--base", "HEAD~1")),
    ],
)
def test_a_review_of_a_change_names_the_pipe_that_git_would_wait_for(
    tmp_path: Path, open_input: int, name: str, scope: tuple[str, ...]
) -> None:
    """Git itself opens it, and would be ended after its limit of 30 s."""
    project = tmp_path / "project"
    (project / "inner").mkdir(parents=True)
    git(tmp_path, "init", "--quiet", str(project))
    for text in ("def f(a):\n    return a\n", FAULTY):
        (project / "inner" / "a.py").write_text(text)
        git(project, "add", ".")
        git(project, "commit", "--quiet", "--message", "x")
    pipe = project / name
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    done = review(project, open_input, *scope)
    assert done.returncode == 3, done.stderr
    assert f"{name} is a pipe or a device" in json.loads(done.stdout)["message"]
