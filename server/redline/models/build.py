"""Builds models from settings: chooses the module for each wire format.

A model that must not or cannot be used is built too, and fails with the reason.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from msgspec.structs import replace

from redline.errors import ModelError
from redline.models.describe import LearntDescription, describe_model
from redline.models.formats.wire_format import list_abilities
from redline.models.formats.wire_formats import wire_format
from redline.models.generations.generation import LiveGeneration
from redline.models.generations.steering import Steering
from redline.models.http.http_model import NO_PROMPT, HttpModel
from redline.models.http.http_session import HttpSession
from redline.models.interface import (
    Generation,
    GenerationRequest,
    Model,
    ModelDescription,
    ModelStatus,
    Probe,
    ResumeRequest,
)
from redline.models.keys import CachedKey
from redline.models.model_address import ModelAddress, parse_model_address
from redline.models.sockets.dial import EndpointDialler
from redline.models.sockets.pool import Pool, PoolLimits
from redline.models.sockets.responses_socket import ResponsesSocket
from redline.settings.provider_keys import key_source
from redline.settings.tree import LimitSettings, ModelSettings
from redline.wire.failure import Failure


def build_model(
    label: str,
    settings: ModelSettings,
    limits: LimitSettings | None = None,
    *,
    environ: Mapping[str, str] | None = None,
) -> Model:
    """Build a configured model, without connecting.

    Args:
        label: The model's name in the settings.
        settings: The model's own settings.
        limits: Time limits; None: the defaults.
        environ: The environment, for keys and proxies; None: the process's own.

    Returns:
        A model. If its address must not be used, it fails every generation with the
        reason, so that one bad entry does not disable the others.
    """
    limits = limits or LimitSettings()
    environ = os.environ if environ is None else environ
    try:
        endpoint = parse_model_address(label, settings, environ=environ)
        endpoint.ssl_context()
    except ModelError as error:
        return UnusableModel(describe_model(label, settings, host=""), error)
    key = CachedKey(key_source(settings, environ), environ=environ)
    http = _build_http(label, settings, limits, endpoint, key)
    if settings.api == "responses-socket":
        return _build_socket(settings, limits, endpoint, key, http)
    return http


def _build_http(
    label: str,
    settings: ModelSettings,
    limits: LimitSettings,
    endpoint: ModelAddress,
    key: CachedKey,
) -> HttpModel:
    wire = wire_format(label, settings, url=endpoint.http_url)
    description = describe_model(label, settings, host=endpoint.host)
    keeps_background = wire.abilities.background and description.keeps_background
    reads_images = description.reads_images and (
        wire.abilities.images or bool(settings.vision)
    )
    abilities = replace(
        wire.abilities, background=keeps_background, images=reads_images
    )
    # A socket's server may answer nothing over HTTP, so it is not asked there.
    asks_background = (
        settings.api == "responses-http"
        and settings.background is None
        and not keeps_background
    )
    description = replace(
        description,
        keeps_background=keeps_background or asks_background,
        reads_images=reads_images,
        can=list_abilities(abilities),
    )
    return HttpModel(
        LearntDescription(description, asks_background=asks_background),
        settings,
        limits,
        wire=wire,
        session=HttpSession(endpoint, key, wire, limits, title=description.title),
    )


def _build_socket(
    settings: ModelSettings,
    limits: LimitSettings,
    endpoint: ModelAddress,
    key: CachedKey,
    http: HttpModel,
) -> Model:
    title = http.title
    dialler = EndpointDialler(endpoint, key, model=title, connect_s=limits.connect_s)
    pool = Pool(
        dialler,
        PoolLimits(n_sockets=settings.sockets, max_age_s=settings.max_age_s),
        model=title,
    )
    return ResponsesSocket(
        http.learnt, settings, limits, dialler=dialler, pool=pool, http=http
    )


class UnusableModel:
    """Fails every generation with one error."""

    def __init__(self, description: ModelDescription, error: ModelError) -> None:
        self.title = description.title
        self.limits = LimitSettings()
        self._description = description
        self.steering = Steering(setting=False, is_known=False)
        self._error = error

    def describe(self) -> ModelDescription:
        """Return what the settings say."""
        return self._description

    def status(self) -> ModelStatus:
        """Return the state `down`, with the reason."""
        return ModelStatus(state="down", detail=str(self._error))

    @asynccontextmanager
    async def start(self, request: GenerationRequest) -> AsyncIterator[Generation]:
        """Start a generation that fails at once."""
        generation = LiveGeneration(request, self)
        generation.launch()
        yield generation

    def resume(self, request: ResumeRequest) -> AbstractAsyncContextManager[Generation]:
        """Return a generation that fails at once."""
        return self.start(GenerationRequest(prompt=NO_PROMPT))

    async def cancel(self, response_id: str) -> None:
        """Raise the reason."""
        raise self._error

    async def forget(self, response_id: str) -> None:
        """Raise the reason."""
        raise self._error

    async def warm(self) -> None:
        """Do nothing."""

    def activity(self) -> None:
        """Do nothing."""

    async def probe(self) -> Probe:
        """Return a failure with the reason."""
        return Probe(reachable=False, error=self._error)

    async def aclose(self) -> None:
        """Do nothing."""

    # Called by generations.

    def launch(self, generation: LiveGeneration) -> None:
        """Fail it."""
        generation.fail(self._error)

    def note_failure(self, failure: Failure) -> None:
        """Do nothing: no server is asked."""

    def renew_key(self, generation: LiveGeneration, refusal: ModelError) -> bool:
        """Return false: no server is asked."""
        return False

    def count_waste(self, n_chars: int) -> None:
        """Do nothing: nothing is ever generated."""
