"""The signals that make up a task's complexity, each with its reason.

Each function examines one aspect and returns at most one signal; the score is their
sum. The weights were tuned on the part of `tests/data/routing.jsonl` that is marked
`tune`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from redline.routing import instruction_words as vocabulary
from redline.routing.boundary import Reading, syntax
from redline.routing.phrases import Phrases
from redline.routing.task import Kind, Task
from redline.routing.words import MAX_PROSE_CHARS, words_of_prose


class Signal(Struct, frozen=True, kw_only=True):
    """An aspect that makes a task harder or easier."""

    name: str
    weight: float
    """Added to the score; negative: the task is easier."""
    reason: str


_BY_KIND: dict[Kind, float] = {
    "docstring": 0.05,
    "explain": 0.10,
    "types": 0.15,
    "extract": 0.20,
    "simplify": 0.20,
    "convert": 0.20,
    "tests": 0.20,
    "edit": 0.20,
    "generate": 0.25,
    "fix": 0.25,
    "review": 0.60,
}
_KIND_REASONS: dict[Kind, str] = {
    "review": "A review needs the whole picture.",
}
_HARMLESS: frozenset[Kind] = frozenset({"docstring", "explain"})
"""Kinds that do not change how the code runs."""

_SIZES = ((6, -0.05), (15, 0.0), (40, 0.05), (100, 0.12), (300, 0.20), (1_000, 0.30))
_LARGEST = 0.40
_COMPARABLE_LINES = 40
"""Two versions of this many lines fit on a screen."""

_THREADS = Phrases("""
    thread, mutex, rwlock, rw mutex, semaphore, condvar, condition variable, not empty
    spinlock, atomic, atomics, volatile, synchronized, wait group, goroutine, chan
    channel, executor, thread pool, pool, lock guard, unique lock, pthread, memory order
    compare exchange, shared array buffer, worker, irq handler, dispatch queue
    global scope, actor, completable future, countdown latch, concurrent hash map, spawn
    lock, unlock, with lock, join, notify, wait, gen server, mailbox, sync, executors
    run async, isr, interrupt, fork, multiprocessing
""")
_ASYNC = Phrases("""
    async, await, promise, future, coroutine, suspend, launch, asyncio, tokio, gather
    create task, mutable state flow, state flow, observable, task, callback, use effect
    set interval, on message, session scope, delay, poll, queue
