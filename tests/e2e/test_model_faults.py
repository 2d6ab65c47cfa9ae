"""A model that answers, but not as it should."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import lines
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import (
    Script,
    ScriptReply,
    ScriptRule,
    ServerBehaviour,
    When,
)
from redline.gateway.injected_faults import AnyFault, Close, Refuse, Say, Stall
from redline.gateway.refusals import Refusal

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/fault.py"
TEXT = "def a():\n    return 1\n"
EDITED = "def a():\n    return 10\n"
DELTAS = ("def a():\n", "    return", " 10\n")
TINY_LIMITS = {"first_delta_s": 0.15, "stall_s": 0.15}

PROMPT = "return the zebra to the canary"
"""What a server repeats of a prompt."""

FIRST_DELTA = 4
"""Index of its event; see `redline.gateway.composer`."""


def always(*faults: AnyFault, **more: Any) -> Script:
    """A model that goes wrong in each answer."""
    return Script(otherwise=ScriptReply(chunks=DELTAS, faults=faults, **more))


def once(*faults: AnyFault) -> Script:
    """A model whose first answer goes wrong."""
    broken = ScriptReply(chunks=DELTAS, faults=faults)
    return Script(
        rules=(ScriptRule(when=When(nth=1), reply=broken),),
        otherwise=ScriptReply(chunks=DELTAS),
    )


async def edited(redline: Redline) -> Any:
    """Ask for an edit that must succeed; returns its outcome."""
    editor = redline.editor
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 2), apply="end"))
    assert outcome["outcome"] == "applied"
    assert editor.text(URI) == EDITED
    return outcome


async def failed(redline: Redline, cause: str, *says: str) -> None:
    """Ask for an edit that must fail; the file is as it was."""
    editor = redline.editor
    editor.open(URI, TEXT)
    error = await editor.error(editor.edit(URI, lines(0, 2), apply="end"))
    assert error["code"] == -32803
    assert error["data"]["cause"] == cause, error
    assert error["data"]["sessionId"]
    for each in says:
        assert each in error["message"]
    assert editor.text(URI) == TEXT
    assert not editor.all_of("workspace/applyEdit")
    assert not editor.all_of("window/showMessage")


async def test_an_unknown_event_is_ignored(
    redline: Redline, model: ScriptedModel
) -> None:
    """Protocols grow; the edit is applied."""
    news = '{"type":"response.telepathy.delta","delta":"x","sequence_number":7}'
    model.say(always(Say(at=3, text=news), Say(at=FIRST_DELTA + 1, text=news)))
    await edited(redline)
    assert len(model.tasks) == 1


@pytest.mark.parametrize("at", [0, 3, FIRST_DELTA + 1])
@pytest.mark.parametrize(
    "text", ["{]", "", "null", "[1]", '{"type":7}', '{"no":"type"}'], ids=repr
)
async def test_garbage_fails_the_edit(
    redline: Redline, model: ScriptedModel, at: int, text: str
) -> None:
    """What is no event ends the edit with a sentence on what to check."""
    model.say(always(Say(at=at, text=text)))
    await failed(redline, "model-server", "unreadable", "`api` and `url`")


async def test_the_edit_after_garbage_works(
    redline: Redline, model: ScriptedModel
) -> None:
    """One bad answer does not take the next with it."""
    model.say(once(Say(at=3)))
    await failed(redline, "model-server")
    await edited(redline)


async def test_a_huge_frame_fails_the_edit(
    redline: Redline, model: ScriptedModel
) -> None:
    """A frame past any sense is not taken into memory."""
    model.say(always(Say(at=FIRST_DELTA, text="x", n_bytes=17 * 1024 * 1024)))
    editor = redline.editor
    editor.open(URI, TEXT)
    error = await editor.error(editor.edit(URI, lines(0, 2), apply="end"))
    assert error["code"] == -32803
    assert error["data"]["cause"] in ("model-server", "model-cut")
    assert editor.text(URI) == TEXT


@pytest.mark.parametrize("at", [0, 1, FIRST_DELTA, FIRST_DELTA + 1])
async def test_a_model_that_falls_silent(
    redline: Redline, connect: Connect, at: int
) -> None:
    """After the limit the edit fails, names the limit, and the server is notified."""
    model = await connect(always(Stall(at=at)), limits=TINY_LIMITS)
    await failed(redline, "model-stalled", "limits.")
    await model.until(lambda: model.n("stopped") == 1)


@pytest.mark.parametrize("code", [1000, 1001, 1011, 1012])
async def test_a_connection_that_is_closed_in_mid_answer(
    redline: Redline, model: ScriptedModel, code: int
) -> None:
    """A close frame is a cut too: once is not seen, always is an error."""
    model.say(once(Close(at=FIRST_DELTA + 1, code=code, reason="going away")))
    await edited(redline)
    redline.editor.close_document(URI)
    model.say(always(Close(at=FIRST_DELTA + 1, code=code)))
    redline.editor.heard.clear()
    redline.editor.talk.asked.clear()
    await failed(redline, "model-cut")


ERRORS = [
    (Refusal(status=400, code="invalid_prompt"), "model-rejected", "refused the requ"),
    (Refusal(status=401, code="invalid_api_key"), "authentication", "redline doctor"),
    (Refusal(status=403, type="permission_error"), "access-refused", "redline doctor"),
    (
        Refusal(status=429, headers={"retry-after": "7"}),
        "rate-limited",
        "wait 7 s",
    ),
    (Refusal(status=500, type="server_error"), "model-server", "Try again"),
    (Refusal(status=None, code="rate_limit_exceeded"), "rate-limited", "Wait"),
    (Refusal(status=None, code="model_not_found"), "model-rejected", "name"),
]


@pytest.mark.parametrize("is_flat", [False, True], ids=["nested", "flat"])
@pytest.mark.parametrize("at", [0, FIRST_DELTA + 1])
@pytest.mark.parametrize(("refusal", "cause", "says"), ERRORS)
async def test_an_error_event_in_each_shape(
    redline: Redline,
    model: ScriptedModel,
    refusal: Refusal,
    cause: str,
    says: str,
    at: int,
    is_flat: bool,
) -> None:
    """The answer is of the right kind, whenever the error comes and in either shape."""
    fields = {name: getattr(refusal, name) for name in refusal.__struct_fields__}
    model.say(always(Refuse(at=at, error=Refusal(**{**fields, "is_flat": is_flat}))))
    await failed(redline, cause, says)


async def test_a_provider_that_quotes_the_key(
    redline: Redline, model: ScriptedModel
) -> None:
    """Its words are shown without the key (the check of all messages looks for it)."""
    words = "Incorrect API key provided: sk-e2e-e07d5c3b9a1f4628. See the docs."
    model.say(always(Refuse(error=Refusal(status=400, message=words))))
    await failed(redline, "model-rejected", "Incorrect API key", "redacted")


@pytest.mark.parametrize("status", [400, 429, 500])
async def test_what_a_provider_says_is_data(
    redline: Redline, model: ScriptedModel, status: int
) -> None:
    """No link of it can be followed, and nothing of it controls a terminal."""
    words = "\x1b[31m[update](command:evil) \u202e[more](file:///etc)"
    model.say(always(Refuse(error=Refusal(status=status, message=words))))
    after = len(redline.editor.heard)
    redline.editor.open(URI, TEXT)
    error = await redline.editor.error(
        redline.editor.edit(URI, lines(0, 2), apply="end")
    )
    assert "[update] (command:evil)" in error["message"]
    said = json.dumps(redline.editor.heard[after:], ensure_ascii=False)
    said += redline.process.log.read_text()
    assert not any(one in said for one in ("](", "\x1b", "\\u001b", "\u202e"))


@pytest.mark.parametrize(
    "reply",
    [
        *(
            always(Refuse(error=Refusal(status=status, message=PROMPT, code=PROMPT)))
            for status in (400, 401, 403, 429, 500)
        ),
        always(Close(code=1011, reason=PROMPT)),
        Script(otherwise=ScriptReply(refusal=PROMPT)),
    ],
)
async def test_a_prompt_that_is_repeated_is_not_logged(
    redline: Redline, model: ScriptedModel, reply: Script
) -> None:
    """Providers quote what they refuse, and the log has no text of documents."""
    model.say(reply)
    redline.editor.open(URI, TEXT)
    await redline.editor.error(redline.editor.edit(URI, lines(0, 2), apply="end"))
    assert PROMPT not in redline.process.log.read_text() + redline.process.complaints


async def test_a_refusal_is_quoted(redline: Redline, model: ScriptedModel) -> None:
    """The model's text instead of code is shown, and never written to the file."""
    model.say(Script(otherwise=ScriptReply(refusal="I must not touch this file")))
    await failed(redline, "model-rejected", "I must not touch this file")


