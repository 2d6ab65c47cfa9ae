"""Asks a team's gateway about the user, for `redline doctor`."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from redline.errors import ModelError
from redline.models.describe import describe_model
from redline.models.formats.http_request import HttpRequest
from redline.models.formats.model_list import models_url
from redline.models.formats.responses_format import ResponsesFormat
from redline.models.http.http_session import HttpSession
from redline.models.keys import CachedKey
from redline.models.model_address import parse_model_address
from redline.settings.provider_keys import key_source
from redline.settings.tree import LimitSettings, ModelSettings
from redline.wire.failure import UNREADABLE
from redline.wire.gateway_user import USER_PATH, GatewayUser


async def ask_user(
    label: str,
    settings: ModelSettings,
    limits: LimitSettings,
    *,
    environ: Mapping[str, str],
) -> GatewayUser | None:
    """Ask the gateway of a model for its user and their limits.

    Args:
        label: The model's name in the settings.
        settings: The model's own settings.
        limits: Time limits.
        environ: The environment, for keys and proxies.

    Returns:
        None if the gateway cannot be asked, or does not say.
    """
    try:
        endpoint = parse_model_address(label, settings, environ=environ)
        wire = ResponsesFormat(settings, url=endpoint.http_url)
        title = describe_model(label, settings, host=endpoint.host).title
        key = CachedKey(key_source(settings, environ), environ=environ)
        session = HttpSession(endpoint, key, wire, limits, title=title)
        try:
            client, headers = await session.connect()
            url = models_url(endpoint.http_url, path="/responses", name=USER_PATH)
            reply = await client.ask(HttpRequest(method="GET", url=url), headers)
        finally:
            await session.aclose()
        if reply.status != 200:
            return None
        return msgspec.json.decode(reply.body, type=GatewayUser)
    except (ModelError, *UNREADABLE):
        return None
