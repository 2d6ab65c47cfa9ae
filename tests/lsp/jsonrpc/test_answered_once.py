"""Each request gets one answer, for any actions of the editor in any order."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lsp.tiny_server import later
from tests.runs import n_runs

from redline import errors
from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import AnswerByCallback, RequestContext
from redline.lsp.jsonrpc.rpc import Envelope

Json = dict[str, Any]  # Any: JSON.
Step = tuple[str, int]


class OddFallback:
    """Answers its requests never, once or twice, and late."""

    shared = frozenset[str]()

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def receive(self, envelope: Envelope, body: bytes) -> None:
        """Take a message."""
        request_id = envelope.id
        if not isinstance(request_id, int):
            return
        answer = rpc.encode_result(request_id, "fallback")
        n_answers = request_id % 3
        loop = asyncio.get_running_loop()
        for _ in range(n_answers):
            loop.call_soon(self._endpoint.reply, request_id, answer)

    async def aclose(self) -> None:
        """Have nothing to stop."""


async def answer_late(params: Json, context: RequestContext) -> str:
    for _ in range(context.id if isinstance(context.id, int) else 0):
        await asyncio.sleep(0)
    return "late"


async def never(params: Json, context: RequestContext) -> None:
    await asyncio.Event().wait()


class Strict(msgspec.Struct):
    needed: int


async def never_strict(params: Strict, context: RequestContext) -> None:
    raise AssertionError("the params never fit")


async def resist(params: Json, context: RequestContext) -> str:
    """Answer although cancelled, after a while."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.sleep(0)
        return "landed"
    return "never"


async def fail(params: Json, context: RequestContext) -> None:
    await asyncio.sleep(0)
    raise errors.ModelCutError("Cut.")


async def fail_in_cancel(params: Json, context: RequestContext) -> None:
    def crash() -> None:
        raise ZeroDivisionError

    context.on_cancel(crash)
    try:
        await asyncio.Event().wait()
    finally:
        raise errors.EditNotLandedError("Not landed.")


def call_back(params: Json) -> AnswerByCallback:
    """Answer twice from a callback, some turns later."""
    loop = asyncio.get_running_loop()

    def then(answer: Callable[[Callable[[], object]], None]) -> None:
        loop.call_soon(answer, lambda: "called")
        loop.call_soon(loop.call_soon, answer, lambda: "again")

    return AnswerByCallback(then, lambda: None)


def call_back_in_cancel(params: Json) -> AnswerByCallback:
    """Answer only when cancelled."""
    answers: list[Callable[[Callable[[], object]], None]] = []
    return AnswerByCallback(answers.append, lambda: answers[0](lambda: None))


HANDLERS = {
    "late": answer_late,
    "never": never,
    "resist": resist,
    "fail": fail,
    "fail-in-cancel": fail_in_cancel,
}
METHODS = [*HANDLERS, "now", "bad", "unknown", "call-back", "call-back-in-cancel"]
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.tuples(
        st.sampled_from([*METHODS, "cancel", "cancel", "turns"]), st.integers(0, 8)
    ),
    max_size=25,
)


async def play(steps: list[Step], *, ends_by_exit: bool) -> tuple[Counter[int], int]:
    """Run the steps; return how often each id was answered, and the last id."""
    answered: Counter[int] = Counter()

    def hear(body: bytes) -> None:
        answered[json.loads(body)["id"]] += 1

    endpoint = Endpoint(hear)
    endpoint.set_fallback(OddFallback(endpoint))
    endpoint.on_request_now("initialize", dict, lambda _: {})
    endpoint.on_request_now("now", dict, lambda _: 1)
    endpoint.on_request_now("call-back", dict, call_back)
    endpoint.on_request_now("call-back-in-cancel", dict, call_back_in_cancel)
    endpoint.on_request_now("bad", Strict, later(never_strict))
    for method, handler in HANDLERS.items():
        endpoint.on_request_now(method, dict, later(handler))

    def say(method: str, params: object, **more: int) -> None:
        endpoint.receive(
            msgspec.json.encode({"method": method, "params": params, **more})
        )

    last = 0
    say("initialize", {}, id=last)
    for name, number in steps:
        if name == "cancel":
            say("$/cancelRequest", {"id": max(0, last - number)})
        elif name == "turns":
            for _ in range(number):
                await asyncio.sleep(0)
        else:
            last += 1
            say(name, {}, id=last)
    if not ends_by_exit:
        last += 1
        say("shutdown", {}, id=last)
    say("exit", None)
    async with asyncio.timeout(10):
        await endpoint.wait_finished()
    for _ in range(4):  # Whatever the fallback still had to say.
        await asyncio.sleep(0)
    return answered, last


@settings(max_examples=n_runs(50), deadline=None)
@given(steps=STEPS, ends_by_exit=st.booleans())
def test_each_request_is_answered_exactly_once(
    steps: list[Step], *, ends_by_exit: bool
) -> None:
    answered, last = asyncio.run(play(steps, ends_by_exit=ends_by_exit))
    assert answered == Counter(range(last + 1))
