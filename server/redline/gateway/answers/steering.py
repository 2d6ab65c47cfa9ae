"""The steers of one request: which are accepted, and which wait for an item's end."""

from __future__ import annotations

from msgspec import UNSET, Raw, UnsetType

from redline.gateway.injected_faults import OnSteer
from redline.gateway.refusals import Refusal
from redline.wire.events import InputMessage, ResponseSteer

_MAX_WAITING = 8
"""Most steers that may wait at once."""


class Steers:
    """The steers that wait to be applied."""

    def __init__(self, *, is_supported: bool) -> None:
        self.manner: OnSteer = "accept"
        """How the engine wants steers to be answered."""
        self._is_supported = is_supported
        self._waiting: list[InputMessage] = []
        self._n_waiting = 0
        self.task: Raw | UnsetType = UNSET
        """The task as data, as changed by the last accepted steer."""

    @property
    def are_waiting(self) -> bool:
        """Whether a successor must follow."""
        return self._n_waiting > 0

    def add(self, steer: ResponseSteer) -> Refusal | None:
        """Accept a steer and return None, or return a refusal."""
        if (refusal := self._refusal(steer)) is not None:
            return refusal
        self._waiting += _messages(steer)
        self._n_waiting += 1
        self.task = steer.redline_task
        return None

    def take(self) -> list[InputMessage]:
        """Remove and return the waiting input, oldest first."""
        taken, self._waiting, self._n_waiting = self._waiting, [], 0
        return taken

    def _refusal(self, steer: ResponseSteer) -> Refusal | None:
        if not self._is_supported:
            return steer_refusal("steering_not_supported")
        if self.manner not in ("accept", "pending"):
            return steer_refusal(self.manner)
        if not _is_valid(_messages(steer)):
            return steer_refusal("invalid_input")
        if self._n_waiting >= _MAX_WAITING:
            return steer_refusal("too_many_pending_steers")
        return None


def steer_refusal(code: str) -> Refusal:
    """Refuse a steer by one of the codes of `response.steer.failed`."""
    return Refusal(code=code, message=_MESSAGES.get(code, "The steer was refused."))


_MESSAGES = {
    "response_not_found": "No such response on this connection.",
    "response_already_completed": "The response has ended.",
    "steering_not_supported": "This model cannot be steered.",
    "invalid_input": "A steer's input is text, or messages of the user.",
    "too_many_pending_steers": f"At most {_MAX_WAITING} steers can wait.",
}


def _messages(steer: ResponseSteer) -> list[InputMessage]:
    if isinstance(steer.input, str):
        return [InputMessage(role="user", content=steer.input)]
    return steer.input


def _is_valid(chat_messages: list[InputMessage]) -> bool:
    return bool(chat_messages) and all(
        each.type == "message" and each.role == "user" and each.text
        for each in chat_messages
    )
