"""`redline review`: a deep review from a terminal or in CI."""

from __future__ import annotations

import argparse
from pathlib import Path

from redline.cli.arguments.common_options import (
    add_config,
    add_max_cost,
    add_quiet,
    add_workspace,
)
from redline.cli.terminal.exit_codes import EXIT_NOT_DONE
from redline.cli.terminal.failure import flush_output, report_failure
from redline.errors import InvalidArgumentsError, RedlineError
from redline.findings.finding import SEVERITIES

FORMATS = ("text", "json", "markdown", "sarif")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files, folders, or FILE:FIRST-LAST for some lines; with one of the three"
        " options below, only their changes",
    )
    change = parser.add_mutually_exclusive_group()
    change.add_argument(
        "--working-tree",
        action="store_true",
        help="review the changes since the last commit (the default without PATH)",
    )
    change.add_argument(
        "--staged", action="store_true", help="review the staged changes"
    )
    change.add_argument(
        "--base",
        metavar="REF",
        help="review the changes of the commits since this branch, tag or commit",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="the format of the report (default: %(default)s)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write the report to this file instead of standard output; only an earlier"
        " report is overwritten",
    )
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        metavar="SEVERITY",
        help="end with exit code 1 if a finding is at least as bad: critical, high,"
        " medium or low (default: never)",
    )
    add_max_cost(parser, "send no further requests once the review")
    parser.add_argument(
        "--force",
        action="store_true",
        help="review again even if nothing has changed since the last review",
    )
    add_workspace(
        parser,
        "that paths are relative to, and whose redline.toml and ignore"
        " files apply (default: that of the repository, or the current one)",
    )
    add_config(parser)
    add_quiet(parser, "do not show the progress")


def run(arguments: argparse.Namespace) -> int:
    """Review, write the report, and return the exit code.

    Raises:
        InvalidArgumentsError: If the arguments contradict each other.
        BrokenPipeError: If the reader of the report has closed the pipe.
    """
    try:
        return _run(arguments)
    except (InvalidArgumentsError, BrokenPipeError):
        raise
    except (RedlineError, OSError) as error:
        # Not the code of other commands, which here means that something was found.
        report_failure(error)
        return EXIT_NOT_DONE


def _run(arguments: argparse.Namespace) -> int:
    import asyncio

    from redline.cli.arguments.review_target import target_of, workspace_of
    from redline.cli.review.report_file import check_output
    from redline.cli.review.review_job import ReviewRun, review
    from redline.cli.review.review_progress import ReviewProgress
    from redline.cli.review.review_report import exit_code, write_report

    check_output(arguments.output)
    workspace = workspace_of(arguments.workspace)
    order = ReviewRun(
        target=target_of(arguments, workspace),
        workspace=workspace,
        config=arguments.config,
        is_forced=arguments.force,
        max_cost=arguments.max_cost,
    )
    with ReviewProgress(is_quiet=arguments.quiet) as progress:
        done = asyncio.run(review(order, progress))
    write_report(done, arguments.format, arguments.output)
    flush_output()
    return exit_code(done, arguments.fail_on)
