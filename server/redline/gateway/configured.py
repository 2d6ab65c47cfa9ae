"""A gateway that follows its configuration file."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from ipaddress import ip_network
from math import ceil
from pathlib import Path

from starlette.applications import Starlette

from redline.garbage_collection import leave_out_loaded
from redline.gateway.app import create_app
from redline.gateway.config import GatewayConfig
from redline.gateway.config_file import GatewayFile, load_gateway_file
from redline.gateway.drain import Drain
from redline.gateway.engines.upstream import Upstream, UpstreamEngine
from redline.gateway.limits.accounts import Accounts
from redline.gateway.limits.turns import Turns
from redline.gateway.metrics import Metrics
from redline.gateway.serving.server import GatewayServer, Listening
from redline.gateway.stored.shared_store import SharedStore
from redline.models.build import build_model

logger = logging.getLogger(__name__)

_MAX_CONNECTIONS = 2_048

_MAX_PAUSE_S = 1.0

_MAX_BACKGROUND = 1_024

_LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


class ConfiguredGateway:
    """The parts of a gateway that its configuration decides."""

    def __init__(self, file: GatewayFile, *, n_workers: int = 1) -> None:
        """Begin.

        Args:
            file: A configuration without problems.
            n_workers: How many processes share the port, and so the `running` of each
                upstream.
        """
        self._n_workers = n_workers
        self.config = _config(file)
        self.listening = listening_of(file)
        self.accounts = Accounts(file.users)
        self.engine = UpstreamEngine(_upstreams(file, n_workers))
        self.shared = _shared_store(file)
        """None: each worker has its own responses."""
        self.drain = Drain()
        self.metrics = Metrics()
        self.turns = Turns(self._capacity, queue_s=file.queue_s)
        self._file = file

    @property
    def path(self) -> Path:
        """The configuration file."""
        return self._file.path

    def app(self) -> Starlette:
        """Build the application, which any ASGI server can serve."""
        return create_app(
            self.engine,
            self.config,
            accounts=self.accounts,
            turns=self.turns,
            drain=self.drain,
            metrics=self.metrics,
            shared=self.shared,
        )

    def server(
        self,
        *,
        on_listening: Callable[[int], None],
        on_hangup: Callable[[], None] | None = None,
    ) -> GatewayServer:
        """Build the server, in the event loop that will run it.

        Args:
            on_listening: Called once with the port.
            on_hangup: Called for each SIGHUP; None: the signal ends the gateway.
        """

        def on_listening_and_warm(port: int) -> None:
            leave_out_loaded()
            on_listening(port)
            self.engine.warm()

        return GatewayServer(
            self.app(),
            self.config,
            self.listening,
            on_listening=on_listening_and_warm,
            on_hangup=on_hangup,
            drain=self.drain,
            is_shared=self._n_workers > 1,
        )

    async def aclose(self) -> None:
        """Close the connections to models and to the store; idempotent."""
        await self.engine.aclose()
        if self.shared is not None:
            await self.shared.aclose()

    def reload(self) -> None:
        """Read the configuration again; one with problems changes nothing."""
        file = reloaded(self._file)
        if file is not None:
            self.apply(file)

    def apply(self, file: GatewayFile) -> None:
        """Put a configuration without problems in force."""
        self._file = file
        self.accounts.replace(file.users)
        self.engine.replace(_upstreams(file, self._n_workers, before=self.engine))
        self.turns.configure(queue_s=file.queue_s)
        logger.info("%s is in force.", file.path)

    def _capacity(self, model: str) -> int | None:
        upstream = self.engine.get(model)
        return upstream.running if upstream else None


def reloaded(before: GatewayFile) -> GatewayFile | None:
    """Read a configuration again; log its problems and return None if it has any."""
    file = load_gateway_file(before.path)
    if file.problems:
        for problem in file.problems:
            logger.error("%s", problem)
        logger.error(
            "%s has errors: the configuration in force stays in force.", file.path
        )
        return None
    if _fixed(file) != _fixed(before):
        logger.warning(
            "%s: changes of `listen`, `metrics`, `store` and `drain_s` need a restart.",
            file.path,
        )
    return file


def _fixed(file: GatewayFile) -> tuple[object, ...]:
    return file.listen, file.metrics, file.store, file.drain_s


def _shared_store(file: GatewayFile) -> SharedStore | None:
    table = file.store
    if table is None:
        return None
    password = os.environ.get(table.password_env) if table.password_env else None
    return SharedStore(table.url, password=password, kept_s=table.kept_s)


def listening_of(file: GatewayFile) -> Listening:
    """Return where the gateway of a configuration listens."""
    listen = file.listen
    return Listening(
        host=listen.host,
        port=listen.port,
        tls_cert=file.resolved(listen.tls.cert) if listen.tls else None,
        tls_key=file.resolved(listen.tls.key) if listen.tls else None,
        is_protected=listen.is_protected,
    )


def metrics_listening_of(file: GatewayFile) -> Listening | None:
    """Return where it serves metrics; None: nowhere."""
    table = file.metrics
    if table is None:
        return None
    return Listening(host=table.host, port=table.port, is_protected=True)


def _upstreams(
    file: GatewayFile, n_workers: int, *, before: UpstreamEngine | None = None
) -> list[Upstream]:
    """Build the upstreams; those whose settings are as before stay as they are."""
    upstreams = []
    for name, settings in file.upstreams.items():
        source = (settings, file.limits)
        known = before.get(name) if before else None
        if known is None or known.settings != source:
            known = Upstream(
                name=name,
                model=build_model(name, settings.model, file.limits),
                settings=source,
                fallback=settings.fallback,
                running=settings.running and ceil(settings.running / n_workers),
            )
        upstreams.append(known)
    return upstreams


def _config(file: GatewayFile) -> GatewayConfig:
    listen = file.listen
    networks = tuple(ip_network(each) for each in listen.behind_proxy)
    return GatewayConfig(
        trusted_peers=(*networks, *_LOOPBACK) if networks else None,
        any_host=listen.is_protected,
        max_connections=_MAX_CONNECTIONS,
        requests_per_minute=None,
        max_pause_s=_MAX_PAUSE_S,
        drain_s=file.drain_s,
        max_background=_MAX_BACKGROUND,
        max_background_running=_MAX_BACKGROUND,
        # A model that writes has no border at which it could take an instruction.
        can_steer=False,
    )
