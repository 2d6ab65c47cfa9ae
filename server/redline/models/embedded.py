"""The built-in gateway and its rules, which answer if no model is configured.

It is reached over a socket like any model, and its description says that it is not a
model.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from redline.child_environment import child_environment
from redline.errors import ModelUnavailableError
from redline.models.describe import LearntDescription
from redline.models.interface import ModelDescription
from redline.models.keys import ApiKey
from redline.models.model_address import parse_model_address
from redline.models.sockets.dial import open_within
from redline.models.sockets.pool import Pool, PoolLimits
from redline.models.sockets.responses_socket import ResponsesSocket
from redline.settings.tree import LimitSettings, ModelSettings

if TYPE_CHECKING:
    from redline.models.sockets.socket import Socket

NAME = "rules"


logger = logging.getLogger(__name__)

COMMAND = (
    sys.executable,
    # Without it, a `redline` in the editor's working folder, which may be an untrusted
    # workspace, would run instead.
    "-P",
    *("-m", "redline", "gateway", "--engine", "rules"),
    *("--port", "0", "--announce", "--parent-stdin"),
)

TOKEN_VARIABLE = "REDLINE_GATEWAY_TOKEN"
"""The environment variable that passes the clients' token to the child."""

_START_LIMIT_S = 20.0
_END_LIMIT_S = 1.0
"""Time limit of each way to end it: end of input, then terminate, then kill."""

_MOST_STARTS = 5
_STARTS_WITHIN_S = 60.0
"""A child that ends this often within this time is not restarted until it is over."""

_REMEDY = "Configure a model, or see the log for why the gateway does not start."


class GatewayAddress(Struct, frozen=True, kw_only=True):
    """Where the child listens, and the token that it expects."""

    url: str
    token: ApiKey


class _Announcement(msgspec.Struct):
    url: str


class GatewayProcess:
    """Starts the child on first use, restarts it if it has died, and ends it.

    The child ends when its standard input does, so it goes even if this process is
    killed. It is used like any other server: nothing of `redline.gateway` is imported.
    """

    def __init__(
        self,
        *,
        command: Sequence[str] = COMMAND,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._command = command
        self._environ = os.environ if environ is None else environ
        self._process: Process | None = None
        self._address: GatewayAddress | None = None
        self._starts: deque[float] = deque(maxlen=_MOST_STARTS)
        self._lock = asyncio.Lock()
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The child's process id while there is a child."""
        return self._process.pid if self._process is not None else None

    async def address(self) -> GatewayAddress:
        """Return where the child listens; start it if it is not running.

        Raises:
            ModelUnavailableError: If it does not start, or ended too often.
        """
        async with self._lock:
            is_running = self._process is not None and self._process.returncode is None
            if not is_running or self._address is None:
                self._address = await self._start()
            return self._address

    async def distrust(self, address: GatewayAddress) -> None:
        """End a child that does not answer; the next call starts another."""
        async with self._lock:
            if self._address == address:
                await self._end()

    async def aclose(self) -> None:
        """End the child; idempotent and bounded."""
        self._is_closed = True
        async with self._lock:
            await self._end()

    async def _start(self) -> GatewayAddress:
        self._count_start()
        token = ApiKey(secrets.token_urlsafe(32))
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                env={
                    **child_environment(self._environ),
                    TOKEN_VARIABLE: token.reveal(),
                },
                # A Ctrl-C in the terminal is meant for us; the child ends when we do.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as exc:
            raise _start_error("it could not be run") from exc
        try:
            url = await self._announced_url(self._process)
        except BaseException:
            await self._end()
            raise
        logger.info("gateway started, process %d", self._process.pid)
        return GatewayAddress(url=url, token=token)

    async def _announced_url(self, process: Process) -> str:
        assert process.stdout is not None
        try:
            async with asyncio.timeout(_START_LIMIT_S):
                line = await process.stdout.readline()
        except (TimeoutError, ValueError) as exc:
            # ValueError: a line longer than the stream's limit.
            raise _start_error("it did not say where it listens") from exc
        try:
            return msgspec.json.decode(line, type=_Announcement).url
        except msgspec.DecodeError as exc:
            raise _start_error("it ended or said something else") from exc

    def _count_start(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._is_closed:
            raise _start_error("Redline is shutting down")
        is_often = len(self._starts) == _MOST_STARTS
        if is_often and now - self._starts[0] < _STARTS_WITHIN_S:
            raise _start_error("it ended too often")
        self._starts.append(now)

    async def _end(self) -> None:
        process, self._process = self._process, None
        self._address = None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        for harder in (process.terminate, process.kill):
            with suppress(TimeoutError):
                async with asyncio.timeout(_END_LIMIT_S):
                    await process.wait()
                    return
            with suppress(ProcessLookupError):
                harder()
        await process.wait()


def _start_error(why: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"The built-in gateway is not running: {why}.", remedy=_REMEDY
    )


def embedded_gateway(
    limits: LimitSettings, *, process: GatewayProcess | None = None
) -> ResponsesSocket:
    """Build the model; its process starts when it is warmed or first used.

    Args:
        limits: Time limits.
        process: The process, which closing the model ends; None: the gateway's own.
    """
    settings = _settings("ws://localhost/v1/responses")
    dialler = _GatewayDialler(process or GatewayProcess(), connect_s=limits.connect_s)
    description = ModelDescription(
        label=NAME,
        name=NAME,
        api=settings.api,
        host="built in",
        context_tokens=settings.context_tokens,
        is_model=False,
        input_price=0.0,
        output_price=0.0,
    )
    pool_limits = PoolLimits(n_sockets=settings.sockets, max_age_s=settings.max_age_s)
    return ResponsesSocket(
        LearntDescription(description),
        settings,
        limits,
        dialler=dialler,
        pool=Pool(dialler, pool_limits, model=NAME),
        http=None,
    )


class _GatewayDialler:
    def __init__(self, process: GatewayProcess, *, connect_s: float) -> None:
        self._process = process
        self._connect_s = connect_s

    async def dial(self) -> Socket:
        address = await self._process.address()
        try:
            return await self._connect(address)
        except ModelUnavailableError:
            # The process died unnoticed, or hangs: try a new one, once.
            await self._process.distrust(address)
            return await self._connect(await self._process.address())

    async def renew_key(self, since_s: float) -> bool:
        return False

    async def aclose(self) -> None:
        await self._process.aclose()

    async def _connect(self, address: GatewayAddress) -> Socket:
        endpoint = parse_model_address(NAME, _settings(address.url), environ={})
        return await open_within(
            endpoint, address.token, model=NAME, limit_s=self._connect_s
        )


def _settings(url: str) -> ModelSettings:
    return ModelSettings(
        api="responses-socket", url=url, name=NAME, task_data=True, steer=False
    )
