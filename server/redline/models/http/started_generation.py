"""A generation that was sent, as the context of its reader."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from redline.models.generations.generation import LiveGeneration
from redline.models.http.background_stream import BackgroundStream
from redline.models.interface import Generation


class StartedGeneration(AbstractAsyncContextManager[Generation]):
    """Launches a generation at once; see `Model.start`."""

    def __init__(self, generation: LiveGeneration) -> None:
        self._generation = generation
        generation.launch()

    async def __aenter__(self) -> Generation:
        return self._generation

    async def __aexit__(self, *exc: object) -> None:
        """Stop it, unless it continues at the provider."""
        generation = self._generation
        if isinstance(generation.carrier, BackgroundStream):
            generation.carrier.leave()
            generation.leave()
        else:
            generation.stop()
