"""Several edits at once: overlapping, adjacent, and in several files."""

from __future__ import annotations

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import (
    Script,
    ScriptReply,
    ScriptRule,
    ServerBehaviour,
    When,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/several.py"
TEXT = (
    "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n"
)


def answering(*answers: tuple[str, tuple[str, ...]]) -> tuple[ScriptRule, ...]:
    """Rules for instructions and the deltas of their replies."""
    return tuple(
        ScriptRule(when=When(instruction=instruction), reply=ScriptReply(chunks=chunks))
        for instruction, chunks in answers
    )


@pytest.mark.parametrize("apply", ["end", "preview"])
async def test_a_second_edit_takes_over(
    redline: Redline, model: ScriptedModel, apply: str
) -> None:
    """The first is answered with who took over; its draft is in the second's prompt."""
    editor = redline.editor
    rules = answering(
        ("double it", ("def a():\n", "    return 2\n")),
        ("triple it", ("def a():\n", "    return 3\n")),
    )
    model.say(Script(rules=rules))
    hold = model.hold("double it", after=1)
    editor.open(URI, TEXT)
    first = editor.edit(URI, lines(0, 2), "double it", sessionId="one", apply=apply)
    await hold.reached()
    await editor.run_now("redline.status", {})
    second = editor.edit(URI, lines(0, 2), "triple it", sessionId="two", apply=apply)
    outcome = await editor.result(first)
    assert outcome["outcome"] == "superseded"
    assert outcome["supersededBy"] == "two"
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    done = await editor.result(second)
    assert done["outcome"] == ("applied" if apply == "end" else "offered")
    if apply == "preview":
        ended = editor.all_of("redline/edit/ended")[0]
        assert (ended["sessionId"], ended["supersededBy"]) == ("one", "two")
        await editor.run_now("redline.accept", {"sessionId": "two"})
    assert editor.text(URI) == TEXT.replace("return 1", "return 3")
    took_over = model.tasks[1]
    assert took_over.instruction == "triple it"
    assert took_over.target == "def a():\n    return 1\n"


async def test_the_draft_is_what_was_written(
    redline: Redline, model: ScriptedModel
) -> None:
    """The prompt of the second edit has the first's lines, marked as unfinished."""
    editor = redline.editor
    rules = answering(
        ("double it", ("def a():\n", "    # twice\n", "    return 2\n")),
        ("triple it", ("def a():\n", "    return 3\n")),
    )
    model.say(Script(rules=rules))
    hold = model.hold("double it", after=2)
    editor.open(URI, TEXT)
    editor.edit(URI, lines(0, 2), "double it", sessionId="one", apply="preview")
    await hold.reached()
    await editor.hear(
        lambda m: (
            m.get("method") == "redline/edit/hunks"
            and any("twice" in hunk["newText"] for hunk in m["params"]["hunks"])
        )
    )
    second = editor.edit(URI, lines(0, 2), "triple it", apply="end")
    assert (await editor.result(second))["outcome"] == "applied"
    hold.release()
    assert model.tasks[1].draft == "def a():\n    # twice\n"


@pytest.mark.parametrize(
    ("where", "is_overlapping"),
    [
        (lines(0, 10), True),
        (lines(1, 2), True),
        (span((1, 4), (1, 4)), False),
        (lines(2, 4), False),
    ],
)
async def test_which_edits_overlap(
    redline: Redline, model: ScriptedModel, where: object, is_overlapping: bool
) -> None:
    """A line in common takes over; a neighbouring line does not."""
    editor = redline.editor
    rules = answering(("hold it", ("def a():\n", "    return 10\n")))
    model.say(Script(rules=rules))
    hold = model.hold("hold it", after=0)
    editor.open(URI, TEXT)
    first = editor.edit(URI, lines(0, 2), "hold it", apply="end")
    await hold.reached()
    arguments = {"uri": URI, "range": where, "instruction": "echo", "apply": "end"}
    await editor.answer(editor.run("redline.edit", arguments))
    hold.release()
    expected = "superseded" if is_overlapping else "applied"
    assert (await editor.result(first))["outcome"] == expected


async def test_an_edit_over_an_offer(redline: Redline, model: ScriptedModel) -> None:
    """The offer gives way, and what it offered is the draft."""
    editor = redline.editor
    rules = answering(
        ("double it", ("def a():\n", "    return 2\n")),
        ("triple it", ("def a():\n", "    return 3\n")),
    )
    model.say(Script(rules=rules))
    editor.open(URI, TEXT)
    first = editor.edit(URI, lines(0, 2), "double it", sessionId="one", apply="preview")
    assert (await editor.result(first))["outcome"] == "offered"
    second = editor.edit(URI, lines(0, 2), "triple it", sessionId="two", apply="end")
    assert (await editor.result(second))["outcome"] == "applied"
    (ended,) = editor.all_of("redline/edit/ended")
    assert ended["outcome"] == "superseded"
    assert ended["supersededBy"] == "two"
    assert model.tasks[1].draft == "def a():\n    return 2\n"


@pytest.mark.parametrize("lanes", [True, False])
async def test_edits_beside_one_another(
    redline: Redline, connect: Connect, lanes: bool
) -> None:
    """Three at once in one file: each lands in its place, in any order."""
    editor = redline.editor
    rules = answering(
        ("first", ("def a():\n", "    # new\n", "    # lines\n", "    return 10\n")),
        ("second", ("def b():\n", "    return 20\n")),
        ("third", ("c = 3\n",)),
    )
    model = await connect(Script(rules=rules, server=ServerBehaviour(lanes=lanes)))
    holds = [model.hold(each, after=1) for each in ("first", "second", "third")]
    editor.open(URI, TEXT)
    edits = [
        editor.edit(URI, lines(0, 2), "first", apply="end"),
        editor.edit(URI, lines(4, 6), "second", apply="end"),
        editor.edit(URI, lines(8, 10), "third", apply="end"),
    ]
    for hold in holds:
        await hold.reached()
    for hold in holds:
        hold.release()
    for edit in edits:
        assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == (
        "def a():\n    # new\n    # lines\n    return 10\n\n\n"
        "def b():\n    return 20\n\n\nc = 3\n"
    )


@pytest.mark.parametrize("lanes", [True, False])
async def test_edits_in_several_files(
    redline: Redline, connect: Connect, lanes: bool
) -> None:
    """Twenty at once, none waits for another; a stop of one leaves the others."""
    editor = redline.editor
    model = await connect(
        Script(
            otherwise=ScriptReply(chunks=("def a():\n", "    return 10\n")),
            server=ServerBehaviour(lanes=lanes),
        )
    )
    uris = [f"file:///project/several_{number}.py" for number in range(20)]
    if not lanes:
        uris = uris[:8]
    hold = model.hold("improve it", after=1)
    edits = {}
    for uri in uris:
        editor.open(uri, TEXT)
        edits[uri] = editor.edit(uri, lines(0, 2), apply="end")
    await model.until(lambda: len(model.tasks) == len(uris))
    await hold.reached()
    stopped = await editor.run_now("redline.stop", {"uri": uris[3]})
    assert len(stopped["stopped"]) == 1
    hold.release()
    for uri, edit in edits.items():
        outcome = await editor.result(edit)
        if uri == uris[3]:
            assert outcome["outcome"] == "stopped"
            assert editor.text(uri) == TEXT
        else:
            assert outcome["outcome"] == "applied"
            assert editor.text(uri) == TEXT.replace("return 1", "return 10")


async def test_settings_that_change_during_an_edit(
    redline: Redline, connect: Connect
) -> None:
    """A change that does not concern the model leaves its edits alone."""
    editor = redline.editor
    model = await connect(Script(otherwise=ScriptReply(chunks=("a = 1\n", "b = 2\n"))))
    hold = model.hold("improve it", after=1)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), apply="end")
    await hold.reached()
    assert isinstance(editor.settings, dict)
    editor.settings = {**editor.settings, "edit": {"paints_per_s": 5}}
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    await editor.hear_method("workspace/configuration", after=len(editor.heard))
    await editor.run_now("redline.status", {})
    hold.release()
    assert (await editor.result(edit))["outcome"] == "applied"