async def test_a_failed_response(redline: Redline, model: ScriptedModel) -> None:
    """`response.failed` in mid-answer fails the edit."""
    model.say(Script(otherwise=ScriptReply(chunks=DELTAS, failed="server_error")))
    await failed(redline, "model-server")


@pytest.mark.parametrize(
    ("instruction", "outcome", "text"),
    [("improve it", "held", TEXT), ("delete this function", "applied", "")],
)
async def test_an_empty_answer(
    redline: Redline, model: ScriptedModel, instruction: str, outcome: str, text: str
) -> None:
    """Nothing at all is a deletion only where one was asked for."""
    model.say(Script(otherwise=ScriptReply(text="")))
    editor = redline.editor
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), instruction, apply="end")
    assert (await editor.result(edit))["outcome"] == outcome
    assert editor.text(URI) == text


async def test_an_answer_that_ran_out_of_room(
    redline: Redline, model: ScriptedModel
) -> None:
    """Half an answer is held back and can be looked at; the file is as it was."""
    model.say(
        Script(otherwise=ScriptReply(chunks=DELTAS, incomplete="max_output_tokens"))
    )
    editor = redline.editor
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 2), apply="end"))
    assert outcome["outcome"] == "held"
    assert "output limit" in outcome["checks"][0]["message"]
    assert editor.text(URI) == TEXT


async def test_the_age_limit_between_edits(redline: Redline, connect: Connect) -> None:
    """Sockets that the server has closed are replaced, unseen."""
    model = await connect(
        Script(
            otherwise=ScriptReply(chunks=DELTAS), server=ServerBehaviour(max_age_s=0.1)
        )
    )
    await model.until(lambda: model.n("closed") >= 1)
    await edited(redline)


async def test_the_age_limit_before_the_first_delta(
    redline: Redline, connect: Connect
) -> None:
    """The server ends the socket while nothing was said: the request is sent again."""
    script = once(Stall(at=FIRST_DELTA))
    manners = ServerBehaviour(max_age_s=0.2)
    model = await connect(
        Script(rules=script.rules, otherwise=script.otherwise, server=manners)
    )
    await edited(redline)
    assert len(model.tasks) == 2


async def test_the_age_limit_in_mid_answer(redline: Redline, connect: Connect) -> None:
    """The answer is begun again, unseen."""
    script = once(Stall(at=FIRST_DELTA + 1))
    manners = ServerBehaviour(max_age_s=0.2)
    model = await connect(
        Script(rules=script.rules, otherwise=script.otherwise, server=manners)
    )
    await edited(redline)
    assert len(model.tasks) == 2
