"""Counts of completions, for the status."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class CompletionCounts:
    """What the status shows."""

    n_requests: int = 0
    """Requests to the model."""
    n_shown: int = 0
    """Requests of the editor that were answered with a text."""
    n_at_once: int = 0
    """Of these, answered without waiting for the model."""
    n_accepted: int = 0

    def note_request(self) -> None:
        """Count a request to the model."""
        self.n_requests += 1

    def note_shown(self) -> None:
        """Count an answer with a text."""
        self.n_shown += 1

    def note_at_once(self) -> None:
        """Count an answer that did not wait for the model."""
        self.n_at_once += 1

    def note_accepted(self) -> None:
        """Count an acceptance."""
        self.n_accepted += 1
