"""The report: a table for people, JSON for programs."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure, Samples
from benchmarks.measure import Found, Measure, NotRun, Result
from benchmarks.processes import ROOT

_PACKAGES = ("redline-ls", "msgspec", "pygls", "websockets", "httpx", "uvicorn")


def show(console: Console, result: Result) -> None:
    """Print the figures of a measure."""
    measure, found = result.measure, result.found
    if isinstance(found, NotRun):
        console.print(f"\n[bold]({measure.letter}) {measure.title}[/bold]")
        console.print(f"    [red]not run[/red]: {found.reason}")
        return
    console.print(_table(measure, found))
    console.print(f"    floor: {measure.floor}", highlight=False)
    for note in found.notes:
        console.print(f"    {note}", highlight=False)


def write_json(path: Path, results: Sequence[Result], *, is_quick: bool) -> None:
    """Write all results with their samples."""
    report = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "quick": is_quick,
        "machine": _machine(),
        "versions": {name: version(name) for name in _PACKAGES},
        "measures": [_plain(result) for result in results],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")


def _table(measure: Measure, found: Found) -> Table:
    table = Table(
        title=f"\n({measure.letter}) {measure.title}",
        title_justify="left",
        title_style="bold",
        show_edge=False,
        pad_edge=False,
        box=None,
        padding=(0, 1),
    )
    table.add_column("", no_wrap=True)
    for name in ("", "p50", "p99", "floor p50", "p99", "over floor", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("budget", no_wrap=True)
    for figure in found.figures:
        table.add_row(figure.case, *_cells(figure))
    return table


def _cells(figure: Figure) -> list[str]:
    bare, over, ratio = figure.floor, figure.over_floor, figure.ratio
    return [
        figure.unit,
        _number(figure.ours.p50),
        _number(figure.ours.p99) if len(figure.ours.values) > 1 else "",
        "" if bare is None else _number(bare.p50),
        "" if bare is None or len(bare.values) == 1 else _number(bare.p99),
        "" if over is None else _number(over),
        "" if ratio is None else f"{ratio:.1f}",
        _mark(figure),
    ]


def _mark(figure: Figure) -> str:
    if figure.budget is None:
        return ""
    mark = "[green]pass[/green]" if figure.is_within else "[red]over[/red]"
    of = {"p50": "", "p99": "p99 ", "p50 over floor": "floor + ", "ratio": "floor x "}
    return f"{mark} ≤ {of[figure.budget.of]}{figure.budget.most:g}"


def _number(value: float) -> str:
    """Format with three significant digits and no exponent."""
    size = abs(value)
    if size >= 100 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.{1 if size >= 10 else 2 if size >= 1 else 3}f}"


def _plain(result: Result) -> dict[str, object]:
    measure, found = result.measure, result.found
    head = {"measure": measure.letter, "title": measure.title, "floor": measure.floor}
    if isinstance(found, NotRun):
        return {**head, "not_run": found.reason}
    figures = [_plain_figure(figure) for figure in found.figures]
    return {**head, "notes": found.notes, "figures": figures}


def _plain_figure(figure: Figure) -> dict[str, object]:
    budget = figure.budget
    return {
        "case": figure.case,
        "unit": figure.unit,
        "ours": _plain_samples(figure.ours),
        "floor": None if figure.floor is None else _plain_samples(figure.floor),
        "over_floor": figure.over_floor,
        "ratio": figure.ratio,
        "budget": None if budget is None else {"most": budget.most, "of": budget.of},
        "is_within": figure.is_within,
    }


def _plain_samples(samples: Samples) -> dict[str, object]:
    return {
        "n": len(samples.values),
        "p50": samples.p50,
        "p99": samples.p99,
        "values": [round(value, 5) for value in samples.values],
    }


def _machine() -> dict[str, object]:
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.machine()


def _commit() -> str | None:
    """The commit, with `+` if files were changed since; None outside git."""
    try:
        commit = _git("rev-parse", "HEAD")
        is_changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit + ("+" if is_changed else "")


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
