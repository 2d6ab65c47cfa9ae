"""The line between Redline and a model's server, and what makes it slow."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from benchmarks.figures import NotRunError
from benchmarks.lines import line_process
from benchmarks.network.relay import relay
from benchmarks.processes import ROOT

_SCRIPT = ROOT / "benchmarks" / "network" / "namespaces.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A line, open while its context is."""

    description: str
    host: str = "127.0.0.1"
    """The address of the server's end, as seen by the client."""
    client: tuple[str, ...] = ()
    """A command that runs another at the client's end."""
    server: tuple[str, ...] = ()
    relay_delay_s: float | None = None
    """The delay of a relay in front of each port."""

    async def reach(self, stack: AsyncExitStack, port: int) -> int:
        """Return the port under which the client reaches a port of the server."""
        if self.relay_delay_s is None:
            return port
        return await stack.enter_async_context(relay(port, self.relay_delay_s))


@asynccontextmanager
async def loopback() -> AsyncIterator[Link]:
    """No delay at all."""
    yield Link(description="loopback")


@asynccontextmanager
async def slow_link(round_trip_s: float) -> AsyncIterator[Link]:
    """Add a round trip: by the kernel, by forwarded packets, or else by a relay."""
    async with AsyncExitStack() as stack:
        try:
            link = await _namespaces(stack, round_trip_s)
        except NotRunError as error:
            link = Link(
                description="a delaying relay, which shows no window effects "
                f"(no namespaces: {error})",
                relay_delay_s=round_trip_s / 2,
            )
        yield link


async def _namespaces(stack: AsyncExitStack, round_trip_s: float) -> Link:
    for tool in ("unshare", "nsenter", "ip"):
        if shutil.which(tool) is None:
            raise NotRunError(f"there is no {tool}")
    command = (
        *("unshare", "--user", "--map-root-user", "--net"),
        *(sys.executable, "-I", "-S", str(_SCRIPT), str(round_trip_s / 2)),
    )
    holder = await stack.enter_async_context(line_process(command))
    ends = await holder.read()
    makers = {
        "netem": "netem in a network namespace",
        "tun": "two network namespaces joined over TUN by a forwarder",
    }
    return Link(
        description=f"{makers[ends['kind']]}; congestion control {ends['congestion']}",
        host=ends["host"],
        client=_enter(ends["user"], ends["client_net"]),
        server=_enter(ends["user"], ends["server_net"]),
    )


def _enter(user: str, net: str) -> tuple[str, ...]:
    return ("nsenter", f"--user={user}", f"--net={net}", "--preserve-credentials", "--")
