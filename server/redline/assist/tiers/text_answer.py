"""Reads a model's answer as one text, for callers that use it whole."""

from __future__ import annotations

from collections.abc import Callable

from redline.assist.tiers.cost import Cost, cost_of_generation
from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    GenerationRequest,
    Model,
    Restart,
)

_REASON_N_CHARS = 200
"""Longest part of a refusal that is shown."""


class TextAnswer:
    """The text of one answer while it is read, and its end."""

    def __init__(
        self, max_chars: int, on_text: Callable[[str], None] | None = None
    ) -> None:
        """Create an answer that has received nothing.

        Args:
            max_chars: The text is cut to this length.
            on_text: Receives the text so far.
        """
        self.text = ""
        self.refusal = ""
        self.finish: Finish | None = None
        """None: the answer has not ended."""
        self._max_chars = max_chars
        self._on_text = on_text

    async def read(self, generation: Generation) -> None:
        async for event in generation:
            match event:
                case Delta(kind="text"):
                    self.text = (self.text + event.text)[: self._max_chars]
                    if self._on_text is not None:
                        self._on_text(self.text)
                case Delta(kind="refusal"):
                    self.refusal = (self.refusal + event.text)[:_REASON_N_CHARS]
                case Delta():
                    pass
                case Restart():
                    self.text = event.text[: self._max_chars]
                case Finish():
                    self.finish = event

    def cost(self, model: Model, request: GenerationRequest) -> Cost:
        """Return the cost of what was received, also without an end."""
        usage = self.finish.usage if self.finish is not None else None
        return cost_of_generation(model, request, usage, n_chars=len(self.text))
