"""What an editor may ask wrongly: each is answered once, and names what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_FAILED = -32602, -32601, -32803

URI = "file:///project/wrong.py"
TEXT = "a = 1\nb = 2\nc = 3\n"
GOOD: Json = {"uri": URI, "range": lines(0, 1), "instruction": "improve it"}


def but(**changes: object) -> Json:
    """Good arguments, changed; None leaves a field out."""
    changed = {**GOOD, **changes}
    return {name: value for name, value in changed.items() if value is not None}


WRONG_ARGUMENTS = [
    (but(uri=None), "uri"),
    (but(uri=7), "uri"),
    (but(range=None), "range"),
    (but(range="all"), "range"),
    (but(range={"start": {"line": 0, "character": 0}}), "end"),
    (but(range={**lines(0, 1), "start": {"line": "0", "character": 0}}), "line"),
    (but(range={**lines(0, 1), "end": {"line": 1, "character": 0.5}}), "character"),
    (but(instruction=None), "instruction"),
    (but(instruction=["improve"]), "instruction"),
    (but(instruction=""), "instruction"),
    (but(instruction=" \n\t "), "instruction"),
    (but(instruction="x" * 100_001), "instruction"),
    (but(tier="best"), "tier"),
    (but(apply="now"), "apply"),
    (but(sessionId=""), "sessionId"),
    (but(sessionId="x" * 129), "sessionId"),
    (but(sessionId=7), "sessionId"),
    (but(instructions="improve it"), "instructions"),
]


@pytest.mark.parametrize(
    ("arguments", "field"), WRONG_ARGUMENTS, ids=range(len(WRONG_ARGUMENTS))
)
async def test_each_wrong_field_of_an_edit(
    redline: Redline, model: ScriptedModel, arguments: Json, field: str
) -> None:
    """The answer names the field; nothing is sent to the model."""
    editor = redline.editor
    editor.open(URI, TEXT)
    error = await editor.error(editor.run("redline.edit", arguments))
    assert error["code"] == INVALID_PARAMS
    assert field in error["message"]
    assert model.tasks == []


OTHER_COMMANDS: list[tuple[str, tuple[Any, ...], str]] = [
    ("redline.edit", (), "uri"),
    ("redline.edit", (GOOD, GOOD), "one object"),
    ("redline.edit", ([GOOD],), "object"),
    ("redline.edit", (None,), "object"),
    ("redline.stop", ({"sessionId": 7},), "sessionId"),
    ("redline.stop", ({"session": "a"},), "session"),
    ("redline.accept", ({},), "sessionId"),
    ("redline.accept", ({"sessionId": "a", "hunks": "all"},), "hunks"),
    ("redline.reject", ({"sessionId": "a", "hunks": [0.5]},), "hunks"),
    ("redline.editState", ({},), "sessionId"),
    ("redline.status", ({"verbose": True},), "verbose"),
    ("redline.bogus", ({},), "redline.edit"),
    ("", (), "redline.edit"),
]


@pytest.mark.parametrize(
    ("command", "arguments", "says"), OTHER_COMMANDS, ids=range(len(OTHER_COMMANDS))
)
async def test_wrong_commands(
    redline: Redline, command: str, arguments: tuple[Any, ...], says: str
) -> None:
    """An unknown command is answered with those there are, a wrong one with why."""
    error = await redline.editor.error(redline.editor.run(command, *arguments))
    assert error["code"] == INVALID_PARAMS
    assert says in error["message"]


@pytest.mark.parametrize("params", [{}, {"command": 7}, [], "redline.edit", None])
async def test_parameters_that_are_no_command(redline: Redline, params: object) -> None:
    """Any wrong shape is reported as the caller's error."""
    editor = redline.editor
    error = await editor.error(editor.ask("workspace/executeCommand", params))
    assert error["code"] == INVALID_PARAMS


async def test_an_unknown_method(redline: Redline) -> None:
    """An unknown request is answered; an unknown notification is dropped."""
    editor = redline.editor
    editor.notify("redline/bogus", {})
    error = await editor.error(editor.ask("redline/bogus", {}))
    assert error["code"] == METHOD_NOT_FOUND


@pytest.mark.parametrize("uri", ["file:///project/secret-plan.py", "untitled:9", "x"])
async def test_a_document_that_is_not_open(redline: Redline, uri: str) -> None:
    """The sentence names the file, without its folder, and says to open it."""
    error = await redline.editor.error(redline.editor.edit(uri, lines(0, 1)))
    assert error["code"] == REQUEST_FAILED
    assert error["data"]["cause"] == "unknown-document"
    assert "Open the file" in error["message"]
    assert "/project" not in error["message"]


