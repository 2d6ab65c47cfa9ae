"""HTTP requests to a model's server: the only module that uses httpx.

It takes 40 ms to import, so it is loaded when the first request needs it.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import (
    asynccontextmanager,
    contextmanager,
)
from http.cookiejar import CookieJar, DefaultCookiePolicy
from operator import attrgetter

import anyio
from msgspec import Struct

from redline import __version__
from redline.errors import (
    ModelError,
    ModelRejectedError,
    ModelServerError,
    ModelStalledError,
    ModelUnavailableError,
)
from redline.models.failures import (
    connect_error,
    cut_error,
    socks_error,
    unreadable_error,
)
from redline.models.formats.http_request import HttpRequest
from redline.models.model_address import ModelAddress
from redline.settings.tree import LimitSettings

# httpx imports its own command line where click, pygments and rich are installed: 5 MB
# and half of its time. Python imports no module that is None here.
sys.modules["httpx._main"] = None  # type: ignore[assignment]

import httpx  # noqa: E402  # See above.

_MAX_REPLY_BYTES = 4 * 1024 * 1024
"""Limit of a small answer: the longest lists of models have under 1 MiB."""

_UNCOMPRESSED = {"Accept-Encoding": "identity"}
"""Sent with every request: a compressed answer can be of any size once decoded, so none
is decoded, not even one that is sent nevertheless."""

_CLOSED = httpx.ByteStream(b"")

_KEPT_IDLE_S = 60.0
"""How long an idle connection is kept: shorter than servers and proxies keep it."""


def load() -> None:
    """Import what httpx imports with the first request, which takes 30 ms.

    Call it in a thread: it runs an event loop of its own.
    """
    anyio.run(anyio.sleep, 0)


def _no_cookies() -> CookieJar:
    """Return a store that takes none: a server could follow its user by them."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))


class HttpAnswer(Struct, frozen=True, kw_only=True):
    """The head of an answer, and the stream of its body."""

    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]


