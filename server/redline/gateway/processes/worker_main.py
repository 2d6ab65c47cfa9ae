"""One of several processes that serve a gateway: `python -m` this module.

The arguments are the numbers of two inherited sockets, the one that listens and the one
to the parent, and the path of the configuration, for messages. The parent reads the
file and sends its content: a worker that starts later serves what is in force, also if
the file has errors meanwhile. When the parent is gone, the worker drains.
"""

from __future__ import annotations

import signal
import socket
import sys
from pathlib import Path

from redline.gateway.config_file import GatewayFile, load_gateway_file
from redline.gateway.configured import ConfiguredGateway
from redline.gateway.processes.shared_usage import SharedUsage
from redline.gateway.processes.worker_messages import (
    Channel,
    CountsWanted,
    OthersUsage,
    ServedConfiguration,
    WorkerCounts,
    WorkerListens,
    WorkerUsage,
)
from redline.gateway.serving.event_loop import run
from redline.gateway.serving.server import GatewayServer
from redline.log import logging_to_stderr
from redline.supervisor import Supervisor


def main() -> None:
    """Serve until a signal."""
    listener, parent, path = sys.argv[1:]
    # The parent reads the configuration again.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with logging_to_stderr():
        run(
            _serve(
                socket.socket(fileno=int(listener)),
                socket.socket(fileno=int(parent)),
                Path(path),
            )
        )


async def _serve(listener: socket.socket, parent: socket.socket, path: Path) -> None:
    channel = await Channel.of(parent)
    supervisor = Supervisor()
    try:
        first = await channel.from_parent()
        if not isinstance(first, ServedConfiguration):
            return
        begun_with = load_gateway_file(path, content=first.begun_with)
        gateway = ConfiguredGateway(begun_with, n_workers=first.n_workers)
        try:
            if first.content != first.begun_with:
                gateway.apply(_file(path, first))
            server = gateway.server(
                on_listening=lambda _: channel.send(WorkerListens())
            )
            shared = SharedUsage(gateway.accounts, gateway.turns)
            supervisor.start(
                _obey(channel, path, gateway, server, shared), name="obey the parent"
            )
            supervisor.start(
                shared.report(lambda usage: channel.send(WorkerUsage(usage))),
                name="report what users have used",
            )
            await server.run_on(listener)
            channel.send(WorkerCounts(gateway.metrics.counts()))
        finally:
            await gateway.aclose()
    finally:
        await supervisor.aclose()
        await channel.aclose()


async def _obey(
    channel: Channel,
    path: Path,
    gateway: ConfiguredGateway,
    server: GatewayServer,
    shared: SharedUsage,
) -> None:
    while (message := await channel.from_parent()) is not None:
        match message:
            case ServedConfiguration():
                gateway.apply(_file(path, message))
            case OthersUsage():
                shared.apply(message.usage)
            case CountsWanted():
                channel.send(WorkerCounts(gateway.metrics.counts()))
    server.begin_drain()


def _file(path: Path, message: ServedConfiguration) -> GatewayFile:
    return load_gateway_file(path, content=message.content)


if __name__ == "__main__":
    main()
