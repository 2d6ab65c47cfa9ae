"""Checks every request before anything else handles it.

On loopback, every page in the user's browser can reach the gateway. So besides the
token, the guard requires that the `Origin`, which browsers always send, and the `Host`,
which an attacker controls after DNS rebinding, are loopback. Where a proxy ends TLS,
only the proxy may connect.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from redline.gateway.config import GatewayConfig
from redline.gateway.drain import Drain
from redline.gateway.limits.accounts import (
    Accounts,
    UserAccount,
    account_of,
    admit,
    slow_down,
)
from redline.gateway.metrics import Metrics
from redline.gateway.refusals import Refusal, deny
from redline.models.loopback import is_loopback_host

OPEN_PATHS = frozenset({"/health", "/ready"})
"""Paths that need no token."""

_BAD_HOST = Refusal(
    code="invalid_host", message="The Host header must be a loopback one.", status=403
)
_BAD_ORIGIN = Refusal(
    code="invalid_origin", message="Web pages may not use this server.", status=403
)
_BAD_PEER = Refusal(
    code="invalid_peer", message="Only this server's proxy may connect.", status=403
)
_BAD_TOKEN = Refusal(
    code="invalid_api_key",
    message="The token is missing or wrong.",
    status=401,
    headers={"www-authenticate": "Bearer"},
)
_DRAINING = Refusal(
    code="draining",
    type="server_error",
    message="This gateway is about to end; connect again.",
    status=503,
    headers={"retry-after": "1"},
)
_BUSY = Refusal(
    code="too_many_connections",
    type="server_error",
    message="Too many connections are open.",
    status=503,
    headers={"retry-after": "1"},
)


class Guard:
    """Admits allowed requests, up to a number of connections at once."""

    def __init__(
        self,
        app: ASGIApp,
        config: GatewayConfig,
        accounts: Accounts,
        drain: Drain,
        metrics: Metrics,
    ) -> None:
        self._app = app
        self._config = config
        self._accounts = accounts
        self._drain = drain
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it with an error."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if (refusal := self._refusal(scope)) is not None:
            self._metrics.refused.add(1, refusal.code or "refused")
            await deny(scope, send, refusal)
            return
        with self._drain.connection():
            if scope["path"] not in OPEN_PATHS:
                account = account_of(scope)
                await slow_down(account, max_s=self._config.max_pause_s)
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        if scope["path"] in OPEN_PATHS and self._config.any_host:
            # A health check need not come through the proxy, and may name any host.
            return None
        if not self._is_trusted_peer(scope):
            return _BAD_PEER
        hosts = _header(scope, b"host")
        if len(hosts) != 1 or not self._is_own_host(hosts[0]):
            return _BAD_HOST
        if not all(
            is_loopback_host(_hostname(each)) for each in _header(scope, b"origin")
        ):
            return _BAD_ORIGIN
        if scope["path"] in OPEN_PATHS:
            return None
        if (account := self._account(scope)) is None:
            return _BAD_TOKEN
        if self._drain.has_begun:
            return _DRAINING
        if self._drain.n_open >= self._config.max_connections:
            return _BUSY
        admit(scope, account)
        return None

    def _is_trusted_peer(self, scope: Scope) -> bool:
        networks = self._config.trusted_peers
        if networks is None:
            return True
        # A server that does not say who connects is not the gateway's own.
        host, _ = scope.get("client") or ("", 0)
        try:
            peer = ip_address(host)
        except ValueError:
            return False
        if isinstance(peer, IPv6Address):
            # A socket for both versions shows IPv4 addresses in this form.
            peer = peer.ipv4_mapped or peer
        return any(peer in network for network in networks)

    def _is_own_host(self, host: str) -> bool:
        return self._config.any_host or is_loopback_host(_hostname(f"//{host}"))

    def _account(self, scope: Scope) -> UserAccount | None:
        given = _header(scope, b"authorization")
        if len(given) != 1:
            return None
        kind, _, key = given[0].partition(" ")
        account = self._accounts.find(key.strip())
        return account if kind.lower() == "bearer" else None


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
