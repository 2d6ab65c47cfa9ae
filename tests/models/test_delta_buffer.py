"""Deltas are merged, kept in order, and bounded."""

from __future__ import annotations

from redline.models.generations.delta_buffer import DeltaBuffer
from redline.models.interface import Delta, Restart


def _taken(buffer: DeltaBuffer) -> list[Delta | Restart]:
    found = []
    while (taken := buffer.take()) is not None:
        found.append(taken)
    return found


def test_neighbours_of_one_kind_become_one() -> None:
    """What arrived while the reader was busy comes as one delta of each run."""
    buffer = DeltaBuffer()
    for text, kind in ("ab", "text"), ("c", "text"), ("d", "reasoning"), ("e", "text"):
        buffer.put(text, "reasoning" if kind == "reasoning" else "text")
    assert _taken(buffer) == [Delta("abc"), Delta("d", "reasoning"), Delta("e")]
    assert buffer.is_empty


def test_restart_voids_what_waits() -> None:
    """After a restart only it, and what came after it, is delivered."""
    buffer = DeltaBuffer()
    buffer.put("old", "text")
    buffer.restart(Restart("new"))
    buffer.put("er", "text")
    assert _taken(buffer) == [Restart("new"), Delta("er")]


def test_full_until_taken() -> None:
    """Text and the number of deltas both count towards the bound."""
    buffer = DeltaBuffer(high_water_chars=1_000)
    buffer.put("x" * 1_000, "text")
    assert buffer.is_full
    _taken(buffer)
    assert not buffer.is_full
    for _ in range(20):
        buffer.put("", "text")
    assert buffer.is_full
    buffer.clear()
    assert not buffer.is_full
    assert buffer.is_empty
