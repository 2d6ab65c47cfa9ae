"""Reports the failure of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

from redline.cli.terminal.exit_codes import EXIT_NOT_DONE, EXIT_USAGE
from redline.errors import CallerError, RedlineError
from redline.printable import printable_line


def report_failure(error: RedlineError | OSError) -> None:
    """Print the error and its remedy on one line, after what was printed before."""
    with suppress(OSError):
        flush_output()
    remedy = error.remedy if isinstance(error, RedlineError) else ""
    text = " ".join(part for part in (str(error), remedy) if part)
    sys.stderr.write(f"redline: {printable_line(text)}\n")


def flush_output() -> None:
    """Write what is in the buffer of standard output, while a failure has an exit code.

    Raises:
        OSError: If it cannot be written; the rest is dropped.
    """
    try:
        sys.stdout.flush()
    except OSError:
        drop_output()
        raise


def drop_output() -> None:
    """Keep the interpreter from writing, and failing again, when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_code_of(
    work: Callable[[], int], *, passed_on: tuple[type[Exception], ...] = ()
) -> int:
    """Run a command that asks models, and report what fails; return the exit code.

    Args:
        work: Returns the exit code of a command that does not fail.
        passed_on: Errors that are the caller's to handle.

    Raises:
        BrokenPipeError: If the reader of the output has closed the pipe.
    """
    try:
        code = work()
        flush_output()
    except passed_on:
        raise
    except BrokenPipeError:
        raise
    except CallerError as error:
        report_failure(error)
        return EXIT_USAGE
    except (RedlineError, OSError) as error:
        # Not the code of a result that was held back.
        report_failure(error)
        return EXIT_NOT_DONE
    return code
