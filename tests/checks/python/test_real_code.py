"""Code that people wrote and that works: nothing is to be said about it.

A bounded sample; `python -m benchmarks.python_checks` takes all there is.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.imports import check_imports
from redline.checks.python.parameters import check_parameters
from redline.checks.python.undefined import check_names
from redline.text.lines import split_lines

LIBRARY = Path(sysconfig.get_path("stdlib"))

MODULES = (
    "argparse", "asyncio/base_events", "asyncio/tasks", "calendar",
    "collections/__init__",
    "concurrent/futures/thread", "configparser", "csv", "dataclasses", "difflib",
    "email/message", "enum", "fractions", "functools", "heapq", "http/client",
    "inspect",
    "json/encoder", "logging/__init__", "pickle", "shutil", "ssl", "statistics",
    "subprocess", "tarfile", "textwrap", "threading", "typing", "unittest/case",
    "urllib/request",
)  # fmt: skip


@pytest.fixture(scope="module")
def environment() -> PythonEnvironment:
    """What the interpreter that runs the tests can import."""
    prefix = Path(sysconfig.get_path("data"))
    return PythonEnvironment([LIBRARY], configured=prefix)


@pytest.mark.parametrize("name", MODULES)
def test_the_standard_library_is_left_alone(
    name: str, environment: PythonEnvironment
) -> None:
    """Each of its files as if all of it had just been written."""
    path = LIBRARY / f"{name}.py"
    lines = split_lines(path.read_text("utf-8"))
    candidate = CheckedEdit(
        before=[""],
        after=lines,
        region_before=range(0),
        region_after=range(len(lines)),
        language="python",
        path=str(path),
    )
    for rule in (check_imports, check_names, check_parameters):
        assert list(rule(candidate, environment)) == []
