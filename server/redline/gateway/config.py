"""How one gateway is set up: its token and its limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from redline.gateway.refusals import Refusal

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayConfig:
    """The settings of one gateway."""

    token: str = field(repr=False)
    """What every request carries as `Authorization: Bearer`; never logged."""

    max_message_bytes: int = 4 * MIB
    """Largest WebSocket message and largest HTTP body."""

    max_context_chars: int = 8 * MIB
    """Longest conversation that `previous_response_id` may build up."""

    max_connections: int = 64
    """WebSockets and HTTP requests open at once."""

    max_queued: int = 128
    """Requests that have not ended on one WebSocket, running ones included."""

    requests_per_minute: int | None = 6000
    """For all clients together, who share the token; None: no limit."""

    max_age_s: float = 3600.0
    """How long a WebSocket may live (WebSocket mode guide: 60 minutes)."""

    max_stored: int = 256
    """Responses kept for `store: true`."""

    max_stored_chars: int = 64 * MIB
    """The size of those together."""

    max_background: int = 64
    """Background responses kept at once, those under way included."""

    max_background_running: int = 4
    """Of those, how many are worked on; the others are queued."""

    max_background_bytes: int = 16 * MIB
    """Events of one background response; one that tells more fails."""

    background_kept_s: float = 600.0
    """How long the events of a background response are kept after its end."""

    body_s: float = 10.0
    """How long a client may take to send a request's body."""

    tokens_per_s: float | None = None
    """Pace of the deltas of any engine; None: as fast as they come."""

    has_lanes: bool = True
    """False: as servers do that know no `stream_id`. It is ignored and never echoed."""

    can_steer: bool = True

    upgrade_refusals: tuple[Refusal | None, ...] = ()
    """How the first WebSocket upgrades are answered, one each; None lets one in."""
