"""Where the programs of others are, and how they are started."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.e2e.server_process import clean_environment

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("REDLINE_OUTSIDE") or ROOT / ".outside").absolute()
"""What tests/outside/get/get-all has filled."""
CLIENTS = Path(__file__).parent / "clients"

PROGRAM_S = 90.0
"""Longest run of a program that must end: a bound, never a measure."""


def program(environment: str, name: str) -> str:
    """Return a program of a Python environment, such as `python`."""
    found = shutil.which(name, path=FOLDER / environment / "bin")
    assert found, f"{environment}/{name} is missing: run make test-outside"
    return found


def debian_program(name: str) -> Path:
    """Return a program that was unpacked from a package of Debian."""
    found = FOLDER / "debian" / name
    assert found.exists(), f"debian/{name} is missing: run make test-outside"
    return found


def node_program(name: str) -> str:
    """Return a program of a Node.js package."""
    found = shutil.which(name, path=FOLDER / "node" / "node_modules" / ".bin")
    assert found, f"node/{name} is missing: run make test-outside"
    return found


async def started(
    *words: str | Path, home: Path, environment: Mapping[str, str] | None = None
) -> Process:
    """Start a program in a home of its own, with its errors in its output."""
    os.makedirs(home, exist_ok=True)
    return await asyncio.create_subprocess_exec(
        *map(str, words),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        cwd=home,
        env={**clean_environment(home), **(environment or {})},
        start_new_session=True,
        limit=2**24,
    )


async def run_client(
    *words: str | Path, home: Path, environment: Mapping[str, str] | None = None
) -> str:
    """Run a program that must succeed; returns what it said."""
    process = await started(*words, home=home, environment=environment)
    try:
        async with asyncio.timeout(PROGRAM_S):
            output, _ = await process.communicate()
    finally:
        await ended(process)
    said = output.decode(errors="replace")
    assert process.returncode == 0, said
    return said


async def ended(process: Process) -> None:
    """Kill a program and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
