"""Another instruction for an edit that is written, or was offered."""

from __future__ import annotations

import json

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines, place, span
from tests.e2e.live_screen import Screen, numbered, offered, with_changes
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import APPLY_EDIT, WireEditor, ignore, take

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/redirect.py"
OLD = numbered(40)
FIRST = with_changes(OLD, 3, 15, 27)
SECOND = with_changes(with_changes(OLD, 3), 15, 33, to="other")
HEAD, TAIL = "# head\n", "# tail\n"
TEXT = HEAD + "".join(OLD) + TAIL
REGION = lines(1, 41)


def script(**first: object) -> Script:
    """`first` is answered with some changes, `second` with some others."""
    reply = first or {"chunks": tuple(FIRST)}
    return Script(
        rules=(
            ScriptRule(when=When(instruction="first"), reply=ScriptReply(**reply)),  # type: ignore[arg-type]  # By name.
            ScriptRule(
                when=When(instruction="second"), reply=ScriptReply(chunks=tuple(SECOND))
            ),
        )
    )


N_FIRST_ITEM = 26

IN_TWO_ITEMS: Json = {
    "items": ("".join(FIRST[:N_FIRST_ITEM]), "".join(FIRST[N_FIRST_ITEM:])),
    "chunk_chars": 10_000,
}
"""Between the items a steer takes effect. More than half is written in one piece: what
is left would take less time than another answer takes to begin."""


def after(changed: list[str]) -> str:
    """The document with the region changed."""
    return HEAD + "".join(changed) + TAIL


def is_begun(draft: str | None, n_lines: int) -> bool:
    """Whether a draft is what `first` had written: at least so many lines of it.

    What is on its way to the server counts for no more than what is not written.
    """
    begun = "".join(FIRST[:n_lines])
    return draft is not None and "".join(FIRST).startswith(draft) and begun in draft


def begin(editor: WireEditor, *, apply: str = "preview") -> int:
    """Ask for the first edit."""
    editor.open(URI, TEXT)
    return editor.edit(URI, REGION, "first", sessionId="live", apply=apply)


def redirect(editor: WireEditor, instruction: str = "second", **where: object) -> int:
    """Redirect the session, or whatever is at a place."""
    arguments = where or {"sessionId": "live"}
    return editor.run("redline.redirect", {"instruction": instruction, **arguments})


async def half_way(editor: WireEditor) -> Screen:
    """Wait until two changes of the first edit are painted."""
    return await Screen(editor, "live").until(lambda s: len(s.hunks) == 2)


async def is_offered(editor: WireEditor, *, at: int) -> None:
    """Wait until a follow-up is offered; it has no request of its own."""
    await editor.hear(
        lambda m: (
            m.get("method") == "redline/status"
            and [s["state"] for s in m["params"]["sessions"]] == ["offered"]
        ),
        after=at,
    )


async def test_a_restart(redline: Redline, model: ScriptedModel) -> None:
    """The new generation knows the task, the draft and both instructions."""
    editor = redline.editor
    model.say(script())
    first, second = model.hold("first", after=20), model.hold("second", after=10)
    await model.until(lambda: model.n_connected == 2)
    model.entries.clear()
    edit = begin(editor)
    await first.reached()
    screen = await half_way(editor)
    before = screen.hunks.copy()
    done = await editor.result(redirect(editor))
    assert done == {"accepted": True, "how": "restarted", "sessionId": "live"}
    await second.reached()
    task = model.tasks[-1]
    assert (task.instruction, task.earlier) == ("second", "first")
    assert is_begun(task.draft, 16)
    assert task.target == "".join(OLD)
    # A warm connection takes it; the first one gets a steer.
    kinds = [entry.kind for entry in model.entries]
    assert "opened" not in kinds[: len(kinds) - kinds[::-1].index("create")]
    await model.until(lambda: model.n("stopped") == 1)
    first.release()
    await screen.until(lambda s: s.hunks)
    assert screen.hunks.keys() == before.keys()
    second.release()
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "offered"
    assert outcome["usage"]["wastedTokens"] >= len("".join(FIRST[:16])) // 4
    assert screen.refresh().applied(URI) == after(SECOND)
    same, _ = sorted(before)
    assert screen.hunks[same]["newText"] == SECOND[3]
    assert all(same not in params["removed"] for params in screen.seen)
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == after(SECOND)
    assert len(editor.all_of("redline/edit/began")) == 1
    assert len(editor.all_of("redline/edit/ended")) == 1


