"""An interrupt while the command starts ends it quietly."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENTRY = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
SCRIPT = "from {} import {}\nsys.exit({}())".format(
    *ENTRY["redline"].split(":"), ENTRY["redline"].split(":")[1]
)
MODULE = 'runpy.run_module("redline", run_name="__main__")'

INTERRUPTED = """
import os, runpy, signal, sys

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupter())
sys.argv = ["redline", "stats", "--help"]
{start}
"""
"""A program that is interrupted when it imports a module."""


@pytest.mark.parametrize(
    "module", ["redline.cli.main", "redline.errors", "redline.cli.commands.stats"]
)
@pytest.mark.parametrize("start", [SCRIPT, MODULE], ids=["script", "module"])
@pytest.mark.usefixtures("default_interrupt")
def test_an_interrupted_start_has_no_traceback(module: str, start: str) -> None:
    """At any time from the first of our modules on, by the script or the module."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(module=module, start=start)],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
