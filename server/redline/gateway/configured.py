"""A gateway that follows its configuration file."""

from __future__ import annotations

import logging
from ipaddress import ip_network
from pathlib import Path

from redline.gateway.accounts import Accounts
from redline.gateway.config import GatewayConfig
from redline.gateway.config_file import GatewayFile, load_gateway_file
from redline.gateway.drain import Drain
from redline.gateway.engines.upstream import Upstream, UpstreamEngine
from redline.gateway.metrics import Metrics
from redline.gateway.server import Listening
from redline.gateway.turns import Turns
from redline.models.build import build_model

logger = logging.getLogger(__name__)

_MAX_CONNECTIONS = 2_048

_MAX_BACKGROUND = 1_024

_LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


class ConfiguredGateway:
    """The parts of a gateway that its configuration decides."""

    def __init__(self, file: GatewayFile) -> None:
        """Begin with a configuration without problems."""
        self.config = _config(file)
        self.listening = _listening(file)
        self.accounts = Accounts(file.users)
        self.engine = UpstreamEngine(_upstreams(file))
        self.drain = Drain()
        self.metrics = Metrics()
        self.metrics_listening = _metrics_listening(file)
        """None: metrics are not served."""
        self.turns = Turns(self._capacity, queue_s=file.queue_s)
        self._file = file

    @property
    def path(self) -> Path:
        """The configuration file."""
        return self._file.path

    def reload(self) -> None:
        """Read the configuration again; one with problems changes nothing."""
        file = load_gateway_file(self._file.path)
        if file.problems:
            for problem in file.problems:
                logger.error("%s", problem)
            logger.error(
                "%s has errors: the configuration in force stays in force.", file.path
            )
            return
        before = self._file
        if (file.listen, file.metrics) != (before.listen, before.metrics):
            logger.warning(
                "%s: changes of `listen` and `metrics` need a restart.", file.path
            )
        self._file = file
        self.accounts.replace(file.users)
        self.engine.replace(_upstreams(file, before=self.engine))
        self.turns.configure(queue_s=file.queue_s)
        logger.info("%s is in force.", file.path)

    def _capacity(self, model: str) -> int | None:
        upstream = self.engine.get(model)
        return upstream.running if upstream else None


def _upstreams(
    file: GatewayFile, *, before: UpstreamEngine | None = None
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
                running=settings.running,
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
        drain_s=file.drain_s,
        max_background=_MAX_BACKGROUND,
        max_background_running=_MAX_BACKGROUND,
        # A model that writes has no border at which it could take an instruction.
        can_steer=False,
    )


def _metrics_listening(file: GatewayFile) -> Listening | None:
    table = file.metrics
    if table is None:
        return None
    return Listening(host=table.host, port=table.port, is_protected=True)


def _listening(file: GatewayFile) -> Listening:
    listen = file.listen
    return Listening(
        host=listen.host,
        port=listen.port,
        tls_cert=file.resolved(listen.tls.cert) if listen.tls else None,
        tls_key=file.resolved(listen.tls.key) if listen.tls else None,
        is_protected=listen.is_protected,
    )