async def test_a_model_that_is_replaced_during_an_edit(
    redline: Redline, connect: Connect
) -> None:
    """The edit ends with one answer, the file is whole, and the next one works."""
    editor = redline.editor
    old = await connect(Script(otherwise=ScriptReply(chunks=("a = 1\n", "b = 2\n"))))
    hold = old.hold("improve it", after=1)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), apply="end")
    await hold.reached()
    await connect(Script(otherwise=ScriptReply(text="c = 3\n")))
    answer = await editor.answer(edit)
    hold.release()
    if "error" in answer:
        assert answer["error"]["code"] == -32803
        assert editor.text(URI) == TEXT
    else:
        assert answer["result"]["outcome"] == "applied"
    again = editor.edit(URI, lines(0, 2), apply="end")
    assert (await editor.result(again))["outcome"] == "applied"
    assert editor.text(URI).startswith("c = 3\n")


RANGES = [{"range": lines(0, 2)}, {"range": lines(8, 10), "instruction": "louder"}]
ANSWER = (
    "<<<<<<< RANGE 1\n",
    "def a():\n    return 10\n",
    ">>>>>>> RANGE 1\n",
    "<<<<<<< RANGE 2\ndef c():\n    return 30\n",
    ">>>>>>> RANGE 2\n",
)


