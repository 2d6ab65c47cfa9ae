"""The server's end of the connection, which receives every message of the editor.

Frequent methods and Redline's own are registered here and decoded by msgspec directly
into their types. Others go to a fallback (`pygls_lane`) unchanged. This module
interprets only the four methods of a connection's life cycle: `initialize`, `shutdown`,
`exit` and `$/cancelRequest`.

Invariant: every request is answered exactly once. A request is open from the moment it
is read until its first answer; `_open` holds the open ones, and answers to a request
that is not in it are dropped.

Order: handlers run inside the reader, one message after the other; the work of a
`DeferredAnswer` is a task that starts after the messages that were read together with
its request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from typing import Protocol, TypeVar

import msgspec
from msgspec import UNSET

from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.editor_requests import EditorRequests
from redline.lsp.jsonrpc.registered_method import RegisteredMethod, registered_method
from redline.lsp.jsonrpc.request_context import (
    NOT_SERVED,
    AnswerByCallback,
    DeferredAnswer,
    RequestContext,
)
from redline.lsp.jsonrpc.rpc import Envelope, ErrorCode, Id, RpcError
from redline.lsp.jsonrpc.rpc_errors import (
    is_internal,
    kind_of,
    method_not_found,
    rpc_error,
)
from redline.supervisor import Supervisor

HANDLER_LIMIT_S = 2.0
"""How long handlers may clean up after their cancellation at shutdown."""

HOOK_LIMIT_S = 5.0
"""How long one shutdown hook may take; the gateway's child process gets 2 s of it."""

HOOKS_LIMIT_S = 10.0
"""How long all shutdown hooks may take before those that follow have to hurry."""

LATE_HOOK_LIMIT_S = 0.5
"""How long one of these may take; it usually takes milliseconds."""

logger = logging.getLogger(__name__)

_P = TypeVar("_P")
_T = TypeVar("_T")


class Fallback(Protocol):
    """Serves every method that is not registered."""

    @property
    def shared(self) -> frozenset[str]:
        """Notifications that it receives even if a handler is registered."""

    def receive(self, envelope: Envelope, body: bytes) -> None:
        """Handle a message of any kind.

        It is a request, which must be answered by `reply` or `fail`, a notification, a
        cancel of such a request, or an answer to a request of the fallback. The
        `initialize` request also comes here; it is already answered.
        """

    async def aclose(self) -> None:
        """Stop all running work."""


class ConnectionPhase(Enum):
    """The phase of the connection's life cycle."""

    NEW = auto()
    READY = auto()
    SHUT_DOWN = auto()
    """The editor requested shutdown; it may only send `exit`."""
    ENDED = auto()


