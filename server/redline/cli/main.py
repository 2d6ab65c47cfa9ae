"""The `redline` command: parses the command line and runs a sub-command.

It imports only the requested sub-command, because an editor waits for `redline serve`.
A failure is one line on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING, Protocol, cast

from redline import __version__
from redline.cli.terminal.exit_codes import (
    EXIT_INTERRUPTED,
    EXIT_PIPE_CLOSED,
    EXIT_PROBLEMS,
    EXIT_USAGE,
)
from redline.cli.terminal.failure import drop_output, flush_output, report_failure
from redline.errors import InvalidArgumentsError, RedlineError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

COMMANDS = {
    "serve": "serve an editor: the language server",
    "demo": "show an edit, and one that is interrupted, on a real file",
    "doctor": "report what is configured, what works, and how to fix the rest",
    "models": "list the models that your providers offer",
    "route": "print which tier takes a task and why, for tasks as lines of JSON",
    "edit": "edit lines of a file by an instruction, and show or apply the change",
    "plan": "plan a change over several files, and show or apply it",
    "review": "review files or a change in depth, and report findings",
    "debug": "show what failed in the output of a program, find the cause, and fix it",
    "check": "report problems of an edit, given a file before and after it",
    "stats": "print how long tasks took, how much was reworked, and what it cost",
    "gateway": "serve the Responses protocol on this machine from a built-in engine",
}
"""The sub-commands and their help; each has a module of its name in `commands/`."""

_EPILOG = f"""\
exit codes: 0 done; {EXIT_PROBLEMS} problems found, or failed; {EXIT_USAGE} wrong \
arguments; {EXIT_INTERRUPTED} interrupted; \
{EXIT_PIPE_CLOSED} output closed early.
`redline edit`, `plan`, `debug` and `review` have codes of their own.
`redline COMMAND --help` explains a command."""


class _Command(Protocol):
    """The interface of a sub-command's module; importing the module is fast."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's options."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work; return the exit code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Args:
        arguments: The arguments after `redline`; None: those of this process.

    Raises:
        SystemExit: For `--help`, `--version` and invalid arguments.
    """
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _main(arguments: Sequence[str] | None) -> int:
    _open_standard_streams()
    words = sys.argv[1:] if arguments is None else arguments
    name = next((word for word in words if not word.startswith("-")), None)
    command = _load(name) if name is not None and name in COMMANDS else None
    namespace = _parser(name, command).parse_args(words)
    assert command is not None, "argparse refuses what is no command"
    return _run(command, namespace)


def _open_standard_streams() -> None:
    """Give a standard stream that was closed the null device, and let output not fail.

    Otherwise a file that is opened later gets its number, and what is written to it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            # Child processes use it, too.
            os.set_inheritable(descriptor, True)
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))
    _let_errors_be_lost()
    if isinstance(sys.stdout, TextIOWrapper):
        # Replace characters that the terminal cannot encode.
        sys.stdout.reconfigure(errors="replace")


class _LossyOutput(FileIO):
    """Output that may be lost, as on a full disk or without a reader."""

    def write(self, data: ReadableBuffer, /) -> int:
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def _let_errors_be_lost() -> None:
    """Go on without standard error if it cannot be written.

    Python would otherwise end a command that has done its work with code 120.
    """
    stream = sys.stderr
    if type(stream) is not TextIOWrapper:
        return
    raw = getattr(stream.buffer, "raw", stream.buffer)
    if type(raw) is FileIO:
        output = _LossyOutput(raw.fileno(), "w", closefd=False)
        sys.stderr = TextIOWrapper(
            BufferedWriter(output),
            encoding=stream.encoding,
            errors=stream.errors,
            line_buffering=True,
            write_through=stream.write_through,
        )


def _load(name: str) -> _Command:
    # A module imported by name is not checked against a protocol.
    return cast(_Command, import_module(f"redline.cli.commands.{name}"))


def _parser(name: str | None, command: _Command | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="redline",
        description="Two model tiers behind the editor you already use.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"redline {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for known, description in COMMANDS.items():
        sub = commands.add_parser(
            known,
            help=description,
            description=f"{description[0].upper()}{description[1:]}.",
            allow_abbrev=False,
        )
        if known == name and command is not None:
            command.add_arguments(sub)
    return parser


def _run(command: _Command, namespace: argparse.Namespace) -> int:
    try:
        code = command.run(namespace)
        flush_output()
    except InvalidArgumentsError as error:
        report_failure(error)
        return EXIT_USAGE
    except BrokenPipeError:
        # The reader has closed the pipe, as in `redline doctor | head`.
        drop_output()
        return EXIT_PIPE_CLOSED
    except (RedlineError, OSError) as error:
        report_failure(error)
        return EXIT_PROBLEMS
    return code
