"""The signals that make up a task's complexity, each with its reason.

The learned score reads the words; what is larger than the tasks that it was trained on
adds to it here.
"""

from __future__ import annotations

from msgspec import Struct

from redline.routing.task import Kind, Task


class Signal(Struct, frozen=True, kw_only=True):
    """An aspect that makes a task harder or easier."""

    name: str
    weight: float
    """Log-odds that a higher tier is needed; negative: the task is easier."""
    reason: str


_BY_KIND: dict[Kind, float] = {"docstring": -0.9, "explain": -0.6, "review": 2.4}
_KIND_REASONS: dict[Kind, str] = {"review": "A review needs the whole picture."}
_HARMLESS: frozenset[Kind] = frozenset({"docstring", "explain"})
"""Kinds that do not change how the code runs."""

_SIZES = ((40, 0.0), (100, 0.4), (300, 0.9), (1_000, 1.5))
_LARGEST = 2.1


def signals(task: Task) -> list[Signal]:
    found = (_kind(task), _size(task), _files(task))
    return [signal for signal in found if signal is not None]


def _kind(task: Task) -> Signal | None:
    if task.kind not in _BY_KIND:
        return None
    return Signal(
        name="kind",
        weight=_BY_KIND[task.kind],
        reason=_KIND_REASONS.get(
            task.kind, f"It is a small task of its own: {task.kind}."
        ),
    )


def _size(task: Task) -> Signal | None:
    n_lines = task.size
    weight = next((add for most, add in _SIZES if n_lines <= most), _LARGEST)
    if not weight or task.kind in _HARMLESS:
        return None
    return Signal(name="size", weight=weight, reason=f"It touches {n_lines} lines.")


def _files(task: Task) -> Signal | None:
    n_files = len(set(task.files) - {task.path})
    if not n_files:
        return None
    weight = min(0.45 * n_files + 0.36, 3.2)
    return Signal(
        name="files", weight=weight, reason=f"It touches {n_files + 1} files."
    )
