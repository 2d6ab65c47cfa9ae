"""The validated address of a model, with its TLS and its proxy.

A `ModelAddress` exists only for an address that is safe to send a key and code to: TLS,
or plain text to this machine. Everything that connects uses one.
"""

from __future__ import annotations

import re
import secrets
import ssl
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

import certifi

from redline.errors import (
    InsecureEndpointError,
    ModelRejectedError,
    UnreadableFileError,
)
from redline.files import read_file
from redline.models.loopback import is_loopback_host
from redline.models.proxy import choose_proxy
from redline.settings.providers import TEAM_GATEWAY
from redline.settings.tree import Api, ModelSettings

# Browsers, urlsplit and client libraries disagree about these characters in a URL, so
# the host that is checked might not be the host that is called.
_AMBIGUOUS = re.compile(r"[\s\\\x00-\x20\x7f]")

_MAX_CA_BYTES = 10_000_000
"""Mozilla's list has 0.3 MB."""

_GATEWAY_PATH = "/v1/responses"

_SESSION_HEADER = "x-session-id"

_N_SESSION_BYTES = 16

_SECRET_FIELDS = {"key", "api_key", "api-key", "apikey", "token", "access_token"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAddress:
    url: str
    """The endpoint: as in the settings, or completed from a gateway's address."""
    host: str
    """Host, and port if it is not the scheme's default; for logs and messages."""
    is_loopback: bool
    is_tls: bool
    ca_file: str | None = None
    """PEM file with the authorities to trust instead of the system's."""
    proxy: str | None = field(default=None, repr=False)
    """Address of the proxy to go through; may hold its password. None: directly."""
    session_id: str | None = None
    """Sent in the header `x-session-id` of every connection and request; None: no
    header."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every upgrade and request, besides those of the key."""
        return {} if self.session_id is None else {_SESSION_HEADER: self.session_id}

    @property
    def socket_url(self) -> str:
        """The same endpoint with a WebSocket scheme."""
        return self._with_scheme("wss" if self.is_tls else "ws")

    @property
    def http_url(self) -> str:
        """The same endpoint with an HTTP scheme: the fallback of a socket."""
        return self._with_scheme("https" if self.is_tls else "http")

    def ssl_context(self) -> ssl.SSLContext | None:
        """Return the TLS set-up of this endpoint, built once per `ca_file`.

        Returns:
            None for plain text on loopback.

        Raises:
            ModelRejectedError: If `ca_file` cannot be read as certificates.
        """
        return _tls_context(self.ca_file) if self.is_tls else None

    def _with_scheme(self, scheme: str) -> str:
        return urlunsplit(urlsplit(self.url)._replace(scheme=scheme))


def parse_model_address(
    label: str, settings: ModelSettings, *, environ: Mapping[str, str]
) -> ModelAddress:
    """Check a model's address and choose its TLS and proxy.

    Args:
        label: The model's name in the settings, for messages.
        settings: Its `api`, `url`, `ca_file` and `proxy` are read.
        environ: The environment, for the proxy variables.

    Raises:
        InsecureEndpointError: If it is plain text or task data to another machine,
            or holds a key.
        ModelRejectedError: If the address or the proxy makes no sense.
    """
    # Parse the URL, which must hold no secret.
    try:
        url = _endpoint(settings)
        parts = _split(url, settings.api)
    except ValueError as error:
        raise ModelRejectedError(
            f"The url of model {label} cannot be used: {error}.",
            model=label,
            remedy=f"Correct `models.{label}.url` in the settings.",
        ) from error
    _refuse_secrets(label, parts)
    host = parts.hostname or ""
    secure, _ = _schemes(settings.api)
    is_tls = parts.scheme == secure
    is_loopback = is_loopback_host(host)
    if not is_tls and not is_loopback:
        written = f"{urlsplit(settings.url).scheme}s"
        raise InsecureEndpointError(
            f"The url of model {label} is plain text to {host}, another machine.",
            model=label,
            remedy=f"Use {written}:// in `models.{label}.url`; plain "
            "text is for localhost, 127.0.0.0/8 and ::1 only.",
        )
    if settings.task_data and not is_loopback:
        raise InsecureEndpointError(
            f"Model {label} is on another machine, which is not sent tasks as data.",
            model=label,
            remedy=f"Remove `models.{label}.task_data` from the settings.",
        )
    return ModelAddress(
        url=url,
        host=_host_label(parts),
        is_loopback=is_loopback,
        is_tls=is_tls,
        ca_file=settings.ca_file,
        proxy=choose_proxy(label, settings.proxy, host, parts.port, environ=environ),
        session_id=_session_id() if settings.provider == TEAM_GATEWAY else None,
    )


@lru_cache(maxsize=1)
def _session_id() -> str:
    """Return a random id of this process.

    A balancer in front of several workers of a gateway sends the requests of one id to
    one worker, which has the responses that it stored.
    """
    return secrets.token_hex(_N_SESSION_BYTES)


def _endpoint(settings: ModelSettings) -> str:
    """Return the url of a model; for a team's gateway, its address is enough."""
    if settings.provider != TEAM_GATEWAY or _AMBIGUOUS.search(settings.url):
        return settings.url
    parts = _parts(settings.url)
    if parts.scheme not in ("https", "http", "wss", "ws"):
        raise ValueError("the address of a gateway begins with https:// or wss://")
    path = _GATEWAY_PATH if parts.path in ("", "/") else parts.path
    if not path.endswith("/responses"):
        raise ValueError(
            f"the path of a gateway ends in {_GATEWAY_PATH}; it can be left out, as in "
            "https://gateway.example.com:7788"
        )
    secure, plain = _schemes(settings.api)
    scheme = secure if parts.scheme in ("https", "wss") else plain
    return urlunsplit(parts._replace(scheme=scheme, path=path))


def _schemes(api: Api) -> tuple[str, str]:
    """Return a wire format's scheme with TLS and, for loopback only, without."""
    return ("wss", "ws") if api == "responses-socket" else ("https", "http")


def _split(url: str, api: Api) -> SplitResult:
    if _AMBIGUOUS.search(url):
        raise ValueError("it holds a space, a backslash or a control character")
    parts = _parts(url)
    secure, plain = _schemes(api)
    if parts.scheme not in (secure, plain):
        raise ValueError(f"with api `{api}` it begins with {secure}://")
    if not parts.hostname:
        raise ValueError("it names no host")
    if parts.fragment:
        raise ValueError("it has a fragment")
    if parts.port == 0:
        raise ValueError("its port is 0")
    return parts


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        # Reading the port checks it.
        _ = parts.port
    except ValueError:
        # The message of urlsplit quotes what may be a password.
        raise ValueError("its host or its port is not valid") from None
    return parts


def _refuse_secrets(label: str, parts: SplitResult) -> None:
    names = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if "@" in parts.netloc or names & _SECRET_FIELDS:
        raise InsecureEndpointError(
            f"The url of model {label} holds a user name or a key.",
            model=label,
            remedy=f"Take it out of the url and say in `models.{label}.key` where the "
            "key is.",
        )


def _host_label(parts: SplitResult) -> str:
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    return shown if parts.port is None else f"{shown}:{parts.port}"


@lru_cache(maxsize=8)
def _tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Build a client context: 25 ms, hence once per file and process."""
    if ca_file is None:
        # Some Python builds (macOS installers) come without authorities; certifi has
        # the Mozilla list.
        own = None if _has_system_authorities() else certifi.where()
        context = ssl.create_default_context(cafile=own)
    else:
        context = _context_of(ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _context_of(ca_file: str) -> ssl.SSLContext:
    """Build a context that trusts the authorities of a file alone.

    The file is not left to OpenSSL, which would wait for the writer of a pipe.
    """
    try:
        content = read_file(ca_file, max_bytes=_MAX_CA_BYTES)
        # What is not ASCII is a comment (RFC 7468). An empty text would stand for the
        # system's authorities.
        text = content.decode("ascii", "ignore") or "\n"
        return ssl.create_default_context(cadata=text)
    except (UnreadableFileError, ssl.SSLError, ValueError) as error:
        raise ModelRejectedError(
            f"The file {ca_file} cannot be read as certificate authorities.",
            remedy="Name a PEM file in the model's `ca_file`.",
        ) from error


def _has_system_authorities() -> bool:
    """Say whether OpenSSL's own places, or SSL_CERT_FILE and SSL_CERT_DIR, exist."""
    if sys.platform == "win32":
        return True
    paths = ssl.get_default_verify_paths()
    return paths.cafile is not None or paths.capath is not None
