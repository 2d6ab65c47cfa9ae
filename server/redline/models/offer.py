"""What a provider offers: the list of its models, for `redline models`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redline.models.build import wire_format
from redline.models.cached_key import CachedKey
from redline.models.describe import describe_model
from redline.models.failures import failure_error
from redline.models.http_failure import read_http_failure
from redline.models.http_session import HttpSession
from redline.models.model_address import parse_model_address
from redline.models.wire_format import OfferedModel
from redline.settings.providers import key_source
from redline.settings.tree import LimitSettings, ModelSettings


async def list_offered(
    label: str,
    settings: ModelSettings,
    limits: LimitSettings,
    *,
    environ: Mapping[str, str],
) -> Sequence[OfferedModel] | None:
    """Ask a model's server for the models that it offers, sorted by name.

    Args:
        label: The model's name in the settings.
        settings: The model's own settings; its `name` is not used.
        limits: Time limits.
        environ: The environment, for keys and proxies.

    Returns:
        None if the server has no list.

    Raises:
        ModelError: If the address must not be used, the key is missing, or the server
            cannot be reached or refuses.
    """
    endpoint = parse_model_address(label, settings, environ=environ)
    wire = wire_format(label, settings, url=endpoint.http_url)
    listing = wire.list_models()
    if listing is None:
        return None
    title = describe_model(label, settings, host=endpoint.host).title
    key = CachedKey(key_source(settings, environ), environ=environ)
    session = HttpSession(endpoint, key, wire, limits, title=title)
    try:
        client, headers = await session.connect()
        reply = await client.ask(
            listing.method, listing.url, {**listing.headers, **headers}
        )
    finally:
        await session.aclose()
    if reply.status >= 300:
        failure = read_http_failure(reply.status, reply.body, reply.headers)
        raise failure_error(failure, model=title)
    return sorted(wire.read_models(reply.body), key=lambda model: model.name)