async def test_a_redirect_before_anything_is_written(
    redline: Redline, model: ScriptedModel
) -> None:
    """There is no draft then."""
    editor = redline.editor
    model.say(script())
    first = model.hold("first", after=0)
    edit = begin(editor)
    await first.reached()
    assert (await editor.result(redirect(editor)))["how"] == "restarted"
    screen = await offered(editor, edit)
    assert screen.applied(URI) == after(SECOND)
    task = model.tasks[-1]
    assert (task.instruction, task.earlier, task.draft) == ("second", "first", None)
    first.release()


async def test_a_redirect_that_is_read_with_its_edit(
    redline: Redline, model: ScriptedModel
) -> None:
    """It is the redirect that is carried out."""
    editor = redline.editor
    model.say(script())
    with editor.at_once():
        edit = begin(editor)
        turned = redirect(editor)
    assert (await editor.result(turned))["accepted"]
    screen = await offered(editor, edit)
    assert screen.applied(URI) == after(SECOND)


async def test_a_follow_up(redline: Redline, model: ScriptedModel) -> None:
    """What was offered goes into the prompt as the draft; the offer is then another."""
    editor = redline.editor
    model.say(script())
    second = model.hold("second", after=10)
    screen = await offered(editor, begin(editor))
    before = screen.hunks.copy()
    assert (await editor.result(redirect(editor)))["how"] == "restarted"
    await second.reached()
    task = model.tasks[-1]
    assert (task.instruction, task.earlier) == ("second", "first")
    assert task.draft == "".join(FIRST)
    state = await editor.run_now("redline.editState", {"sessionId": "live"})
    assert (state["state"], state["instruction"]) == ("generating", "second")
    assert {h["id"] for h in state["hunks"]} == before.keys()
    at = len(editor.heard)
    second.release()
    await is_offered(editor, at=at)
    assert screen.refresh().applied(URI) == after(SECOND)
    assert all(min(before) not in params["removed"] for params in screen.seen)
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == after(SECOND)


async def test_a_follow_up_after_some_was_accepted(
    redline: Redline, model: ScriptedModel
) -> None:
    """It is on the text as it is then."""
    editor = redline.editor
    model.say(script())
    screen = await offered(editor, begin(editor))
    one = screen.settled[0]
    await editor.run_now("redline.accept", {"sessionId": "live", "hunks": [one]})
    second = model.hold("second", after=10)
    await editor.result(redirect(editor))
    await second.reached()
    at = len(editor.heard)
    second.release()
    await is_offered(editor, at=at)
    task = model.tasks[-1]
    assert task.target == "".join(with_changes(OLD, 3))
    assert task.draft == "".join(FIRST)
    assert screen.refresh().applied(URI) == after(SECOND)
    assert screen.places == [(16, 17), (28, 29), (34, 35)][::2]


@pytest.mark.parametrize("apply", ["preview", "end"])
async def test_a_follow_up_of_one_that_was_held(
    redline: Redline, model: ScriptedModel, apply: str
) -> None:
    """What is right now is offered, or applied where there is no preview."""
    editor = redline.editor
    elided = (*FIRST[:20], "# ... rest of the code unchanged ...\n")
    model.say(script(chunks=elided))
    outcome = await editor.result(begin(editor, apply=apply))
    assert outcome["outcome"] == "held"
    at = len(editor.heard)
    assert (await editor.result(redirect(editor)))["accepted"]
    if apply == "preview":
        await is_offered(editor, at=at)
        await editor.run_now("redline.accept", {"sessionId": "live"})
    else:
        await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    assert editor.text(URI) == after(SECOND)


