"""Formats the doctor's report for users and for programs.

A terminal gets tables. Other output gets the same as plain text, one fact per line, so
that it can be searched and pasted into an issue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from redline.cli.doctor.diagnosis import FileReport, ModelReport, Report
from redline.cli.doctor.gateway_check import user_rows
from redline.cli.terminal.consoles import OutputConsole
from redline.printable import printable

_USAGE_STATES = {
    "writable": "can be written",
    "new": "not there yet; can be created",
    "not writable": "cannot be written",
    "off": "switched off: nothing is kept",
}

Part = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A title, column names, rows."""


def show(report: Report, stream: TextIO) -> None:
    """Write the report for users."""
    console = OutputConsole(file=stream, highlight=False)
    if console.is_terminal:
        _show_tables(report, console)
    else:
        stream.write("".join(f"{printable(one)}\n" for one in _plain_lines(report)))


def _show_tables(report: Report, console: Console) -> None:
    for line in _heading(report):
        console.print(Text(printable(line)))
    for title, columns, rows in _parts(report):
        table = Table(title=title, title_justify="left", title_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            # As `Text`: a path or a message may contain markup of rich.
            table.add_row(*(Text(printable(one)) for one in row))
        console.print(table)
    for place, message, remedy in _problem_rows(report):
        console.print(Text(printable(f"✗ {place}: {message}"), style="red"))
        if remedy:
            console.print(Text(printable(f"  {remedy}")))
    console.print(Text(_verdict(report), style="red" if report.problems else "green"))


def _plain_lines(report: Report) -> Iterator[str]:
    yield from _heading(report)
    for title, _, rows in _parts(report):
        yield f"\n{title}:"
        yield from (f"  {'  '.join(filter(None, row))}" for row in rows)
    if report.problems:
        yield "\nProblems:"
    for place, message, remedy in _problem_rows(report):
        yield f"  {place}: {message} {remedy}".rstrip()
    yield f"\n{_verdict(report)}"


def _heading(report: Report) -> Iterator[str]:
    yield f"Redline {report.version}"
    yield f"Models: {report.models_from}"
    if report.advice:
        yield report.advice
    yield f"Log file: {report.log_file}"
    usage = report.usage_file
    yield f"Usage file: {usage.path} ({_USAGE_STATES[usage.state]})"
    if usage.state != "not writable" and usage.note:
        yield usage.note


def _parts(report: Report) -> Iterator[Part]:
    files = [(file.path, file.state, _trust(file)) for file in report.files]
    yield "Settings files", ("path", "state", ""), files
    if report.settings:
        settings = [(s.key, _value(s.value), s.origin) for s in report.settings]
        yield "Settings that are not defaults", ("key", "value", "from"), settings
    if report.models:
        models = [
            (
                m.label,
                m.name,
                m.host,
                f"key: {m.key}",
                _reached(m.handshake_s, m.reachable),
                _facts(m),
            )
            for m in report.models
        ]
        yield "Models", ("label", "name", "host", "key", "connection", ""), models
    yield from _gateways(report.models)
    tiers = [(t.tier, t.model or "none", t.note) for t in report.tiers]
    yield "Tiers", ("tier", "model", "note"), tiers


def _gateways(models: Sequence[ModelReport]) -> Iterator[Part]:
    """Show each user of a gateway once, also where several models are its own."""
    shown = {(m.host, m.gateway.user): m.gateway for m in models if m.gateway}
    for (host, _), gateway in shown.items():
        yield f"Gateway at {host}", ("what", "value"), list(user_rows(gateway))


def _facts(model: ModelReport) -> str:
    facts = [f"window {model.context_tokens:,} tokens"]
    if model.input_price is not None and model.output_price is not None:
        facts.append(f"${model.input_price:g} in, ${model.output_price:g} out")
    if model.can:
        facts.append(f"can: {', '.join(model.can)}")
    if model.note:
        facts.append(model.note)
    if model.tried:
        facts.append(f"tried: {model.tried}")
    if model.untried:
        facts.append(f"not tried: {', '.join(model.untried)}")
    return "; ".join(facts)


def _problem_rows(report: Report) -> Iterator[tuple[str, str, str]]:
    for problem in report.problems:
        yield problem.place, problem.message, problem.remedy


def _trust(file: FileReport) -> str:
    if file.trusted or file.state == "absent":
        return ""
    return "not trusted: may tune behaviour only"


def _value(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _reached(handshake_s: float | None, reachable: bool) -> str:
    if not reachable:
        return "not reachable"
    return "reachable" if handshake_s is None else f"ready in {handshake_s:.3f} s"


def _verdict(report: Report) -> str:
    n_problems = len(report.problems)
    if not n_problems:
        return "No problems found."
    return "One problem found." if n_problems == 1 else f"{n_problems} problems found."
