"""Endpoints about a request's input: its size, a compact form of it, and the input
items of an earlier response."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from starlette.requests import Request
from starlette.responses import Response as HttpResponse

from redline.gateway.endpoints.http import decode_body, read_body
from redline.gateway.limits.accounts import account_of
from redline.gateway.refusals import Refusal, RefusedError, response_not_found
from redline.gateway.responses import estimated_usage, full_usage, n_tokens
from redline.gateway.service import Service
from redline.gateway.stored.conversations import (
    Conversation,
    LaneCache,
    compacted,
    resolve,
)
from redline.prompts.message import ChatMessage
from redline.wire.events import ResponseCreate

_DEFAULT_LIMIT, _MAX_LIMIT = 20, 100
"""Items on one page (API reference, "List input items")."""


class InputEndpoints:
    """The endpoints of one gateway; all refuse by raising `RefusedError`."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def count_tokens(self, request: Request) -> HttpResponse:
        """Answer `POST /v1/responses/input_tokens`: an estimate, like all usage."""
        create, conversation = await self._read(request)
        n_chars = conversation.n_chars + len(create.instructions or "")
        return _json(
            {"object": "response.input_tokens", "input_tokens": n_tokens(n_chars)}
        )

    async def compact(self, request: Request) -> HttpResponse:
        """Answer `POST /v1/responses/compact`: the conversation as one item."""
        service = self._service
        create, conversation = await self._read(request)
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
        return _json(
            {
                "id": service.new_id("resp"),
                "object": "response.compaction",
                "created_at": int(service.now()),
                "output": [item],
                "usage": full_usage(usage),
            }
        )

    async def list_items(self, request: Request) -> HttpResponse:
        """Answer `GET /v1/responses/{id}/input_items`."""
        response_id: str = request.path_params["response_id"]
        owner = account_of(request.scope).owner
        stored = await self._service.store.get(response_id, owner=owner)
        if stored is None:
            raise RefusedError(response_not_found(response_id))
        given = stored.conversation.chat_messages[: stored.n_inputs]
        items = [_item(response_id, at, message) for at, message in enumerate(given)]
        if request.query_params.get("order", "desc") == "desc":
            items.reverse()
        limit = _limit(request.query_params.get("limit", str(_DEFAULT_LIMIT)))
        items = _after(items, request.query_params.get("after"))
        page = items[:limit]
        return _json(
            {
                "object": "list",
                "data": page,
                "first_id": page[0]["id"] if page else "",
                "last_id": page[-1]["id"] if page else "",
                "has_more": len(items) > limit,
            }
        )

    async def _read(self, request: Request) -> tuple[ResponseCreate, Conversation]:
        body = await read_body(request, self._service.config)
        account = account_of(request.scope)
        create = decode_body(body, self._service, account)
        conversation = await resolve(
            create,
            cache=LaneCache(),
            store=self._service.store,
            owner=account.owner,
        )
        return create, conversation


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
