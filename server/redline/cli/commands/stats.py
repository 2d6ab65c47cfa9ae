"""`redline stats`: prints the times, the rework and the cost of tasks."""

from __future__ import annotations

import argparse
from pathlib import Path

from redline.cli.arguments.common_options import add_config, add_json
from redline.printable import json_page

DEFAULT_DAYS = 30
MAX_DAYS = 10_000
"""Most days: more than any usage file has, and valid in any calendar."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--days",
        type=_days,
        metavar="N",
        default=DEFAULT_DAYS,
        help=f"count the last N days, including today (default: {DEFAULT_DAYS})",
    )
    add_json(parser, "the measures")
    parser.add_argument(
        "--file",
        type=Path,
        metavar="DB",
        help="read this file instead of the one in the settings",
    )
    add_config(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the measures; an empty usage log is not a failure.

    Raises:
        InvalidArgumentsError: If the file is a folder, a pipe or a device.
        StoreError: If it cannot be read.
    """
    import sys
    from datetime import date

    from redline.cli.reports.stats_page import text_page
    from redline.cli.reports.usage_report import report_usage

    path = arguments.file or _configured_file(arguments.config)
    _check_kind(path)
    report = report_usage(
        path,
        days=arguments.days,
        today=date.today(),
        must_exist=arguments.file is not None,
    )
    sys.stdout.write(json_page(report) if arguments.json else text_page(report))
    return 0


def _days(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MAX_DAYS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MAX_DAYS}")
    return int(text)


def _check_kind(path: Path) -> None:
    """Refuse what SQLite would wait for, such as a pipe, and what has no size.

    SQLite would take a file of the kernel, as in `/proc`, for an empty one.
    """
    from contextlib import suppress

    from redline.errors import (
        InvalidArgumentsError,
        IrregularFileError,
        UnreadableFileError,
    )
    from redline.files import read_start

    # The other errors are reported by the store.
    with suppress(UnreadableFileError):
        try:
            is_full = bool(read_start(path, 1))
            if is_full and not path.stat().st_size:
                raise IrregularFileError(str(path), "it is not a regular file")
        except IrregularFileError as error:
            raise InvalidArgumentsError(str(error)) from error


def _configured_file(config: Path | None) -> Path:
    from redline.settings.load import load
    from redline.store.database import file_of

    return file_of(load(config=config).settings.store)
