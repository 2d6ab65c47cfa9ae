"""(e) From starting the process to `initialize` answered, and to everything loaded.

What is not needed for the first edits, above all pygls and the types of lsprotocol, is
imported by a thread after that answer.
"""

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
_LOADED = "import pygls.lsp.server"

_N_WARM_UP = 2
"""Starts that are not counted: the first one may still compile modules."""


async def _run(scale: Scale) -> Found:
    times: list[float] = []
    settled: list[float] = []
    bare: list[float] = []
    with_pygls: list[float] = []
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as folder:
        home = Path(folder)
        for number in range(_N_WARM_UP + scale.n(30, 5)):
            answered_s, settled_s = await _start(home)
            bare_s = await asyncio.to_thread(_start_python, "pass")
            pygls_s = await asyncio.to_thread(_start_python, _LOADED)
            if number >= _N_WARM_UP:
                times.append(answered_s)
                settled.append(settled_s)
                bare.append(bare_s)
                with_pygls.append(pygls_s)
    return Found(
        figures=(
            Figure(
                case="start to initialize answered",
                unit="ms",
                ours=samples(times, times=1000),
                floor=samples(bare, times=1000),
                budget=_BUDGET,
            ),
            Figure(
                case="start to everything loaded",
                unit="ms",
                ours=samples(settled, times=1000),
                floor=samples(with_pygls, times=1000),
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


def _start_python(code: str) -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.monotonic() - began


MEASURE = Measure(
    letter="e",
    title="Process start → initialize answered",
    floor=f"python -c pass, from start to end; of everything: python -c '{_LOADED}'",
    run=_run,
)