async def test_the_place_of_a_session(redline: Redline, model: ScriptedModel) -> None:
    """A client need not know the id: a place inside the region will do."""
    editor = redline.editor
    model.say(script())
    first = model.hold("first", after=20)
    edit = begin(editor)
    await first.reached()
    outside = redirect(editor, uri=URI, position=place(0, 2))
    assert (await editor.error(outside))["data"]["cause"] == "unknown-session"
    elsewhere = redirect(editor, uri="file:///other.py", position=place(3))
    assert (await editor.error(elsewhere))["data"]["cause"] == "unknown-document"
    for wrong in ({"uri": URI}, {"position": place(3)}):
        assert (await editor.error(redirect(editor, **wrong)))["code"] == -32602
    # The text moves, and the place with it.
    editor.type(URI, span((0, 0), (0, 0)), "# more\n# lines\n")
    done = await editor.result(redirect(editor, uri=URI, position=place(40, 3)))
    assert done == {"accepted": True, "how": "restarted", "sessionId": "live"}
    screen = await offered(editor, edit)
    assert screen.applied(URI) == "# more\n# lines\n" + after(SECOND)
    first.release()


async def test_nothing_to_redirect(redline: Redline, model: ScriptedModel) -> None:
    """A session that is over, or never was, and an empty instruction, are errors."""
    editor = redline.editor
    model.say(script())
    unknown = redirect(editor)
    assert (await editor.error(unknown))["data"]["cause"] == "unknown-session"
    edit = begin(editor, apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    applied = redirect(editor)
    assert (await editor.error(applied))["data"]["cause"] == "unknown-session"
    await offered(
        editor, editor.edit(URI, REGION, "second", sessionId="live", apply="preview")
    )
    empty = redirect(editor, " \n")
    assert (await editor.error(empty))["code"] == -32602


async def test_a_redirect_of_an_edit_on_its_way(
    redline: Redline, model: ScriptedModel
) -> None:
    """It is too late, and is said to be."""
    editor = redline.editor
    model.say(script())
    editor.take_edit = ignore
    edit = begin(editor, apply="end")
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    assert not (await editor.result(redirect(editor)))["accepted"]
    take(editor, request)
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == after(FIRST)


async def test_a_stop_after_a_redirect(redline: Redline, model: ScriptedModel) -> None:
    """Both generations are over, both wasted, and the preview ends."""
    editor = redline.editor
    model.say(script())
    first, second = model.hold("first", after=20), model.hold("second", after=10)
    edit = begin(editor)
    await first.reached()
    screen = await half_way(editor)
    await editor.result(redirect(editor))
    await second.reached()
    await screen.until(lambda s: s.hunks)
    assert await editor.run_now("redline.stop", {}) == {"stopped": ["live"]}
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped"
    await model.until(lambda: model.n("stopped") == 2)
    first.release()
    second.release()
    assert editor.text(URI) == TEXT


async def test_a_stop_and_a_redirect_at_once(
    redline: Redline, model: ScriptedModel
) -> None:
    """Whichever is read first: everything is answered, and nothing runs."""
    editor = redline.editor
    model.say(script())
    first = model.hold("first", after=20)
    edit = begin(editor)
    await first.reached()
    with editor.at_once():
        turned = redirect(editor)
        stop = editor.run("redline.stop", {})
    assert not (await editor.result(turned))["accepted"]
    assert (await editor.result(stop)) == {"stopped": ["live"]}
    assert (await editor.result(edit))["outcome"] == "stopped"
    first.release()


async def test_redirects_in_a_row(redline: Redline, model: ScriptedModel) -> None:
    """The last one counts; each is answered."""
    editor = redline.editor
    model.say(script())
    first = model.hold("first", after=20)
    edit = begin(editor)
    await first.reached()
    with editor.at_once():
        turned = [redirect(editor, text) for text in ("third", "fourth", "second")]
    for each in turned:
        assert (await editor.result(each))["how"] == "restarted"
    screen = await offered(editor, edit)
    assert screen.applied(URI) == after(SECOND)
    state = await editor.run_now("redline.editState", {"sessionId": "live"})
    assert state["instruction"] == "second"
    first.release()


async def test_accepting_after_a_redirect(
    redline: Redline, model: ScriptedModel
) -> None:
    """A hunk that settled before can be accepted, and the new text is right."""
    editor = redline.editor
    model.say(script())
    first, second = model.hold("first", after=30), model.hold("second", after=10)
    edit = begin(editor)
    await first.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.settled) >= 2)
    two = screen.settled[1]
    editor.take_edit = ignore
    accepting = editor.run("redline.accept", {"sessionId": "live", "hunks": [two]})
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    await editor.result(redirect(editor))
    await second.reached()
    editor.take_edit = take
    take(editor, request)
    await editor.result(accepting)
    assert editor.text(URI) == after(with_changes(OLD, 15))
    await screen.until(lambda s: s.version == 2)
    second.release()
    assert (await editor.result(edit))["outcome"] == "offered"
    assert screen.refresh().applied(URI) == after(SECOND)
    first.release()


