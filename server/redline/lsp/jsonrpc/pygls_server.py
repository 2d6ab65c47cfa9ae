"""The pygls server behind the lane, and every use of pygls internals.

Importing this takes 0.3 s, so only `pygls_lane` does, and late. The private names that
are used or replaced here are those of pygls 2.1; it has no public way to receive
messages that were read elsewhere, or to keep tracebacks out of its answers
(`JsonRpcInternalError.of` puts them into `data`).
`tests/lsp/jsonrpc/test_pygls_server.py` breaks when one of them changes.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any  # pygls' own signatures say Any for messages and results.

import attrs
import msgspec
from cattrs import transform_error
from lsprotocol import types
from msgspec import UNSET
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.workspace import Workspace

from redline.errors import (
    InvalidArgumentsError,
    LocalProtocolError,
    RemoteProtocolError,
)
from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.rpc import Envelope, ErrorCode, Id, RpcError
from redline.lsp.jsonrpc.rpc_errors import method_not_found, rpc_error

DOCUMENT_METHODS = frozenset(
    {
        types.TEXT_DOCUMENT_DID_OPEN,
        types.TEXT_DOCUMENT_DID_CHANGE,
        types.TEXT_DOCUMENT_DID_CLOSE,
        types.NOTEBOOK_DOCUMENT_DID_OPEN,
        types.NOTEBOOK_DOCUMENT_DID_CHANGE,
        types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    }
)
"""Methods by which pygls would track documents."""

_OWN_PREFIX = f"{JsonRpcInvalidParams.MESSAGE}: "
"""The prefix that pygls adds to errors in a command's arguments."""

logger = logging.getLogger(__name__)


class PyglsServer:
    """A pygls server that is fed by the endpoint and answers through it."""

    def __init__(
        self,
        endpoint: Endpoint,
        features: Callable[[LanguageServer], None],
        loop: asyncio.AbstractEventLoop,
        *,
        version: str,
    ) -> None:
        """Make the server; safe in a thread that is not the loop's.

        Args:
            endpoint: Receives the messages of pygls.
            features: Registers features the ordinary pygls way.
            loop: The loop that `endpoint` lives in.
            version: The version for pygls; the client never sees it.
        """
        # At lower levels pygls logs whole messages, including documents and prompts.
        # What matters is logged here.
        logging.getLogger("pygls").setLevel(logging.CRITICAL)
        self._endpoint = endpoint
        self._server = _QuietServer("redline", version, protocol_cls=_LaneProtocol)
        protocol = self._server.protocol
        assert isinstance(protocol, _LaneProtocol)
        self._protocol = protocol
        protocol.attach(endpoint, loop)
        protocol.take_structs()
        for method in DOCUMENT_METHODS:
            del protocol.fm.builtin_features[method]
        features(self._server)
        self._warm()

    def receive(self, envelope: Envelope, body: bytes) -> None:
        """Handle a message, inside the loop."""
        if envelope.method is UNSET:
            self._take_response(envelope, body)
        elif not self._serves(envelope.method):
            if (request_id := _request_id(envelope)) is not None:
                self._endpoint.fail(request_id, method_not_found(envelope.method))
        else:
            self._take_call(envelope.method, envelope, body)

    async def aclose(self) -> None:
        """Cancel all running features and wait for those that are async."""
        # An async feature's future is asyncio's, which the types of pygls do not say.
        futures: list[object] = list(self._protocol._request_futures.values())
        for future in futures:
            if isinstance(future, Future | asyncio.Future):
                future.cancel()
        tasks = [future for future in futures if isinstance(future, asyncio.Future)]
        if tasks:
            await asyncio.wait(tasks)
        if self._server._thread_pool is not None:
            self._server._thread_pool.shutdown(wait=False, cancel_futures=True)

    def _serves(self, method: str) -> bool:
        manager = self._protocol.fm
        return (
            method in manager.features
            or method in manager.builtin_features
            or method == types.CANCEL_REQUEST
        )

    def _take_call(self, method: str, envelope: Envelope, body: bytes) -> None:
        try:
            message = self._structure(body)
        except JsonRpcException as error:
            answer = _invalid_params(method, error)
            if (request_id := _request_id(envelope)) is not None:
                self._endpoint.fail(request_id, answer)
            else:
                logger.warning("%s", answer.message)
            return
        if isinstance(message, types.ExecuteCommandRequest):
            # A command takes one object, which clients may omit.
            params = attrs.evolve(
                message.params, arguments=message.params.arguments or [{}]
            )
            message = attrs.evolve(message, params=params)
        self._protocol.handle_message(message)
        if method == types.INITIALIZE:
            self._protocol.forbid_documents()

    def _take_response(self, envelope: Envelope, body: bytes) -> None:
        request_id = _request_id(envelope)
        if request_id is None or request_id not in self._protocol._request_futures:
            return  # Answered twice, or never requested.
        try:
            message = self._structure(body)
        except JsonRpcException:
            future = self._protocol._request_futures.pop(request_id)
            future.set_exception(RemoteProtocolError("The editor's answer is unfit."))
        else:
            self._protocol.handle_message(message)

    def _structure(self, body: bytes) -> Any:
        try:
            return self._protocol.structure_message(json.loads(body))
        except RecursionError as error:
            raise JsonRpcInvalidParams from error

    def _warm(self) -> None:
        """Generate the code of cattrs now that a first message would wait for."""
        for method in (*self._protocol.fm.features, types.INITIALIZE):
            if (kind := self._protocol.get_message_type(method)) is not None:
                self._protocol._converter.get_structure_hook(kind)


