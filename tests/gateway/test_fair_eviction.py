"""A full memory gives up what belongs to the user who has the most."""

from __future__ import annotations

import pytest

from redline.gateway.stored.conversations import (
    Conversation,
    MemoryStore,
    StoredResponse,
)
from redline.gateway.stored.fair_eviction import oldest_of_largest

pytestmark = pytest.mark.asyncio(loop_scope="session")


def stored(owner: str, n_bytes: int) -> StoredResponse:
    return StoredResponse(
        body=b"x" * n_bytes, owner=owner, conversation=Conversation(), n_inputs=0
    )


async def test_the_oldest_of_the_largest_goes() -> None:
    """Not the oldest of all."""
    owned = {"a": stored("ada", 1), "b": stored("bob", 1), "c": stored("bob", 1)}
    assert oldest_of_largest(owned, {"a": 5, "b": 2, "c": 2}) == "a"
    assert oldest_of_largest(owned, dict.fromkeys(owned, 1)) == "b"


@pytest.mark.parametrize("n_bytes", [1, 900])
async def test_no_user_displaces_the_others(n_bytes: int) -> None:
    """Neither by many responses nor by large ones."""
    store = MemoryStore(max_responses=4, max_chars=2_000)
    await store.put("first", stored("ada", 10))
    for n in range(9):
        await store.put(f"bob{n}", stored("bob", n_bytes))
    assert await store.get("first", owner="ada") is not None
    assert await store.get("bob0", owner="bob") is None
    assert await store.get("bob8", owner="bob") is not None
