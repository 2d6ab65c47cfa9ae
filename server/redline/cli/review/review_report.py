"""The report of `redline review` in each of its formats, and its exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rich.text import Text

from redline import __version__
from redline.cli.review.report_file import text_head, written_to
from redline.cli.review.review_job import ReviewRunResult
from redline.cli.terminal.consoles import OutputConsole
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_NOT_DONE, EXIT_PROBLEMS
from redline.findings.finding import SEVERITIES, Finding
from redline.findings.report import (
    NO_MODEL,
    ReviewReport,
    counts,
    markdown_report,
    worst_first,
)
from redline.findings.report_json import json_report
from redline.findings.sarif import sarif_report
from redline.printable import printable

_STYLES = {
    "critical": "bold red",
    "high": "red",
    "medium": "yellow",
    "low": "cyan",
}


def exit_code(done: ReviewRunResult, fail_on: str | None) -> int:
    worst = SEVERITIES[: SEVERITIES.index(fail_on) + 1] if fail_on else ()
    if any(one.severity in worst for one in _shown(done.report)):
        return EXIT_PROBLEMS
    is_whole = done.review.state == "done" and not done.review.is_partial
    return EXIT_DONE if is_whole else EXIT_NOT_DONE


def write_report(done: ReviewRunResult, form: str, output: Path | None) -> None:
    """Write the report to a file, or to standard output.

    Raises:
        OSError: If it cannot be written.
    """
    if output is None:
        if form == "text":
            show(done.report, sys.stdout)
        else:
            # UTF-8 regardless of the terminal's encoding: programs read this.
            sys.stdout.flush()
            sys.stdout.buffer.write(_page(done.report, form).encode())
            sys.stdout.buffer.flush()
        return
    with written_to(output) as file:
        if form == "text":
            file.write(text_head(done.review.id))
            show(done.report, file)
        else:
            file.write(_page(done.report, form))


def _page(report: ReviewReport, form: str) -> str:
    match form:
        case "json":
            return json_report(report)
        case "sarif":
            return sarif_report(report, version=__version__)
        case _:
            return markdown_report(report)


def show(report: ReviewReport, stream: TextIO) -> None:
    """Write the report for users: the findings by severity, then the summary."""
    console = OutputConsole(file=stream, highlight=False, soft_wrap=True)
    for finding in _shown(report):
        for line in _finding_lines(finding):
            console.print(line)
        console.print()
    for text in _summary(report):
        console.print(Text(printable(text)))


def _on_one_line(path: str) -> str:
    """Return a path that cannot look like another line of the report."""
    return path.replace("\n", "\ufffd")


def _shown(report: ReviewReport) -> list[Finding]:
    return worst_first(one for one in report.findings if one.state == "open")


def _finding_lines(finding: Finding) -> Iterator[Text]:
    place = f"{_on_one_line(finding.file)}:{finding.first_line + 1}"
    rule = f" [{finding.rule}]" if finding.rule else ""
    yield Text.assemble(
        (printable(place), "bold"),
        ": ",
        (finding.severity, _STYLES[finding.severity]),
        printable(f" {finding.category}: {finding.title}{rule}"),
    )
    for line in printable(finding.quote).split("\n"):
        yield Text(f"    | {line}", style="dim")
    for line in printable(finding.explanation).strip().split("\n"):
        yield Text(f"    {line}".rstrip())
    if finding.fix is not None:
        yield Text("    A fix that passes the checks:")
        for line in printable(finding.fix.new_text).split("\n"):
            yield Text(f"    + {line}", style="green")


def _summary(report: ReviewReport) -> Iterator[str]:
    for file in report.left_out:
        path = _on_one_line(file.path)
        yield f"Not reviewed: {path}: {file.reason.rstrip('.')}."
    if report.message:
        yield report.message
    if report.state == "done" and not report.has_model:
        yield NO_MODEL
    shown = _shown(report)
    n_dismissed = sum(one.state == "dismissed" for one in report.findings)
    if n_dismissed:
        yield f"Dismissed before: {n_dismissed}."
    if report.dropped:
        yield (
            f"Dropped, as they could not be verified: {len(report.dropped)};"
            " --format markdown lists them."
        )
    about = f" in {report.scope}" if report.scope else ""
    if shown:
        noun = "finding" if len(shown) == 1 else "findings"
        yield f"{len(shown)} {noun}{about}: {counts(shown)}."
    elif report.is_partial:
        yield f"No findings in what was reviewed of {report.scope or 'it'}."
    elif report.state == "done":
        yield f"No findings{about}."
    else:
        yield f"The review was {_STATES[report.state]}."
    if report.is_partial:
        yield "The review is not complete."


_STATES = {
    "cancelled": "cancelled",
    "failed": "not done: it failed",
    "running": "not done",
}