async def test_growing_steps(redline: Redline, model: ScriptedModel) -> None:
    """What is in the document is where the new generation begins."""
    editor = redline.editor
    model.say(script())
    first = model.hold("first", after=25)
    edit = begin(editor, apply="stream")
    await first.reached()
    await editor.hear(lambda _: editor.text(URI) == after(with_changes(OLD, 3, 15)))
    await editor.result(redirect(editor))
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == after(SECOND)
    assert model.tasks[-1].target == "".join(with_changes(OLD, 3, 15))
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == TEXT
    first.release()


async def test_growing_steps_with_one_on_its_way(
    redline: Redline, model: ScriptedModel
) -> None:
    """It lands under the new generation's feet; the end is right."""
    editor = redline.editor
    model.say(script())
    first, second = model.hold("first", after=15), model.hold("second", after=10)
    editor.take_edit = ignore
    edit = begin(editor, apply="stream")
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    await editor.result(redirect(editor))
    await second.reached()
    editor.take_edit = take
    take(editor, request)
    second.release()
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == after(SECOND)
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == TEXT
    first.release()


# A second edit.


@pytest.mark.parametrize("apply", ["preview", "end", "stream"])
async def test_a_second_edit_of_an_overlapping_range(
    redline: Redline, model: ScriptedModel, apply: str
) -> None:
    """It takes the first one over, with what that had written."""
    editor = redline.editor
    model.say(script())
    first = model.hold("first", after=20)
    edit = begin(editor, apply=apply)
    await first.reached()
    if apply == "stream":
        await editor.hear(lambda _: editor.text(URI) != TEXT)
    if apply == "preview":
        await half_way(editor)
    again = editor.edit(URI, REGION, "second", sessionId="next", apply="end")
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "superseded"
    assert outcome["supersededBy"] == "next"
    assert (await editor.result(again))["outcome"] == "applied"
    assert editor.text(URI) == after(SECOND)
    if apply == "stream":
        assert is_begun(model.tasks[-1].draft, 4)
    if apply == "preview":
        assert is_begun(model.tasks[-1].draft, 16)
        (ended,) = editor.all_of("redline/edit/ended")
        assert (ended["outcome"], ended["supersededBy"]) == ("superseded", "next")
    await model.until(lambda: model.n("stopped") == 1)
    first.release()


# Steering.


async def steerable(
    connect: Connect, *, steer_s: float = 10.0, **first: object
) -> ScriptedModel:
    """A model that can be steered; it waits for that in the middle of `first`."""
    model = await connect(
        script(**IN_TWO_ITEMS, **first),
        steer=True,
        limits={"steer_s": steer_s},
    )
    return model


