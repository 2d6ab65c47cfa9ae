"""What a team's gateway reports about the user of a key: `GET /v1/me`."""

from __future__ import annotations

from msgspec import Struct

USER_PATH = "/me"
"""Next to `/responses`."""


class UserAmounts(Struct, frozen=True, kw_only=True):
    """One number for each limit of a user; None: there is no limit."""

    running: int | None = None
    """Requests that run at once."""
    queued: int | None = None
    """Requests that wait for their turn."""
    requests_per_minute: int | None = None
    tokens_per_day: int | None = None
    """Input and output."""


class GatewayUser(Struct, frozen=True, kw_only=True):
    """The user, the limits, and what is used of them."""

    user: str
    limits: UserAmounts
    used: UserAmounts
    """Requests and tokens come back evenly over the minute and the day."""
    models: tuple[str, ...]
    """The names that a request may ask for."""
