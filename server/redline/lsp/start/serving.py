"""Runs one server process for one editor, from the first byte to the exit code."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any  # What a coroutine yields to the loop is not our concern.

from redline.garbage_collection import leave_out_loaded
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.stdio import claim_stdio, over_descriptors
from redline.lsp.jsonrpc.tcp import one_editor
from redline.lsp.jsonrpc.transport import Transport

EXIT_LIMIT_S = 3.0
"""How long threads may delay the end of the process after the shutdown."""

SWITCH_INTERVAL_S = 0.001
"""How long a computing thread may hold the interpreter. A keystroke waits this long if
a thread computes a review; with Python's default of 5 ms it would wait that long at
every step."""

N_THREADS = 32
"""How many threads may wait at a time, such as for disks that do not answer. Python's
default depends on the processors: 6 on a machine with two."""

_SIGNALS = (
    ()  # There a console's Ctrl-C ends the process.
    if sys.platform == "win32"
    else (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
)

Build = Callable[[Transport], Endpoint]
"""Makes the server on a closed transport. Its imports delay the answer to
`initialize`."""

logger = logging.getLogger(__name__)


async def serve_stdio(build: Build) -> int:
    """Serve the editor at standard input and output; return the exit code."""
    reading, writing = claim_stdio()
    return await _serve(
        build, lambda transport: over_descriptors(transport, reading, writing)
    )


async def serve_tcp(
    build: Build, host: str, port: int, announce: Callable[[int], None]
) -> int:
    """Serve the first editor that connects; return the exit code.

    Args:
        build: See `Build`.
        host: A loopback address.
        port: Zero lets the system choose.
        announce: Gets the port once an editor can connect.

    Raises:
        InvalidArgumentsError: If the host is not loopback, or the port is taken.
    """
    return await _serve(
        build, lambda transport: one_editor(transport, host, port, announce)
    )


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run a server until it ends and return its exit code.

    Args:
        main: `serve_stdio` or `serve_tcp`.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        with asyncio.Runner() as runner:
            code = runner.run(main)
            _exit_at_latest(code)
            atexit.register(_end_process, code)
    finally:
        sys.setswitchinterval(interval)
    return code


async def _serve(
    build: Build, connect: Callable[[Transport], AbstractAsyncContextManager[None]]
) -> int:
    threads = ThreadPoolExecutor(N_THREADS, thread_name_prefix="work")
    asyncio.get_running_loop().set_default_executor(threads)
    transport = Transport()
    endpoint = build(transport)
    transport.attach(endpoint)
    _end_on_signals(endpoint)
    # The lane does the same for its imports.
    leave_out_loaded()
    async with connect(transport):
        code = await endpoint.wait_finished()
        await transport.aclose()
    _ignore_signals()
    return code


def _end_on_signals(endpoint: Endpoint) -> None:
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, endpoint.editor_gone, f"signal {number.name}")


def _ignore_signals() -> None:
    """Ignore further signals: the process is ending, in at most `EXIT_LIMIT_S`."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.remove_signal_handler(number)
        signal.signal(number, signal.SIG_IGN)


def _exit_at_latest(code: int) -> None:
    """Ensure that a hanging thread keeps the process alive no longer than the limit."""

    def end() -> None:
        logger.error("a thread hangs; the process ends without it")
        os._exit(code)

    timer = threading.Timer(EXIT_LIMIT_S, end)
    timer.daemon = True
    timer.start()


def _end_process(code: int) -> None:
    """End the process without finalizing the interpreter.

    A daemon thread may still be importing modules, when the editor leaves soon after
    the start; native code in it may crash in an interpreter that is being finalized.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
