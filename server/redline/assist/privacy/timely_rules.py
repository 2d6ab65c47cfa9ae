"""The ignore rules for callers on the event loop, which a slow disk must not block.

A disk of the network may take a second for each look at a file, or never answer. So the
looks happen in a thread, unless all that they touch is on local disks: there, a thread
costs more than the look. A caller waits for one at most `LOOK_S`; without an answer the
file is held back. From then on nobody waits for that folder, until it answers in time
again: callers get the answer of the last look, if it ended at most `RECENT_S` ago.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Generic, NamedTuple, TypeVar

from redline.assist.privacy.git_folders import Stamps
from redline.assist.privacy.ignore_rules import IgnoreRules, held_back
from redline.assist.privacy.linked_files import MAX_FILES, FileKey, is_inside
from redline.assist.privacy.local_disks import LocalFolders, Mounts, system_mounts
from redline.errors import HeldBackError
from redline.text.uri import is_file, path_in, uri_path

LOOK_S = 0.25
"""Longest wait of a caller on the event loop; a look takes less than a millisecond, and
some more if the machine is busy."""

FAST_S = 0.05
"""Longest look of a disk that callers wait for again."""

RECENT_S = 2.0
"""How long the answer of a slow disk counts."""

AWAIT_S = 10.0
"""Longest wait of a request of the user, which the event loop goes on beside."""

MAX_WAITING = 8
"""Threads that wait for disks which do not answer."""

SLOW = "its disk does not answer in time"

_T = TypeVar("_T")


class TimelyRules:
    """The ignore rules of one workspace, for callers on the event loop."""

    def __init__(self, mounts: Mounts | None = None) -> None:
        self._rules = IgnoreRules()
        known = mounts or system_mounts()
        self._local = LocalFolders(known)
        self._local_roots = LocalFolders(known)
        idle: list[_Worker] = []
        self._reasons = _Looks[str | None](SLOW, idle)
        self._insides = _Looks[bool](False, idle)
        self._roots = _Looks[str | None](SLOW, idle)

    def reason(
        self,
        uri: str,
        roots: Sequence[str],
        *,
        stamps: Stamps | None = None,
        must_exist: bool = False,
    ) -> str | None:
        """Return why a file must not be sent, as `IgnoreRules.reason` does.

        The reason is `SLOW` if its disk does not answer in time.
        """
        # A look that is late must not change what the caller has.
        seen = dict(stamps or {})
        key = (uri, self._without_late(uri, roots))
        look = partial(self._rules.reason, *key, stamps=seen, must_exist=must_exist)
        if self._local.has(*key):
            found = self._reasons.answer_at_once(key, look)
        else:
            found = self._reasons.answer(key, self._local.learning(key, look, seen))
        if stamps is not None and found != SLOW:
            stamps.update(seen)
        return found

    def is_inside(self, uri: str, roots: Sequence[str]) -> bool:
        """Whether a document is in a workspace folder, and no link out of all.

        False also if its disk does not answer in time.
        """
        key = (uri, self._without_late(uri, roots))
        look = partial(is_inside, *key)
        if self._local.has(*key):
            return self._insides.answer_at_once(key, look)
        return self._insides.answer(key, look)

    async def refuse(self, uri: str, roots: Sequence[str], name: str) -> None:
        """Refuse a file that must not be sent; waits for a slow disk.

        Raises:
            HeldBackError: If it must not; `name` is the file's in the message.
        """
        reason = await self.awaited_reason(uri, roots)
        if reason == SLOW:
            raise HeldBackError(
                f"{name} is not sent to a model: {reason}.",
                remedy="Run it again once the disk answers.",
            )
        if reason is not None:
            raise held_back(name, reason)

    async def awaited_reason(self, uri: str, roots: Sequence[str]) -> str | None:
        """Return why a file must not be sent, after `AWAIT_S` at the latest."""
        found = self.reason(uri, roots)
        if found != SLOW:
            return found
        look = partial(self._rules.reason, uri, self._without_late(uri, roots))
        return await self._reasons.awaited_answer(look)

    def _without_late(self, uri: str, roots: Sequence[str]) -> tuple[str, ...]:
        """Return the workspace folders without the other ones whose disk is late.

        A look at a file follows the links of all folders, which may lead to it. A URI
        of another scheme may name a file in any of them.
        """
        if not is_file(uri):
            return tuple(roots)
        return tuple(
            root
            for root in roots
            if path_in(uri, root) is not None or not self._is_late(root)
        )

    def _is_late(self, root: str) -> bool:
        if not is_file(root):
            return False
        key = (f"{root.rstrip('/')}/_", ())
        if self._local_roots.has(*key):
            return False
        look = self._local_roots.learning(key, partial(_follow_links, root), {})
        return self._roots.answer(key, look) is not None


def _follow_links(root: str) -> None:
    os.path.realpath(uri_path(root))


class _Found(NamedTuple, Generic[_T]):
    value: _T
    began_s: float
    took_s: float


class _Worker:
    """A thread that looks. It ends with the process, also if a disk never answers."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        Thread(target=self._run, name="disk", daemon=True).start()

    def begin(self, look: Callable[[], _T]) -> Future[_Found[_T]]:
        future: Future[_Found[_T]] = Future()
        self._jobs.put(partial(_carry_out, look, future))
        return future

    def end(self) -> None:
        """End the thread after what it was given."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _carry_out(look: Callable[[], _T], future: Future[_Found[_T]]) -> None:
    began_s = time.monotonic()
    try:
        value = look()
    except Exception as exc:  # noqa: BLE001 - the caller gets it
        future.set_exception(exc)
    else:
        future.set_result(_Found(value, began_s, time.monotonic() - began_s))


@dataclass
class _SlowFolder(Generic[_T]):
    """A folder whose disk was late, with the thread that waits for it."""

    worker: _Worker
    running: dict[FileKey, Future[_Found[_T]]]
    """Looks without an answer."""
    answers: dict[FileKey, _Found[_T]] = field(default_factory=dict)
    """The last answers."""

    def take(self) -> bool:
        """Store the answers that came; whether the disk is fast again."""
        new = {key: one.result() for key, one in self.running.items() if one.done()}
        self.running = {k: one for k, one in self.running.items() if k not in new}
        if len(self.answers) >= MAX_FILES:
            self.answers.clear()
        self.answers.update(new)
        is_fast = bool(new) and all(one.took_s < FAST_S for one in new.values())
        return is_fast and not self.running

    def recent(self, key: FileKey, look: Callable[[], _T]) -> _Found[_T] | None:
        """Begin a look, and return what the last one found if that counts still."""
        if key not in self.running and len(self.running) < MAX_FILES:
            self.running[key] = self.worker.begin(look)
        found = self.answers.get(key)
        if found is None or time.monotonic() - found.began_s > RECENT_S + found.took_s:
            return None
        return found


class _Looks(Generic[_T]):
    """Looks of one kind, and the folders that were late."""

    def __init__(self, late: _T, idle: list[_Worker]) -> None:
        self._late = late
        self._idle = idle
        self._slow: dict[str, _SlowFolder[_T]] = {}
        self._n_awaited = 0

    def answer(self, key: FileKey, look: Callable[[], _T]) -> _T:
        """Return what a look finds, or what stands for a late answer."""
        folder = _folder_of(*key)
        if (slow := self._slow.get(folder)) is not None:
            if not slow.take():
                found = slow.recent(key, look)
                return self._late if found is None else found.value
            self._forget(folder)
        if len(self._slow) >= MAX_WAITING:
            self._forget_answered()
        if len(self._slow) >= MAX_WAITING:
            return self._late
        worker = self._idle.pop() if self._idle else _Worker()
        future = worker.begin(look)
        try:
            value = future.result(LOOK_S).value
        except TimeoutError:
            # The thread stays with this folder, and others get another one.
            self._slow[folder] = _SlowFolder(worker, {key: future})
            return self._late
        self._idle.append(worker)
        return value

    def answer_at_once(self, key: FileKey, look: Callable[[], _T]) -> _T:
        """Return what a look at a local disk finds.

        One that is late all the same is not waited for again.
        """
        folder = _folder_of(*key)
        if folder in self._slow:
            return self.answer(key, look)
        began_s = time.monotonic()
        value = look()
        took_s = time.monotonic() - began_s
        if took_s > LOOK_S and len(self._slow) < MAX_WAITING:
            answers = {key: _Found(value, began_s, took_s)}
            self._slow[folder] = _SlowFolder(_Worker(), {}, answers)
        return value

    async def awaited_answer(self, look: Callable[[], _T]) -> _T:
        """Return what a look finds, after `AWAIT_S` at the latest."""
        if self._n_awaited >= MAX_WAITING:
            return self._late
        worker = _Worker()
        future = asyncio.wrap_future(worker.begin(look))
        worker.end()
        self._n_awaited += 1
        future.add_done_callback(self._count_answer)
        try:
            async with asyncio.timeout(AWAIT_S):
                return (await asyncio.shield(future)).value
        except TimeoutError:
            return self._late

    def _count_answer(self, _: object) -> None:
        self._n_awaited -= 1

    def _forget_answered(self) -> None:
        for folder, slow in list(self._slow.items()):
            slow.take()
            if not slow.running:
                self._forget(folder)

    def _forget(self, folder: str) -> None:
        self._slow.pop(folder).worker.end()


def _folder_of(uri: str, roots: tuple[str, ...]) -> str:
    """Return the workspace folder of a file, or else its own folder."""
    for root in roots:
        if path_in(uri, root) is not None:
            return root
    return uri.rpartition("/")[0]
