"""Earlier conversations, per WebSocket and in the store that all requests share.

The socket keeps the latest response of each lane and nothing else (WebSocket mode
guide, "connection-local cache"); `store: true` also puts a response into a store of
bounded size, which evicts the oldest first.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Mapping
from typing import Protocol

import msgspec
from msgspec import Struct

from redline.gateway.refusals import (
    RefusedError,
    previous_response_not_found,
    unreadable_compaction,
    unreadable_image,
)
from redline.gateway.stored.fair_eviction import oldest_of_largest
from redline.prompts.message import ChatMessage, PromptImage, Role
from redline.wire.events import InputMessage, ResponseCreate

_DATA_URL = re.compile(r"data:(?P<type>image/(?:png|jpeg|webp|gif));base64,")

_compacted = msgspec.json.Decoder(tuple[ChatMessage, ...])


class Conversation(Struct, frozen=True, kw_only=True):
    """All turns up to one response, inclusive."""

    chat_messages: tuple[ChatMessage, ...] = ()
    n_chars: int = 0
    n_image_bytes: int = 0

    @property
    def size(self) -> int:
        """What it takes of the limits of size: characters, and bytes of images."""
        return self.n_chars + self.n_image_bytes

    def with_input(self, given: str | list[InputMessage]) -> Conversation:
        """Return a copy with a client's new turns; empty items are left out.

        Raises:
            RefusedError: If an item cannot be read.
        """
        if isinstance(given, str):
            return self._with(ChatMessage(role="user", text=given))
        return self._with(
            *(
                message
                for item in given
                for message in _read(item)
                if message.text or message.images
            )
        )

    def with_output(self, text: str) -> Conversation:
        """Return a copy with the answer added."""
        return self._with(ChatMessage(role="assistant", text=text)) if text else self

    def _with(self, *added: ChatMessage) -> Conversation:
        return Conversation(
            chat_messages=self.chat_messages + added,
            n_chars=self.n_chars + sum(len(each.text) for each in added),
            n_image_bytes=self.n_image_bytes
            + sum(len(image.data) for each in added for image in each.images),
        )


class StoredResponse(Struct, frozen=True, kw_only=True):
    """A response stored by `store: true`."""

    body: bytes
    """The whole `response` object as JSON."""
    owner: str
    """The name of the user whose it is."""
    conversation: Conversation
    """The conversation, including the answer."""
    n_inputs: int
    """How many of its messages were the input of the answer."""


class ResponseStore(Protocol):
    """Finished responses, of all users."""

    async def put(self, response_id: str, stored: StoredResponse) -> None:
        """Store a response."""

    async def get(self, response_id: str, *, owner: str) -> StoredResponse | None:
        """Return a response of a user if it is still stored.

        Raises:
            RefusedError: If the store cannot be read.
        """

    async def delete(self, response_id: str, *, owner: str) -> bool:
        """Delete a response of a user; return whether it was stored.

        Raises:
            RefusedError: If the store cannot be read or written.
        """


class MemoryStore:
    """A store in this process, bounded in number and size."""

    def __init__(self, *, max_responses: int, max_chars: int) -> None:
        self._max_responses = max_responses
        self._max_chars = max_chars
        self._n_chars = 0
        self._stored: OrderedDict[str, StoredResponse] = OrderedDict()

    async def put(self, response_id: str, stored: StoredResponse) -> None:
        """Store a response, evicting the oldest of the user who has the most to make
        room."""
        self._stored[response_id] = stored
        self._n_chars += _size(stored)
        while len(self._stored) > self._max_responses:
            self._evict(dict.fromkeys(self._stored, 1))
        while self._stored and self._n_chars > self._max_chars:
            self._evict({key: _size(one) for key, one in self._stored.items()})

    def _evict(self, weights: Mapping[str, int]) -> None:
        evicted = self._stored.pop(oldest_of_largest(self._stored, weights))
        self._n_chars -= _size(evicted)

    async def get(self, response_id: str, *, owner: str) -> StoredResponse | None:
        """Return a response of a user if it is still stored."""
        stored = self._stored.get(response_id)
        return stored if stored is not None and stored.owner == owner else None

    async def delete(self, response_id: str, *, owner: str) -> bool:
        """Delete a response of a user; return whether it was stored."""
        stored = await self.get(response_id, owner=owner)
        if stored is not None:
            del self._stored[response_id]
            self._n_chars -= _size(stored)
        return stored is not None


class LaneCache:
    """The latest response of each lane of one WebSocket."""

    def __init__(self) -> None:
        self._latest: dict[str | None, tuple[str, Conversation]] = {}

    def put(
        self, lane: str | None, response_id: str, conversation: Conversation
    ) -> None:
        """Replace the lane's earlier response."""
        self._latest[lane] = (response_id, conversation)

    def get(self, response_id: str) -> Conversation | None:
        """Return a conversation of any lane: another lane may fork from it."""
        found = self.find(response_id)
        return found[1] if found else None

    def find(self, response_id: str) -> tuple[str | None, Conversation] | None:
        for lane, (kept_id, conversation) in self._latest.items():
            if kept_id == response_id:
                return lane, conversation
        return None

    def evict_parent(self, create: ResponseCreate) -> None:
        """Evict the parent of a failed request, unless it is on another lane."""
        latest = self._latest.get(create.stream_id)
        if latest is not None and latest[0] == create.previous_response_id:
            del self._latest[create.stream_id]


async def resolve(
    create: ResponseCreate, *, cache: LaneCache, store: ResponseStore, owner: str
) -> Conversation:
    """Return the whole conversation that a request asks to continue.

    Args:
        create: The request.
        cache: The earlier responses of its connection.
        store: The stored responses of all users.
        owner: The owner of an account.

    Raises:
        RefusedError: If the response that it continues is unknown, or the store
            cannot be read.
    """
    parent: Conversation | None = Conversation()
    if (previous := create.previous_response_id) is not None:
        parent = cache.get(previous)
        if parent is None:
            stored = await store.get(previous, owner=owner)
            parent = stored.conversation if stored else None
    if parent is None:
        raise RefusedError(previous_response_not_found(previous or ""))
    return parent.with_input(create.input)


def compacted(conversation: Conversation) -> str:
    """Encode a conversation as the content of a compaction item.

    The content is readable: the gateway keeps nothing secret from its client.
    """
    return b64encode(msgspec.json.encode(conversation.chat_messages)).decode()


def _read(item: InputMessage) -> tuple[ChatMessage, ...]:
    if item.type != "compaction":
        role: Role = "assistant" if item.role == "assistant" else "user"
        return (ChatMessage(role=role, text=item.text, images=_images(item)),)
    try:
        return _compacted.decode(b64decode(item.encrypted_content or "", validate=True))
    except (ValueError, msgspec.DecodeError) as exc:
        raise RefusedError(unreadable_compaction()) from exc


def _images(item: InputMessage) -> tuple[PromptImage, ...]:
    if not isinstance(item.content, list):
        return ()
    return tuple(
        _image(block.image_url) for block in item.content if block.type == "input_image"
    )


def _image(url: str) -> PromptImage:
    found = _DATA_URL.match(url)
    try:
        data = b64decode(url[found.end() :], validate=True) if found else b""
    except ValueError:
        data = b""
    if found is None or not data:
        raise RefusedError(unreadable_image())
    return PromptImage(media_type=found["type"], data=data)


def _size(stored: StoredResponse) -> int:
    return len(stored.body) + stored.conversation.size
