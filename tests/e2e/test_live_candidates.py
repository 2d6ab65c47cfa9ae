"""Several generations for one instruction, and choosing among what they wrote."""

from __future__ import annotations

import json

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines
from tests.e2e.live_screen import Screen, numbered, offered, with_changes
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import WireEditor

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/candidates.py"
OLD = numbered(40)
GOOD = with_changes(OLD, 3, 15, to="good")
FINE = with_changes(OLD, 3, 27, to="fine")
ELIDED = [*with_changes(OLD, 3, to="lazy")[:20], "# ... rest of the code unchanged\n"]
HEAD, TAIL = "# head\n", "# tail\n"
TEXT = HEAD + "".join(OLD) + TAIL
REGION = lines(1, 41)


def replies(*given: list[str] | ScriptReply) -> Script:
    """Answers by the order of the requests."""
    return Script(
        rules=tuple(
            ScriptRule(
                when=When(nth=number),
                reply=each
                if isinstance(each, ScriptReply)
                else ScriptReply(chunks=tuple(each)),
            )
            for number, each in enumerate(given, start=1)
        )
    )


def after(changed: list[str]) -> str:
    """The document with the region changed."""
    return HEAD + "".join(changed) + TAIL


def begin(editor: WireEditor, **more: object) -> int:
    """Ask for the edit."""
    editor.open(URI, TEXT)
    arguments: Json = {"uri": URI, "range": REGION, "instruction": "improve it"}
    more = {"apply": "preview", "candidates": 2, **more}
    return editor.run("redline.edit", {**arguments, "sessionId": "live", **more})


async def state_of(editor: WireEditor, command: str = "redline.editState") -> Json:
    """Ask for the whole state."""
    state: Json = await editor.run_now(command, {"sessionId": "live"})
    return state


async def test_the_best_one_is_offered(redline: Redline, model: ScriptedModel) -> None:
    """One with problems is shown while it is written, the one without in the end."""
    editor = redline.editor
    model.say(replies(ELIDED, GOOD))
    outcome = await editor.result(begin(editor))
    assert outcome["outcome"] == "offered"
    assert outcome["checks"] == []
    assert outcome["usage"]["wastedTokens"] >= len("".join(ELIDED)) // 4
    screen = Screen(editor, "live").refresh()
    assert screen.applied(URI) == after(GOOD)
    state = await state_of(editor)
    assert [c["shown"] for c in state["candidates"]] == [True, False]
    assert [len(c["problems"]) for c in state["candidates"]] == [0, 1]
    assert [c["hunks"] for c in state["candidates"]] == [2, 2]
    assert screen.is_like(state)
    assert model.n("create") == 2
    for entry in model.entries:
        if entry.kind == "create":
            assert json.loads(entry.body or "").get("previous_response_id") is None


async def test_the_first_one_that_writes_is_shown(
    redline: Redline, model: ScriptedModel
) -> None:
    """In any order of the requests."""
    editor = redline.editor
    slow = ScriptReply(chunks=(GOOD[0][:5], GOOD[0][5:], *GOOD[1:]))
    quick = ScriptReply(chunks=("".join(FINE[:20]), *FINE[20:]))
    model.say(replies(slow, quick))
    hold = model.hold("improve it", after=1)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.hunks)
    assert "fine" in screen.edits()[0]["newText"]
    hold.release()
    await editor.result(edit)
    # Neither has problems: the one that was asked first is the best.
    state = await state_of(editor)
    assert {c["number"] for c in state["candidates"]} == {0, 1}
    assert screen.refresh().is_like(state)


async def test_the_next_candidate(redline: Redline, model: ScriptedModel) -> None:
    """It goes round; what is shown is what an accept applies."""
    editor = redline.editor
    model.say(replies(GOOD, FINE, ELIDED))
    screen = await offered(editor, begin(editor, candidates=3))
    texts = [screen.applied(URI)]
    states = []
    for _ in range(3):
        state = await state_of(editor, "redline.nextCandidate")
        await editor.hear(lambda _: screen.refresh().is_like(state))  # noqa: B023  # Now.
        texts.append(screen.applied(URI))
        states.append(state["state"])
    assert set(texts[:2]) == {after(GOOD), after(FINE)}
    assert texts[2] == after(ELIDED)
    assert texts[3] == texts[0]
    assert states == ["offered", "held", "offered"]
    await state_of(editor, "redline.nextCandidate")
    done = await editor.run_now("redline.accept", {"sessionId": "live"})
    assert done == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == texts[1]


