"""The configuration of one gateway: its token and its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network

from redline.gateway.refusals import Refusal

IPNetwork = IPv4Network | IPv6Network

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayConfig:
    """The settings of one gateway, with defaults for all limits."""

    token: str | None = field(default=None, repr=False)
    """The token in `Authorization: Bearer` of every request, never logged; None: each
    user has an account."""

    trusted_peers: tuple[IPNetwork, ...] | None = None
    """The networks that may connect, where a proxy ends TLS; None: all."""

    any_host: bool = False
    """Whether the `Host` of requests may be another one than loopback."""

    max_message_bytes: int = 4 * MIB
    """Largest WebSocket message and largest HTTP body."""

    max_context_chars: int = 8 * MIB
    """Longest conversation that `previous_response_id` may build up."""

    max_connections: int = 64
    """WebSockets and HTTP requests open at once."""

    max_queued: int = 128
    """Unfinished requests of one WebSocket, including running ones."""

    requests_per_minute: int | None = 6000
    """Requests a minute of all clients together; None: no limit."""

    max_pause_s: float = 0.0
    """Longest pause between the messages of a user with many refusals, and so the
    longest until the gateway notices that this user has hung up; 0: none."""

    queue_s: float = 30.0
    """Longest wait of a request for its turn."""

    drain_s: float = 60.0
    """Longest wait for running answers when a drain has begun."""

    max_age_s: float = 3600.0
    """How long a WebSocket may live (WebSocket mode guide: 60 minutes)."""

    max_stored: int = 256
    """Number of responses stored for `store: true`."""

    max_stored_chars: int = 64 * MIB
    """Their total size."""

    max_background: int = 64
    """Number of stored background responses, including running ones."""

    max_background_running: int = 4
    """How many of those run at once; the others are queued."""

    max_background_bytes: int = 16 * MIB
    """Size of the events of one background response; a longer one fails."""

    background_kept_s: float = 600.0
    """How long the events of a background response are kept after its end."""

    body_s: float = 10.0
    """How long a client may take to send a request's body."""

    tokens_per_s: float | None = None
    """Deltas a second of any engine, one token each; None: unlimited."""

    has_lanes: bool = True
    """False: imitate a server without lanes, which ignores `stream_id`."""

    can_steer: bool = True

    upgrade_refusals: tuple[Refusal | None, ...] = ()
    """Refusals of the first WebSocket upgrades, one each; None accepts one."""