class HttpReply(Struct, frozen=True, kw_only=True):
    """A whole answer, or the beginning of a long one."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class LoopbackClient:
    """Sends small requests to servers on this machine, in plain text."""

    def __init__(self) -> None:
        # Without TLS, whose needless set-up takes 25 ms.
        self._client = httpx.AsyncClient(
            verify=False, trust_env=False, cookies=_no_cookies()
        )

    async def get(self, url: str, *, max_bytes: int) -> bytes:
        """Return a body; empty if it is too long or the status is not a success.

        Raises:
            ModelUnavailableError: If nothing answers, or the answer is not HTTP.
        """
        body = bytearray()
        try:
            request = self._client.build_request("GET", url, headers=_UNCOMPRESSED)
            async with _exchange(self._client, request) as response:
                if response.status_code != httpx.codes.OK:
                    return b""
                async for chunk in response.aiter_raw():
                    body += chunk
                    if len(body) > max_bytes:
                        return b""
        except httpx.HTTPError as exc:
            raise ModelUnavailableError(f"{url} does not answer.") from exc
        return bytes(body)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()


class HttpClient:
    """Keeps connections to one endpoint.

    Raises:
        ModelUnavailableError: If its proxy is of a kind that is not supported.
    """

    def __init__(
        self, endpoint: ModelAddress, limits: LimitSettings, *, model: str
    ) -> None:
        self._host = endpoint.host
        self._model = model
        self._limits = limits
        self._client = self._new_client(endpoint, limits)

    @asynccontextmanager
    async def send(
        self,
        request: HttpRequest,
        headers: Mapping[str, str],
        *,
        on_sent: Callable[[], None] | None = None,
        read_s: float | None = None,
    ) -> AsyncIterator[HttpAnswer]:
        """Send a request, for a stream or a body. Leaving early closes the connection.

        Args:
            request: The request.
            headers: Headers in addition to those of the request.
            on_sent: Called when the request has been written to the socket.
            read_s: Longest silence; None: as in the settings.

        Raises:
            ModelError: If the request could not be sent or the connection broke, also
                while the body is read.
        """
        accept = {"Accept": "text/event-stream, application/json"}
        with self._translating():
            asked = self._client.build_request(
                request.method,
                request.url,
                content=request.body,
                headers=accept | _headers(request, headers),
                timeout=_timeout(self._limits, read_s=read_s),
            )
            async with _exchange(self._client, asked, on_sent=on_sent) as response:
                self._refuse_redirect(response)
                yield HttpAnswer(
                    status=response.status_code,
                    headers=response.headers,
                    chunks=self._chunks(response),
                )

    async def _chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        if _is_compressed(response):
            raise ModelServerError(
                f"The server of model {self._model} compressed its answer, although "
                "the request excluded it.",
                model=self._model,
                remedy="Turn off compression at the server or at its proxy.",
            )
        with self._translating():
            async for chunk in response.aiter_raw():
                yield chunk

    async def ask(
        self,
        request: HttpRequest,
        headers: Mapping[str, str],
        *,
        reads_posts: bool = False,
    ) -> HttpReply:
        """Request something small; a compressed body is not read.

        The whole has a time limit, too: a server may send a byte at a time, or interim
        answers (1xx), without end.

        Args:
            request: The request.
            headers: Headers in addition to those of the request.
            reads_posts: Whether the answer to a POST is read; it may be a stream.

        Raises:
            ModelError: If the server cannot be reached, or the connection breaks.
        """
        timeout = _timeout(self._limits, read_s=request.silence_s)
        with self._translating(), self._limiting(timeout) as limit:
            asked = self._client.build_request(
                request.method,
                request.url,
                content=request.body,
                headers=_headers(request, headers),
                timeout=timeout,
            )
            async with limit, _exchange(self._client, asked) as response:
                self._refuse_redirect(response)
                data = bytearray()
                is_stream = request.body is not None and response.is_success
                if (reads_posts or not is_stream) and not _is_compressed(response):
                    async for chunk in response.aiter_raw():
                        data += chunk
                        if len(data) > _MAX_REPLY_BYTES:
                            break
                return HttpReply(
                    status=response.status_code,
                    headers=response.headers,
                    body=bytes(data),
                )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    def _refuse_redirect(self, response: httpx.Response) -> None:
        """Refuse a redirect: what it leads to would be sent code and key."""
        if response.has_redirect_location:
            location = response.headers["Location"]
            try:
                target = response.url.join(location)
            except httpx.InvalidURL as exc:
                raise unreadable_error(model=self._model) from exc
            raise _redirect_error(target, response.url, model=self._model)

    def _new_client(
        self, endpoint: ModelAddress, limits: LimitSettings
    ) -> httpx.AsyncClient:
        try:
            return httpx.AsyncClient(
                verify=endpoint.ssl_context() or False,
                proxy=endpoint.proxy,
                # The endpoint chooses proxy and certificates, for all libraries alike.
                trust_env=False,
                headers={
                    "User-Agent": f"redline/{__version__}",
                    **_UNCOMPRESSED,
                    **endpoint.headers,
                },
                cookies=_no_cookies(),
                limits=httpx.Limits(keepalive_expiry=_KEPT_IDLE_S),
                timeout=_timeout(limits),
            )
        except ImportError as exc:
            raise socks_error(model=self._model) from exc

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except httpx.HTTPError as exc:
            raise self._translate(exc) from exc

    @contextmanager
    def _limiting(self, timeout: httpx.Timeout) -> Iterator[asyncio.Timeout]:
        """Yield a limit for a small answer; translate its error."""
        limit_s = self._limits.connect_s + 2 * (timeout.read or 0.0)
        try:
            yield asyncio.timeout(limit_s)
        except TimeoutError as exc:
            raise ModelStalledError(
                f"The server of model {self._model} did not finish a short answer "
                f"within {limit_s:g} s.",
                model=self._model,
            ) from exc

    def _translate(self, exc: httpx.HTTPError) -> ModelError:
        match exc:
            case httpx.ConnectTimeout() | httpx.PoolTimeout():
                error = TimeoutError()
                return connect_error(error, model=self._model, host=self._host)
            case httpx.ReadTimeout():
                return ModelStalledError(
                    f"Model {self._model} sent nothing for too long.", model=self._model
                )
            case httpx.ProxyError():
                return ModelUnavailableError(
                    f"The proxy refused to connect to {self._host}.",
                    model=self._model,
                    remedy="Check the model's `proxy`, or HTTPS_PROXY.",
                )
            case httpx.ConnectError():
                return connect_error(
                    _root_cause(exc), model=self._model, host=self._host
                )
            case httpx.TransportError():
                return cut_error("lost", model=self._model)
            case _:
                return unreadable_error(model=self._model)


@asynccontextmanager
async def _exchange(
    client: httpx.AsyncClient,
    request: httpx.Request,
    *,
    on_sent: Callable[[], None] | None = None,
) -> AsyncIterator[httpx.Response]:
    """Send a request; yield its response, and separate it from its stream in the end.

    Each holds the other, and both what they were made for. That would live until the
    next full garbage collection, which blocks the event loop.
    """
    response: httpx.Response | None = None

    async def trace(name: str, info: object) -> None:
        if name.endswith("send_request_body.complete") and on_sent is not None:
            on_sent()
        is_ending = name.endswith("response_closed.started")
        if is_ending and response is not None and _has_bytes_behind(response):
            # The pool drops a connection whose socket is closed.
            await response.extensions["network_stream"].aclose()

    request.extensions["trace"] = trace
    response = await client.send(request, stream=True)
    try:
        yield response
    finally:
        await response.aclose()
        response.stream = _CLOSED
        del request.extensions["trace"]


_state_of = attrgetter("stream._stream._httpcore_stream._stream._connection._h11_state")
"""httpcore has no public way from a response to the state of its connection."""


def _has_bytes_behind(response: httpx.Response) -> bool:
    """Whether bytes came behind the end of an answer.

    httpcore would take them for the answer to the next request of the connection.
    """
    try:
        behind, _ = _state_of(response).trailing_data
    except AttributeError:
        # Another release of httpcore: it must not end every answer with an error.
        return False
    tls = response.extensions["network_stream"].get_extra_info("ssl_object")
    if behind or tls is None:
        return bool(behind)
    try:
        # The rest of what was received is not decrypted yet.
        return bool(tls.read(1))
    except ssl.SSLWantReadError:
        return False
    except ssl.SSLError:
        return True


def _redirect_error(
    target: httpx.URL, asked: httpx.URL, *, model: str
) -> ModelRejectedError:
    """Return the error of a redirect, which shows no query: that may hold a key."""
    is_other = (target.host, target.port) != (asked.host, asked.port)
    where = f"to {target.host}, another host" if is_other else f"to {target.path}"
    return ModelRejectedError(
        f"The server of model {model} redirects {where}; neither key nor code was sent "
        "there.",
        model=model,
        remedy="If that is right, correct the model's `url`.",
    )


def _headers(request: HttpRequest, headers: Mapping[str, str]) -> dict[str, str]:
    kind = {} if request.body is None else {"Content-Type": "application/json"}
    return {**kind, **request.headers, **headers}


def _is_compressed(response: httpx.Response) -> bool:
    encoding = response.headers.get("Content-Encoding", "")
    return encoding.strip().lower() not in ("", "identity")


def _timeout(limits: LimitSettings, *, read_s: float | None = None) -> httpx.Timeout:
    if read_s is None:
        read_s = max(limits.first_delta_s, limits.stall_s)
    return httpx.Timeout(
        connect=limits.connect_s,
        read=read_s,
        write=limits.connect_s,
        pool=limits.connect_s,
    )


def _root_cause(exc: BaseException) -> Exception:
    """Return the system's own error below the exceptions of the libraries."""
    found: Exception = ConnectionError()
    below: BaseException | None = exc
    while below is not None:
        if isinstance(below, OSError):
            found = below
        if isinstance(below, BaseExceptionGroup):
            below = below.exceptions[0]
        else:
            below = below.__cause__ or below.__context__
    return found
