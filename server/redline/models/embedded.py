"""The built-in gateway and its rules, which answer if no model is configured.

It is reached over a socket like any model, and its description says that it is not a
model.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from redline.errors import ModelUnavailableError
from redline.models.describe import LearntDescription
from redline.models.dial import open_within
from redline.models.gateway_process import GatewayAddress, GatewayProcess
from redline.models.interface import (
    Generation,
    GenerationRequest,
    ModelDescription,
    ModelStatus,
    Probe,
    ResumeRequest,
)
from redline.models.model_address import parse_model_address
from redline.models.pool import Pool, PoolLimits
from redline.models.responses_socket import ResponsesSocket
from redline.settings.tree import LimitSettings, ModelSettings

if TYPE_CHECKING:
    from redline.models.socket import Socket

NAME = "rules"


class EmbeddedGateway:
    """The gateway as a `Model`; its process starts when it is warmed or first used."""

    def __init__(
        self,
        limits: LimitSettings | None = None,
        *,
        process: GatewayProcess | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        limits = limits or LimitSettings()
        self.process = process or GatewayProcess(environ=environ)
        settings = _settings("ws://localhost/v1/responses")
        dialler = _GatewayDialler(self.process, connect_s=limits.connect_s)
        self._description = ModelDescription(
            label=NAME,
            name=NAME,
            api=settings.api,
            host="built in",
            context_tokens=settings.context_tokens,
            is_model=False,
            input_price=0.0,
            output_price=0.0,
        )
        self._model = ResponsesSocket(
            LearntDescription(self._description),
            settings,
            limits,
            dialler=dialler,
            pool=Pool(
                dialler,
                PoolLimits(n_sockets=settings.sockets, max_age_s=settings.max_age_s),
                model=NAME,
            ),
            http=None,
        )

    def describe(self) -> ModelDescription:
        """Describe the rules engine, with `is_model` false."""
        return self._description

    def status(self) -> ModelStatus:
        """Return the state of its sockets."""
        return self._model.status()

    def start(
        self, request: GenerationRequest
    ) -> AbstractAsyncContextManager[Generation]:
        """Start a generation; see `Model.start`."""
        return self._model.start(request)

    def resume(self, request: ResumeRequest) -> AbstractAsyncContextManager[Generation]:
        """Fail with `ResponseLostError`: the gateway stores no responses."""
        return self._model.resume(request)

    async def cancel(self, response_id: str) -> None:
        """Do nothing: there is no background response."""

    async def forget(self, response_id: str) -> None:
        """Do nothing: there is no background response."""

    async def warm(self) -> None:
        """Start the process and connect to it."""
        await self._model.warm()

    def activity(self) -> None:
        """Keep the connection warm."""
        self._model.activity()

    async def probe(self) -> Probe:
        """Start the process, if it is not running, and connect once."""
        return await self._model.probe()

    async def aclose(self) -> None:
        """Close the sockets and end the process; idempotent."""
        try:
            await self._model.aclose()
        finally:
            await self.process.aclose()


class _GatewayDialler:
    def __init__(self, process: GatewayProcess, *, connect_s: float) -> None:
        self._process = process
        self._connect_s = connect_s

    async def dial(self) -> Socket:
        address = await self._process.address()
        try:
            return await self._connect(address)
        except ModelUnavailableError:
            # The process died unnoticed, or hangs: try a new one, once.
            await self._process.distrust(address)
            return await self._connect(await self._process.address())

    async def _connect(self, address: GatewayAddress) -> Socket:
        endpoint = parse_model_address(NAME, _settings(address.url), environ={})
        return await open_within(
            endpoint, address.token, model=NAME, limit_s=self._connect_s
        )


def _settings(url: str) -> ModelSettings:
    return ModelSettings(
        api="responses-socket", url=url, name=NAME, task_data=True, steer=False
    )