async def test_a_steer(redline: Redline, connect: Connect) -> None:
    """The running generation takes it: no second request; the successor is painted."""
    editor = redline.editor
    model = await steerable(connect)
    first, second = model.hold("first", after=1), model.hold("second", after=10)
    edit = begin(editor)
    await first.reached()
    screen = await half_way(editor)
    before = screen.hunks.copy()
    turned = redirect(editor)
    await model.until(lambda: model.n("steer") == 1)
    first.release()
    done = await editor.result(turned)
    assert done == {"accepted": True, "how": "steered", "sessionId": "live"}
    await second.reached()
    await screen.until(lambda s: s.n_full)
    assert screen.hunks.keys() == before.keys()
    second.release()
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "offered"
    assert outcome["usage"]["wastedTokens"] >= len("".join(FIRST[:N_FIRST_ITEM])) // 4
    assert screen.refresh().applied(URI) == after(SECOND)
    assert all(min(before) not in params["removed"] for params in screen.seen)
    assert model.n("create") == 1
    (steer,) = [json.loads(e.body or "") for e in model.entries if e.kind == "steer"]
    assert "second" in steer["input"]
    state = await editor.run_now("redline.editState", {"sessionId": "live"})
    assert state["instruction"] == "second"


async def test_a_steer_after_a_hunk_was_accepted(
    redline: Redline, connect: Connect
) -> None:
    """The successor writes for the text as it was; the preview is of what it is."""
    editor = redline.editor
    model = await steerable(connect)
    first = model.hold("first", after=1)
    edit = begin(editor)
    await first.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    one = screen.settled[0]
    await editor.run_now("redline.accept", {"sessionId": "live", "hunks": [one]})
    turned = redirect(editor)
    await model.until(lambda: model.n("steer") == 1)
    first.release()
    assert (await editor.result(turned))["how"] == "steered"
    assert (await editor.result(edit))["outcome"] == "offered"
    assert screen.refresh().applied(URI) == after(SECOND)
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == after(SECOND)


@pytest.mark.parametrize(
    "on_steer", ["steering_not_supported", "pending", "ignore", "error"]
)
async def test_a_steer_that_is_not_taken(
    redline: Redline, connect: Connect, on_steer: str
) -> None:
    """Refused, deferred or lost: the edit restarts, and the user does not notice."""
    editor = redline.editor
    model = await steerable(connect, steer_s=0.1, on_steer=on_steer)
    first = model.hold("first", after=1)
    edit = begin(editor)
    await first.reached()
    await half_way(editor)
    turned = redirect(editor)
    await model.until(lambda: model.n("steer") == 1)
    if on_steer == "pending":
        first.release()
    done = await editor.result(turned)
    assert done == {"accepted": True, "how": "restarted", "sessionId": "live"}
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "offered"
    screen = Screen(editor, "live").refresh()
    assert screen.applied(URI) == after(SECOND)
    assert model.n("create") == 2
    assert model.tasks[-1].draft == "".join(FIRST[:N_FIRST_ITEM])
    first.release()
    await editor.run_now("redline.reject", {"sessionId": "live"})
    if on_steer == "pending":
        return
    # The server has shown that it takes none: the next redirect does not try.
    again = model.hold("first", after=1)
    edit = editor.edit(URI, REGION, "first", sessionId="next", apply="preview")
    await again.reached()
    await Screen(editor, "next").until(lambda s: len(s.hunks) == 2)
    done = await editor.result(redirect(editor, sessionId="next"))
    assert done["how"] == "restarted"
    assert model.n("steer") == 1
    assert (await editor.result(edit))["outcome"] == "offered"
    again.release()


async def test_a_steer_that_comes_as_the_answer_ends(
    redline: Redline, connect: Connect
) -> None:
    """No successor comes after the last item: the edit is restarted."""
    editor = redline.editor
    whole = script(text="".join(FIRST), chunk_chars=10_000)
    model = await connect(whole, steer=True, limits={"steer_s": 10.0})
    first = model.hold("first", after=1)
    edit = begin(editor)
    await first.reached()
    await Screen(editor, "live").until(lambda s: len(s.hunks) == 3)
    turned = redirect(editor)
    await model.until(lambda: model.n("steer") == 1)
    first.release()
    assert (await editor.result(turned))["accepted"]
    screen = await offered(editor, edit)
    assert screen.applied(URI) == after(SECOND)


