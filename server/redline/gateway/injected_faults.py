"""Faults that a script injects between the gateway and a client.

Only the script engine uses this. An *index* counts the events of one
request, `response.created` being 0; a fault happens before the event of its index is
sent, so `Cut(at=3)` lets exactly three events pass.
"""

from __future__ import annotations

import asyncio
from typing import Literal

from msgspec import Struct

from redline.gateway.outlet import Outlet, PeerGoneError, Sent
from redline.gateway.refusals import Refusal, RefusedError

OnSteer = Literal["accept", "ignore", "pending", "error"] | str
"""How a steer is answered: applied at the next item border, ignored, deferred until the
client sends input, answered with a plain error event as by servers that do not support
steers, or else refused with this code."""


class Fault(
    Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True
):
    """A fault that happens once."""

    at: int = 0


class Cut(Fault, frozen=True, kw_only=True, tag="cut"):
    """Drop the TCP connection without a close."""


class Close(Fault, frozen=True, kw_only=True, tag="close"):
    """Close the WebSocket normally; over HTTP the same as `Cut`."""

    code: int = 1011
    reason: str = ""


class Say(Fault, frozen=True, kw_only=True, tag="say"):
    """Send data that is not an event of the response."""

    text: str = "{]"
    n_bytes: int = 0
    """Pad it to this length by repeating its last character."""


class Stall(Fault, frozen=True, kw_only=True, tag="stall"):
    """Send nothing for some time."""

    seconds: float | None = None
    """None: for ever."""


class Refuse(Fault, frozen=True, kw_only=True, tag="refuse"):
    """Send an error event, which ends the response."""

    error: Refusal = Refusal()


AnyFault = Cut | Close | Say | Stall | Refuse


class Faults(Struct, frozen=True, kw_only=True):
    """All faults of one answer."""

    faults: tuple[AnyFault, ...] = ()
    skip: frozenset[str] = frozenset()
    """Types of events that are counted but not sent."""
    on_steer: OnSteer = "accept"

    @property
    def spare_the_wire(self) -> bool:
        """Whether every event is sent unchanged."""
        return not self.faults and not self.skip


class FaultyOutlet:
    """An outlet that injects faults."""

    def __init__(self, outlet: Outlet, faults: Faults, *, n_before: int = 0) -> None:
        """Begin.

        Args:
            outlet: The outlet to wrap.
            faults: The faults to inject.
            n_before: How many events the response has already sent while it was queued.
        """
        self._outlet = outlet
        self._faults = faults
        self._index = n_before

    async def send(self, events: list[Sent]) -> None:
        for event in events:
            await self._strike()
            self._index += 1
            if event.kind not in self._faults.skip:
                await self._outlet.send([event])

    async def finish(self) -> None:
        """Inject the faults that are due after the last event."""
        await self._strike()

    async def _strike(self) -> None:
        for fault in self._faults.faults:
            if fault.at == self._index:
                await self._happen(fault)

    async def _happen(self, fault: AnyFault) -> None:
        match fault:
            case Cut():
                self._outlet.abort()
                self._lose_client()
            case Close():
                await self._outlet.close(fault.code, fault.reason)
                self._lose_client()
            case Say():
                text = fault.text
                text += text[-1:] * (fault.n_bytes - len(text))
                await self._outlet.send_raw(text.encode())
            case Stall():
                await _pause(fault.seconds)
            case Refuse():
                raise RefusedError(fault.error)

    def _lose_client(self) -> None:
        if not self._outlet.is_kept:
            raise PeerGoneError


async def _pause(seconds: float | None) -> None:
    if seconds is None:
        await asyncio.Event().wait()
    else:
        await asyncio.sleep(seconds)
