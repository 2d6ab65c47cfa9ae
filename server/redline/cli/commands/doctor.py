"""`redline doctor`: reports what is configured, what works, and how to fix the rest."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from redline.cli.arguments.common_options import add_config, add_json
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_PROBLEMS
from redline.printable import json_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_config(parser)
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        default=Path(),
        help="the folder whose redline.toml is read (default: the current one)",
    )
    parser.add_argument(
        "--editor-settings",
        type=_object,
        metavar="JSON",
        help="the section `redline` of an editor's settings, as a JSON object",
    )
    parser.add_argument(
        "--try",
        dest="tries",
        action="store_true",
        help="also send each model one real request, which costs a few tokens",
    )
    add_json(parser, "the report")


def run(arguments: argparse.Namespace) -> int:
    """Write the report; return 0, or 1 if there are problems.

    Raises:
        InvalidArgumentsError: If the workspace is no folder.
    """
    import asyncio
    import os
    import sys

    from redline.cli.arguments.review_target import workspace_of
    from redline.cli.doctor.diagnosis import diagnose
    from redline.cli.doctor.doctor_page import show

    report = asyncio.run(
        diagnose(
            config=arguments.config,
            workspace=workspace_of(arguments.workspace),
            editor=arguments.editor_settings,
            environ=os.environ,
            tries=arguments.tries,
        )
    )
    if arguments.json:
        sys.stdout.write(json_page(report))
    else:
        show(report, sys.stdout)
    return EXIT_PROBLEMS if report.problems else EXIT_DONE


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        # Also JSON that is nested too deeply.
        raise argparse.ArgumentTypeError("it is not JSON") from error
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError("it is not a JSON object")
    return found
