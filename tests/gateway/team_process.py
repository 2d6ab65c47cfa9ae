"""A gateway of a team as a process, in front of another gateway."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import httpx
from tests.gateway.conftest import TOKEN, Client
from websockets.asyncio.client import connect

from redline.gateway.limits.accounts import key_sha256


class Behind(Protocol):
    """The server of the model."""

    @property
    def http_url(self) -> str:
        """The base of its HTTP addresses."""


class TeamProcess:
    """The process; `ada` is its user, and `coder` its model."""

    def __init__(self, process: Process, url: str) -> None:
        self.url = url
        self._process = process

    @property
    def address(self) -> str:
        """Its host and port."""
        return urlsplit(self.url).netloc

    async def client(self) -> Client:
        """Connect as the user."""
        headers = {"Authorization": "Bearer ada"}
        return Client(await connect(self.url, additional_headers=headers))

    async def read_until(self, pattern: bytes) -> re.Match[bytes]:
        """Read its standard error up to a line that holds a pattern."""
        while (found := re.search(pattern, await self.line())) is None:
            continue
        return found

    async def line(self) -> bytes:
        """Read a line of its standard error."""
        assert self._process.stderr is not None
        line = await self._process.stderr.readline()
        assert line, "the process has ended"
        return line

    def http(self, *, user: str = "ada") -> httpx.AsyncClient:
        """Make an HTTP client of a user."""
        return httpx.AsyncClient(
            base_url=self.url.replace("ws", "http", 1).removesuffix("/responses"),
            headers={"Authorization": f"Bearer {user}"},
            verify=False,
            timeout=60.0,
        )

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.signal(signal.SIGTERM)

    def signal(self, number: int) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    async def rest_of_log(self) -> bytes:
        """Return what else it writes to its standard error, up to its end."""
        _, rest = await self._process.communicate()
        return rest

    async def ended(self) -> int | None:
        """Wait for its end; returns its exit code."""
        await self._process.communicate()
        return self._process.returncode


@asynccontextmanager
async def team_process(
    behind: Behind | str,
    path: Path,
    *options: str,
    tables: str = "",
    limits: str = "",
    key: str = TOKEN,
) -> AsyncIterator[TeamProcess]:
    """Run a gateway of a team, and kill it if a test leaves it running.

    Args:
        behind: The server of its model, or the settings of the model as TOML.
        path: Where its configuration is written.
        options: Further options of the command.
        tables: Further tables of the configuration.
        limits: Limits of the user, as TOML.
        key: The key of the server.
    """
    write_configuration(path, behind, tables, limits)
    process = await create_subprocess_exec(
        *(sys.executable, "-m", "redline", "gateway", "--announce"),
        *("--config", str(path), *options),
        stdout=PIPE,
        stderr=PIPE,
        env=os.environ | {"BEHIND_KEY": key},
    )
    try:
        assert process.stdout is not None
        announced = json.loads(await process.stdout.readline())
        yield TeamProcess(process, announced["url"])
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def write_configuration(
    path: Path, behind: Behind | str, tables: str, limits: str = ""
) -> None:
    """Write the configuration of a gateway in front of a server."""
    if not isinstance(behind, str):
        behind = f"""
        api = "responses-http"
        url = "{behind.http_url}/responses"
        name = "m"
        key = {{ env = "BEHIND_KEY" }}
        """
    path.write_text(
        f"""
        [listen]
        port = 0
        {tables}
        [upstreams.coder]
        {behind}
        [[users]]
        name = "ada"
        key_sha256 = "{key_sha256("ada")}"
        {limits}
        [[users]]
        name = "bob"
        key_sha256 = "{key_sha256("bob")}"
        """
    )
