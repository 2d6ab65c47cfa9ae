"""The gateway of a team: serve a `gateway.toml`, check it, and add users to it."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from redline.cli.gateway.gateway_url import announce_url
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_PROBLEMS
from redline.errors import InvalidArgumentsError, SettingsError
from redline.files import read_file
from redline.gateway.config_file import USER_NAME, GatewayFile, load_gateway_file
from redline.gateway.configured import (
    ConfiguredGateway,
    listening_of,
    metrics_listening_of,
)
from redline.gateway.limits.accounts import key_sha256, make_key
from redline.gateway.processes.workers import WorkerPool
from redline.gateway.serving.event_loop import run
from redline.gateway.serving.metrics_server import serving_metrics
from redline.log import logging_to_stderr
from redline.printable import printable_line
from redline.settings.toml_file import MAX_BYTES, parse_toml

logger = logging.getLogger(__name__)


def check(path: Path) -> int:
    """Print every error of a configuration.

    Returns:
        The exit code.
    """
    file = load_gateway_file(path)
    for problem in file.problems:
        sys.stderr.write(f"{printable_line(str(problem))}\n")
    if file.problems:
        return EXIT_PROBLEMS
    counts = f"users: {len(file.users)}, upstreams: {len(file.upstreams)}"
    sys.stdout.write(f"{path}: no errors; {counts}\n")
    return EXIT_DONE


def add_user(name: str, path: Path) -> int:
    """Add a user at the end of a configuration, and print the key.

    Raises:
        InvalidArgumentsError: If the name cannot be used.
        SettingsError: If the file cannot be read, or would not be TOML any more.
        OSError: If it cannot be written.
    """
    if not USER_NAME.fullmatch(name):
        raise InvalidArgumentsError(
            "A user's name has up to 64 letters, digits and `_.@-`."
        )
    content = read_file(path, max_bytes=MAX_BYTES)
    key = make_key()
    table = f'[[users]]\nname = "{name}"\nkey_sha256 = "{key_sha256(key)}"\n'
    added = (("\n" if content.endswith(b"\n") else "\n\n") + table).encode()
    if name in _user_names(path, content):
        raise InvalidArgumentsError(
            f"{path} has a user {name} already. For another key, remove that one first."
        )
    _user_names(path, content + added)
    _append(path, added)
    sys.stderr.write(f"key of {name} (shown once): ")
    sys.stderr.flush()
    sys.stdout.write(key + "\n")
    return EXIT_DONE


def _append(path: Path, data: bytes) -> None:
    """Add to a file in one write, so that a gateway seldom reads a part of it.

    Raises:
        OSError: If not all of it can be written; the file is as before then.
    """
    with path.open("ab", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        n_written = file.write(data)
        if n_written < len(data):
            file.truncate(size)
            raise OSError(errno.ENOSPC, "there is no room for a user", str(path))


def _user_names(path: Path, content: bytes) -> list[object]:
    file = parse_toml(path, content)
    if file.problem is not None:
        raise SettingsError(
            f"A user cannot be added: {file.problem}.",
            remedy="The file is unchanged; correct it first. Users are written as"
            " `[[users]]` tables.",
        )
    users = file.values.get("users")
    if not isinstance(users, list):
        return []
    return [user.get("name") for user in users if isinstance(user, dict)]


def serve(path: Path, *, announce: bool, n_workers: int) -> int:
    """Serve a configuration until a signal.

    Raises:
        InvalidArgumentsError: If this system cannot have several workers.
        SettingsError: If it has errors.
        OSError: If the gateway cannot listen, or a worker cannot start.
    """
    if n_workers > 1 and sys.platform == "win32":
        raise InvalidArgumentsError("--workers needs Linux or macOS.")
    file = load_gateway_file(path)
    if file.problems:
        check(path)
        raise SettingsError(
            f"{path} has errors.", remedy="Correct them; nothing is served."
        )
    with logging_to_stderr():
        if n_workers > 1:
            run(_serve_by_workers(file, n_workers, announce=announce))
        else:
            run(_serve(file, announce=announce))
    return EXIT_DONE


async def _serve(file: GatewayFile, *, announce: bool) -> None:
    gateway = ConfiguredGateway(file)
    server = gateway.server(
        on_listening=lambda port: announce_url(
            gateway.listening, port, as_json=announce
        ),
        on_hangup=gateway.reload,
    )

    async def metrics_text() -> str:
        return gateway.metrics.text()

    async with AsyncExitStack() as stack:
        stack.push_async_callback(gateway.aclose)
        await stack.enter_async_context(_metrics_of(file, metrics_text))
        await server.run_to_end()


async def _serve_by_workers(
    file: GatewayFile, n_workers: int, *, announce: bool
) -> None:
    loop = asyncio.get_running_loop()
    listening = listening_of(file)
    if file.store is None:
        logger.warning(
            "there is no [store]: a stored or background response, and a"
            " previous_response_id over HTTP, is known to one of the %d workers only;"
            " the others answer 404",
            n_workers,
        )
    with listening.bind() as listener:
        port = listener.getsockname()[1]
        pool = WorkerPool(file, listener, n_workers=n_workers)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, pool.end, number)
        if sys.platform != "win32":
            loop.add_signal_handler(signal.SIGHUP, pool.reload)
        async with _metrics_of(file, pool.metrics_text):
            await pool.start()
            announce_url(listening, port, as_json=announce)
            await pool.run()


@asynccontextmanager
async def _metrics_of(
    file: GatewayFile, text: Callable[[], Awaitable[str]]
) -> AsyncIterator[None]:
    """Serve metrics while the context is open, if the configuration says where."""
    listening = metrics_listening_of(file)
    if listening is None:
        yield
        return
    async with serving_metrics(
        text,
        listening,
        on_listening=lambda port: logger.info("metrics: port %d", port),
    ):
        yield
