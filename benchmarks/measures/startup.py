"""(e) From starting the process to the answer to `initialize`."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.editor import Editor
from benchmarks.figures import Budget, Figure, samples
from benchmarks.measure import Found, Measure, Scale
from benchmarks.processes import REDLINE, end, environment, start

_BUDGET = Budget(most=450.0)
_N_WARM_UP = 2
"""Starts that are not counted: the first one may still compile modules."""


async def _run(scale: Scale) -> Found:
    times: list[float] = []
    settled: list[float] = []
    floors: list[float] = []
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as folder:
        home = Path(folder)
        for number in range(_N_WARM_UP + scale.n(30, 5)):
            answered_s, settled_s = await _start(home)
            floor_s = await asyncio.to_thread(_start_bare_python)
            if number >= _N_WARM_UP:
                times.append(answered_s)
                settled.append(settled_s)
                floors.append(floor_s)
    bare = samples(floors, times=1000)
    return Found(
        figures=(
            Figure(
                case="start to initialize answered",
                unit="ms",
                ours=samples(times, times=1000),
                floor=bare,
                budget=_BUDGET,
            ),
            Figure(
                case="start to everything loaded",
                unit="ms",
                ours=samples(settled, times=1000),
                floor=bare,
            ),
        ),
        notes=("A fresh process each time, its files in the system's cache.",),
    )


async def _start(home: Path) -> tuple[float, float]:
    """Start a server without settings and end it.

    Returns:
        The seconds until `initialize` was answered, and until all was loaded.
    """
    # With an unusable model in the settings, the server does not search for others.
    (home / "config.toml").write_text('[tiers]\nfast = "none"\n', encoding="utf-8")
    command = (*REDLINE, "serve", "--config", str(home / "config.toml"))
    began = time.monotonic()
    process = start(command, environment(home))
    connected = Editor(process)
    try:
        await connected.open()
        _, answered = await connected.initialize()
        await connected.settle()
        settled = time.monotonic()
    finally:
        connected.close()
        await end(process)
    return answered - began, settled - began


def _start_bare_python() -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.monotonic() - began


MEASURE = Measure(
    letter="e",
    title="Process start → initialize answered",
    floor="python -c pass, from start to end",
    run=_run,
)
