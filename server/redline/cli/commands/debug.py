"""`redline debug`: what failed in an output, why, and a fix."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from redline.cli.arguments.common_options import (
    add_apply,
    add_config,
    add_json,
    add_max_cost,
    add_quiet,
    add_workspace,
)
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_PROBLEMS
from redline.cli.terminal.failure import exit_code_of
from redline.errors import NoModelError

_MAX_FILE_BYTES = 64_000_000
_KEPT_BYTES = 4_000_000
"""More than the characters that are read of an output, in any encoding."""

_CHUNK_BYTES = 1 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "output",
        metavar="FILE",
        help="the output of a program, a test run or a compiler; - for standard input",
    )
    add_workspace(
        parser,
        "whose code is shown, and whose ignore files apply (default:"
        " that of the repository, or the current one)",
    )
    parser.add_argument(
        "--no-model",
        action="store_true",
        help="only read the failures; otherwise the deep tier, if a model fills it,"
        " looks for the cause and writes a fix",
    )
    add_apply(parser, "the fix to the files, unless it is held back")
    add_max_cost(parser, "ask no model once the debug")
    add_json(parser, "the failures, the cause and the fix")
    add_config(parser)
    add_quiet(parser, "show no progress, only results")


def run(arguments: argparse.Namespace) -> int:
    """Write the failures, and what a model makes of them; return the exit code.

    Raises:
        BrokenPipeError: If the reader of the output has closed the pipe.
        InvalidArgumentsError: If the workspace is no folder.
        UnreadableFileError: If the file cannot be read.
    """
    import sys

    from redline.assist.testing.workspace_frames import WorkspaceFrames
    from redline.cli.arguments.review_target import workspace_of
    from redline.cli.plan.debug_page import NO_MODEL, failures_data, text_page
    from redline.files import read_file
    from redline.printable import json_page
    from redline.traces.read import read_failures

    workspace = workspace_of(arguments.workspace)
    frames = WorkspaceFrames(workspace)
    if arguments.output == "-":
        data = _end_of(sys.stdin.buffer)
    else:
        data = read_file(arguments.output, max_bytes=_MAX_FILE_BYTES)
    output = data.decode("utf-8", "replace")
    failures = read_failures(output)
    read = failures_data(failures, frames) if arguments.json else {}
    if failures and not arguments.json:
        sys.stdout.write(text_page(failures, frames))
        sys.stdout.flush()
    if failures and not arguments.no_model:
        exit_code = _diagnose(output, workspace, arguments, read)
        if exit_code is not None:
            return exit_code
    if arguments.json:
        sys.stdout.write(json_page(read))
    elif failures:
        sys.stdout.write(NO_MODEL)
    else:
        sys.stderr.write(
            "redline: No failure was recognized. Redline reads those of Python, pytest,"
            " Node and its test runner, Jest, Vitest, Mocha, Go, Rust, Java, RSpec,"
            " PHPUnit, gcc, clang and tsc.\n"
        )
    return EXIT_DONE if failures else EXIT_PROBLEMS


def _diagnose(
    output: str,
    workspace: Path,
    arguments: argparse.Namespace,
    read: Mapping[str, object],
) -> int | None:
    """Look for the cause and write a fix; return the exit code.

    Returns None if no model is configured.
    """
    from redline.assist.testing.output_failures import MAX_OUTPUT_CHARS
    from redline.cli.commands.plan import run_order
    from redline.cli.plan.plan_job import PlanOrder
    from redline.prompts.secrets.cuts import ending

    order = PlanOrder(
        instruction="",
        output=ending(output, MAX_OUTPUT_CHARS),
        workspace=workspace,
        config=arguments.config,
        max_cost=arguments.max_cost,
        is_applied=arguments.apply,
    )
    try:
        return exit_code_of(
            lambda: run_order(order, arguments, read), passed_on=(NoModelError,)
        )
    except NoModelError:
        return None


def _end_of(stream: BinaryIO) -> bytes:
    """Read a stream to its end, and return the last of it."""
    kept = bytearray()
    while chunk := stream.read(_CHUNK_BYTES):
        kept += chunk
        if len(kept) > 2 * _KEPT_BYTES:
            del kept[:-_KEPT_BYTES]
    return bytes(kept)
