"""`redline serve` as a real process, and knowing that nothing of it is left."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.wire_editor import WAIT_S

COMMAND = (sys.executable, "-m", "redline", "serve")


class ServerProcess:
    """A process, its log, and what it says on standard error.

    Whatever it starts inherits standard error, so the end of that stream is the end of
    all of them.
    """

    def __init__(self, child: asyncio.subprocess.Process, log: Path) -> None:
        assert child.stderr is not None
        self.child = child
        self.log = log
        self.complaints = ""
        """What came on standard error so far."""
        self._stderr = child.stderr
        self._has_news = asyncio.Event()
        self._listening = asyncio.create_task(self._listen(), name="standard error")

    async def gone(self) -> int:
        """Wait until it and all that it started have ended; returns its exit code."""
        async with asyncio.timeout(WAIT_S):
            await asyncio.shield(self._listening)
            return await self.child.wait()

    async def complains(self, text: str) -> str:
        """Wait until it says something on standard error; returns all it has said."""
        async with asyncio.timeout(WAIT_S):
            while text not in self.complaints:
                assert not self._listening.done(), self.complaints
                self._has_news.clear()
                await self._has_news.wait()
        return self.complaints

    def kill(self) -> None:
        """Kill it, if it still runs."""
        if self.child.returncode is None:
            self.child.kill()

    async def _listen(self) -> None:
        while data := await self._stderr.read(65536):
            self.complaints += data.decode()
            self._has_news.set()
        self._has_news.set()


async def start_process(
    *arguments: str,
    home: Path,
    environment: Mapping[str, str],
    command: tuple[str, ...] = COMMAND,
) -> ServerProcess:
    """Start a server in a home of its own.

    Args:
        arguments: Further words of the command line.
        home: An empty folder: its home, its working folder and where its log is.
        environment: Further environment variables.
        command: What to start.
    """
    log = home / "redline.log"
    child = await asyncio.create_subprocess_exec(
        *command,
        *arguments,
        *("--log-file", str(log)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd=home,
        env={**clean_environment(home), **environment},
    )
    return ServerProcess(child, log)


def clean_environment(home: Path) -> dict[str, str]:
    """An environment without keys, proxies or settings of this machine's user."""
    kept = ("PATH", "PYTHONPATH", "SYSTEMROOT", "COVERAGE_PROCESS_START")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
    }
