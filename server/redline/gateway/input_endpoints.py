"""Endpoints about a request's input: its size, a compact form of it, and the input
items of an earlier response."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response as HttpResponse
from starlette.types import Receive, Scope, Send

from redline.gateway.conversations import (
    Conversation,
    LaneCache,
    compacted,
    resolve,
)
from redline.gateway.denial import deny
from redline.gateway.refusals import Refusal, RefusedError, response_not_found
from redline.gateway.request_body import decode_body, read_body
from redline.gateway.responses import estimated_usage, full_usage, n_tokens
from redline.gateway.service import Service
from redline.prompts.message import ChatMessage
from redline.wire.events import ResponseCreate

_DEFAULT_LIMIT, _MAX_LIMIT = 20, 100
"""Items on one page (API reference, "List input items")."""


class InputTokensEndpoint:
    """`POST /v1/responses/input_tokens`: an estimate, like all usage here."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            create, conversation = await _read_input(self._service, scope, receive)
        except RefusedError as refused:
            await deny(scope, send, refused.refusal)
            return
        except ClientDisconnect:
            return
        n_chars = conversation.n_chars + len(create.instructions or "")
        body = {"object": "response.input_tokens", "input_tokens": n_tokens(n_chars)}
        await _json(body)(scope, receive, send)


class CompactEndpoint:
    """`POST /v1/responses/compact`: the conversation as one item."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        service = self._service
        try:
            create, conversation = await _read_input(service, scope, receive)
        except RefusedError as refused:
            await deny(scope, send, refused.refusal)
            return
        except ClientDisconnect:
            return
        content = compacted(conversation)
        usage = estimated_usage(
            n_input_chars=conversation.n_chars + len(create.instructions or ""),
            n_said_chars=len(content),
            n_thought_chars=0,
        )
        item = {
            "id": service.new_id("cmp"),
            "type": "compaction",
            "encrypted_content": content,
        }
        body = {
            "id": service.new_id("resp"),
            "object": "response.compaction",
            "created_at": int(service.now()),
            "output": [item],
            "usage": full_usage(usage),
        }
        await _json(body)(scope, receive, send)


class InputItemsEndpoint:
    """`GET /v1/responses/{id}/input_items`."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        response_id: str = request.path_params["response_id"]
        stored = self._service.store.get(response_id)
        if stored is None:
            await deny(scope, send, response_not_found(response_id))
            return
        given = stored.conversation.chat_messages[: stored.n_inputs]
        items = [_item(response_id, at, message) for at, message in enumerate(given)]
        if request.query_params.get("order", "desc") == "desc":
            items.reverse()
        try:
            limit = _limit(request.query_params.get("limit", str(_DEFAULT_LIMIT)))
            items = _after(items, request.query_params.get("after"))
        except RefusedError as refused:
            await deny(scope, send, refused.refusal)
            return
        page = items[:limit]
        body = {
            "object": "list",
            "data": page,
            "first_id": page[0]["id"] if page else "",
            "last_id": page[-1]["id"] if page else "",
            "has_more": len(items) > limit,
        }
        await _json(body)(scope, receive, send)


async def _read_input(
    service: Service, scope: Scope, receive: Receive
) -> tuple[ResponseCreate, Conversation]:
    body = await read_body(Request(scope, receive), service.config)
    create = decode_body(body, service)
    return create, resolve(create, cache=LaneCache(), store=service.store)


def _item(response_id: str, at: int, message: ChatMessage) -> dict[str, object]:
    is_output = message.role == "assistant"
    part: dict[str, object] = {"type": "input_text", "text": message.text}
    if is_output:
        part = {"type": "output_text", "text": message.text, "annotations": []}
    return {
        "id": f"msg_{response_id.removeprefix('resp_')}_{at}",
        "type": "message",
        "role": message.role,
        "status": "completed",
        "content": [part],
    }


def _limit(text: str) -> int:
    # `isdecimal` accepts non-ASCII digits; `int` reads them too.
    if not text.isdecimal() or len(text) > 3 or not 1 <= int(text) <= _MAX_LIMIT:
        raise _invalid("limit", f"must be a number from 1 to {_MAX_LIMIT}")
    return int(text)


def _after(
    items: list[dict[str, object]], item_id: str | None
) -> list[dict[str, object]]:
    if item_id is None:
        return items
    ids: Sequence[object] = [item["id"] for item in items]
    if item_id not in ids:
        raise _invalid("after", "is no item of this response")
    return items[ids.index(item_id) + 1 :]


def _invalid(param: str, why: str) -> RefusedError:
    refusal = Refusal(code="invalid_value", message=f"'{param}' {why}.", param=param)
    return RefusedError(refusal)


def _json(body: object) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(body), media_type="application/json")