async def test_several_ranges_are_shown_and_applied_as_one_edit(
    redline: Redline, model: ScriptedModel
) -> None:
    """The first range is shown while the second is written; one edit, one answer."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(chunks=ANSWER)))
    hold = model.hold("times ten\nRange 2: louder", after=3)
    editor.open(URI, TEXT)
    arguments = {
        "uri": URI,
        "ranges": RANGES,
        "instruction": "times ten",
        "sessionId": "many",
        "apply": "preview",
    }
    asked = editor.run("redline.edit", arguments)
    await hold.reached()
    painted = await editor.hear(
        lambda m: m.get("method") == "redline/edit/hunks" and m["params"]["hunks"]
    )
    assert "return 10" in str(painted["params"]["hunks"])
    (began,) = editor.all_of("redline/edit/began")
    assert began["range"] == span((0, 0), (9, 12))
    hold.release()
    assert (await editor.result(asked))["outcome"] == "offered"
    accepted = editor.run("redline.accept", {"sessionId": "many"})
    assert (await editor.result(accepted))["outcome"] == "accepted"
    assert len(editor.all_of("workspace/applyEdit")) == 1
    assert editor.text(URI) == TEXT.replace("1", "10").replace("3", "30")
    (task,) = model.tasks
    assert task.instruction == "times ten\nRange 2: louder"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, "a `range`, or `ranges`"),
        ({"range": lines(0, 1), "ranges": RANGES}, "a `range`, or `ranges`"),
        ({"ranges": RANGES, "fromComment": lines(0, 1)}, "belongs to the range"),
        ({"ranges": RANGES * 30}, "60 ranges"),
        ({"ranges": RANGES}, "instruction is empty"),
    ],
)
async def test_ranges_that_cannot_be_edited_are_refused(
    redline: Redline, wrong: Json, words: str
) -> None:
    """With what is wrong; no session is left."""
    editor = redline.editor
    editor.open(URI, TEXT)
    instruction = "" if words == "instruction is empty" else "times ten"
    arguments = {"uri": URI, "instruction": instruction, **wrong}
    error = await editor.error(editor.run("redline.edit", arguments))
    assert words in error["message"]
    assert (await editor.run_now("redline.status", {}))["sessions"] == []