async def test_a_candidate_by_hunk(redline: Redline, model: ScriptedModel) -> None:
    """With the first hunk the choice is made."""
    editor = redline.editor
    model.say(replies(GOOD, FINE))
    screen = await offered(editor, begin(editor))
    first = screen.applied(URI)
    state = await state_of(editor, "redline.nextCandidate")
    await screen.until(lambda s: s.is_like(state))
    second = screen.applied(URI)
    assert {first, second} == {after(GOOD), after(FINE)}
    accepted = {"sessionId": "live", "hunks": screen.settled[:1]}
    await editor.run_now("redline.accept", accepted)
    state = await state_of(editor, "redline.nextCandidate")
    assert [(c["shown"], c["hunks"]) for c in state["candidates"]] == [(True, 1)]
    await screen.until(lambda s: s.is_current)
    assert screen.applied(URI) == second
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == second


async def test_a_rejected_hunk_stays_rejected(
    redline: Redline, model: ScriptedModel
) -> None:
    """Also after a look at the other candidates."""
    editor = redline.editor
    model.say(replies(GOOD, GOOD[:20] + FINE[20:]))
    screen = await offered(editor, begin(editor))
    gone = screen.settled[0]
    await editor.run_now("redline.reject", {"sessionId": "live", "hunks": [gone]})
    await screen.until(lambda s: gone not in s.hunks)
    left = screen.applied(URI)
    for _ in range(2):
        state = await state_of(editor, "redline.nextCandidate")
    await screen.until(lambda s: s.is_like(state))
    assert screen.applied(URI) == left


async def test_identical_ones_are_merged(
    redline: Redline, model: ScriptedModel
) -> None:
    """Identical candidates are no choice."""
    editor = redline.editor
    model.say(replies(GOOD, FINE, GOOD, GOOD))
    await editor.result(begin(editor, candidates=4))
    state = await state_of(editor)
    assert len(state["candidates"]) == 2
    assert sum(c["shown"] for c in state["candidates"]) == 1


async def test_accepting_a_hunk_stops_the_others(
    redline: Redline, connect: Connect
) -> None:
    """While all of them write, each on a socket of its own.

    On a socket that the kept one uses as well, the protocol has no way to stop one.
    """
    editor = redline.editor
    model = await connect(replies(GOOD, GOOD, GOOD), sockets=3)
    await model.until(lambda: model.n_connected == 3)
    hold = model.hold("improve it", after=20)
    edit = begin(editor, candidates=3)
    await hold.reached()
    await model.until(lambda: model.n("create") == 3)
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    accepted = {"sessionId": "live", "hunks": screen.settled[:1]}
    await editor.run_now("redline.accept", accepted)
    await model.until(lambda: model.n("stopped") == 2)
    hold.release()
    await offered(editor, edit)
    assert screen.refresh().applied(URI) == after(GOOD)
    state = await state_of(editor)
    assert len(state["candidates"]) == 1
    assert (await editor.result(edit))["usage"]["wastedTokens"] > 0


async def test_a_hunk_of_one_and_the_end_of_another(
    redline: Redline, model: ScriptedModel
) -> None:
    """A candidate that was done is out as well: it was for another text."""
    editor = redline.editor
    early = ScriptReply(chunks=("".join(FINE),))
    late = ScriptReply(chunks=("".join(GOOD[:20]), "".join(GOOD[20:])))
    model.say(replies(early, late))
    hold = model.hold("improve it", after=1)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    accepted = {"sessionId": "live", "hunks": screen.settled[:1]}
    await editor.run_now("redline.accept", accepted)
    kept = editor.text(URI)
    hold.release()
    await editor.result(edit)
    assert kept in (
        after(with_changes(OLD, 3, to="good")),
        after(with_changes(OLD, 3, to="fine")),
    )
    expected = after(GOOD) if "good" in kept else after(FINE)
    await screen.until(lambda s: s.is_current)
    assert screen.applied(URI) == expected


