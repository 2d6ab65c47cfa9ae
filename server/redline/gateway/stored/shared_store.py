"""The store that the workers of a gateway share: Valkey, or Redis.

It may be gone or full at any time. Then every command fails at once with
`StoreUnavailableError`, which the caller turns into an error of the one request that
needs the store, and the next command after a pause tries again.
"""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Awaitable
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar  # Replies of commands have many shapes.
from urllib.parse import urlsplit

import msgspec

from redline.errors import StoreUnavailableError
from redline.models.loopback import is_loopback_host

logger = logging.getLogger(__name__)

STORE_SCHEMES = ("valkey", "valkeys", "redis", "rediss", "unix")
"""Those of the client library."""

_TLS_SCHEMES = ("valkeys", "rediss")

_PAUSE_S = 1.0
"""How long commands fail without a try after the connection has failed."""

_TIMEOUT_S = 5.0
"""Longest wait for a reply; longer than any command blocks."""

_CONNECT_S = 2.0


_T = TypeVar("_T")


class StoreClient(Protocol):
    """What is used of the client library, which is optional."""

    def execute_command(self, *words: object) -> Awaitable[Any]:
        """Send a command; return its reply."""

    def aclose(self) -> Awaitable[None]:
        """Close all connections."""


def decoded(decoder: msgspec.msgpack.Decoder[_T], data: bytes) -> _T | None:
    """Decode a stored value; None if it is none of ours, or of another version."""
    try:
        return decoder.decode(data)
    except msgspec.MsgspecError as exc:
        logger.warning("a value in the store cannot be read: %s", exc)
        return None


def has_store_library() -> bool:
    """Whether the extra with the client library is installed."""
    return find_spec("valkey") is not None


def store_url_problem(url: str) -> str | None:
    """Return why an address cannot be used, or None."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return "it is no address"
    if parts.scheme not in STORE_SCHEMES:
        return f"expected one of {', '.join(f'{each}://' for each in STORE_SCHEMES)}"
    if parts.password:
        return "it holds a password; name its variable as `password_env` instead"
    is_local = parts.scheme == "unix" or is_loopback_host(host)
    if not is_local and parts.scheme not in _TLS_SCHEMES:
        return "another machine needs TLS: valkeys:// or rediss://"
    return None


class SharedStore:
    """One store; connects when it is first used."""

    def __init__(self, url: str, *, password: str | None, kept_s: float) -> None:
        """Begin.

        Args:
            url: An address without problems.
            password: Sent to the store; None: it needs none.
            kept_s: How long it holds a response.
        """
        self.kept_s = kept_s
        self._url = url
        self._password = password
        self._client: StoreClient | None = None
        self._errors: tuple[type[Exception], ...] = ()
        self._gone_errors: tuple[type[Exception], ...] = ()
        self._access_errors: tuple[type[Exception], ...] = ()
        self._failed_at: float | None = None
        self._reason = ""

    async def ask(self, *words: object) -> Any:
        """Send a command and return its reply.

        Raises:
            StoreUnavailableError: If the store is gone, or refuses the command.
        """
        failed_at = self._failed_at
        if failed_at is not None and time.monotonic() - failed_at < _PAUSE_S:
            raise StoreUnavailableError(self._reason)
        client = self._connected()
        try:
            reply = await client.execute_command(*words)
        except self._gone_errors as error:
            # The library calls this a failure of the connection, too.
            is_refused = isinstance(error, self._access_errors)
            what = "refuses the gateway's access" if is_refused else "is gone"
            self._note_failure(f"The gateway's store {what}: {error}")
            raise StoreUnavailableError(self._reason) from error
        except self._errors as error:
            # It is full, or of an unknown kind; other commands may work.
            reason = f"The gateway's store refused a command: {error}"
            logger.warning("%s", reason)
            raise StoreUnavailableError(reason) from error
        if self._failed_at is not None:
            self._failed_at = None
            logger.warning("the store answers again")
        return reply

    async def aclose(self) -> None:
        """Close all connections; idempotent."""
        if self._client is not None:
            await self._client.aclose()

    def _note_failure(self, reason: str) -> None:
        if self._failed_at is None:
            logger.warning("%s", reason)
        self._failed_at = time.monotonic()
        self._reason = reason

    def _connected(self) -> StoreClient:
        if self._client is None:
            library = importlib.import_module("valkey.asyncio")
            errors = importlib.import_module("valkey.exceptions")
            self._errors = (errors.ValkeyError,)
            self._access_errors = (errors.AuthenticationError,)
            self._gone_errors = (errors.ConnectionError, errors.TimeoutError, OSError)
            self._client = library.Valkey.from_url(
                self._url,
                password=self._password,
                socket_timeout=_TIMEOUT_S,
                socket_connect_timeout=_CONNECT_S,
            )
        assert self._client is not None
        return self._client
