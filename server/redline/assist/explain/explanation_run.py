"""A running explanation: reads the whole answer and counts its cost."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from redline.assist.edit.cost import cost_of_generation
from redline.errors import ModelRejectedError, OutdatedError
from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    GenerationRequest,
    Model,
    Restart,
)
from redline.routing.route import Route
from redline.store.task import Outcome, TaskRoute, TaskTimes, TaskUsage

_MAX_CHARS = 20_000
"""Longest answer; the prompt asks for two hundred words."""

_REASON_N_CHARS = 200


class ExplanationRun:
    """One explanation while it is written, and its outcome."""

    def __init__(
        self,
        *,
        model: Model,
        request: GenerationRequest,
        route: Route,
        queued_at: float,
        asked_at: float,
    ) -> None:
        """Create a run.

        Args:
            model: The model that answers.
            request: The request to it.
            route: Why this model.
            queued_at: Time of the user's request, in Unix seconds.
            asked_at: The same, in the event loop's seconds.
        """
        self.id = secrets.token_hex(8)
        self.text = ""
        self._model = model
        self._request = request
        self._route = route
        self._queued_at = queued_at
        self._asked_at = asked_at
        self._finish: Finish | None = None
        self._outcome: Outcome = "stopped"

    async def read(
        self, generation: Generation, on_text: Callable[[str], None] | None = None
    ) -> None:
        """Read the whole answer into `text`.

        Args:
            generation: The running generation.
            on_text: Receives the text so far.

        Raises:
            ModelError: If there is no answer.
            OutdatedError: If it was stopped.
        """
        refusal = ""
        async for event in generation:
            match event:
                case Delta(kind="text"):
                    self.text = (self.text + event.text)[:_MAX_CHARS]
                    if on_text is not None:
                        on_text(self.text)
                case Delta(kind="refusal"):
                    refusal = (refusal + event.text)[:_REASON_N_CHARS]
                case Delta():
                    pass
                case Restart():
                    self.text = event.text[:_MAX_CHARS]
                case Finish():
                    self._finish = event
                    self._outcome = "stopped" if event.reason == "stopped" else "failed"
                    _raise_for(event, refusal="" if self.text else refusal)
        self._outcome = "shown" if self.text.strip() else "failed"

    def usage(self, generation: Generation, n_lines: int) -> TaskUsage:
        """Return the usage, however the explanation ended."""
        counted = self._finish.usage if self._finish is not None else None
        spent = cost_of_generation(
            self._model, self._request, counted, n_chars=len(self.text)
        )
        timing = generation.timing
        return TaskUsage(
            id=self.id,
            kind="explain",
            tier=self._route.tier,
            model=self._model.describe().label,
            route=TaskRoute(
                tier=self._route.tier,
                score=self._route.score,
                reasons=self._route.signals,
                boundaries=self._route.boundaries,
            ),
            times=TaskTimes(
                queued_at=self._queued_at,
                first_delta_s=self._since(timing.first_delta),
                ended_s=self._since(timing.last_delta),
            ),
            outcome=self._outcome,
            tokens=spent.tokens,
            cost=spent.cost,
            n_lines=n_lines,
        )

    def _since(self, moment: float | None) -> float | None:
        return None if moment is None else max(moment - self._asked_at, 0.0)


def _raise_for(finish: Finish, *, refusal: str) -> None:
    if finish.error is not None:
        raise finish.error
    if finish.reason == "stopped":
        raise OutdatedError("The explanation was stopped.")
    if refusal or finish.reason == "filtered":
        words = " ".join(refusal.split()).rstrip(".") or "it refused"
        raise ModelRejectedError(
            f"The model did not answer: {words}.", remedy="Ask in other words."
        )
