"""A model that knows what will be typed, with the faults of real ones."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    GenerationRequest,
    ModelDescription,
    ModelStatus,
    Probe,
    Restart,
    ResumeRequest,
    Timing,
)

WRONG = "zq"
"""Begins every wrong token, so that it is recognized on the screen."""

FAULTS = (
    "echo above",
    "fence",
    "doubled closer",
    "indented",
    "run-on",
    "loop",
    "cut",
    "refusal",
    "late",
    "silent",
)

TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
MEDIAN_S, _SPREAD = 0.22, 0.35
"""Seconds to a first delta, and the spread of their logarithm."""

TOKEN_S = 0.001
"""Seconds between two tokens."""

N_LINES = 8
_LATE = 4


@dataclass(frozen=True, slots=True)
class TrueText:
    """What is to be typed around a cursor."""

    before: str
    """The document up to the cursor, as it stands."""
    after: str
    """What will follow the cursor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How often a reply is wrong."""

    right: float = 0.85
    """The probability of each token to be the right one."""
    derails: float = 0.0
    """The probability of each token behind a wrong one in its line to be wrong too."""
    fault: float = 0.03
    """The probability of each of the faults, one at most in a reply."""


class Oracle:
    """Writes replies for a cursor."""

    def __init__(self, rates: Rates, seed: int, *, median_s: float = MEDIAN_S) -> None:
        self._rates = rates
        self._median_s = median_s
        self._random = random.Random(seed)
        self._n_wrong = 0

    def first_delta_s(self) -> float:
        """Return the seconds to a first delta."""
        return self._median_s * self._random.lognormvariate(0, _SPREAD)

    def reply(
        self, text: TrueText, *, restarts_line: bool = True
    ) -> tuple[list[str], float]:
        """Return the tokens of a reply, and the seconds to the first of them.

        Args:
            text: What is and will be there.
            restarts_line: Whether the reply begins with the cursor's line, as chat
                models are asked to do; otherwise at the cursor.
        """
        lines = text.before.split("\n")
        left = lines[-1]
        after = "\n".join(text.after.split("\n")[:N_LINES])
        wait_s = self.first_delta_s()
        begun = left.lstrip() if restarts_line else ""
        reply = begun + "".join(self._written(TOKEN.findall(after)))
        fault = self._fault()
        if fault == "late":
            wait_s *= _LATE
        elif fault is not None:
            reply = _with_fault(fault, reply, lines[:-1])
        return TOKEN.findall(reply), wait_s

    def _written(self, tokens: Sequence[str]) -> Iterator[str]:
        """Write tokens, some of them wrong; no two wrong ones are alike."""
        is_derailed = False
        for token in tokens:
            if token.isspace():
                is_derailed = is_derailed and "\n" not in token
                yield token
            elif is_derailed and self._random.random() < self._rates.derails:
                yield self._wrong()
            elif self._random.random() < self._rates.right:
                yield token
            else:
                is_derailed = self._rates.derails > 0
                yield self._wrong()

    def _wrong(self) -> str:
        self._n_wrong += 1
        return f"{WRONG}{self._n_wrong}"

    def _fault(self) -> str | None:
        at = int(self._random.random() / self._rates.fault) if self._rates.fault else -1
        return FAULTS[at] if 0 <= at < len(FAULTS) else None


def _with_fault(fault: str, reply: str, above: list[str]) -> str:
    first, *rest = reply.split("\n")
    match fault:
        case "echo above":
            return "\n".join([*above[-2:], reply])
        case "fence":
            return f"Here is the code:\n```python\n{reply}\n```\n"
        case "doubled closer":
            return "\n".join([first + ")", *rest])
        case "indented":
            return "    " + reply
        case "run-on":
            return reply + "\n\n\ndef zq_more():\n    return zq_1\n"
        case "loop":
            return "\n".join([first] * N_LINES)
        case "cut":
            cut = reply[: len(first) + (len(reply) - len(first)) // 2]
            # Half of the mark of a wrong token could not be recognized.
            return cut.removesuffix(WRONG[0])
        case "refusal":
            return "I'm sorry, but I cannot complete this code."
        case _:
            return ""


class _Generation:
    """One reply, on the loop's clock."""

    response_id: str | None = None
    sequence_number: int | None = None

    def __init__(self, tokens: list[str], wait_s: float) -> None:
        self.timing = Timing(started=0.0, sent=0.0)
        self._tokens = tokens
        self._wait_s = wait_s
        self._stopped = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[Delta | Restart | Finish]:
        await self._pass(self._wait_s)
        for token in self._tokens:
            if self._stopped.is_set():
                yield Finish(reason="stopped")
                return
            yield Delta(token)
            await self._pass(TOKEN_S)
        yield Finish(reason="completed")

    def stop(self) -> None:
        self._stopped.set()

    async def steer(self, text: str, *, task: object = None) -> bool:
        return False

    async def _pass(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            pass


class OracleModel:
    """The oracle behind the interface of a model."""

    is_ready = True

    def __init__(self, oracle: Oracle, text: Callable[[], TrueText]) -> None:
        self.n_sent = 0
        self.n_running = 0
        """Replies that have not ended."""
        self._oracle = oracle
        self._text = text

    def completer(self, language: str) -> OracleModel:
        """Return itself for every language."""
        return self

    def reply(self, *, restarts_line: bool = True) -> tuple[list[str], float]:
        """Return the tokens of a reply; see `Oracle.reply`."""
        self.n_sent += 1
        return self._oracle.reply(self._text(), restarts_line=restarts_line)

    @asynccontextmanager
    async def start(self, request: GenerationRequest) -> AsyncIterator[Generation]:
        self.n_running += 1
        try:
            yield _Generation(*self.reply())
        finally:
            self.n_running -= 1

    @asynccontextmanager
    async def resume(self, request: ResumeRequest) -> AsyncIterator[Generation]:
        raise NotImplementedError("completions are not resumed")
        yield

    async def cancel(self, response_id: str) -> None:
        """Nothing works in the background."""

    async def forget(self, response_id: str) -> None:
        """Nothing is stored."""

    def describe(self) -> ModelDescription:
        return ModelDescription(
            label="oracle",
            name="oracle",
            api="responses",
            host="nowhere",
            context_tokens=128_000,
        )

    def status(self) -> ModelStatus:
        return ModelStatus(state="ready")

    async def warm(self) -> None:
        """There is no connection."""

    def activity(self) -> None:
        """There is no connection."""

    async def probe(self) -> Probe:
        return Probe(reachable=True)

    async def aclose(self) -> None:
        """There is no connection."""
