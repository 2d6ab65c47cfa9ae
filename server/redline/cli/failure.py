"""Reports the failure of a command."""

from __future__ import annotations

import sys
from collections.abc import Callable

from redline.cli.exit_codes import EXIT_NOT_DONE, EXIT_USAGE
from redline.errors import CallerError, RedlineError
from redline.printable import printable_line


def report_failure(error: RedlineError | OSError) -> None:
    """Print the error and its remedy on one line."""
    remedy = error.remedy if isinstance(error, RedlineError) else ""
    text = " ".join(part for part in (str(error), remedy) if part)
    sys.stderr.write(f"redline: {printable_line(text)}\n")


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
        return work()
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
