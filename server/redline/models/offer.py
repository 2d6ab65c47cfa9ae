"""What a provider offers: the list of its models, for `redline models`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from redline.models.describe import describe_model
from redline.models.failures import failure_error
from redline.models.formats.http_request import HttpRequest
from redline.models.formats.model_list import next_page
from redline.models.formats.wire_format import OfferedModel, WireFormat
from redline.models.formats.wire_formats import wire_format
from redline.models.http.http_failure import read_http_failure
from redline.models.http.http_session import HttpSession
from redline.models.keys import CachedKey
from redline.models.model_address import parse_model_address
from redline.settings.provider_keys import key_source
from redline.settings.tree import LimitSettings, ModelSettings

if TYPE_CHECKING:
    from redline.models.http.http_client import HttpClient

MAX_PAGES = 20
"""Most pages of a list, of a thousand models each where the page has a size."""

MAX_LIST_BYTES = 16 * 1024 * 1024


class ModelOffer(NamedTuple):
    models: Sequence[OfferedModel]
    """Sorted by name."""
    is_whole: bool
    """False: the list has more pages than are read."""


async def list_offered(
    label: str,
    settings: ModelSettings,
    limits: LimitSettings,
    *,
    environ: Mapping[str, str],
) -> ModelOffer | None:
    """Ask a model's server for the models that it offers, page by page.

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
        return await _read_pages(client, wire, listing, headers, title=title)
    finally:
        await session.aclose()


async def _read_pages(
    client: HttpClient,
    wire: WireFormat,
    listing: HttpRequest,
    key_headers: Mapping[str, str],
    *,
    title: str,
) -> ModelOffer:
    models: dict[str, OfferedModel] = {}
    url: str | None = listing.url
    n_pages = n_bytes = 0
    while url is not None and n_pages < MAX_PAGES and n_bytes < MAX_LIST_BYTES:
        reply = await client.ask(replace(listing, url=url), key_headers)
        if reply.status >= 300:
            failure = read_http_failure(reply.status, reply.body, reply.headers)
            raise failure_error(failure, model=title)
        n_pages += 1
        n_bytes += len(reply.body)
        models |= {model.name: model for model in wire.read_models(reply.body)}
        following = next_page(url, reply.body)
        # A server that ignores the field for the next page sends the same one again.
        url = None if following == url else following
    in_order = sorted(models.values(), key=lambda model: model.name)
    return ModelOffer(in_order, is_whole=url is None)
