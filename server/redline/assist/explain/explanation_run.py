"""A running explanation: reads the whole answer and counts its cost."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from redline.assist.tiers.text_answer import TextAnswer
from redline.errors import ModelRejectedError, OutdatedError
from redline.models.interface import Finish, Generation, GenerationRequest, Model
from redline.routing.route import Route
from redline.store.task import Outcome, TaskRoute, TaskTimes, TaskUsage

_MAX_CHARS = 20_000
"""Longest answer; the prompt asks for two hundred words."""


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
        on_text: Callable[[str], None] | None,
    ) -> None:
        """Create a run.

        Args:
            model: The model that answers.
            request: The request to it.
            route: Why this model.
            queued_at: Time of the user's request, in Unix seconds.
            asked_at: The same, in the event loop's seconds.
            on_text: Receives the text so far.
        """
        self.id = secrets.token_hex(8)
        self.answer = TextAnswer(_MAX_CHARS, on_text)
        self._model = model
        self._request = request
        self._route = route
        self._queued_at = queued_at
        self._asked_at = asked_at
        self._outcome: Outcome = "stopped"

    async def read(self, generation: Generation) -> None:
        """Read the whole answer.

        Raises:
            ModelError: If there is no answer.
            OutdatedError: If it was stopped.
        """
        answer = self.answer
        await answer.read(generation)
        if (finish := answer.finish) is not None:
            self._outcome = "stopped" if finish.reason == "stopped" else "failed"
            _raise_for(finish, refusal="" if answer.text else answer.refusal)
        self._outcome = "shown" if answer.text.strip() else "failed"

    def usage(self, generation: Generation, n_lines: int) -> TaskUsage:
        """Return the usage, however the explanation ended."""
        spent = self.answer.cost(self._model, self._request)
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
