"""The built-in gateway and its rules, which answer if no model is configured.

It is reached over a socket like any model, and its description says that it is not a
model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.errors import ModelUnavailableError
from redline.models.describe import LearntDescription
from redline.models.dial import open_within
from redline.models.gateway_process import GatewayAddress, GatewayProcess
from redline.models.interface import ModelDescription
from redline.models.model_address import parse_model_address
from redline.models.pool import Pool, PoolLimits
from redline.models.responses_socket import ResponsesSocket
from redline.settings.tree import LimitSettings, ModelSettings

if TYPE_CHECKING:
    from redline.models.socket import Socket

NAME = "rules"


def embedded_gateway(
    limits: LimitSettings, *, process: GatewayProcess | None = None
) -> ResponsesSocket:
    """Build the model; its process starts when it is warmed or first used.

    Args:
        limits: Time limits.
        process: The process, which closing the model ends; None: the gateway's own.
    """
    settings = _settings("ws://localhost/v1/responses")
    dialler = _GatewayDialler(process or GatewayProcess(), connect_s=limits.connect_s)
    description = ModelDescription(
        label=NAME,
        name=NAME,
        api=settings.api,
        host="built in",
        context_tokens=settings.context_tokens,
        is_model=False,
        input_price=0.0,
        output_price=0.0,
    )
    pool_limits = PoolLimits(n_sockets=settings.sockets, max_age_s=settings.max_age_s)
    return ResponsesSocket(
        LearntDescription(description),
        settings,
        limits,
        dialler=dialler,
        pool=Pool(dialler, pool_limits, model=NAME),
        http=None,
    )


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

    async def aclose(self) -> None:
        await self._process.aclose()

    async def _connect(self, address: GatewayAddress) -> Socket:
        endpoint = parse_model_address(NAME, _settings(address.url), environ={})
        return await open_within(
            endpoint, address.token, model=NAME, limit_s=self._connect_s
        )


def _settings(url: str) -> ModelSettings:
    return ModelSettings(
        api="responses-socket", url=url, name=NAME, task_data=True, steer=False
    )
