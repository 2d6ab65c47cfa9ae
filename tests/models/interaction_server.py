"""A provider of Gemini's interactions for tests, with scripted faults."""

from __future__ import annotations

from dataclasses import dataclass

from tests.models.kept_server import Call, KeptServer
from tests.models.model_server import Event

INTERACTION_ID = "int_1"


@dataclass
class InteractionServer(KeptServer):
    """The server: its events have ids instead of numbers."""

    @property
    def url(self) -> str:
        """The base of the API."""
        return f"http://127.0.0.1:{self.port}/v1beta"

    def after(self, call: Call) -> int:
        """Return the index of the event after which a stream is resumed."""
        return int(call.query.get("last_event_id", "e-1").removeprefix("e"))

    def numbered(self, at: int) -> Event:
        """Return an event as it is sent."""
        return {**self.events[at], "event_id": f"e{at}"}

    def body(self) -> Event:
        """Return the interaction as it is fetched, with its steps."""
        text = "".join(
            event["delta"].get("text", "")
            for event in self.events
            if event["event_type"] == "step.delta"
        )
        steps = [{"type": "model_output", "content": [{"type": "text", "text": text}]}]
        last = self.events[-1].get("interaction", {}) if self.events else {}
        return {**last, "id": INTERACTION_ID, "status": self.status, "steps": steps}
