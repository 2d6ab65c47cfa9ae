"""Endpoints for stored responses: get, follow, cancel and delete."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from contextlib import aclosing

import msgspec
from starlette.requests import Request
from starlette.responses import Response as HttpResponse
from starlette.types import Receive, Scope, Send

from redline.gateway.endpoints.http_outlet import StreamOutlet
from redline.gateway.limits.accounts import account_of
from redline.gateway.outlet import PeerGoneError
from redline.gateway.refusals import (
    Refusal,
    RefusedError,
    response_not_found,
    unsupported,
)
from redline.gateway.service import Service
from redline.gateway.stored.background import BackgroundResponse
from redline.gateway.stored.shared_background import RemoteResponse
from redline.wire import events

_JSON = "application/json"

_NUMBER = re.compile(r"-?[0-9]{1,18}")
"""Python refuses to parse numbers of thousands of digits."""


class RetrieveEndpoint:
    """`GET` and `DELETE` of `/v1/responses/{id}`."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        response_id: str = request.path_params["response_id"]
        owner = account_of(scope).owner
        if request.method == "DELETE":
            answer = await self._delete(response_id, owner)
        elif request.query_params.get("stream") == "true":
            after = request.query_params.get("starting_after", "-1")
            await self._follow(response_id, owner, after, scope, receive, send)
            return
        else:
            answer = await self._fetch(response_id, owner)
        await answer(scope, receive, send)

    async def cancel(self, request: Request) -> HttpResponse:
        """Answer `POST /v1/responses/{id}/cancel`; idempotent (background guide)."""
        response_id: str = request.path_params["response_id"]
        owner = account_of(request.scope).owner
        background = await self._find(response_id, owner)
        if isinstance(background, RemoteResponse):
            await background.cancel()
        elif background is not None:
            await self._service.background.cancel(background)
        if background is not None:
            return await response_body(background)
        if await self._service.store.get(response_id, owner=owner) is None:
            raise RefusedError(response_not_found(response_id))
        refusal = Refusal(message="Only a background response can be cancelled.")
        raise RefusedError(refusal)

    async def _find(
        self, response_id: str, owner: str
    ) -> BackgroundResponse | RemoteResponse | None:
        local = self._service.background.get(response_id, owner=owner)
        shared = self._service.shared_background
        if local is not None or shared is None:
            return local
        return await shared.find(response_id, owner=owner)

    async def _fetch(self, response_id: str, owner: str) -> HttpResponse:
        local = self._service.background.get(response_id, owner=owner)
        if local is not None:
            return await response_body(local)
        # Before the background responses of other workers: this worker may have it.
        stored = await self._service.store.get(response_id, owner=owner)
        if stored is not None:
            return HttpResponse(stored.body, media_type=_JSON)
        background = await self._find(response_id, owner)
        if background is None:
            raise RefusedError(response_not_found(response_id))
        return await response_body(background)

    async def _follow(
        self,
        response_id: str,
        owner: str,
        after: str,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        background = await self._find(response_id, owner)
        stored = None
        if background is None:
            stored = await self._service.store.get(response_id, owner=owner)
        if background is None and stored is None:
            raise RefusedError(response_not_found(response_id))
        if background is None or not background.is_streamed:
            why = (
                "Only a background response that was created with 'stream' can be"
                " streamed again, and only for a while."
            )
            raise RefusedError(unsupported("stream", why))
        if not _NUMBER.fullmatch(after):
            raise RefusedError(
                Refusal(
                    code="invalid_value",
                    message="'starting_after' must be a whole number.",
                    param="starting_after",
                )
            )
        number = self._service.recorder.new_connection()
        await follow(
            background,
            self._service,
            scope,
            receive,
            send,
            number=number,
            after=int(after),
        )

    async def _delete(self, response_id: str, owner: str) -> HttpResponse:
        background = await self._find(response_id, owner)
        if isinstance(background, RemoteResponse):
            await background.delete()
        elif background is not None:
            await self._service.background.delete(background)
            if self._service.shared_background is not None:
                await self._service.shared_background.forget(response_id)
        was_stored = await self._service.store.delete(response_id, owner=owner)
        if background is None and not was_stored:
            raise RefusedError(response_not_found(response_id))
        body = {"id": response_id, "object": "response", "deleted": True}
        return HttpResponse(msgspec.json.encode(body), media_type=_JSON)


async def response_body(
    background: BackgroundResponse | RemoteResponse,
) -> HttpResponse:
    """Return the current state of a response."""
    if isinstance(background, RemoteResponse):
        return HttpResponse(await background.body(), media_type=_JSON)
    assert background.response is not None
    return HttpResponse(events.encode(background.response), media_type=_JSON)


async def follow(
    background: BackgroundResponse | RemoteResponse,
    service: Service,
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    number: int,
    after: int = -1,
) -> None:
    """Answer with the events of a response, until it ends or the client disconnects.

    Args:
        background: The response.
        service: Records what is sent.
        scope: The request's.
        receive: The request's.
        send: The request's.
        number: The connection's.
        after: The sequence number of the last event that the client has.
    """
    outlet = StreamOutlet(
        scope, send, recorder=service.recorder, connection_number=number
    )
    is_answered = await while_connected(
        receive, _send_events(background, outlet, after=after)
    )
    service.recorder.note("ended" if is_answered else "stopped", number)


async def while_connected(receive: Receive, work: Coroutine[None, None, bool]) -> bool:
    """Answer a request while the client is connected; return whether it completed."""
    async with asyncio.TaskGroup() as group:
        answering = group.create_task(work, name="answer over HTTP")
        watching = group.create_task(
            _watch(receive, answering), name="watch an HTTP client"
        )
        answering.add_done_callback(lambda _: watching.cancel())
    return not answering.cancelled() and answering.result()


async def _send_events(
    background: BackgroundResponse | RemoteResponse, outlet: StreamOutlet, *, after: int
) -> bool:
    try:
        await outlet.begin()
        async with aclosing(background.follow(outlet, after=after)) as sent_events:
            async for sent in sent_events:
                if sent.kind:
                    await outlet.send([sent])
                else:
                    await outlet.send_raw(sent.data)
        await outlet.finish(None)
    except ConnectionAbortedError:
        outlet.abort()
        return False
    except PeerGoneError:
        return False
    return True


async def _watch(receive: Receive, answering: asyncio.Task[bool]) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    answering.cancel()
