"""The parser processes of one program.

A thread for each process starts it for the first unit of work, passes it one unit after
the other, and ends it when there has been none for a while. The process used last is
preferred, because it has cached the most. Work that ends its process fails alone: the
next unit gets a new process.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Generic

from redline.errors import ParserEndedError
from redline.parsing.parser_process import COMMAND, ParserProcess
from redline.parsing.work import Argument, Result, Work
from redline.process_limits import UNIT_LIMIT_S

IDLE_S = 60.0
"""How long a process stays without work."""

_MAX_PROCESSES = 2
"""The second one is for work that comes while the first one is busy, perhaps with a
text that it will never finish."""

_END_LIMIT_S = 2.0

_GRACE_S = 2.0
"""A process keeps its time limit itself; one that does not is killed this much later,
such as one that is stopped."""


class ParserPool:
    """Runs work in up to two processes; thread-safe."""

    def __init__(
        self,
        *,
        limit_s: float = UNIT_LIMIT_S,
        idle_s: float | None = IDLE_S,
        max_processes: int = _MAX_PROCESSES,
        command: Sequence[str] = COMMAND,
    ) -> None:
        """Create a pool; no process is started yet.

        Args:
            limit_s: Time limit of one unit of work.
            idle_s: How long a process stays without work; None: until the pool is
                closed.
            max_processes: Most processes at once.
            command: The command that starts one.
        """
        self._limit_s = limit_s
        self._idle_s = idle_s
        self._max_processes = max_processes
        self._command = command
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._waiting: deque[_Unit[Any]] = deque()  # Of any results.
        self._is_closed = False
        self._used_at = 0.0

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the running processes."""
        with self._lock:
            pids = [worker.pid for worker in self._workers]
        return tuple(pid for pid in pids if pid is not None)

    async def run(self, work: Work[Argument, Result], argument: Argument) -> Result:
        """Run work; see `WorkRunner`. Cancelling is safe: the result is dropped."""
        future = self._submit(work, argument)
        loop = asyncio.get_running_loop()
        watch_s = self._limit_s + _GRACE_S
        watching: asyncio.TimerHandle

        def watch() -> None:
            nonlocal watching
            # Also when the caller has given up: the process must not stay.
            if not future.done():
                self._kill_late()
                watching = loop.call_later(watch_s, watch)

        watching = loop.call_later(watch_s, watch)
        try:
            return await asyncio.wrap_future(future)
        finally:
            if future.done():
                watching.cancel()

    def run_and_wait(self, work: Work[Argument, Result], argument: Argument) -> Result:
        """Run work and block this thread until it is done.

        Raises:
            ParserEndedError: If it takes too long or too much memory, or fails.
        """
        future = self._submit(work, argument)
        while True:
            try:
                return future.result(self._limit_s + _GRACE_S)
            except TimeoutError:
                if future.done():
                    raise
                self._kill_late()

    def warm(self, work: Work[Argument, Result]) -> None:
        """Start a process that has imported the function, unless a process runs."""
        self.stay()
        with self._lock:
            is_needed = not self._workers
        if is_needed:
            self._add(_Unit(lambda process: process.load(work)))

    def stay(self) -> None:
        """Keep the processes as if there was work: the user is active."""
        self._used_at = time.monotonic()

    def close(self) -> None:
        """Kill the processes and cancel what they work on; idempotent and bounded."""
        with self._lock:
            self._is_closed = True
            workers = tuple(self._workers)
            waiting = tuple(self._waiting)
            self._waiting.clear()
        for unit in waiting:
            unit.future.cancel()
        for worker in workers:
            worker.stop()
        for worker in workers:
            worker.join(_END_LIMIT_S)

    async def aclose(self) -> None:
        """Close without blocking the loop."""
        await asyncio.to_thread(self.close)

    def _kill_late(self) -> None:
        with self._lock:
            workers = tuple(self._workers)
        for worker in workers:
            worker.kill_if_late(self._limit_s + _GRACE_S)

    def _submit(
        self, work: Work[Argument, Result], argument: Argument
    ) -> Future[Result]:
        unit = _Unit(lambda process: process.call(work, argument))
        self._add(unit)
        return unit.future

    def _add(self, unit: _Unit[Any]) -> None:
        self.stay()
        with self._lock:
            if self._is_closed:
                unit.future.cancel()
            elif self._idle:
                self._idle.pop().give(unit)
            elif len(self._workers) < self._max_processes:
                worker = _Worker(self._new_process, self._next_for)
                self._workers.add(worker)
                worker.give(unit)
            else:
                self._waiting.append(unit)

    def _new_process(self) -> ParserProcess:
        return ParserProcess(limit_s=self._limit_s, command=self._command)

    def _next_for(self, worker: _Worker) -> _Unit[Any] | None:
        """Wait for the next unit of a worker; None: there is none, so it ends."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._idle.append(worker)
        while True:
            try:
                return worker.units.get(timeout=self._idle_s)
            except Empty:
                if self._lets_go(worker):
                    return None

    def _lets_go(self, worker: _Worker) -> bool:
        """Remove a worker that got no unit, unless it got one meanwhile."""
        with self._lock:
            is_used = time.monotonic() - self._used_at < (self._idle_s or 0.0)
            if is_used or worker not in self._idle:
                return False
            self._idle.remove(worker)
            self._workers.remove(worker)
            return True


class _Unit(Generic[Result]):
    """One unit of work, and its result in the future."""

    def __init__(self, call: Callable[[ParserProcess], Result]) -> None:
        self._call = call
        self.future: Future[Result] = Future()

    def run(self, new_process: Callable[[], ParserProcess]) -> bool:
        """Settle the future; returns whether the process can be used again."""
        if not self.future.set_running_or_notify_cancel():
            return True
        try:
            result = self._call(new_process())
        except ParserEndedError as exc:
            self.future.set_exception(exc)
            return False
        except Exception as exc:  # noqa: BLE001  # Raised again where it is awaited.
            self.future.set_exception(exc)
        else:
            self.future.set_result(result)
        return True


class _Worker:
    """A thread and its parser process."""

    def __init__(
        self,
        new_process: Callable[[], ParserProcess],
        next_for: Callable[[_Worker], _Unit[Any] | None],
    ) -> None:
        self.units: SimpleQueue[_Unit[Any] | None] = SimpleQueue()
        self._new_process = new_process
        self._next_for = next_for
        self._process: ParserProcess | None = None
        self._began_at: float | None = None
        """When its unit began; None: it has none."""
        self._lock = threading.Lock()
        self._is_stopped = False
        # A daemon: the interpreter does not wait for it at its end.
        self._thread = threading.Thread(target=self._work, name="parser", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The id of the process, while there is one."""
        process = self._process
        return None if process is None else process.pid

    def give(self, unit: _Unit[Any]) -> None:
        """Pass the next unit to the thread."""
        self.units.put(unit)

    def stop(self) -> None:
        """Kill the process and let the thread end."""
        with self._lock:
            self._is_stopped = True
            if self._process is not None:
                self._process.kill()
        self.units.put(None)

    def kill_if_late(self, limit_s: float) -> None:
        """Kill a process that has worked on one unit for longer than it may."""
        with self._lock:
            began_at, process = self._began_at, self._process
            is_late = began_at is not None and time.monotonic() - began_at > limit_s
            if is_late and process is not None:
                process.kill()

    def join(self, limit_s: float) -> None:
        """Wait until the thread and its process have ended."""
        self._thread.join(limit_s)

    def _work(self) -> None:
        unit = self.units.get()
        while unit is not None:
            self._began_at = time.monotonic()
            can_go_on = unit.run(self._running)
            self._began_at = None
            if not can_go_on:
                self._end()
            unit = self._next_for(self)
        self._end()

    def _running(self) -> ParserProcess:
        """Return the process; start one if there is none, or if it was killed."""
        if self._process is not None and self._process.has_ended:
            self._end()
        with self._lock:
            if self._is_stopped:
                raise ParserEndedError("Redline is shutting down")
            if self._process is None:
                self._process = self._new_process()
            return self._process

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.close()
