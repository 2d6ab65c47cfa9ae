"""A reader that has gone decides neither the exit code nor the work, a width of 0
hides nothing, and the cursor is shown at the end."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from io import StringIO

import pytest

from redline.cli.terminal.consoles import OutputConsole, ProgressConsole
from redline.cli.terminal.exit_codes import EXIT_PIPE_CLOSED

_COMMAND = """
import sys
from redline.cli import main
from redline.cli.terminal.consoles import OutputConsole, ProgressConsole

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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this device")
def test_errors_that_cannot_be_written_are_lost() -> None:
    """Neither the progress nor a warning of Python changes the exit code."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", _COMMAND],
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert (done.returncode, done.stdout) == (0, b"done\n")


@pytest.mark.parametrize("kind", [OutputConsole, ProgressConsole])
def test_text_is_shown_if_the_width_is_unknown(
    kind: type[OutputConsole | ProgressConsole], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some programs set `COLUMNS` to 0."""
    monkeypatch.setenv("COLUMNS", "0")
    written = StringIO()
    kind(file=written, force_terminal=True).print("shown")
    assert "shown" in written.getvalue()


_SHOWING = """
import os, signal, sys
from redline.cli import main
from redline.cli.demo.demo_stage import Screen
from redline.cli.terminal.progress_bar import ProgressBar

class Command:
    def add_arguments(self, parser): pass
    def run(self, arguments):
        signal.signal({number}, signal.SIG_DFL)
        with {shown}:
            os.kill(os.getpid(), {number})

main._load = lambda name: Command()
sys.exit(main.main(["doctor"]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "shown",
    ["ProgressBar(is_quiet=False, has_percentage=False)", "Screen().streaming()"],
)
def test_a_signal_that_ends_a_command_leaves_the_cursor_shown(
    shown: str, number: signal.Signals
) -> None:
    reading, writing = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", _SHOWING.format(shown=shown, number=int(number))],
        stdout=writing,
        stderr=writing,
        env={**os.environ, "TERM": "xterm"},
        check=False,
    )
    os.close(writing)
    written = os.read(reading, 10_000)
    os.close(reading)
    assert done.returncode == -number, written
    assert b"\x1b[?25l" in written
    assert written.rindex(b"\x1b[?25h") > written.rindex(b"\x1b[?25l")