class Endpoint:
    """Dispatches the editor's messages, and sends ours."""

    def __init__(
        self,
        send: Callable[[bytes], None],
        *,
        is_congested: Callable[[], bool] = lambda: False,
    ) -> None:
        """Make the server's end of a connection.

        Args:
            send: Sends the body of one message; must neither block nor raise.
            is_congested: Whether the editor is slow to read, so that optional
                notifications should be dropped or merged.
        """
        self._send = send
        self._congested = is_congested
        self._phase = ConnectionPhase.NEW
        self._routes: dict[str, RegisteredMethod] = {}
        self._listeners: dict[str, RegisteredMethod] = {}
        self._fallback: Fallback | None = None
        self._before_answers: Callable[[], Awaitable[None]] | None = None
        self._after_initialize: Callable[[], None] | None = None
        self._on_failure: Callable[[str, RpcError], None] | None = None
        self._open: dict[Id, RequestContext | str] = {}
        """The open requests by id: the context of a handler's task, else the method."""
        self._handlers = Supervisor()
        self._lifecycle = Supervisor()
        self._editor = EditorRequests(send)
        self._hooks: list[Callable[[], Awaitable[None]]] = []
        self._winding_up: asyncio.Task[None] | None = None
        self._is_silent = False
        self._finished = asyncio.Event()
        self._exit_code = 1

    # Wiring ----------------------------------------------------------------------

    def on_request_now(
        self, method: str, params_type: type[_P], handler: Callable[[_P], object]
    ) -> None:
        """Serve a request by a plain function inside the reader; it must be fast.

        Its result is the answer, a `DeferredAnswer` with the remaining work, an
        `AnswerByCallback`, or `NOT_SERVED`, which passes the request to the fallback.
        """
        self._routes[method] = registered_method(method, params_type, handler)

    def on_notification(
        self, method: str, params_type: type[_P], handler: Callable[[_P], bool | None]
    ) -> None:
        """Serve a notification by a plain function inside the reader, in order.

        If the fallback shares the method, it receives the notification too, unless the
        handler returns True because the notification concerns only us.
        """
        self._listeners[method] = registered_method(method, params_type, handler)

    def on_shutdown(self, hook: Callable[[], Awaitable[None]]) -> None:
        """Await `hook` once when the connection ends, for any reason.

        It runs after all handlers have ended and before `shutdown` is answered. Hooks
        run in reverse order of registration, each with a time limit.
        """
        self._hooks.append(hook)

    def before_answers(self, hook: Callable[[], Awaitable[None]]) -> None:
        """Await `hook` before the result of a request's task is sent.

        It must not raise, and returns at once if there is nothing to wait for.
        """
        self._before_answers = hook

    def after_initialize(self, callback: Callable[[], None]) -> None:
        """Call back once the answer to `initialize` has been written.

        This is the time for slow work: the editor is busy with the answer. Messages
        that arrive meanwhile are handled after `callback` has returned.
        """
        self._after_initialize = callback

    def on_failure(self, callback: Callable[[str, RpcError], None]) -> None:
        """Call back with the method and the error answer of each failed request."""
        self._on_failure = callback

    def set_fallback(self, fallback: Fallback) -> None:
        """Pass all unregistered methods to `fallback`."""
        self._fallback = fallback

    # To the editor ---------------------------------------------------------------

    @property
    def is_congested(self) -> bool:
        """Whether optional messages should be dropped or merged."""
        return self._congested()

    def notify(self, method: str, params: object) -> None:
        """Send a notification; dropped once `shutdown` has been answered."""
        if not self._is_silent:
            self._send(rpc.encode_notification(method, params))

    async def request(
        self,
        method: str,
        params: object,
        result_type: type[_T],
        *,
        timeout_s: float | None,
    ) -> _T:
        return await self._editor.request(
            method, params, result_type, limit_s=timeout_s
        )

    def send(self, body: bytes) -> None:
        """Send an encoded message of the fallback; see `notify`."""
        if not self._is_silent:
            self._send(body)

    def reply(self, request_id: Id, body: bytes) -> None:
        """Answer a request with an encoded response, unless it has been answered."""
        if request_id in self._open:
            del self._open[request_id]
            self._send(body)

    def fail(self, request_id: Id, error: RpcError) -> None:
        """Answer a request with an error, unless it has been answered."""
        opened = self._open.get(request_id)
        if opened is None:
            return
        self.reply(request_id, rpc.encode_error(request_id, error))
        if self._on_failure is not None:
            method = opened if isinstance(opened, str) else opened.method
            self._on_failure(method, error)

    def start(self, work: Coroutine[object, object, None], *, name: str) -> None:
        """Run a task that is cancelled when the connection ends."""
        self._handlers.start(work, name=name)

    # From the editor -------------------------------------------------------------

    def receive(self, body: bytes) -> None:
        """Handle one message. Never raises."""
        if self._phase is ConnectionPhase.READY:
            self._close_gap()
        try:
            envelope = rpc.decode_envelope(body)
        except msgspec.ValidationError as error:
            self._refuse(None, RpcError(ErrorCode.INVALID_REQUEST, str(error)))
        except rpc.NestedTooDeeplyError as error:
            refusal = RpcError(ErrorCode.PARSE_ERROR, f"{error}.")
            self._refuse(rpc.id_of_deep_request(body), refusal)
        except msgspec.DecodeError as error:
            self._refuse(None, RpcError(ErrorCode.PARSE_ERROR, str(error)))
        else:
            self._dispatch(envelope, body)

    def editor_gone(self, reason: str) -> None:
        """Shut down, because the connection has ended or the process must end.

        Args:
            reason: For the log.
        """
        if self._phase is not ConnectionPhase.ENDED:
            logger.info("the connection ends: %s", reason)
            self._end()

    async def wait_finished(self) -> int:
        """Wait until the shutdown is complete; return LSP's exit code."""
        await self._finished.wait()
        return self._exit_code

    def _dispatch(self, envelope: Envelope, body: bytes) -> None:
        if envelope.method is UNSET:
            self._take_response(envelope, body)
        elif envelope.id is UNSET:
            self._take_notification(envelope.method, envelope, body)
        elif envelope.id is None:
            error = RpcError(
                ErrorCode.INVALID_REQUEST, "A request's id cannot be null."
            )
            self._refuse(None, error)
        else:
            self._take_request(envelope.id, envelope.method, envelope, body)

    def _take_request(
        self, request_id: Id, method: str, envelope: Envelope, body: bytes
    ) -> None:
        refusal = self._refusal(method)
        if refusal is None and request_id in self._open:
            refusal = RpcError(ErrorCode.INVALID_REQUEST, "This id is in use.")
        if refusal is not None:
            self._refuse(request_id, refusal)
            return
        if method == "shutdown":
            self._phase = ConnectionPhase.SHUT_DOWN
            self._lifecycle.start(self._answer_shutdown(request_id), name="shutdown")
            return
        self._open[request_id] = method
        to = self._routes.get(method)
        is_served = to is not None and self._run(to, request_id, envelope.params)
        if not is_served and self._fallback is not None:
            self._fallback.receive(envelope, body)
        elif not is_served:
            self.fail(request_id, method_not_found(method))
        if (
            method == "initialize"
            and self._phase is ConnectionPhase.READY
            and self._fallback
        ):
            self._fallback.receive(envelope, body)

    def _refusal(self, method: str) -> RpcError | None:
        """Return the error for a request that the phase does not allow; else None."""
        is_initialize = method == "initialize"
        if self._phase is ConnectionPhase.NEW and not is_initialize:
            return RpcError(
                ErrorCode.SERVER_NOT_INITIALIZED,
                "The editor must send initialize first.",
            )
        if self._phase is ConnectionPhase.READY and is_initialize:
            return RpcError(
                ErrorCode.INVALID_REQUEST, "Redline is initialized already."
            )
        if self._phase in (ConnectionPhase.SHUT_DOWN, ConnectionPhase.ENDED):
            return RpcError(ErrorCode.INVALID_REQUEST, "Redline has been shut down.")
        return None

    def _run(self, to: RegisteredMethod, request_id: Id, raw: msgspec.Raw) -> bool:
        """Run a handler inside the reader; return whether it serves the request."""
        try:
            result = to.handler(to.params(raw))
            if result is NOT_SERVED:
                return False
            if isinstance(result, DeferredAnswer):
                self._answer_later(to, request_id, result)
                return True
            if isinstance(result, AnswerByCallback):
                self._answer_when_called(to, request_id, result)
                return True
            body = rpc.encode_result(request_id, result)
        except Exception as error:  # noqa: BLE001 The handler wrapper; `_log` logs.
            _log(to.method, error)
            self.fail(request_id, rpc_error(error))
        else:
            self.reply(request_id, body)
            if to.method == "initialize":
                self._phase = ConnectionPhase.READY
                self._open_gap()
        return True

    def _answer_later(
        self, to: RegisteredMethod, request_id: Id, later: DeferredAnswer
    ) -> None:
        context = RequestContext(request_id, to.method)
        self._open[request_id] = context
        if later.on_cancel is not None:
            context.on_cancel(later.on_cancel)
        work = self._answer(to, later, context)
        task = self._handlers.start(work, name=f"{to.method} {request_id}")
        context.attach(task)
        # A task that is cancelled before its first step never enters `_answer`.
        task.add_done_callback(
            lambda _: self._fail_by(context, asyncio.CancelledError())
        )

    def _answer_when_called(
        self, to: RegisteredMethod, request_id: Id, later: AnswerByCallback
    ) -> None:
        context = RequestContext(request_id, to.method)
        self._open[request_id] = context
        context.on_cancel(lambda: self._fail_by(context, asyncio.CancelledError()))
        context.on_cancel(later.on_cancel)
        later.then(partial(self._answer_by, to, context))

    def _answer_by(
        self,
        to: RegisteredMethod,
        context: RequestContext,
        result: Callable[[], object],
    ) -> None:
        if self._open.get(context.id) is not context:
            return
        try:
            body = rpc.encode_result(context.id, result())
        except Exception as error:  # noqa: BLE001 The handler wrapper; `_log` logs.
            _log(to.method, error)
            self._fail_by(context, error)
        else:
            self.reply(context.id, body)

    async def _answer(
        self, to: RegisteredMethod, later: DeferredAnswer, context: RequestContext
    ) -> None:
        try:
            result = await later.work(context)
            body = rpc.encode_result(context.id, result)
            if self._before_answers is not None:
                # Finished work is answered with its result, even if cancelled.
                with suppress(asyncio.CancelledError):
                    await self._before_answers()
        except asyncio.CancelledError as error:
            self._fail_by(context, error)
            raise
        except Exception as error:  # noqa: BLE001 The handler wrapper; `_log` logs.
            _log(to.method, error)
            self._fail_by(context, error)
        else:
            if self._open.get(context.id) is context:
                self.reply(context.id, body)

    def _fail_by(self, context: RequestContext, error: BaseException) -> None:
        # The editor may have reused the id for a later request.
        if self._open.get(context.id) is context:
            self.fail(context.id, rpc_error(error))

    def _take_notification(self, method: str, envelope: Envelope, body: bytes) -> None:
        if method == "exit":
            self.editor_gone("the editor sent exit")
        elif self._phase is not ConnectionPhase.READY:
            logger.debug("%s dropped in phase %s", method, self._phase.name)
        elif method == "$/cancelRequest":
            self._take_cancel(envelope, body)
        else:
            to = self._listeners.get(method)
            is_ours = to is not None and _hear(to, envelope.params)
            fallback = self._fallback
            if fallback and not is_ours and (to is None or method in fallback.shared):
                fallback.receive(envelope, body)

    def _take_cancel(self, envelope: Envelope, body: bytes) -> None:
        try:
            request_id = rpc.decode(_CANCEL, envelope.params).id
        except msgspec.DecodeError as error:
            logger.warning("the editor sent an unreadable cancel: %s", error)
            return
        if request_id not in self._open:
            return  # Already answered: the cancel and the answer crossed.
        context = self._open[request_id]
        if isinstance(context, RequestContext):
            context.cancel()
        elif self._fallback is not None:
            self._fallback.receive(envelope, body)

    def _take_response(self, envelope: Envelope, body: bytes) -> None:
        if self._editor.is_ours(envelope.id):
            self._editor.settle(envelope)
        elif self._fallback is not None and self._phase is ConnectionPhase.READY:
            self._fallback.receive(envelope, body)

    def _open_gap(self) -> None:
        # The answer is written at the end of this iteration of the loop, so use the
        # next.
        if self._after_initialize is not None:
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._close_gap)

    def _close_gap(self) -> None:
        if (callback := self._after_initialize) is not None:
            self._after_initialize = None
            try:
                callback()
            except Exception:
                # The handler wrapper: a server without its features is useless, so end.
                logger.exception("starting failed")
                self.editor_gone("starting failed")

    def _refuse(self, request_id: Id | None, error: RpcError) -> None:
        """Refuse a message that never became an open request."""
        logger.warning("refused a message: %s", error.message)
        self._send(rpc.encode_error(request_id, error))

    # The end ---------------------------------------------------------------------

    def _end(self) -> None:
        self._exit_code = 0 if self._phase is ConnectionPhase.SHUT_DOWN else 1
        self._phase = ConnectionPhase.ENDED
        self._lifecycle.start(self._finish(), name="end")

    async def _finish(self) -> None:
        self._editor.close()
        await self._shut_down()
        self._finished.set()

    async def _answer_shutdown(self, request_id: Id) -> None:
        await self._shut_down()
        self._send(rpc.encode_result(request_id, None))
        # From here on only requests that come too late are answered.
        self._is_silent = True
        self._editor.close()

    async def _shut_down(self) -> None:
        """Shut down once, for any number of callers."""
        if self._winding_up is None:
            self._winding_up = self._lifecycle.start(self._wind_up(), name="wind up")
        await asyncio.wait({self._winding_up})

    async def _wind_up(self) -> None:
        for context in list(self._open.values()):
            if isinstance(context, RequestContext):
                context.cancel()
        await self._handlers.aclose(limit_s=HANDLER_LIMIT_S)
        for request_id in list(self._open):
            self.fail(request_id, rpc_error(asyncio.CancelledError()))
        hooks = list(reversed(self._hooks))
        if self._fallback is not None:
            hooks.insert(0, self._fallback.aclose)
        loop = asyncio.get_running_loop()
        end = loop.time() + HOOKS_LIMIT_S
        for hook in hooks:
            left = max(end - loop.time(), LATE_HOOK_LIMIT_S)
            await _bounded(hook, limit_s=min(left, HOOK_LIMIT_S))


_CANCEL = msgspec.json.Decoder(rpc.CancelParams)


def _hear(to: RegisteredMethod, raw: msgspec.Raw) -> bool:
    """Call a notification's handler; return whether it concerned only us."""
    try:
        return to.handler(to.params(raw)) is True
    except Exception as error:  # noqa: BLE001 The handler wrapper; `_log` logs.
        _log(to.method, error)
        return False


def _log(method: str, error: Exception) -> None:
    if is_internal(error):
        logger.error("%s failed", method, exc_info=error)
    else:
        # Not its text: a provider's words are in it, which may repeat the prompt.
        logger.info("%s ends in error %s", method, kind_of(error))


async def _bounded(hook: Callable[[], Awaitable[None]], *, limit_s: float) -> None:
    """Await a shutdown hook; a failure or a hang must not stop the others."""
    try:
        async with asyncio.timeout(limit_s):
            await hook()
    except Exception:  # Logged like a task's failure; the shutdown continues.
        logger.exception("winding up failed")