class _QuietServer(LanguageServer):
    """Shows the user nothing: pygls would open a box for every error."""

    def report_server_error(self, error: Exception, source: object) -> None:
        logger.error("pygls reports %s", type(error).__name__, exc_info=error)


class _LaneProtocol(LanguageServerProtocol):
    """Sends through the endpoint, and answers errors by our table."""

    def attach(self, endpoint: Endpoint, loop: asyncio.AbstractEventLoop) -> None:
        """Set where messages go."""
        self._endpoint = endpoint
        self._loop = loop

    def take_structs(self) -> None:
        """Decode the arguments of commands, which are msgspec structs."""
        self._converter.register_structure_hook_func(
            lambda kind: isinstance(kind, type) and issubclass(kind, msgspec.Struct),
            _arguments,
        )

    def forbid_documents(self) -> None:
        """Replace the workspace by one that has folders only."""
        all_of_it = self.workspace
        self._workspace = _FolderWorkspace(
            all_of_it.root_uri,
            workspace_folders=list(all_of_it.folders.values()),
            position_encoding=all_of_it.position_encoding,
        )

    def _execute_handler(
        self,
        msg_id: Id,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        # pygls itself never removes the futures of notifications.
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def _send_handler_result(self, future: Future[Any], *, msg_id: Id) -> None:
        error = _outcome(future)
        if error is None:
            self._send_response(msg_id, result=future.result())
        else:
            _log(error)
            self._in_loop(self._endpoint.fail, msg_id, _answer(error))

    def _check_handler_result(self, future: Future[Any]) -> None:
        if (error := _outcome(future)) is not None:
            _log(error)

    def _send_response(
        self,
        msg_id: Id,
        result: Any = None,
        error: types.ResponseError | None = None,
    ) -> None:
        if error is not None:
            message = error.message.removeprefix(_OWN_PREFIX)
            failure = JsonRpcException(message, error.code, error.data)
            self._in_loop(self._endpoint.fail, msg_id, _answer(failure))
            return
        try:
            body = rpc.encode_result(msg_id, self._plain(result))
        except Exception as unfit:  # The handler wrapper: a result that is not JSON.
            logger.exception("a feature's result cannot be sent")
            self._in_loop(self._endpoint.fail, msg_id, _answer(unfit))
        else:
            self._in_loop(self._endpoint.reply, msg_id, body)

    def _send_data(self, data: Any) -> None:
        body = msgspec.json.encode(self._plain(data), enc_hook=self._serialize_message)
        self._in_loop(self._endpoint.send, body)

    def _plain(self, data: Any) -> Any:
        return self._converter.unstructure(data)

    def _in_loop(self, call: Callable[..., None], *args: object) -> None:
        """Call now, or from a feature's thread as soon as the loop can."""
        if asyncio._get_running_loop() is self._loop:
            call(*args)
        else:
            self._loop.call_soon_threadsafe(call, *args)


class _FolderWorkspace(Workspace):
    """A workspace that refuses access to documents, as they are not kept up to date."""

    def get_text_document(self, doc_uri: str) -> Any:
        raise LocalProtocolError("pygls has no documents here; ask Redline's workspace")


def _arguments(value: object, kind: type[msgspec.Struct]) -> msgspec.Struct:
    """Decode a command's arguments; the name of their struct identifies the command."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as exc:
        name = kind.__name__.removesuffix("Arguments")
        what = str(exc).replace(" - at ", " at ").replace("`$.", "`")
        raise InvalidArgumentsError(
            f"Wrong arguments for redline.{name[0].lower()}{name[1:]}: {what}."
        ) from exc


def _request_id(envelope: Envelope) -> Id | None:
    return envelope.id if isinstance(envelope.id, int | str) else None


def _outcome(future: Future[Any]) -> BaseException | None:
    return asyncio.CancelledError() if future.cancelled() else future.exception()


def _answer(error: BaseException) -> RpcError:
    """Return the answer; pygls' own errors keep their code, but no traceback."""
    if isinstance(error, JsonRpcException) and error.code != ErrorCode.INTERNAL_ERROR:
        return RpcError(error.code, error.message, error.data)
    return rpc_error(error)


def _log(error: BaseException) -> None:
    if _answer(error).code == ErrorCode.INTERNAL_ERROR:
        logger.error("a feature failed", exc_info=error)


def _invalid_params(method: str, error: JsonRpcException) -> RpcError:
    """Return the answer to params that lsprotocol rejects, naming the field."""
    # Lines of cattrs: the problem, " @ ", and a path from the message's root.
    faults = [
        line.partition(" @ $.params.")
        for line in transform_error(error.__cause__ or error)
    ]
    what = "; ".join(f"{fault} at `{path}`" for fault, _, path in faults if path)
    detail = f": {what}." if what else "."
    return RpcError(ErrorCode.INVALID_PARAMS, f"Wrong parameters for {method}{detail}")
