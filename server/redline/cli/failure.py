"""Reports the failure of a command."""

from __future__ import annotations

import sys

from redline.errors import RedlineError
from redline.printable import printable_line


def report_failure(error: RedlineError | OSError) -> None:
    """Print the error and its remedy on one line."""
    remedy = error.remedy if isinstance(error, RedlineError) else ""
    text = " ".join(part for part in (str(error), remedy) if part)
    sys.stderr.write(f"redline: {printable_line(text)}\n")
