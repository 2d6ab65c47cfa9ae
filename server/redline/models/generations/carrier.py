"""What brings the events of a generation: a lane of a socket, or an HTTP stream."""

from __future__ import annotations

from typing import Protocol

from redline.prompts.task_data import GivenTask


class Carrier(Protocol):
    """Brings the events of a generation, and can be paused, steered and dropped."""

    def drop(self) -> None:
        """Stop the generation at the provider. Idempotent."""

    def pause(self) -> None:
        """Stop reading for now: the reader is behind."""

    def resume(self) -> None:
        """Read on."""

    def steer(
        self, previous_response_id: str, text: str, task: GivenTask | None
    ) -> bool:
        """Send a steer; return false if this carrier cannot."""
