"""A model whose generations write what a test tells them, when it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from redline.errors import ModelError
from redline.models.interface import (
    Delta,
    DeltaKind,
    Finish,
    FinishReason,
    Generation,
    GenerationRequest,
    ModelDescription,
    ModelStatus,
    Probe,
    Restart,
    ResumeRequest,
    Timing,
    Usage,
)
from redline.prompts.message import Prompt


class FakeGeneration:
    """One generation, as the interface says: nothing comes after a stop."""

    def __init__(self, request: GenerationRequest) -> None:
        self.request = request
        self.n_stops = 0
        self.is_released = False
        self.response_id: str | None = None
        self.sequence_number: int | None = None
        self.timing = Timing(started=0.0, sent=0.0)
        self._events: asyncio.Queue[Delta | Restart | Finish] = asyncio.Queue()
        self._is_over = False

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped."""
        return self.n_stops > 0

    @property
    def prompt(self) -> str:
        """The last message that the model was sent."""
        return self.request.prompt.chat_messages[-1].text

    def write(self, *texts: str, kind: DeltaKind = "text") -> None:
        """Have it write deltas."""
        for text in texts:
            self._events.put_nowait(Delta(text, kind))

    def restart(self, text: str = "") -> None:
        """Void what it has written."""
        self._events.put_nowait(Restart(text))

    def finish(
        self,
        reason: FinishReason = "completed",
        *,
        usage: Usage | None = None,
        error: ModelError | None = None,
    ) -> None:
        """Let it come to its end."""
        self._events.put_nowait(
            Finish(
                reason=reason,
                usage=usage,
                response_id=self.response_id,
                error=error,
            )
        )

    def fail(self, error: ModelError) -> None:
        """Let it end in a failure."""
        self.finish("failed", error=error)

    def reply(self, text: str) -> None:
        """Have it write a whole reply."""
        self.write(text)
        self.finish()

    async def __aiter__(self) -> AsyncIterator[Delta | Restart | Finish]:
        while not self._is_over:
            event = await self._events.get()
            if self.is_stopped:
                event = Finish(reason="stopped")
            self._is_over = isinstance(event, Finish)
            yield event

    def stop(self) -> None:
        self.n_stops += 1
        # Wakes the reader.
        self._events.put_nowait(Finish(reason="stopped"))

    async def steer(self, text: str, *, task: object = None) -> bool:
        return False


@dataclass
class FakeModel:
    """Keeps every generation that was asked of it."""

    label: str = "fake"
    name: str = "fake-1"
    is_model: bool = True
    prices: tuple[float, float] | None = None
    """US dollars for a million input and output tokens."""
    context_tokens: int = 128_000
    refuses: Exception | None = None
    """What starting a generation raises."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """Set unless a test wants the start of a generation to take a while."""
    requests: list[GenerationRequest] = field(default_factory=list)
    """What was sent to it, also before anybody reads the answer."""
    generations: list[FakeGeneration] = field(default_factory=list)
    keeps_background: bool = False
    reads_images: bool = False
    api: str = "fake"
    resumed: list[tuple[str, int | None, str | None]] = field(default_factory=list)
    """Which responses it was asked to go on with: id, event, and text so far."""
    cancelled: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    call_errors: list[Exception] = field(default_factory=list)
    """What its next calls to cancel or forget raise, the last one first."""
    _started: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __post_init__(self) -> None:
        """Start generations at once."""
        self.gate.set()

    @property
    def n_running(self) -> int:
        """How many generations hold a lane."""
        return sum(not generation.is_released for generation in self.generations)

    async def generation(self, n: int = 0) -> FakeGeneration:
        """Wait for the n-th generation, counted from zero, but not for ever."""
        async with asyncio.timeout(5), self._started:
            await self._started.wait_for(lambda: len(self.generations) > n)
        return self.generations[n]

    def start(
        self, request: GenerationRequest
    ) -> AbstractAsyncContextManager[Generation]:
        self.requests.append(request)
        return self._run(request)

    @asynccontextmanager
    async def _run(self, request: GenerationRequest) -> AsyncIterator[Generation]:
        if self.refuses is not None:
            raise self.refuses
        generation = FakeGeneration(request)
        async with self._started:
            self.generations.append(generation)
            self._started.notify_all()
        try:
            await self.gate.wait()
            yield generation
        finally:
            generation.is_released = True

    @asynccontextmanager
    async def resume(self, request: ResumeRequest) -> AsyncIterator[Generation]:
        self.resumed.append((request.response_id, request.starting_after, request.text))
        again = GenerationRequest(
            prompt=Prompt(instructions="", chat_messages=()), background=True
        )
        async with self.start(again) as generation:
            self.generations[-1].response_id = request.response_id
            self.generations[-1].sequence_number = request.starting_after
            yield generation

    async def cancel(self, response_id: str) -> None:
        self.cancelled.append(response_id)
        self._fail_call()

    async def forget(self, response_id: str) -> None:
        self.forgotten.append(response_id)
        self._fail_call()

    def _fail_call(self) -> None:
        if self.call_errors:
            raise self.call_errors.pop()

    def describe(self) -> ModelDescription:
        return ModelDescription(
            label=self.label,
            name=self.name,
            api=self.api,
            host="nowhere",
            context_tokens=self.context_tokens,
            is_model=self.is_model,
            keeps_background=self.keeps_background,
            reads_images=self.reads_images,
            input_price=self.prices[0] if self.prices else None,
            output_price=self.prices[1] if self.prices else None,
        )

    def status(self) -> ModelStatus:
        return ModelStatus(state="ready")

    async def warm(self) -> None:
        """Nothing to connect."""

    def activity(self) -> None:
        """Nothing to keep warm."""

    async def probe(self) -> Probe:
        return Probe(reachable=True)

    async def aclose(self) -> None:
        """Nothing to close."""
