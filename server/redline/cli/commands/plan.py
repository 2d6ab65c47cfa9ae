"""`redline plan`: a change over several files, outside of an editor."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from redline.cli.arguments.common_options import (
    add_apply,
    add_config,
    add_json,
    add_max_cost,
    add_quiet,
    add_workspace,
)
from redline.cli.arguments.text_argument import text_argument
from redline.cli.terminal.exit_codes import EXIT_USAGE
from redline.cli.terminal.failure import exit_code_of, flush_output, report_failure
from redline.errors import RedlineError

if TYPE_CHECKING:
    from redline.cli.plan.plan_job import PlanOrder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "instruction",
        type=text_argument,
        metavar="INSTRUCTION",
        help="what to change, in words; - for standard input",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="files that the change is about; the planner is shown them first",
    )
    add_apply(parser, "the change to the files, unless the plan is held back")
    add_max_cost(parser, "ask no model once the plan")
    add_json(parser, "the plan, its outcome and the diff")
    add_workspace(
        parser,
        "that the plan is for, and whose redline.toml and ignore files"
        " apply (default: that of the repository, or the current one)",
    )
    add_config(parser)
    add_quiet(parser, "show only the diff, and problems")


def run(arguments: argparse.Namespace) -> int:
    """Plan, write the report, and return the exit code.

    Raises:
        BrokenPipeError: If the reader of the diff has closed the pipe.
    """
    try:
        order = _order(arguments)
    except (RedlineError, OSError) as error:
        report_failure(error)
        return EXIT_USAGE
    return exit_code_of(lambda: run_order(order, arguments))


def run_order(
    order: PlanOrder,
    arguments: argparse.Namespace,
    failures: Mapping[str, object] | None = None,
) -> int:
    """Run a plan or a debug, write its report, and return the exit code.

    Args:
        order: What to run.
        arguments: Those of the command, with `json` and `quiet`.
        failures: Members for the JSON of a debug.

    Raises:
        RedlineError: If it cannot be run.
        BrokenPipeError: If the reader of the diff has closed the pipe.
    """
    import asyncio

    from redline.cli.plan.plan_files import PlanFileWriter
    from redline.cli.plan.plan_job import run_plan
    from redline.cli.plan.plan_report import plan_exit_code, write_plan_report
    from redline.cli.terminal.progress_bar import ProgressBar

    writer = PlanFileWriter()
    progress = ProgressBar(is_quiet=arguments.quiet, has_percentage=False)
    try:
        with progress:
            report = asyncio.run(run_plan(order, progress, writer))
    except KeyboardInterrupt:
        if said := writer.interrupted():
            progress.warn(said)
        raise
    try:
        write_plan_report(report, progress, as_json=arguments.json, more=failures or {})
        flush_output()
    except OSError as error:
        if writer.written and not isinstance(error, BrokenPipeError):
            written = ", ".join(writer.written)
            progress.warn(f"Written: {written}; only the output failed.")
        raise
    return plan_exit_code(report)


def _order(arguments: argparse.Namespace) -> PlanOrder:
    """Read the arguments.

    Raises:
        RedlineError: If one of them cannot be used.
        OSError: Likewise.
    """
    from redline.cli.arguments.instruction import read_instruction
    from redline.cli.arguments.review_target import path_inside, workspace_of
    from redline.cli.plan.plan_job import PlanOrder

    workspace = workspace_of(arguments.workspace)
    return PlanOrder(
        instruction=read_instruction(arguments.instruction),
        files=tuple(path_inside(one, workspace) for one in arguments.files),
        workspace=workspace,
        config=arguments.config,
        max_cost=arguments.max_cost,
        is_applied=arguments.apply,
    )