""")
_SYNTAX = (
    syntax("go", r"go func\b"),
    syntax("chan", r"<-\s*chan\b|\bchan\s"),
    syntax("select", r"select\s*\{"),
    syntax("update", r"FOR UPDATE\b"),
)
_TAKES_LONG = re.compile(
    r"\b(?:takes?|taking)\s+(?:\d+|too|forever|ages|so|very)\b", re.I
)
_CLAUSES = re.compile(
    r"[,;:]\s+|\s(?:and|but|so that|without|keep|must|even if|also when|while|never"
    r"|unless|don't|do not|if|between)\s",
    re.IGNORECASE,
)
_FREE_CLAUSES = 1
_N_OPENING_WORDS = 6


def signals(task: Task, reading: Reading) -> list[Signal]:
    """Return the signals of a task."""
    found = (look(task, reading) for look in _LOOKS)
    return [signal for signal in found if signal is not None]


def _kind(task: Task, _: Reading) -> Signal:
    return Signal(
        name="kind",
        weight=_BY_KIND[task.kind],
        reason=_KIND_REASONS.get(
            task.kind, f"It is a small task of its own: {task.kind}."
        ),
    )


def _size(task: Task, _: Reading) -> Signal | None:
    n_lines = task.size
    weight = next((add for most, add in _SIZES if n_lines <= most), _LARGEST)
    if not weight or task.kind in _HARMLESS:
        return None
    reason = f"It touches {n_lines} line{'' if n_lines == 1 else 's'}."
    return Signal(name="size", weight=weight, reason=reason)


def _files(task: Task, _: Reading) -> Signal | None:
    n_files = len(set(task.files) - {task.path})
    if not n_files:
        return None
    weight = min(0.075 * n_files + 0.06, 0.54)
    return Signal(
        name="files", weight=weight, reason=f"It touches {n_files + 1} files."
    )


def _concurrency(task: Task, reading: Reading) -> Signal | None:
    if task.kind in _HARMLESS:
        return None
    shown = _THREADS.found_in(reading.code)
    shown += [found for each in _SYNTAX if (found := each.found_in(reading))]
    light = _ASYNC.found_in(reading.code)
    shown += _THREADS.found_in(reading.instruction)
    around = _THREADS.found_in(reading.surroundings)[:1]
    shown = list(dict.fromkeys(shown))
    weight = min(0.07 * len(shown) + 0.02 * len(light) + 0.04 * bool(around), 0.20)
    if not weight:
        return None
    words = ", ".join(dict.fromkeys((*shown, *light, *around)))
    return Signal(
        name="concurrency", weight=weight, reason=f"Concurrent code: {words}."
    )


def _debugging(task: Task, reading: Reading) -> Signal | None:
    said = reading.instruction
    if found := vocabulary.DIAGNOSTICS.found_in(said):
        return Signal(
            name="debugging",
            weight=-0.05,
            reason=f"A diagnostic says where it is: “{found[0]}”.",
        )
    is_debugging = task.kind == "fix" or vocabulary.DEBUGGING.found_in(said)
    symptoms = vocabulary.SYMPTOMS.found_in(said)
    if match := _TAKES_LONG.search(reading.said):
        symptoms.append(match[0])
    if not symptoms or not is_debugging or task.kind in _HARMLESS:
        return None
    return Signal(
        name="debugging",
        weight=0.16 if task.kind == "fix" else 0.22,
        reason=f"The cause is to be found: “{symptoms[0]}”.",
    )


def _elusive(task: Task, reading: Reading) -> Signal | None:
    shown = vocabulary.ELUSIVE.found_in(reading.instruction)
    if not shown or task.kind in _HARMLESS:
        return None
    return Signal(
        name="elusive",
        weight=min(0.28 + 0.08 * (len(shown) - 1), 0.45),
        reason=f"It shows only at times: “{shown[0]}”.",
    )


def _easy(_: Task, reading: Reading) -> Signal | None:
    # Later in the text such a word is the subject of the task, not the request.
    said = words_of_prose(" ".join(reading.said.split()[:_N_OPENING_WORDS]))
    found = vocabulary.EASY.found_in(said)
    if not found:
        return None
    return Signal(
        name="words", weight=-0.10, reason=f"Small by its words: “{found[0]}”."
    )


def _hard(_: Task, reading: Reading) -> Signal | None:
    shown = vocabulary.HARD.found_in(reading.instruction)
    if not shown:
        return None
    return Signal(
        name="words",
        weight=min(0.21 + 0.05 * (len(shown) - 1), 0.31),
        reason=f"Needs thought by its words: “{'”, “'.join(shown)}”.",
    )


def _very_hard(_: Task, reading: Reading) -> Signal | None:
    shown = vocabulary.VERY_HARD.found_in(reading.instruction)
    if not shown:
        return None
    return Signal(
        name="system",
        weight=min(0.36 + 0.12 * (len(shown) - 1), 0.50),
        reason=f"Touches the system as a whole: “{'”, “'.join(shown)}”.",
    )


def _requirements(task: Task, _: Reading) -> Signal | None:
    n_clauses = 1 + len(_CLAUSES.findall(task.instruction[:MAX_PROSE_CHARS]))
    if n_clauses <= _FREE_CLAUSES + 1:
        return None
    return Signal(
        name="requirements",
        weight=min(0.04 * (n_clauses - _FREE_CLAUSES - 1), 0.16),
        reason=f"It asks for about {n_clauses} things at once.",
    )


def _verification(task: Task, reading: Reading) -> Signal | None:
    """Estimate whether the result can be checked in half a minute."""
    if task.kind in _HARMLESS or task.kind in ("types", "tests"):
        return Signal(
            name="verification",
            weight=-0.05,
            reason="The result is checked at a glance.",
        )
    if (
        task.kind in ("simplify", "convert", "extract")
        and task.size <= _COMPARABLE_LINES
    ):
        return Signal(
            name="verification",
            weight=-0.05,
            reason="The result can be compared with what stood there.",
        )
    return None


_LOOKS: tuple[Callable[[Task, Reading], Signal | None], ...] = (
    _kind,
    _size,
    _files,
    _concurrency,
    _debugging,
    _elusive,
    _easy,
    _hard,
    _very_hard,
    _requirements,
    _verification,
)
