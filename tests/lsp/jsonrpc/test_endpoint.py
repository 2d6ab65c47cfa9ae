"""The endpoint dispatches, answers every request once, and shuts down in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial

import msgspec
import pytest
from tests.assist.virtual_time import VirtualTimeLoop
from tests.lsp.conftest import Editor
from tests.lsp.tiny_server import later

from redline import errors
from redline.lsp.jsonrpc.request_context import AnswerByCallback, RequestContext

DEEP = b"[" * 50_000 + b"]" * 50_000


class Point(msgspec.Struct):
    line: int
    character: int = 0


class Ask(msgspec.Struct):
    uri: str
    at: Point


async def echo(params: Ask, context: RequestContext) -> Point:
    return params.at


async def test_a_request_is_decoded_and_answered_under_its_own_id(
    ready: Editor,
) -> None:
    ready.endpoint.on_request_now("test/ask", Ask, later(echo))
    params = {"uri": "file:///a", "at": {"line": 3, "character": 1}}
    ready.say("test/ask", params, id="1")
    ready.say("test/ask", params, id=1)
    await ready.answer(1)
    result = {"line": 3, "character": 1}
    assert ready.heard == [
        {"jsonrpc": "2.0", "id": "1", "result": result},
        {"jsonrpc": "2.0", "id": 1, "result": result},
    ]


async def test_a_request_served_now_is_answered_before_receive_returns(
    ready: Editor,
) -> None:
    ready.endpoint.on_request_now("test/now", Ask, lambda ask: ask.uri)
    ready.say("test/now", {"uri": "file:///a", "at": {"line": 0}}, id=5)
    assert ready.heard == [{"jsonrpc": "2.0", "id": 5, "result": "file:///a"}]


async def test_an_answer_by_callback_is_sent_within_the_call(ready: Editor) -> None:
    """No turn of the event loop is between the result and the answer."""
    answers: list[Callable[[Callable[[], object]], None]] = []

    def serve(ask: Ask) -> AnswerByCallback:
        return AnswerByCallback(answers.append, lambda: None)

    ready.endpoint.on_request_now("test/later", Ask, serve)
    ready.say("test/later", {"uri": "file:///a", "at": {"line": 0}}, id=5)
    await asyncio.sleep(0)
    assert ready.heard == []
    answers[0](lambda: "known")
    assert ready.heard == [{"jsonrpc": "2.0", "id": 5, "result": "known"}]


async def test_a_cancelled_answer_by_callback_is_an_error(ready: Editor) -> None:
    """What the callback brings after the cancel is dropped."""
    answers: list[Callable[[Callable[[], object]], None]] = []

    def serve(ask: Ask) -> AnswerByCallback:
        return AnswerByCallback(answers.append, lambda: answers[0](lambda: None))

    ready.endpoint.on_request_now("test/later", Ask, serve)
    ready.say("test/later", {"uri": "file:///a", "at": {"line": 0}}, id=5)
    ready.say("$/cancelRequest", {"id": 5})
    assert [answer["error"]["code"] for answer in ready.heard] == [-32800]


async def test_a_failing_answer_by_callback_is_an_error(ready: Editor) -> None:
    """It does not reach what calls back."""
    answers: list[Callable[[Callable[[], object]], None]] = []

    def serve(ask: Ask) -> AnswerByCallback:
        return AnswerByCallback(answers.append, lambda: None)

    def fail() -> object:
        raise errors.ModelCutError("Cut.")

    ready.endpoint.on_request_now("test/later", Ask, serve)
    ready.say("test/later", {"uri": "file:///a", "at": {"line": 0}}, id=5)
    answers[0](fail)
    assert "error" in ready.heard[0]


async def test_notifications_are_heard_in_order_inside_the_reader(
    ready: Editor,
) -> None:
    lines: list[int] = []
    ready.endpoint.on_notification("test/at", Point, lambda at: lines.append(at.line))
    for line in range(5):
        ready.say("test/at", {"line": line})
    assert lines == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"uri": 3, "at": {"line": 0}},
            "Wrong parameters for test/ask: Expected `str`, got `int` at `uri`.",
        ),
        (
            {"uri": "x", "at": {"line": "y"}},
            "Wrong parameters for test/ask: Expected `int`, got `str` at `at.line`.",
        ),
        (
            None,
            "Wrong parameters for test/ask: Object missing required field `uri`.",
        ),
        (
            [1],
            "Wrong parameters for test/ask: Expected `object`, got `array`.",
        ),
    ],
)
async def test_wrong_params_are_answered_by_a_sentence_that_names_the_field(
    ready: Editor, params: object, message: str
) -> None:
    ready.endpoint.on_request_now("test/ask", Ask, later(echo))
    ready.say("test/ask", params, id=1)
    error = (await ready.answer(1))["error"]
    assert error == {"code": -32602, "message": message}


async def test_a_method_that_nobody_serves_is_not_found(ready: Editor) -> None:
    ready.say("test/nothing", {}, id=1)
    ready.say("test/nothing", {})
    assert [m["error"]["code"] for m in ready.heard] == [-32601]


async def test_an_error_of_ours_is_its_sentence_its_remedy_and_its_cause(
    ready: Editor,
) -> None:
    async def fail(params: None, context: RequestContext) -> None:
        raise errors.ModelCutError("The model's connection was cut.")

    ready.endpoint.on_request_now("test/fail", type(None), later(fail))
    ready.say("test/fail", id=1)
    assert (await ready.answer(1))["error"] == {
        "code": -32803,
        "message": "The model's connection was cut. Run the edit again.",
        "data": {"cause": "model-cut", "remedy": "Run the edit again."},
    }


async def test_a_bug_is_logged_whole_and_answered_without_any_of_it(
    ready: Editor, caplog: pytest.LogCaptureFixture
) -> None:
    async def crash(params: None, context: RequestContext) -> None:
        raise ZeroDivisionError("/home/someone/secret.py")

    ready.endpoint.on_request_now("test/crash", type(None), later(crash))
    ready.say("test/crash", id=1)
    assert (await ready.answer(1))["error"] == {
        "code": -32603,
        "message": "Redline failed inside; details are in its log.",
    }
    assert "ZeroDivisionError" in caplog.text


async def test_a_result_that_cannot_be_encoded_is_an_internal_error(
    ready: Editor,
) -> None:
    async def strange(params: None, context: RequestContext) -> object:
        return object()

    ready.endpoint.on_request_now("test/strange", type(None), later(strange))
    ready.endpoint.on_request_now("test/odd", type(None), lambda _: object())
    ready.say("test/strange", id=1)
    ready.say("test/odd", id=2)
    assert (await ready.answer(1))["error"]["code"] == -32603
    assert (await ready.answer(2))["error"]["code"] == -32603


async def test_a_listener_that_crashes_does_not_stop_the_next_message(
    ready: Editor, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[int] = []

    def hear(at: Point) -> None:
        seen.append(at.line)
        raise ZeroDivisionError

    ready.endpoint.on_notification("test/at", Point, hear)
    ready.say("test/at", {"line": 1})
    ready.say("test/at", {"line": "nonsense"})
    ready.say("test/at", {"line": 2})
    assert seen == [1, 2]
    assert ready.heard == []
    assert [
        r.exc_info is not None for r in caplog.records if r.levelname == "ERROR"
    ] == [
        True,
        True,
    ]


# Cancelling ----------------------------------------------------------------------


async def test_a_cancel_reaches_the_handler_inside_the_reader(ready: Editor) -> None:
    began = asyncio.Event()
    order: list[str] = []

    async def wait(params: None, context: RequestContext) -> None:
        context.on_cancel(lambda: order.append(f"callback {context.is_cancelled}"))
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            order.append("cancelled")

    ready.endpoint.on_request_now("test/wait", type(None), later(wait))
    ready.say("test/wait", id=1)
    await began.wait()
    ready.say("$/cancelRequest", {"id": 1})
    assert order == ["callback True"]
    error = (await ready.answer(1))["error"]
    assert error == {"code": -32800, "message": "The request was cancelled."}
    assert order == ["callback True", "cancelled"]


async def test_a_cancel_read_together_with_its_request_is_answered(
    ready: Editor,
) -> None:
    ready.endpoint.on_request_now("test/ask", Ask, later(echo))
    ready.say("test/ask", {"uri": "", "at": {"line": 0}}, id=1)
    ready.say("$/cancelRequest", {"id": 1})
    assert (await ready.answer(1))["error"]["code"] == -32800


async def test_a_callback_registered_after_the_cancel_runs_at_once() -> None:
    context = RequestContext(1, "test/late")
    context.cancel()
    seen: list[bool] = []
    context.on_cancel(lambda: seen.append(True))
    assert seen == [True]


async def test_a_handler_may_answer_although_it_was_cancelled(ready: Editor) -> None:
    began = asyncio.Event()

    async def land(params: None, context: RequestContext) -> str:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "landed already"
        return "never"

    ready.endpoint.on_request_now("test/land", type(None), later(land))
    ready.say("test/land", id=1)
    await began.wait()
    ready.say("$/cancelRequest", {"id": 1})
    assert (await ready.answer(1))["result"] == "landed already"


async def test_cancels_of_what_is_over_unknown_or_unreadable_are_ignored(
    ready: Editor,
) -> None:
    ready.endpoint.on_request_now("test/ask", Ask, later(echo))
    ready.say("test/ask", {"uri": "", "at": {"line": 0}}, id=1)
    await ready.answer(1)
    for params in ({"id": 1}, {"id": 77}, {"id": "1"}, {"id": None}, {}):
        ready.say("$/cancelRequest", params)
    assert len(ready.heard) == 1


# Phases --------------------------------------------------------------------------


async def test_before_initialize_requests_are_refused_and_notifications_dropped(
    editor: Editor,
) -> None:
    heard: list[object] = []
    editor.endpoint.on_notification("test/at", Point, heard.append)
    editor.endpoint.on_request_now("test/ask", Ask, later(echo))
    editor.say("test/ask", {"uri": "", "at": {"line": 0}}, id=1)
    editor.say("test/at", {"line": 1})
    editor.say("shutdown", id=2)
    codes = {m["id"]: m["error"]["code"] for m in editor.heard}
    assert codes == {1: -32002, 2: -32002}
    assert heard == []


async def test_an_initialize_that_fails_may_be_sent_again(editor: Editor) -> None:
    editor.endpoint.on_request_now("initialize", Point, lambda at: at.line)
    editor.say("initialize", {}, id=1)
    editor.say("initialize", {"line": 4}, id=2)
    editor.say("initialize", {"line": 4}, id=3)
    assert editor.heard[0]["error"]["code"] == -32602
    assert editor.heard[1]["result"] == 4
    assert editor.heard[2]["error"]["code"] == -32600


async def test_shutdown_answers_what_is_open_then_itself_and_exit_is_code_0(
    ready: Editor,
) -> None:
    order: list[str] = []

    async def wait(params: None, context: RequestContext) -> None:
        context.on_cancel(lambda: order.append("stopped"))
        try:
            await asyncio.Event().wait()
        finally:
            order.append("ended")

    async def close_models() -> None:
        order.append("models closed")

    async def close_store() -> None:
        order.append("store closed")
        raise ZeroDivisionError

    ready.endpoint.on_shutdown(close_models)
    ready.endpoint.on_shutdown(close_store)
    ready.endpoint.on_request_now("test/wait", type(None), later(wait))
    ready.say("test/wait", id=1)
    ready.say("test/wait", id=2)
    ready.say("shutdown", id=3)
    await ready.answer(3)
    assert [(m["id"], m.get("error", {}).get("code")) for m in ready.heard] == [
        (1, -32800),
        (2, -32800),
        (3, None),
    ]
    assert order == [*["stopped"] * 2, *["ended"] * 2, "store closed", "models closed"]
    ready.say("test/wait", id=4)
    assert ready.answers(4)[0]["error"]["code"] == -32600
    ready.say("exit")
    assert await ready.endpoint.wait_finished() == 0


def test_the_shutdown_ends_soon_however_many_parts_hang() -> None:
    closed: list[int] = []

    async def shut_down() -> float:
        editor = Editor()
        editor.initialize()
        for number in range(12):
            editor.endpoint.on_shutdown(partial(hang, number))
        editor.say("shutdown", id=1)
        editor.say("exit")
        assert await editor.endpoint.wait_finished() == 0
        return asyncio.get_running_loop().time()

    async def hang(number: int) -> None:
        closed.append(number)
        await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        assert runner.run(shut_down()) < 20
    assert sorted(closed) == list(range(12))


async def test_nothing_but_answers_is_sent_after_the_shutdown_is_answered(
    ready: Editor,
) -> None:
    async def close() -> None:
        ready.endpoint.notify("test/closing", None)

    ready.endpoint.on_shutdown(close)
    ready.say("shutdown", id=1)
    await ready.answer(1)
    ready.endpoint.notify("redline/status", {})
    ready.endpoint.send(b'{"jsonrpc": "2.0", "method": "test/fallback"}')
    with pytest.raises(errors.EditorGoneError):
        await ready.endpoint.request("test/ask", None, object, timeout_s=None)
    ready.say("test/late", id=2)
    assert [m.get("method", m.get("id")) for m in ready.heard] == ["test/closing", 1, 2]


async def test_exit_without_shutdown_winds_up_too_and_is_code_1(ready: Editor) -> None:
    closed: list[bool] = []

    async def close() -> None:
        closed.append(True)

    ready.endpoint.on_shutdown(close)
    ready.say("exit")
    ready.endpoint.editor_gone("and then the stream ended")
    assert await ready.endpoint.wait_finished() == 1
    assert closed == [True]


async def test_exit_right_behind_shutdown_waits_for_the_winding_up(
    ready: Editor,
) -> None:
    may_close = asyncio.Event()
    closed: list[bool] = []

    async def close() -> None:
        await may_close.wait()
        closed.append(True)

    ready.endpoint.on_shutdown(close)
    ready.say("shutdown", id=1)
    ready.say("exit")
    may_close.set()
    assert await ready.endpoint.wait_finished() == 0
    assert closed == [True]
    assert len(ready.answers(1)) == 1


# Broken messages -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"nonsense", -32700),
        (b"", -32700),
        (b'{"id":1,"method":"x","params":{"a":}}', -32700),
        pytest.param(b'{"id":1,"params":%s}' % DEEP, -32700, id="deep"),
        pytest.param(rb'{"a":"\ud8ff","params":%s}' % DEEP, -32700, id="half, deep"),
        (b"[]", -32600),
        (b'{"id":true,"method":"x"}', -32600),
        (b'{"id":1,"method":7}', -32600),
        (b'{"id":null,"method":"x"}', -32600),
    ],
)
async def test_a_broken_message_is_answered_under_no_id(
    ready: Editor, body: bytes, code: int
) -> None:
    ready.endpoint.receive(body)
    assert [(m["id"], m["error"]["code"]) for m in ready.heard] == [(None, code)]


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":"a","method":"initialize","params":%s}' % DEEP,
        b'{"id":"a","method":"x","params":{"]}": "\\"{[", "y":%s, "id": 7}}' % DEEP,
        b'{"params":[%s,[{"id":1}]],"method":"x","id":"a"}' % DEEP,
    ],
    ids=["initialize", "strings", "params first"],
)
async def test_a_request_that_is_nested_too_deeply_is_refused_under_its_id(
    editor: Editor, body: bytes
) -> None:
    editor.endpoint.receive(body)
    error = {"code": -32700, "message": "JSON is nested too deeply."}
    assert [(m["id"], m["error"]) for m in editor.heard] == [("a", error)]


async def test_an_id_in_use_is_refused_and_the_first_request_still_answered(
    ready: Editor,
) -> None:
    ready.endpoint.on_request_now("test/ask", Ask, later(echo))
    for _ in range(2):
        ready.say("test/ask", {"uri": "", "at": {"line": 0}}, id=1)
    await ready.until(lambda: len(ready.heard) == 2)
    assert ready.heard[0]["error"]["code"] == -32600
    assert ready.heard[1]["result"] == {"line": 0, "character": 0}


# Requests to the editor ----------------------------------------------------------


async def test_the_editors_answer_is_decoded(ready: Editor) -> None:
    asking = asyncio.ensure_future(
        ready.endpoint.request("test/where", {"a": 1}, Point, timeout_s=10)
    )
    asked = await ready.hear("test/where")
    assert asked["params"] == {"a": 1}
    ready.say(id=asked["id"], result={"line": 7})
    assert await asking == Point(line=7)


async def test_a_refusal_is_named_with_its_code(ready: Editor) -> None:
    asking = asyncio.ensure_future(
        ready.endpoint.request("test/where", None, Point, timeout_s=10)
    )
    asked = await ready.hear("test/where")
    assert "params" not in asked
    ready.say(id=asked["id"], error={"code": -32601, "message": "unknown method"})
    with pytest.raises(errors.EditorRefusedError, match="unknown method") as caught:
        await asking
    assert caught.value.code == -32601


async def test_an_answer_of_another_type_is_the_editors_fault(ready: Editor) -> None:
    asking = asyncio.ensure_future(
        ready.endpoint.request("test/where", None, Point, timeout_s=10)
    )
    asked = await ready.hear("test/where")
    ready.say(id=asked["id"], result=None)
    with pytest.raises(errors.RemoteProtocolError, match="test/where"):
        await asking


async def test_a_reply_that_comes_too_late_is_ignored_quietly(
    ready: Editor, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(errors.EditorTimeoutError, match="test/where"):
        await ready.endpoint.request("test/where", None, Point, timeout_s=0)
    asked = await ready.hear("test/where")
    with caplog.at_level(logging.DEBUG):
        ready.say(id=asked["id"], result={"line": 7})
        ready.say(id="never asked", result={"line": 7})
    assert caplog.text == ""


async def test_an_editor_that_goes_away_ends_the_waiting(ready: Editor) -> None:
    asking = asyncio.ensure_future(
        ready.endpoint.request("test/where", None, Point, timeout_s=None)
    )
    await ready.hear("test/where")
    ready.endpoint.editor_gone("test")
    with pytest.raises(errors.EditorGoneError):
        await asking
    with pytest.raises(errors.EditorGoneError):
        await ready.endpoint.request("test/where", None, Point, timeout_s=10)
    assert await ready.endpoint.wait_finished() == 1
