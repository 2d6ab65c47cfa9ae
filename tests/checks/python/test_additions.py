"""Standard names that are too new, and packages that nothing declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.imports import check_imports
from redline.text.line_diff import LineHunk, apply_hunks
from redline.text.lines import split_lines

PYPROJECT = '[project]\nrequires-python = ">=3.10"\ndependencies = ["PyYAML"]\n'


def messages(folder: Path, after: str, *, before: str = "") -> list[str]:
    """Check an edit of a whole module in a folder."""
    old, new = split_lines(before), split_lines(after)
    candidate = CheckedEdit(
        before=old,
        after=new,
        region_before=range(len(old)),
        region_after=range(len(new)),
        path="a.py",
    )
    found = check_imports(candidate, PythonEnvironment([folder]))
    return [problem.message for problem in found]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that allows Python 3.10, without an environment."""
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "own.py").write_text("x = 1\n")
    (tmp_path / "a.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("import tomllib", "tomllib"),
        ("from itertools import batched", "itertools.batched"),
        ("from typing import Self", "typing.Self"),
        ("from itertools import chunked", "chunked"),
        ("from functools import memoize", "memoize"),
        ("import fast_retry", "fast_retry"),
        ("from fast_retry.inner import x", "fast_retry"),
    ],
)
def test_reported(project: Path, line: str, named: str) -> None:
    """With the name."""
    [message] = messages(project, f"{line}\n")
    assert named in message


@pytest.mark.parametrize(
    "text",
    [
        "import yaml\n",
        "import own\n",
        "from itertools import pairwise\n",
        "try:\n    import tomllib\nexcept ImportError:\n    tomllib = None\n",
        "import sys\nif sys.version_info >= (3, 11):\n    import tomllib\n",
    ],
)
def test_left_alone(project: Path, text: str) -> None:
    """What is old enough, declared, there, or guarded."""
    assert messages(project, text) == []


def test_newer_projects_have_newer_names(project: Path) -> None:
    """Also names that the Python which runs the checks does not have."""
    newer = PYPROJECT.replace("3.10", "3.14")
    (project / "pyproject.toml").write_text(newer)
    text = (
        "import tomllib\nfrom itertools import batched\nfrom typing import TypeForm\n"
    )
    assert messages(project, text) == [
        "`typing.TypeForm` is new in Python 3.15, and the project allows 3.14."
    ]


def test_a_project_whose_list_is_not_complete_is_left_alone(project: Path) -> None:
    """The file already imports something that is not listed."""
    before = "import unlisted\n"
    assert messages(project, before + "import fast_retry\n", before=before) == []


def test_without_a_list_nothing_is_known(tmp_path: Path) -> None:
    """Of packages of others; of the standard library all is."""
    (tmp_path / "a.py").write_text("")
    assert messages(tmp_path, "import fast_retry\nimport tomllib\n") == []


def test_imports_above_the_region_are_judged_too(project: Path) -> None:
    """An edit adds them where the file has its imports."""
    before = split_lines("import os\n\nx = 1\n")
    hunk = LineHunk(start=1, end=1, lines=("import fast_retry\n",))
    candidate = CheckedEdit(
        before=before,
        after=apply_hunks(before, [hunk]),
        region_before=range(2, 3),
        region_after=range(3, 4),
        path="a.py",
        imports=(hunk,),
    )
    [problem] = check_imports(candidate, PythonEnvironment([project]))
    assert "fast_retry" in problem.message


def test_a_list_of_comments_is_a_list(tmp_path: Path) -> None:
    """It says that there are no packages."""
    (tmp_path / "a.py").write_text("")
    (tmp_path / "requirements.txt").write_text("# none\n")
    [message] = messages(tmp_path, "import fast_retry\n")
    assert "fast_retry" in message