async def test_a_stop_of_a_race(redline: Redline, model: ScriptedModel) -> None:
    """All of them stop, and all that they wrote is waste."""
    editor = redline.editor
    model.say(replies(GOOD, FINE, GOOD))
    hold = model.hold("improve it", after=20)
    edit = begin(editor, candidates=3)
    await hold.reached()
    await Screen(editor, "live").until(lambda s: s.hunks)
    await editor.run_now("redline.stop", {})
    assert (await editor.result(edit))["outcome"] == "stopped"
    await model.until(lambda: model.n("stopped") == 3)
    hold.release()


async def test_variations(redline: Redline, model: ScriptedModel) -> None:
    """Three, offered for the user to choose, regardless of the settings."""
    editor = redline.editor
    model.say(replies(GOOD, FINE, ELIDED))
    editor.open(URI, TEXT)
    arguments = {"uri": URI, "range": REGION, "instruction": "improve it"}
    outcome = await editor.run_now(
        "redline.variations", {**arguments, "sessionId": "live"}
    )
    assert outcome["outcome"] == "offered"
    assert model.n("create") == 3
    assert len((await state_of(editor))["candidates"]) == 3
    assert editor.text(URI) == TEXT


async def test_the_setting(redline: Redline, connect: Connect) -> None:
    """`edit.candidates`, where the request does not say."""
    editor = redline.editor
    model = await connect(replies(ELIDED, GOOD), edit={"candidates": 2})
    edit = begin(editor, candidates=None, apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == after(GOOD)
    assert model.n("create") == 2


@pytest.mark.parametrize("n_candidates", [0, 11, "two"])
async def test_a_wrong_number(redline: Redline, n_candidates: object) -> None:
    """It is an error that names the field."""
    editor = redline.editor
    error = await editor.error(begin(editor, candidates=n_candidates))
    assert error["code"] == -32602
    assert "candidates" in error["message"]


async def test_ten(redline: Redline, model: ScriptedModel) -> None:
    """As many as are allowed, more than one connection has lanes for."""
    editor = redline.editor
    model.say(replies(*([ELIDED] * 9), GOOD))
    outcome = await editor.result(begin(editor, candidates=10))
    assert outcome["outcome"] == "offered"
    assert len((await state_of(editor))["candidates"]) == 2


async def test_one_of_them_fails(redline: Redline, model: ScriptedModel) -> None:
    """The others count."""
    editor = redline.editor
    model.say(replies(ScriptReply(failed="server_error"), GOOD, ScriptReply(text="")))
    outcome = await editor.result(begin(editor, candidates=3))
    assert outcome["outcome"] == "offered"
    screen = Screen(editor, "live").refresh()
    assert screen.applied(URI) == after(GOOD)


async def test_the_shown_one_fails(redline: Redline, model: ScriptedModel) -> None:
    """What it had painted goes, and what is offered is whole."""
    editor = redline.editor
    broken = ScriptReply(chunks=("".join(FINE[:20]),), failed="server_error")
    slow = ScriptReply(chunks=(GOOD[0][:5], GOOD[0][5:], *GOOD[1:]))
    model.say(replies(slow, broken))
    hold = model.hold("improve it", after=1)
    edit = begin(editor)
    await hold.reached()
    await Screen(editor, "live").until(lambda s: s.hunks)
    hold.release()
    screen = await offered(editor, edit)
    assert screen.applied(URI) == after(GOOD)


async def test_all_of_them_fail(redline: Redline, model: ScriptedModel) -> None:
    """That is an error."""
    editor = redline.editor
    failing = ScriptReply(failed="server_error")
    model.say(replies(failing, failing))
    error = await editor.error(begin(editor))
    assert error["data"]["cause"] == "model-server"
    assert editor.text(URI) == TEXT
    (ended,) = editor.all_of("redline/edit/ended")
    assert ended["outcome"] == "failed"


async def test_a_redirect_of_a_race(redline: Redline, model: ScriptedModel) -> None:
    """All of them are restarted, as many as before."""
    editor = redline.editor
    model.say(replies(GOOD, GOOD, FINE, ELIDED))
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    await Screen(editor, "live").until(lambda s: s.hunks)
    await model.until(lambda: model.n("create") == 2)
    arguments = {"sessionId": "live", "instruction": "another"}
    done = await editor.run_now("redline.redirect", arguments)
    assert done["how"] == "restarted"
    screen = await offered(editor, edit)
    assert screen.applied(URI) == after(FINE)
    assert model.n("create") == 4
    await model.until(lambda: model.n("stopped") == 2)
    hold.release()
    assert len((await state_of(editor))["candidates"]) == 2
