"""A configured model that must not or cannot be used, and fails with the reason."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from redline.errors import ModelError
from redline.models.generation import LiveGeneration
from redline.models.http_model import NO_PROMPT
from redline.models.interface import (
    Generation,
    GenerationRequest,
    ModelDescription,
    ModelStatus,
    Probe,
    ResumeRequest,
)
from redline.models.steering import Steering
from redline.settings.tree import LimitSettings
from redline.wire.failure import Failure


class UnusableModel:
    """Fails every generation with one error."""

    def __init__(self, description: ModelDescription, error: ModelError) -> None:
        self.title = description.title
        self.limits = LimitSettings()
        self._description = description
        self.steering = Steering(setting=False, is_known=False)
        self._error = error

    def describe(self) -> ModelDescription:
        """Return what the settings say."""
        return self._description

    def status(self) -> ModelStatus:
        """Return the state `down`, with the reason."""
        return ModelStatus(state="down", detail=str(self._error))

    @asynccontextmanager
    async def start(self, request: GenerationRequest) -> AsyncIterator[Generation]:
        """Start a generation that fails at once."""
        generation = LiveGeneration(request, self)
        generation.launch()
        yield generation

    def resume(self, request: ResumeRequest) -> AbstractAsyncContextManager[Generation]:
        """Return a generation that fails at once."""
        return self.start(GenerationRequest(prompt=NO_PROMPT))

    async def cancel(self, response_id: str) -> None:
        """Raise the reason."""
        raise self._error

    async def forget(self, response_id: str) -> None:
        """Raise the reason."""
        raise self._error

    async def warm(self) -> None:
        """Do nothing."""

    def activity(self) -> None:
        """Do nothing."""

    async def probe(self) -> Probe:
        """Return a failure with the reason."""
        return Probe(reachable=False, error=self._error)

    async def aclose(self) -> None:
        """Do nothing."""

    # Called by generations.

    def launch(self, generation: LiveGeneration) -> None:
        """Fail it."""
        generation.fail(self._error)

    def note_failure(self, failure: Failure) -> None:
        """Do nothing: no server is asked."""

    def count_waste(self, n_chars: int) -> None:
        """Do nothing: nothing is ever generated."""