async def test_a_path_that_no_system_opens(
    redline: Redline, model: ScriptedModel
) -> None:
    """One sentence for every command, nothing to show at it, and nothing is sent.

    The time and memory for the ignore files of 50,000 folders are quadratic.
    """
    editor = redline.editor
    uri = "file:///project/" + "a/" * 50_000 + "b.py"
    editor.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": uri, "name": "deep"}], "removed": []}},
    )
    editor.open(uri, TEXT)
    editor.open(URI, TEXT)
    editor.type(uri, lines(0, 1), "a = 2\n")
    place: Json = {"uri": uri, "range": lines(0, 1)}
    for command, arguments in (
        ("redline.edit", {**place, "instruction": "improve it"}),
        ("redline.edit", {**GOOD, "attachments": [uri]}),
        ("redline.variations", {**place, "instruction": "improve it"}),
        ("redline.explain", place),
        ("redline.writeTests", place),
        ("redline.deepReview", {"uri": uri}),
    ):
        error = await editor.error(editor.run(command, arguments))
        assert "more than 4,096 bytes" in error["message"]
        assert len(error["message"]) < 300
    at: Json = {"textDocument": {"uri": uri}}
    where: Json = {**at, "range": lines(0, 1), "context": {"diagnostics": []}}
    assert not await editor.result(editor.ask("textDocument/codeAction", where))
    at |= {"position": {"line": 0, "character": 1}, "context": {"triggerKind": 1}}
    completion = await editor.result(editor.ask("textDocument/inlineCompletion", at))
    assert completion == {"items": []}
    assert model.tasks == []


@pytest.mark.parametrize(
    "command", ["redline.accept", "redline.reject", "redline.editState"]
)
async def test_a_session_that_does_not_exist(redline: Redline, command: str) -> None:
    """An offer that is over cannot be answered any more."""
    editor = redline.editor
    error = await editor.error(editor.run(command, {"sessionId": "long gone"}))
    assert error["code"] == REQUEST_FAILED
    assert error["data"]["cause"] == "unknown-session"


async def test_a_stop_of_nothing(redline: Redline) -> None:
    """There is nothing wrong with it."""
    stopped = await redline.editor.run_now("redline.stop", {"sessionId": "long gone"})
    assert stopped == {"stopped": []}


RANGES = [
    (span((1, 0), (99, 0)), "b = 2\nc = 3\n"),
    (span((2, 3), (2, 999)), "c = 3\n"),
    (span((98, 0), (99, 0)), ""),
    (span((1, 4), (0, 2)), "a = 1\nb = 2\n"),
    (span((99, 9), (1, 0)), "b = 2\nc = 3\n"),
]


@pytest.mark.parametrize(("where", "target"), RANGES, ids=range(len(RANGES)))
async def test_a_range_outside_the_file_or_backwards(
    redline: Redline, model: ScriptedModel, where: Json, target: str
) -> None:
    """It is clamped to the file, as for any range of the protocol."""
    editor = redline.editor
    editor.open(URI, TEXT)
    model.say(Script(otherwise=ScriptReply(text="new = 0\n")))
    outcome = await editor.result(editor.edit(URI, where, apply="end"))
    assert outcome["outcome"] == "applied"
    assert model.tasks[0].target == target
    expected = TEXT.replace(target, "new = 0\n") if target else TEXT + "new = 0\n"
    assert editor.text(URI) == expected


async def test_a_session_name_that_is_taken(
    redline: Redline, model: ScriptedModel
) -> None:
    """The second is refused, the first is not touched."""
    editor = redline.editor
    editor.open(URI, TEXT)
    hold = model.hold("hold it", after=1)
    first = editor.edit(URI, lines(0, 1), "hold it", sessionId="mine", apply="end")
    await hold.reached()
    error = await editor.error(
        editor.edit(URI, lines(2, 3), "another", sessionId="mine")
    )
    assert error["code"] == INVALID_PARAMS
    assert "sessionId" in error["message"]
    hold.release()
    assert (await editor.result(first))["sessionId"] == "mine"


@pytest.mark.parametrize(
    "changes",
    [
        {"textDocument": {"uri": "file:///never-opened.py", "version": 2}},
        {"textDocument": {"uri": URI, "version": "2"}},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": "all"},
        {},
        None,
    ],
    ids=range(5),
)
async def test_a_change_that_makes_no_sense(
    redline: Redline, model: ScriptedModel, changes: Json | None
) -> None:
    """It is dropped, and the documents and the server are as they were."""
    editor = redline.editor
    editor.open(URI, TEXT)
    params = {"contentChanges": [{"text": "gone"}], **changes} if changes else changes
    editor.notify("textDocument/didChange", params)
    model.say(Script(otherwise=ScriptReply(text="a = 10\n")))
    edit = editor.edit(URI, lines(0, 1), apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == TEXT.replace("1", "10")
