"""Runs the model's replies: reads them into their flights until they end."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Protocol

from redline.assist.suggestions.complete.limits import RequestLimits
from redline.assist.suggestions.complete.request_writer import (
    CompletionRequest,
    invents_secret,
)
from redline.assist.tiers.cost import cost_of_generation
from redline.assist.usage.automatic_usage_tally import AutomaticCounter, counts_of
from redline.completion.decode import ReplyForm
from redline.completion.flight import Flight
from redline.completion.place import Place
from redline.errors import QuotaExhaustedError, RateLimitedError
from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    Model,
    Restart,
)
from redline.prompts.redaction import SecretRestorer
from redline.supervisor import Supervisor

logger = logging.getLogger(__name__)

_FIRST_DELTA_S = 0.3
"""The expected wait for a first delta until there is a measurement."""

_WEIGHT = 0.2
"""Of the last measurement in the average."""


class OnProgress(Protocol):
    """Called when a reply has a further line, or has ended."""

    def __call__(self, flight: Flight, *, has_failed: bool) -> None:
        """Handle it; must not raise."""


class ReplyRunner:
    """The running replies of all documents."""

    def __init__(
        self, limits: RequestLimits, on_progress: OnProgress, counter: AutomaticCounter
    ) -> None:
        self.first_delta_s = _FIRST_DELTA_S
        """The usual wait for a first delta."""
        self._limits = limits
        self._on_progress = on_progress
        self._counter = counter
        self._supervisor = Supervisor()
        self._generations: dict[Flight, Generation] = {}
        self._stopped: set[Flight] = set()

    def start(
        self,
        model: Model,
        written: CompletionRequest,
        number: int,
        line: int,
        place: Place,
    ) -> Flight:
        """Send a request; its reply is read by a task."""
        started = model.start(written.request)
        is_fim = model.describe().api == "fim"
        form: ReplyForm = "insertion" if is_fim else "line"
        flight = Flight(
            number,
            line,
            place,
            started_s=_now(),
            form=form,
            has_secret=partial(
                invents_secret, path=written.path, table=written.secrets
            ),
        )
        work = self._run(flight, model, written, started)
        self._supervisor.start(work, name=f"completion {number}")
        return flight

    def stop(self, flight: Flight) -> None:
        """Stop a reply whose text is no longer wanted."""
        self._stopped.add(flight)
        if (generation := self._generations.get(flight)) is not None:
            generation.stop()

    async def aclose(self) -> None:
        """Stop every reply."""
        for flight in list(self._generations):
            self.stop(flight)
        await self._supervisor.aclose()

    async def _run(
        self,
        flight: Flight,
        model: Model,
        written: CompletionRequest,
        started: AbstractAsyncContextManager[Generation],
    ) -> None:
        finish: Finish | None = None
        try:
            async with started as generation:
                self._generations[flight] = generation
                if flight in self._stopped:
                    generation.stop()
                finish = await self._read(flight, generation, written)
        finally:
            self._generations.pop(flight, None)
            self._stopped.discard(flight)
            self._end(flight, model, written, finish)

    async def _read(
        self, flight: Flight, generation: Generation, written: CompletionRequest
    ) -> Finish | None:
        restorer = SecretRestorer(written.secrets)
        async for event in generation:
            match event:
                case Delta(kind="text"):
                    # The rest of a complete reply is read and dropped: a stop could
                    # cost the connection, and few tokens are left.
                    if not flight.is_over:
                        self._take(flight, restorer.feed(event.text))
                case Restart():
                    restorer = SecretRestorer(written.secrets)
                    flight.restart(restorer.feed(event.text))
                case Finish():
                    if not flight.is_over:
                        flight.feed(restorer.finish())
                    return event
                case Delta():
                    pass
        return None

    def _take(self, flight: Flight, text: str) -> None:
        if not flight.reply:
            self._note_first_delta(flight)
        if flight.feed(text):
            if flight.has_enough:
                flight.end()
            self._on_progress(flight, has_failed=False)

    def _end(
        self,
        flight: Flight,
        model: Model,
        written: CompletionRequest,
        finish: Finish | None,
    ) -> None:
        was_over = flight.is_over
        if not was_over and (finish is None or finish.reason != "completed"):
            flight.break_off()
        flight.end()
        error = finish.error if finish is not None else None
        if error is not None:
            logger.info("a completion failed: %s", type(error).__name__)
            is_rate_limit = isinstance(error, RateLimitedError | QuotaExhaustedError)
            self._limits.note_failure(_now(), is_rate_limit=is_rate_limit)
        elif finish is not None and finish.reason != "stopped":
            self._limits.note_success()
        usage = finish.usage if finish is not None else None
        cost = cost_of_generation(
            model, written.request, usage, n_chars=len(flight.reply)
        )
        self._limits.note_cost(cost.cost or 0.0, _now())
        self._counter.add(model, counts_of(cost))
        if not was_over:
            self._on_progress(flight, has_failed=error is not None or finish is None)

    def _note_first_delta(self, flight: Flight) -> None:
        waited_s = _now() - flight.started_s
        self.first_delta_s += _WEIGHT * (waited_s - self.first_delta_s)


def _now() -> float:
    return asyncio.get_running_loop().time()
