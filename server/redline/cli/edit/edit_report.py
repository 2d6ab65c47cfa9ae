"""The report of `redline edit`: a diff for people and patches, JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from rich.text import Text

from redline.assist.tiers.model_tiers import NO_MODEL
from redline.cli.terminal.consoles import OutputConsole
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_NOT_DONE, EXIT_PROBLEMS
from redline.cli.terminal.progress_bar import ProgressBar
from redline.printable import json_page, printable, printable_line
from redline.routing.route import Tier

SCHEMA = 1
"""Version of the JSON; adding a field does not change it."""

EditRunOutcome = Literal["proposed", "applied", "unchanged", "held", "failed"]


class FoundProblem(Struct, frozen=True, kw_only=True):
    rule: str
    line: int | None
    """In the file after the edit, from 1; None: the whole edit."""
    message: str


class EditRunUsage(Struct, frozen=True, kw_only=True):
    """The tokens of all generations."""

    input_tokens: int = 0
    cached_tokens: int = 0
    """Part of the input."""
    output_tokens: int = 0
    wasted_tokens: int = 0
    """Part of the output: of stopped, losing and failed generations."""


class EditReport(Struct, frozen=True, kw_only=True):
    schema: int = SCHEMA
    file: str
    first_line: int
    """The first line that was to be edited, from 1."""
    last_line: int
    outcome: EditRunOutcome
    message: str = ""
    """A sentence for the user; may be empty."""
    remedy: str = ""
    tier: Tier | None = None
    model: str | None = None
    """The model's name in the settings; None: the built-in rules, or none answered."""
    reasons: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    checks: tuple[FoundProblem, ...] = ()
    diff: str = ""
    usage: EditRunUsage = EditRunUsage()
    cost: float | None = None
    """US dollars; None: the price is not known."""


def exit_code(report: EditReport) -> int:
    match report.outcome:
        case "failed":
            return EXIT_NOT_DONE
        case "held":
            return EXIT_PROBLEMS
        case _:
            return EXIT_DONE


def write_report(report: EditReport, progress: ProgressBar, *, as_json: bool) -> None:
    """Write the diff or the JSON to standard output, and the rest beside it."""
    if as_json:
        write_raw(json_page(report))
        return
    for line in _before(report):
        progress.say(line)
    if report.diff:
        show_diff(report.diff)
    for line in _warnings(report):
        progress.warn(line)
    if summary := _summary(report):
        progress.say(summary)


def _before(report: EditReport) -> Iterator[str]:
    """Say who wrote it and what was taken for granted, above the diff."""
    if report.tier is not None and report.model is None:
        yield NO_MODEL
    elif report.tier is not None:
        reasons = " ".join(map(printable_line, report.reasons))
        yield f"{report.tier.capitalize()} tier ({report.model}). {reasons}".rstrip()
    for assumed in report.assumes:
        yield f"Assumed: {printable_line(assumed)}"


def _warnings(report: EditReport) -> Iterator[str]:
    for problem in report.checks:
        place = report.file if problem.line is None else f"{report.file}:{problem.line}"
        message = printable_line(problem.message)
        yield f"{printable_line(place)}: {problem.rule}: {message}"
    match report.outcome:
        case "failed" | "unchanged":
            yield printable_line(f"{report.message} {report.remedy}")
        case "held":
            yield _HELD


def _summary(report: EditReport) -> str:
    parts = []
    match report.outcome:
        case "applied":
            parts.append(f"Wrote {report.file} ({_size(report.diff)}).")
        case "proposed":
            parts.append(f"{_size(report.diff)}; --apply writes it to the file.")
    usage = report.usage
    if usage.input_tokens or usage.output_tokens:
        cost = "" if report.cost is None else f", ${report.cost:.4f}"
        parts.append(
            f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out{cost}."
        )
    return " ".join(parts)


def _size(diff: str) -> str:
    lines = diff.split("\n")[_N_HEAD:]
    n_added = sum(line.startswith("+") for line in lines)
    n_removed = sum(line.startswith("-") for line in lines)
    return f"+{n_added} -{n_removed} lines"


_HELD = (
    "The checks held the edit back; the file is as it was. Say it in other words, or"
    " add #deep for the deep tier."
)

_N_HEAD = 3
"""Lines of a diff before its first hunk."""

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def show_diff(diff: str) -> None:
    """Write a diff to standard output, in colors on a terminal."""
    if not sys.stdout.isatty():
        # As it is: `git apply` reads it.
        write_raw(diff)
        return
    console = OutputConsole(file=sys.stdout, highlight=False, soft_wrap=True)
    for number, line in enumerate(diff.removesuffix("\n").split("\n")):
        style = "bold" if number < _N_HEAD else _STYLES.get(line[:1], "")
        console.print(Text(printable(line.removesuffix("\r")), style=style))


def write_raw(text: str) -> None:
    """Write a text to standard output as it is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
