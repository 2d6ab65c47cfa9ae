"""`redline route`: prints which tier takes a task and why, for lines of JSON."""

from __future__ import annotations

import argparse
from pathlib import Path

from redline.cli.arguments.common_options import add_config
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_PROBLEMS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tier",
        choices=("fast", "standard", "deep"),
        help="route as if the user had requested this tier",
    )
    parser.add_argument(
        "--score",
        type=Path,
        metavar="FILE",
        help="compare with the labels of a file instead, and print the confusion table",
    )
    parser.add_argument(
        "--split",
        metavar="NAME",
        help="with --score: count only the tasks with this `split`",
    )
    add_config(parser)


def run(arguments: argparse.Namespace) -> int:
    """Route the tasks; return 1 if a line is invalid."""
    import sys

    from redline.cli.reports.task_lines import route_lines, score_lines
    from redline.settings.load import load

    loaded = load(config=arguments.config)
    for problem in loaded.problems:
        sys.stderr.write(f"redline: {problem}\n")
    settings = loaded.settings.routing
    if arguments.score is None:
        n_bad = route_lines(
            sys.stdin.buffer, sys.stdout, sys.stderr, settings, asked=arguments.tier
        )
    else:
        with arguments.score.open("rb") as lines:
            n_bad = score_lines(
                lines, sys.stdout, sys.stderr, settings, split=arguments.split
            )
    return EXIT_PROBLEMS if n_bad else EXIT_DONE