async def test_a_long_rest_is_not_waited_for(
    redline: Redline, connect: Connect
) -> None:
    """A steer would take effect after it; another answer begins at once."""
    editor = redline.editor
    items = ("".join(FIRST[:16]), "".join(FIRST[16:]))
    reply = {"items": items, "chunk_chars": 10_000}
    model = await connect(script(**reply), steer=True, limits={"steer_s": 10.0})
    first = model.hold("first", after=1)
    edit = begin(editor)
    await first.reached()
    await half_way(editor)
    done = await editor.result(redirect(editor))
    assert done == {"accepted": True, "how": "restarted", "sessionId": "live"}
    assert (await editor.result(edit))["outcome"] == "offered"
    assert Screen(editor, "live").refresh().applied(URI) == after(SECOND)
    assert model.n("steer") == 0
    first.release()


async def test_a_gateway_announces_that_it_is_steered(
    redline: Redline, connect: Connect
) -> None:
    """Without settings, for an unknown model name."""
    editor = redline.editor
    model = await connect(script(**IN_TWO_ITEMS), steer=None, limits={"steer_s": 10.0})
    first = model.hold("first", after=1)
    edit = begin(editor)
    await first.reached()
    await half_way(editor)
    turned = redirect(editor)
    await model.until(lambda: model.n("steer") == 1)
    first.release()
    assert (await editor.result(turned))["how"] == "steered"
    assert (await editor.result(edit))["outcome"] == "offered"


async def test_redirects_while_a_steer_is_unanswered(
    redline: Redline, connect: Connect
) -> None:
    """The last one counts, for any outcome of the first."""
    editor = redline.editor
    model = await steerable(connect, steer_s=0.1, on_steer="ignore")
    first = model.hold("first", after=1)
    edit = begin(editor)
    await first.reached()
    await half_way(editor)
    early = redirect(editor, "third")
    await model.until(lambda: model.n("steer") == 1)
    late = redirect(editor)
    assert (await editor.result(late))["accepted"]
    assert not (await editor.result(early))["accepted"]
    screen = await offered(editor, edit)
    assert screen.applied(URI) == after(SECOND)
    first.release()


async def test_a_stop_while_a_steer_is_unanswered(
    redline: Redline, connect: Connect
) -> None:
    """The redirect was not accepted, and all is over."""
    editor = redline.editor
    model = await steerable(connect, on_steer="ignore")
    first = model.hold("first", after=1)
    edit = begin(editor)
    await first.reached()
    await half_way(editor)
    turned = redirect(editor)
    await model.until(lambda: model.n("steer") == 1)
    await editor.run_now("redline.stop", {})
    assert not (await editor.result(turned))["accepted"]
    assert (await editor.result(edit))["outcome"] == "stopped"
    first.release()
    assert editor.text(URI) == TEXT


async def test_its_progress_shows_the_new_instruction(
    redline: Redline, model: ScriptedModel
) -> None:
    """At once, not with the next lines; the first one is not shown any more."""
    editor = redline.editor
    model.say(script())
    first, second = model.hold("first", after=20), model.hold("second", after=10)
    edit = begin(editor)
    await first.reached()
    begun = await editor.hear_method("$/progress")
    assert (begun["value"]["title"], begun["value"]["message"]) == ("Redline", "first")
    assert (await editor.result(redirect(editor)))["how"] == "restarted"
    await second.reached()
    shown = [each["value"]["message"] for each in editor.all_of("$/progress")]
    assert "second" in shown
    assert not any("first" in said for said in shown[shown.index("second") :])
    first.release()
    second.release()
    await offered(editor, edit)
