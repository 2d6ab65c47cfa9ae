"""The command finds its sub-command, and a failure is one line with its exit code."""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from redline import __version__
from redline.cli import main as main_module
from redline.cli.main import COMMANDS, main
from redline.cli.terminal.exit_codes import EXIT_PIPE_CLOSED, EXIT_PROBLEMS
from redline.errors import (
    InvalidArgumentsError,
    ModelUnavailableError,
    SettingsError,
)


def redline(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "redline", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_output_fits_the_terminals_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it cannot show becomes a question mark, not a traceback."""
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
    assert exit_code("--version") == 0
    sys.stdout.write("\u201cyes\u201d")
    sys.stdout.flush()
    assert shown.getvalue().endswith(b"?yes?")


def exit_code(*words: str) -> object:
    """Run the command in this process, up to its `SystemExit`."""
    with pytest.raises(SystemExit) as caught:
        main(words)
    return caught.value.code


def test_the_version() -> None:
    process = redline("--version")

    assert (process.returncode, process.stdout) == (0, f"redline {__version__}\n")


def test_help_names_every_command_and_the_exit_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("--help") == 0

    page = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n    {name}" in page
    for code in ("0 done", "1 problems", "2 wrong", "130 interrupted"):
        assert code in page


@pytest.mark.parametrize(
    "words",
    [
        ["gateway", "--port", "99999"],
        [],
        ["frobnicate"],
        ["--frobnicate"],
        ["doctor", "--frobnicate"],
        ["doctor", "extra"],
        ["serve", "--verb"],
        ["serve", "--stdio", "--tcp", "127.0.0.1:0"],
        ["serve", "--tcp", "0.0.0.0:1"],
        ["serve", "--tcp", "nonsense"],
    ],
)
def test_arguments_that_make_no_sense(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*words) == 2

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "usage: redline" in captured.err


@pytest.mark.parametrize("name", ["serve", "doctor"])
def test_a_commands_help_explains_each_option(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(name, "--help") == 0

    assert "--config FILE" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--version",), ("--help",), ("serve", "--help")])
def test_nothing_heavy_is_imported_to_parse(words: tuple[str, ...]) -> None:
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from redline.cli.main import main\n"
        f"main({words!r})"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    loaded = set(process.stderr.split())
    assert "redline.cli.main" in loaded
    heavy = ("asyncio", "rich", "httpx", "msgspec", "pygls", "lsprotocol", "logging")
    assert not loaded & set(heavy)


# What comes of a command that fails; the commands here are made up.

Install = Callable[[Callable[[], int]], None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Add a sub-command `try` that does what it is given."""

    def add(action: Callable[[], int]) -> None:
        module = ModuleType("redline.cli.commands.try")

        def add_arguments(parser: argparse.ArgumentParser) -> None:
            parser.add_argument("--twice", action="store_true")

        def run(arguments: argparse.Namespace) -> int:
            return action() * (2 if arguments.twice else 1)

        module.__dict__.update(add_arguments=add_arguments, run=run)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(main_module.COMMANDS, "try", "try something")

    return add


def test_a_command_gets_its_options_and_says_the_exit_code(install: Install) -> None:
    install(lambda: 3)

    assert main(["try"]) == 3
    assert main(["try", "--twice"]) == 6


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (SettingsError("No."), 1, "redline: No.\n"),
        (SettingsError("No.", remedy="Do it."), 1, "redline: No. Do it.\n"),
        (SettingsError("On two\nlines."), 1, "redline: On two lines.\n"),
        (
            ModelUnavailableError("Gone.", remedy="Wait."),
            1,
            "redline: Gone. Wait.\n",
        ),
        (InvalidArgumentsError("Port taken."), 2, "redline: Port taken.\n"),
        (
            FileNotFoundError(2, "No such file", "x.py"),
            1,
            "redline: [Errno 2] No such file: 'x.py'\n",
        ),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_a_failure_is_one_line(
    error: BaseException,
    code: int,
    line: str,
    install: Install,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> int:
        raise error

    install(fail)

    assert main(["try"]) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", line)


def test_a_bug_is_not_hidden(install: Install) -> None:
    def fail() -> int:
        raise ZeroDivisionError

    install(fail)

    with pytest.raises(ZeroDivisionError):
        main(["try"])


@pytest.mark.parametrize("n_chars", [1, 1_000_000])
def test_a_reader_that_has_gone_is_no_noise(n_chars: int) -> None:
    code = (
        "import sys\n"
        "from redline.cli import main\n"
        "class Command:\n"
        "    def add_arguments(self, parser): pass\n"
        "    def run(self, arguments):\n"
        "        sys.stdin.read()\n"  # Until the test has closed the other end.
        f"        sys.stdout.write('x' * {n_chars})\n"
        "        return 0\n"
        "main._load = lambda name: Command()\n"
        "sys.exit(main.main(['doctor']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.close()
        complaints = process.stderr.read()

    assert (process.returncode, complaints) == (EXIT_PIPE_CLOSED, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this device")
@pytest.mark.parametrize("n_chars", [1, 1_000_000])
def test_output_that_cannot_be_written_is_a_failure(n_chars: int) -> None:
    code = (
        "import sys\n"
        "from redline.cli import main\n"
        "class Command:\n"
        "    def add_arguments(self, parser): pass\n"
        "    def run(self, arguments):\n"
        f"        sys.stdout.write('x' * {n_chars})\n"
        "        return 0\n"
        "main._load = lambda name: Command()\n"
        "sys.exit(main.main(['doctor']))\n"
    )
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == EXIT_PROBLEMS
    assert done.stderr == b"redline: [Errno 28] No space left on device\n"
