"""Processes that are killed: a gateway, and a server's reviews that talk to it."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.assist.review import reviewing_process
from tests.assist.review.reviewing_process import TOKEN, Orders
from tests.assist.review.seeded_workspace import write_workspace

WAIT_S = 300.0
"""For one that is left alone; it takes a second where nothing else runs."""

# A server of processes that has everything imported: the next one costs nothing.
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(
    [reviewing_process.__name__, "redline.assist.review.job.run_job"]
)


class Gateway:
    """The real gateway, at the same address in every process."""

    def __init__(self, script: dict[str, Any], folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._script = folder / "script.json"
        self._script.write_text(json.dumps(script))
        self._folder = folder
        self._n_starts = 0
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The endpoint."""
        return f"http://127.0.0.1:{self._port}/v1/responses"

    def start(self) -> None:
        """Serve, once this returns; begin a new record."""
        self._n_starts += 1
        words = [
            *(sys.executable, "-m", "redline", "gateway", "--engine", "script"),
            *("--script", str(self._script), "--port", str(self._port)),
            *("--record", str(self._record), "--announce"),
        ]
        self._process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            env={**os.environ, "REDLINE_GATEWAY_TOKEN": TOKEN},
        )
        assert self._process.stdout is not None
        json.loads(self._process.stdout.readline())

    @property
    def _record(self) -> Path:
        return self._folder / f"record-{self._n_starts}.jsonl"

    def kill(self) -> None:
        """Kill the gateway, and lose the responses that it stored."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    @property
    def n_questions(self) -> int:
        """How often a model was asked."""
        entries = map(json.loads, self._record.read_text().splitlines())
        return sum(entry["kind"] == "create" for entry in entries)


@contextmanager
def serving(script: dict[str, Any], folder: Path) -> Iterator[Gateway]:
    """Serve a script within a block."""
    gateway = Gateway(script, folder)
    try:
        gateway.start()
        yield gateway
    finally:
        gateway.kill()


@dataclass(frozen=True)
class Result:
    """The result of a review, without ids and times."""

    review: dict[str, Any]
    findings: list[dict[str, Any]]
    dropped: list[dict[str, Any]]
    n_writes: int
    """Of the last process."""


def new_orders(folder: Path, url: str, **fields: Any) -> Orders:
    """Make a workspace for one review."""
    shutil.rmtree(folder, ignore_errors=True)
    write_workspace(folder / "workspace")
    return Orders(folder=folder / "workspace", url=url, **fields)


def begin(orders: Orders) -> BaseProcess:
    """Start a process that reviews."""
    process = _processes.Process(target=reviewing_process.work, args=(orders,))
    process.start()
    return process


def run_to_end(orders: Orders) -> Result:
    """Start or resume a review in a process that is not killed."""
    process = begin(replace(orders, dies_after=None))
    process.join(WAIT_S)
    if process.is_alive():
        process.kill()
    process.join()
    assert process.exitcode == 0
    return read_result(orders)


def read_result(orders: Orders) -> Result:
    """Read the result that a process wrote at its end."""
    outcome = json.loads(orders.outcome.read_text())
    reviewed = outcome["reviewed"]
    kept = ("state", "scope", "percentage", "message", "left_out", "n_findings")
    return Result(
        review={name: reviewed["review"][name] for name in kept},
        findings=[_placed(finding) for finding in reviewed["findings"]],
        dropped=reviewed["dropped"],
        n_writes=outcome["n_writes"],
    )


def shown(orders: Orders) -> list[tuple[str, str]]:
    """What all processes of a review showed the developer."""
    lines = orders.shown.read_text().splitlines()
    return [(kind, what) for kind, what in map(json.loads, lines)]


def _placed(finding: dict[str, Any]) -> dict[str, Any]:
    # Each review is of a workspace of its own.
    return {name: value for name, value in finding.items() if name != "uri"}
