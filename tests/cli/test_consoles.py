"""A reader that has gone decides neither the exit code nor the work."""

from __future__ import annotations

import os
import subprocess
import sys

from redline.cli.exit_codes import EXIT_PIPE_CLOSED

_COMMAND = """
import sys
from redline.cli import main
from redline.cli.consoles import OutputConsole, ProgressConsole

class Command:
    def add_arguments(self, parser): pass
    def run(self, arguments):
        for step in range(3):
            ProgressConsole(file=sys.stderr).print("step", step)
        OutputConsole(file=sys.stdout).print("done")
        return 0

main._load = lambda name: Command()
sys.exit(main.main(["doctor"]))
"""


def test_the_reader_of_the_output_has_gone() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-c", _COMMAND],
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        EXIT_PIPE_CLOSED,
        b"step 0\nstep 1\nstep 2\n",
    )


def test_the_reader_of_the_progress_has_gone() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-c", _COMMAND],
            stdout=subprocess.PIPE,
            stderr=pipe,
            check=False,
        )
    assert (done.returncode, done.stdout) == (0, b"done\n")
