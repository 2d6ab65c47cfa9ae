"""The limits of a gateway's user, for `redline doctor`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import asdict, replace

from redline.keys_in_use import without_known_keys
from redline.models.gateway_user import ask_user
from redline.models.interface import Probe
from redline.printable import printable_line
from redline.settings.providers import TEAM_GATEWAY
from redline.settings.tree import LimitSettings, ModelSettings
from redline.wire.gateway_user import GatewayUser

UNKNOWN_LIMITS = "the user's limits, which this gateway does not report"
"""What `redline doctor` lists as untried for such a gateway."""

_MEANINGS = {
    "running": "running requests",
    "queued": "waiting requests",
    "requests_per_minute": "requests per minute",
    "tokens_per_day": "tokens per day",
}
"""The label of each limit."""


async def check_gateway(
    label: str,
    model: ModelSettings,
    probe: Probe,
    limits: LimitSettings,
    environ: Mapping[str, str],
) -> GatewayUser | None:
    """Ask a model's gateway for its user.

    Returns:
        None if the model is not behind a gateway, or the gateway does not report it.
    """
    if model.provider != TEAM_GATEWAY or not probe.reachable:
        return None
    found = await ask_user(label, model, limits, environ=environ)
    if found is None:
        return None
    return replace(
        found,
        user=_clean(found.user),
        models=tuple(_clean(name) for name in found.models),
    )


def user_rows(user: GatewayUser) -> Iterator[tuple[str, str]]:
    """Return the rows of the page: labels and values."""
    yield "user", user.user
    used, limits = asdict(user.used), asdict(user.limits)
    for name, meaning in _MEANINGS.items():
        yield meaning, _amount(used[name], limits[name])
    yield "offers", ", ".join(user.models) or "no model"


def _amount(used: int | None, limit: int | None) -> str:
    if limit is None:
        return "no limit" if used is None else f"{used:,}, no limit"
    return f"at most {limit:,}" if used is None else f"{used:,} of {limit:,}"


def _clean(name: str) -> str:
    # Text of the server, which has just been sent the key.
    return printable_line(without_known_keys(name))
