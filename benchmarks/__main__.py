"""`python -m benchmarks`: run the measures, print and save the results."""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmarks import report
from benchmarks.editor import AnswerError
from benchmarks.figures import NotRunError
from benchmarks.measure import Found, Measure, NotRun, Result, Scale
from benchmarks.measures import (
    checks,
    completing,
    delta_path,
    gateway,
    idle,
    keystrokes,
    memory,
    menu,
    planning,
    prompt_parts,
    redirecting,
    request_path,
    reviewing,
    side_by_side,
    startup,
    stopping,
    streaming,
    transports,
    wire_formats,
)
from benchmarks.precise_loop import precise_loop
from benchmarks.processes import ROOT

_MEASURES = (
    request_path.MEASURE,
    delta_path.MEASURE,
    stopping.MEASURE,
    keystrokes.MEASURE,
    startup.MEASURE,
    memory.MEASURE,
    transports.MEASURE,
    redirecting.MEASURE,
    side_by_side.MEASURE,
    streaming.MEASURE,
    checks.MEASURE,
    menu.MEASURE,
    prompt_parts.MEASURE,
    reviewing.MEASURE,
    planning.MEASURE,
    wire_formats.MEASURE,
    gateway.MEASURE,
    completing.MEASURE,
    idle.MEASURE,
)
_LETTERS = tuple(measure.letter for measure in _MEASURES)
_WIDTH = 120


def main() -> int:
    """Run the measures that the arguments name.

    Returns:
        1 if a measure could not be run, or with `--check` if one exceeds its budget.
    """
    arguments = _arguments()
    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    path = arguments.json or _default_path()
    results: list[Result] = []
    try:
        with asyncio.Runner(loop_factory=precise_loop) as runner:
            runner.run(_run(arguments, console, results))
    except KeyboardInterrupt:
        console.print("\nInterrupted; nothing is left running.")
    report.write_json(path, results, is_quick=arguments.quick)
    console.print(f"\nWritten to {path}")
    if len(results) < len(arguments.only) or not all(
        result.was_run for result in results
    ):
        return 1
    return (
        1 if arguments.check and not all(result.is_within for result in results) else 0
    )


async def _run(
    arguments: argparse.Namespace, console: Console, results: list[Result]
) -> None:
    scale = Scale(is_quick=arguments.quick)
    gc.freeze()
    for measure in _MEASURES:
        if measure.letter in arguments.only:
            result = Result(measure, await _found(measure, scale))
            report.show(console, result)
            results.append(result)


async def _found(measure: Measure, scale: Scale) -> Found | NotRun:
    try:
        return await measure.run(scale)
    except (NotRunError, AnswerError, OSError, TimeoutError) as exc:
        return NotRun(str(exc) or type(exc).__name__)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few repetitions: checks that each measure runs",
    )
    parser.add_argument(
        "--only",
        type=_letters,
        default=_LETTERS,
        metavar="a,b",
        help=f"some of the measures {', '.join(_LETTERS)}",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="where to write the figures"
    )
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a budget is exceeded"
    )
    return parser.parse_args()


def _letters(text: str) -> Sequence[str]:
    letters = tuple(text.split(","))
    if unknown := set(letters) - set(_LETTERS):
        raise argparse.ArgumentTypeError(f"there is no measure {', '.join(unknown)}")
    return letters


def _default_path() -> Path:
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return ROOT / "benchmarks" / "results" / f"{now}.json"


if __name__ == "__main__":
    sys.exit(main())
