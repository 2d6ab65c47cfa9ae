"""Shows the candidates of an attempt while they write."""

from __future__ import annotations

import asyncio

from redline.assist.edit.attempts.candidate import Candidate
from redline.assist.edit.running.growing_steps import GrowingSteps
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State
from redline.text.streaming_diff import Update

_REPORT_INTERVAL_S = 0.25
"""Progress is for people, who read about four updates a second."""


class CandidateDisplay:
    """Shows the first candidate that writes."""

    def __init__(self, session: EditSession, stepper: GrowingSteps | None) -> None:
        self._session = session
        self._stepper = stepper
        self._loop = asyncio.get_running_loop()
        self._next_report = self._loop.time() + _REPORT_INTERVAL_S

    def update(self, candidate: Candidate, update: Update) -> None:
        session = self._session
        rivals = session.attempts.candidates
        if candidate not in rivals:
            return
        if not session.offer.stream(candidate, update, rivals=rivals):
            return
        self._report()
        if self._stepper is not None and session.state is State.GENERATING:
            self._stepper.update()

    def restart(self, candidate: Candidate) -> None:
        """Repaint a candidate that has started over."""
        if candidate is self._session.offer.shown:
            self._session.offer.show(candidate)

    def written(self, candidate: Candidate) -> None:
        """Paint what a candidate has written: no more lines come."""
        if candidate is self._session.offer.shown:
            self._session.offer.flush()

    def _report(self) -> None:
        now = self._loop.time()
        if now >= self._next_report:
            self._next_report = now + _REPORT_INTERVAL_S
            n_lines = len(self._session.offer.written)
            self._session.offer.report(f"{self._session.title}: {n_lines} lines")
