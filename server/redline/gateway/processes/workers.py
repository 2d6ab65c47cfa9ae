"""Several processes that serve one gateway behind one port.

The parent listens, and each worker inherits the socket and accepts connections from it:
this works alike on Linux and macOS, and a connection that waits is never lost with the
worker that would have accepted it. The parent serves nothing but the metrics. It reads
the configuration, replaces workers that end, and passes signals on.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
import time
from asyncio.subprocess import DEVNULL, Process, create_subprocess_exec
from collections.abc import Callable
from contextlib import suppress

from redline.gateway.config_file import GatewayFile
from redline.gateway.configured import reloaded
from redline.gateway.limits.accounts import Accounts
from redline.gateway.metrics import MetricCounts, Metrics
from redline.gateway.processes.shared_usage import RelayedUsage, Usage
from redline.gateway.processes.worker_messages import (
    Channel,
    CountsWanted,
    OthersUsage,
    ServedConfiguration,
    WorkerCounts,
    WorkerListens,
    WorkerUsage,
)

logger = logging.getLogger(__name__)

_COMMAND = (sys.executable, "-P", "-m", "redline.gateway.processes.worker_main")

_STEADY_S = 10.0
"""A worker that ends sooner is replaced after a pause."""

_MAX_PAUSE_S = 30.0

_GRACE_S = 5.0
"""A worker that has not ended this long after the time for its answers is killed."""

_COUNTS_S = 2.0
"""Longest wait for the counts of a worker; then its last ones are used."""


class Worker:
    """One process, seen by its parent."""

    def __init__(
        self,
        process: Process,
        channel: Channel,
        *,
        on_usage: Callable[[int, Usage], None],
    ) -> None:
        self.pid = process.pid
        self._on_usage = on_usage
        self.counts = MetricCounts()
        """What it had counted when it last said so."""
        self.began_at = time.monotonic()
        self._process = process
        self._channel = channel
        self._listens = asyncio.Event()
        self._news = asyncio.Event()
        self._following = asyncio.create_task(
            self._follow(), name=f"follow worker {process.pid}"
        )

    @classmethod
    async def start(
        cls,
        listener: socket.socket,
        file: GatewayFile,
        *,
        on_usage: Callable[[int, Usage], None],
    ) -> Worker:
        """Start a process.

        Args:
            listener: The socket that listens.
            file: The configuration, for its path.
            on_usage: Called with its process id and what users have used in it.

        Raises:
            OSError: If it cannot be started.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            fds = (listener.fileno(), theirs.fileno())
            try:
                process = await create_subprocess_exec(
                    *_COMMAND,
                    *map(str, fds),
                    str(file.path),
                    stdin=DEVNULL,
                    stdout=DEVNULL,
                    pass_fds=fds,
                    # A terminal sends Ctrl+C to its whole group, and the parent passes
                    # it on.
                    start_new_session=True,
                )
            except OSError:
                ours.close()
                raise
        return cls(process, await Channel.of(ours), on_usage=on_usage)

    def configure(
        self, file: GatewayFile, n_workers: int, *, begun_with: GatewayFile
    ) -> None:
        """Put a configuration in force."""
        message = ServedConfiguration(file.content, n_workers, begun_with.content)
        self._channel.send(message)

    def share(self, others: Usage) -> None:
        """Report what users have used in the other workers."""
        if others:
            self._channel.send(OthersUsage(others))

    def signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    async def listens(self) -> bool:
        """Wait until it accepts connections; return false if it ends before."""
        ended = asyncio.create_task(self.ended(), name="end of a worker")
        listens = asyncio.create_task(self._listens.wait(), name="start of a worker")
        await asyncio.wait((ended, listens), return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        listens.cancel()
        await asyncio.wait((ended, listens))
        return self._listens.is_set()

    async def ended(self) -> int:
        """Wait for its end, and for all that it said; return the exit code."""
        # Cancelled waits leave the task alone.
        await asyncio.wait([self._following])
        return await self._process.wait()

    async def update_counts(self) -> None:
        """Let it say what it has counted; if it does not answer, do nothing."""
        news = self._news
        self._channel.send(CountsWanted())
        with suppress(TimeoutError):
            async with asyncio.timeout(_COUNTS_S):
                await news.wait()

    async def _follow(self) -> None:
        while (message := await self._channel.from_worker()) is not None:
            match message:
                case WorkerCounts():
                    self.counts = message.counts
                    self._news.set()
                    self._news = asyncio.Event()
                case WorkerUsage():
                    self._on_usage(self.pid, message.usage)
                case WorkerListens():
                    logger.info("worker %d accepts connections", self.pid)
                    self._listens.set()
        await self._channel.aclose()


class WorkerPool:
    """All workers of one gateway."""

    def __init__(
        self, file: GatewayFile, listener: socket.socket, *, n_workers: int
    ) -> None:
        """Begin.

        Args:
            file: A configuration without problems.
            listener: The socket that listens; the pool closes its own copy of it.
            n_workers: How many processes serve.
        """
        self._file = self._begun_with = file
        self._listener = listener
        self._n_workers = n_workers
        self._workers: dict[int, Worker] = {}
        """By the number of the place, while one runs there."""
        self._accounts = Accounts(file.users)
        self._usage = RelayedUsage(self._accounts)
        self._ended = Metrics()
        """What ended workers have counted."""
        self._ending = asyncio.Event()
        self._killing: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Start all workers; return when they accept connections.

        Raises:
            OSError: If one cannot be started, or ends before it accepts connections.
        """
        for place in range(self._n_workers):
            if self._ending.is_set():
                break
            self._workers[place] = await self._new_worker()
        if self._ending.is_set():
            # The signal did not reach one that was being started.
            for worker in self._workers.values():
                worker.signal(signal.SIGTERM)
        try:
            for worker in self._workers.values():
                if not await worker.listens() and not self._ending.is_set():
                    raise ChildProcessError(
                        f"Worker {worker.pid} ended before it could serve; the lines"
                        " above say why."
                    )
        except OSError:
            self.end(signal.SIGKILL)
            await self.run()
            raise

    async def run(self) -> None:
        """Replace workers that end, until `end` is called and all have ended."""
        try:
            async with asyncio.TaskGroup() as group:
                for place in tuple(self._workers):
                    group.create_task(self._occupy(place), name=f"worker {place}")
        finally:
            if self._killing is not None:
                self._killing.cancel()

    def end(self, number: int = signal.SIGTERM) -> None:
        """Pass a signal on to all workers, and replace none from now on.

        The first SIGTERM gives them time for their answers, every other signal none;
        one that does not end then is killed.
        """
        drains = number == signal.SIGTERM and not self._ending.is_set()
        limit_s = _GRACE_S + (self._begun_with.drain_s if drains else 0.0)
        if self._killing is not None:
            self._killing.cancel()
        loop = asyncio.get_running_loop()
        self._killing = loop.call_later(limit_s, self._kill)
        self._ending.set()
        # While the workers close theirs, nobody else waits in the queue of this one.
        self._listener.close()
        for worker in self._workers.values():
            worker.signal(number)

    def reload(self) -> None:
        """Read the configuration again; one with problems changes nothing."""
        file = reloaded(self._file)
        if file is not None:
            self._file = file
            self._accounts.replace(file.users)
            for worker in self._workers.values():
                worker.configure(file, self._n_workers, begun_with=self._begun_with)

    async def metrics_text(self) -> str:
        """Return the sum of what all workers have counted, ended ones included."""
        workers = self._workers.values()
        await asyncio.gather(*(worker.update_counts() for worker in workers))
        total = Metrics()
        total.add(self._ended.counts())
        # One that has ended meanwhile is among the ended ones.
        for worker in workers:
            total.add(worker.counts)
        total.workers.add(len(self._workers))
        return total.text()

    def _kill(self) -> None:
        for worker in self._workers.values():
            logger.warning("worker %d does not end, so it is killed", worker.pid)
            worker.signal(signal.SIGKILL)

    async def _occupy(self, place: int) -> None:
        """Have a worker in a place until the end."""
        n_short = 0
        while True:
            worker = self._workers[place]
            code = await worker.ended()
            self._ended.add(worker.counts, has_ended=True)
            del self._workers[place]
            self._share(self._usage.end(worker.pid))
            if self._ending.is_set():
                return
            lived_s = time.monotonic() - worker.began_at
            n_short = n_short + 1 if lived_s < _STEADY_S else 0
            pause_s = min(2.0 ** (n_short - 1), _MAX_PAUSE_S) if n_short > 1 else 0.0
            logger.warning(
                "worker %d ended with code %d; another one starts in %g s",
                worker.pid,
                code,
                pause_s,
            )
            if not await self._replace(place, pause_s=pause_s):
                return

    async def _replace(self, place: int, *, pause_s: float) -> bool:
        """Start a worker after a pause; return false if the end comes first."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._ending.wait()
            if self._ending.is_set():
                return False
            try:
                worker = await self._new_worker()
            except OSError as error:
                pause_s = _MAX_PAUSE_S
                logger.warning("a worker cannot be started: %s", error)
                continue
            self._workers[place] = worker
            self._ended.worker_restarts.add(1)
            if self._ending.is_set():
                worker.signal(signal.SIGTERM)
            return True

    async def _new_worker(self) -> Worker:
        worker = await Worker.start(
            self._listener, self._file, on_usage=self._take_usage
        )
        worker.configure(self._file, self._n_workers, begun_with=self._begun_with)
        worker.share(self._usage.for_new_worker(worker.pid))
        return worker

    def _take_usage(self, pid: int, usage: Usage) -> None:
        self._usage.take(pid, usage)
        self._share(usage, but=pid)

    def _share(self, usage: Usage, *, but: int | None = None) -> None:
        """Pass on what users have used to the workers, except the one that sent it."""
        for worker in self._workers.values():
            if worker.pid != but:
                worker.share(self._usage.for_worker(worker.pid, usage))
