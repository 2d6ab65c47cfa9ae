"""`redline edit`: an edit by an instruction, outside of an editor."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from redline.cli.arguments.common_options import (
    add_apply,
    add_config,
    add_json,
    add_quiet,
    add_workspace,
)
from redline.cli.arguments.text_argument import text_argument
from redline.cli.terminal.exit_codes import EXIT_NOT_DONE, EXIT_USAGE
from redline.cli.terminal.failure import flush_output, report_failure
from redline.errors import InvalidArgumentsError, RedlineError

if TYPE_CHECKING:
    from redline.cli.edit.edit_job import EditRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target",
        metavar="FILE[:FIRST[-LAST]]",
        help="the lines to edit, from 1, both included; without lines, the whole file",
    )
    parser.add_argument(
        "instruction",
        type=text_argument,
        metavar="INSTRUCTION",
        help="what to do, in words; @file shows another file to the model, #fast,"
        " #standard or #deep chooses the tier; - for standard input",
    )
    add_apply(parser, "the edit to the file, unless the checks hold it back")
    add_json(parser, "the outcome and the diff")
    add_workspace(
        parser,
        "whose redline.toml and ignore files apply, and which @file is"
        " relative to (default: the repository of FILE, the current folder, or that of"
        " FILE)",
    )
    add_config(parser)
    add_quiet(parser, "show only the diff, and problems")


def run(arguments: argparse.Namespace) -> int:
    """Edit, write the report, and return the exit code.

    Raises:
        InvalidArgumentsError: If the settings file cannot be used.
        BrokenPipeError: If the reader of the diff has closed the pipe.
    """
    try:
        order = _order(arguments)
    except (RedlineError, OSError) as error:
        report_failure(error)
        return EXIT_USAGE
    try:
        return _run(order, arguments)
    except (InvalidArgumentsError, BrokenPipeError):
        raise
    except (RedlineError, OSError) as error:
        # Not the code of an edit that was held back.
        report_failure(error)
        return EXIT_NOT_DONE


def _run(order: EditRun, arguments: argparse.Namespace) -> int:
    import asyncio

    from redline.cli.edit.edit_job import run_edit
    from redline.cli.edit.edit_report import exit_code, write_report
    from redline.cli.terminal.progress_bar import ProgressBar

    progress = ProgressBar(is_quiet=arguments.quiet, has_percentage=False)
    try:
        with progress:
            report = asyncio.run(run_edit(order, progress))
    except KeyboardInterrupt:
        if said := order.file.interrupted():
            progress.warn(said)
        raise
    try:
        write_report(report, progress, as_json=arguments.json)
        flush_output()
    except OSError as error:
        if order.file.is_written and not isinstance(error, BrokenPipeError):
            progress.warn(f"{order.file.name} was written; only the output failed.")
        raise
    return exit_code(report)


def _order(arguments: argparse.Namespace) -> EditRun:
    """Read the arguments, the instruction and the file.

    Raises:
        RedlineError: If one of them cannot be used.
        OSError: Likewise.
    """
    from redline.cli.arguments.instruction import read_instruction
    from redline.cli.arguments.review_target import workspace_of
    from redline.cli.edit.edit_job import EditRun
    from redline.cli.edit.edited_file import range_of, read_edited_file

    workspace = workspace_of(arguments.workspace, beside=arguments.target)
    file, lines = read_edited_file(arguments.target, workspace)
    place = range_of(file, lines)
    return EditRun(
        file=file,
        range=place,
        instruction=read_instruction(arguments.instruction),
        workspace=workspace,
        config=arguments.config,
        is_applied=arguments.apply,
    )
