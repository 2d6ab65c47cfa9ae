"""The preview of an edit that is written: what is painted is what can be accepted."""

from __future__ import annotations

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.live_screen import HUNKS, Screen, numbered, offered, with_changes
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import (
    APPLY_EDIT,
    WireEditor,
    answer_then_tell,
    drop,
    fail,
    ignore,
    refuse,
    take,
)

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/preview.py"
OLD = numbered(40)
NEW = with_changes(OLD, 3, 15, 27, 39)
HEAD, TAIL = "# head\n", "# tail\n"
TEXT = HEAD + "".join(OLD) + TAIL
EDITED = HEAD + "".join(NEW) + TAIL
REGION = lines(1, 41)
SCRIPT = Script(otherwise=ScriptReply(chunks=tuple(NEW)))


def begin(editor: WireEditor) -> int:
    """Ask for the edit of the whole middle."""
    editor.open(URI, TEXT)
    return editor.edit(URI, REGION, sessionId="live", apply="preview")


def edits_of(params: Json) -> list[Json]:
    """The text edits of a `workspace/applyEdit` of one document."""
    (document,) = params["edit"]["documentChanges"]
    edits: list[Json] = document["edits"]
    return edits


def versions(editor: WireEditor) -> list[int]:
    """The version that each `workspace/applyEdit` was made for."""
    return [
        params["edit"]["documentChanges"][0]["textDocument"]["version"]
        for params in editor.all_of(APPLY_EDIT)
    ]


def outcomes(editor: WireEditor) -> list[str]:
    """How previews ended."""
    return [params["outcome"] for params in editor.all_of("redline/edit/ended")]


async def accept(editor: WireEditor, *hunks: int) -> Json:
    """Accept some hunks, or all that are left."""
    arguments: Json = {"sessionId": "live"}
    if hunks:
        arguments["hunks"] = list(hunks)
    answer: Json = await editor.run_now("redline.accept", arguments)
    return answer


async def reject(editor: WireEditor, *hunks: int) -> Json:
    """Reject some hunks, or all that are left."""
    arguments: Json = {"sessionId": "live"}
    if hunks:
        arguments["hunks"] = list(hunks)
    answer: Json = await editor.run_now("redline.reject", arguments)
    return answer


# What is painted.


async def test_a_whole_edit_is_painted(redline: Redline, model: ScriptedModel) -> None:
    """It begins, is painted, is offered in full, and lands as it was shown."""
    editor = redline.editor
    model.say(SCRIPT)
    screen = await offered(editor, begin(editor))
    (began,) = editor.all_of("redline/edit/began")
    assert began["uri"] == URI
    assert began["version"] == 1
    assert began["range"] == span((1, 0), (40, len(OLD[-1]) - 1))
    assert screen.places == [(4, 5), (16, 17), (28, 29), (40, 41)]
    assert len(screen.settled) == 4
    assert screen.applied(URI) == EDITED
    assert editor.text(URI) == TEXT
    shown = screen.edits()
    assert await accept(editor) == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == EDITED
    (request,) = editor.all_of(APPLY_EDIT)
    assert edits_of(request) == shown
    assert versions(editor) == [1]
    assert outcomes(editor) == ["accepted"]


@pytest.mark.parametrize("chunk_chars", [1, 7, 1000])
async def test_the_top_settles_while_the_rest_is_written(
    redline: Redline, model: ScriptedModel, chunk_chars: int
) -> None:
    """However the deltas are cut, the first change is settled long before the end."""
    editor = redline.editor
    text = "".join(NEW[:16])
    cut = [text[i : i + chunk_chars] for i in range(0, len(text), chunk_chars)]
    reply = ScriptReply(chunks=(*cut, *NEW[16:]))
    model.say(Script(otherwise=reply))
    hold = model.hold("improve it", after=len(cut))
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.hunks) == 2)
    assert [h["newText"] for h in screen.edits()] == [NEW[3], NEW[15]]
    assert screen.hunks[screen.settled[0]]["newText"] == NEW[3]
    hold.release()
    screen = await offered(editor, edit)
    assert screen.applied(URI) == EDITED


async def test_no_more_paints_than_are_wanted(
    redline: Redline, connect: Connect
) -> None:
    """A thousand deltas a second make thirty messages a second, and the last state."""
    editor = redline.editor
    new = with_changes(OLD, *range(40))
    reply = ScriptReply(text="".join(new), chunk_chars=1, tokens_per_s=1000.0)
    await connect(Script(otherwise=reply), edit={"paints_per_s": 30})
    edit = begin(editor)
    screen = await offered(editor, edit)
    times = [
        at
        for message, at in zip(editor.heard, editor.talk.heard_at, strict=True)
        if message.get("method") == "redline/edit/began" or message.get("id") == edit
    ]
    n_paints = len(editor.all_of(HUNKS))
    # The first one comes at once, and the last one does not wait for its time.
    assert 2 <= n_paints <= 30 * (times[-1] - times[0]) + 2
    assert screen.applied(URI) == HEAD + "".join(new) + TAIL


async def test_the_last_state_does_not_wait(redline: Redline, connect: Connect) -> None:
    """With a paint in a hundred seconds the offer is complete when it is answered."""
    editor = redline.editor
    await connect(SCRIPT, edit={"paints_per_s": 0.01})
    screen = await offered(editor, begin(editor))
    assert len(screen.seen) <= 2
    assert screen.applied(URI) == EDITED


async def test_an_edit_elsewhere_moves_the_preview(
    redline: Redline, model: ScriptedModel
) -> None:
    """The whole preview comes again on the new version, written or offered."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.hunks) == 2)
    ids = set(screen.hunks)
    editor.type(URI, span((0, 0), (0, 0)), "# one\n# two\n")
    await screen.until(lambda s: s.version == 2)
    assert screen.seen[-1]["full"]
    assert screen.places == [(6, 7), (18, 19)]
    assert set(screen.hunks) == ids
    hold.release()
    await editor.result(edit)
    assert screen.refresh().applied(URI) == "# one\n# two\n" + EDITED
    editor.type(URI, span((0, 0), (1, 0)), "")
    await screen.until(lambda s: s.version == 3)
    assert screen.applied(URI) == "# two\n" + EDITED
    # Below the range nothing moves, but the version does.
    last = editor.text(URI).count("\n")
    editor.type(URI, span((last, 0), (last, 0)), "# end\n")
    await screen.until(lambda s: s.version == 4)
    assert await accept(editor) == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == "# two\n" + EDITED + "# end\n"
    assert versions(editor) == [4]


async def test_the_state_for_a_client_that_missed_something(
    redline: Redline, model: ScriptedModel
) -> None:
    """`redline.editState` says what the messages together have said."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.hunks) == 3)
    state = await editor.run_now("redline.editState", {"sessionId": "live"})
    assert state["sessionId"] == "live"
    assert state["state"] == "generating"
    assert state["instruction"] == "improve it"
    assert state["candidates"] == []
    assert screen.refresh().is_like(state)
    assert state["seq"] == screen.seq
    editor.type(URI, span((0, 0), (0, 0)), "# more\n")
    state = await editor.run_now("redline.editState", {"sessionId": "live"})
    assert state["version"] == 2
    await screen.until(lambda s: s.version == 2)
    assert screen.is_like(state)
    hold.release()
    screen = await offered(editor, edit)
    state = await editor.run_now("redline.editState", {"sessionId": "live"})
    assert state["state"] == "offered"
    assert screen.is_like(state)
    (candidate,) = state["candidates"]
    assert candidate == {"number": 0, "shown": True, "problems": [], "hunks": 4}


async def test_the_state_of_a_session_that_is_over(redline: Redline) -> None:
    """It is an error with a cause."""
    editor = redline.editor
    for command in ("redline.editState", "redline.nextCandidate", "redline.accept"):
        error = await editor.error(editor.run(command, {"sessionId": "no such"}))
        assert error["data"]["cause"] == "unknown-session"


# Accepting.


async def test_accepting_an_offer_hunk_by_hunk(
    redline: Redline, model: ScriptedModel
) -> None:
    """Each is one versioned edit, exactly what was shown; the rest stays painted."""
    editor = redline.editor
    model.say(SCRIPT)
    screen = await offered(editor, begin(editor))
    ids = screen.settled
    for count, at in enumerate((2, 0, 3), start=1):
        (shown,) = screen.edits(ids[at])
        left = {"outcome": "offered", "remaining": 4 - count}
        assert await accept(editor, ids[at]) == left
        assert edits_of(editor.all_of(APPLY_EDIT)[-1]) == [shown]
        await screen.until(lambda s: s.is_current)
        assert len(screen.hunks) == 4 - count
        assert screen.applied(URI) == EDITED
    assert set(screen.hunks) == {ids[1]}
    assert await accept(editor) == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == EDITED
    assert versions(editor) == [1, 2, 3, 4]
    assert outcomes(editor) == ["accepted"]


@pytest.mark.parametrize("taking", [take, answer_then_tell])
async def test_accepting_a_hunk_while_later_ones_stream(
    redline: Redline, model: ScriptedModel, taking: object
) -> None:
    """It lands at once, as it was shown; the rest continues and ends correctly."""
    editor = redline.editor
    editor.take_edit = taking  # type: ignore[assignment]  # Either of two such.
    model.say(SCRIPT)
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.settled) >= 2)
    first, second = screen.settled[:2]
    (shown,) = screen.edits(second)
    answer = await accept(editor, second)
    assert answer["outcome"] == "generating"
    assert editor.text(URI) == HEAD + "".join(with_changes(OLD, 15)) + TAIL
    assert edits_of(editor.all_of(APPLY_EDIT)[-1]) == [shown]
    await screen.until(lambda s: s.version == 2)
    assert second not in screen.hunks
    assert first in screen.hunks
    await accept(editor, first)
    assert editor.text(URI) == HEAD + "".join(with_changes(OLD, 3, 15)) + TAIL
    hold.release()
    screen = await offered(editor, edit)
    assert screen.places == [(28, 29), (40, 41)]
    assert screen.applied(URI) == EDITED
    assert await accept(editor) == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == EDITED
    assert versions(editor) == [1, 2, 3]


async def test_accepting_all_hunks_while_it_streams_leaves_nothing(
    redline: Redline, model: ScriptedModel
) -> None:
    """If nothing else comes, the edit is over when it is written."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(chunks=tuple(with_changes(OLD, 3)))))
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    await accept(editor, *screen.settled)
    hold.release()
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "applied"
    assert outcomes(editor) == ["accepted"]
    assert editor.text(URI) == HEAD + "".join(with_changes(OLD, 3)) + TAIL
    back = await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert back == {"sessionId": "live", "outcome": "takenBack"}
    assert editor.text(URI) == TEXT


async def test_accepting_the_whole_while_it_streams_waits(
    redline: Redline, model: ScriptedModel
) -> None:
    """The answer comes when all is written and has landed, as one edit."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    accepting = editor.run("redline.accept", {"sessionId": "live"})
    await editor.run_now("redline.status", {})
    assert not editor.all_of(APPLY_EDIT)
    hold.release()
    answer = await editor.result(accepting)
    assert answer == {"outcome": "accepted", "remaining": 0}
    assert (await editor.result(edit))["outcome"] == "offered"
    assert editor.text(URI) == EDITED
    assert versions(editor) == [1]


async def test_a_stop_while_an_accept_waits(
    redline: Redline, model: ScriptedModel
) -> None:
    """Both are answered, and nothing lands."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    accepting = editor.run("redline.accept", {"sessionId": "live"})
    await editor.run_now("redline.stop", {"sessionId": "live"})
    assert (await editor.result(accepting))["outcome"] == "stopped"
    assert (await editor.result(edit))["outcome"] == "stopped"
    hold.release()
    assert editor.text(URI) == TEXT


async def test_accepting_what_is_not_there(
    redline: Redline, model: ScriptedModel
) -> None:
    """A hunk that still grows or is gone is an error, and nothing is lost."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=17)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.hunks) == 2)
    (growing,) = set(screen.hunks) - set(screen.settled)
    for wrong in ([growing], [10_000], []):
        arguments = {"sessionId": "live", "hunks": wrong}
        error = await editor.error(editor.run("redline.accept", arguments))
        assert error["code"] == -32602
    hold.release()
    await offered(editor, edit)
    error = await editor.error(
        editor.run("redline.accept", {"sessionId": "live", "hunks": [10_000]})
    )
    assert error["code"] == -32602
    await accept(editor)
    assert editor.text(URI) == EDITED


@pytest.mark.parametrize("how", [refuse, fail])
@pytest.mark.parametrize("is_writing", [True, False])
async def test_the_editor_does_not_take_a_hunk(
    redline: Redline, model: ScriptedModel, how: object, is_writing: bool
) -> None:
    """The accept is an error, the preview stays, and can be accepted later."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.settled) >= 2)
    if not is_writing:
        hold.release()
        await editor.result(edit)
    editor.take_edit = how  # type: ignore[assignment]  # Either of two such.
    arguments = {"sessionId": "live", "hunks": screen.settled[:1]}
    error = await editor.error(editor.run("redline.accept", arguments))
    assert error["data"]["cause"] == "edit-not-landed"
    editor.take_edit = take
    hold.release()
    assert (await editor.result(edit))["outcome"] == "offered"
    assert screen.refresh().applied(URI) == EDITED
    await accept(editor, *screen.settled[:1])
    await accept(editor)
    assert editor.text(URI) == EDITED


async def test_the_editor_drops_a_hunk_and_says_that_it_took_it(
    redline: Redline, connect: Connect
) -> None:
    """That is noticed, and the preview stays."""
    editor = redline.editor
    await connect(SCRIPT, limits={"landing_s": 0.05})
    screen = await offered(editor, begin(editor))
    editor.take_edit = drop
    arguments = {"sessionId": "live", "hunks": screen.settled[:1]}
    error = await editor.error(editor.run("redline.accept", arguments))
    assert error["data"]["cause"] == "edit-not-landed"
    editor.take_edit = take
    await accept(editor)
    assert editor.text(URI) == EDITED


async def test_the_writing_ends_while_a_hunk_is_on_its_way(
    redline: Redline, model: ScriptedModel
) -> None:
    """The offer is of what is left; meanwhile nothing else can be sent."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.settled) >= 2)
    first, second = screen.settled[:2]
    editor.take_edit = ignore
    accepting = editor.run("redline.accept", {"sessionId": "live", "hunks": [first]})
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    arguments = {"sessionId": "live", "hunks": [second]}
    error = await editor.error(editor.run("redline.accept", arguments))
    assert "on its way" in error["message"]
    hold.release()
    await model.until(lambda: model.n("ended") == 1)
    # The end is read and checked in its own time.
    session = {"sessionId": "live"}
    while (await editor.run_now("redline.editState", session))["state"] != "offered":
        pass
    editor.take_edit = take
    take(editor, request)
    assert (await editor.result(accepting))["remaining"] == 3
    assert (await editor.result(edit))["outcome"] == "offered"
    await screen.until(lambda s: s.version == 2 and len(s.hunks) == 3)
    assert screen.applied(URI) == EDITED
    await accept(editor)
    assert editor.text(URI) == EDITED
    assert versions(editor) == [1, 2]


async def test_nothing_wrong_is_painted_while_a_hunk_lands(
    redline: Redline, connect: Connect
) -> None:
    """Between the change and the editor's answer the preview is of the new text."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={"paints_per_s": 0})
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.settled) >= 2)
    late: list[Json] = []

    def tell_only(editor: WireEditor, request: Json) -> None:
        changed = editor.apply(request["params"])
        assert changed is not None
        editor.tell(changed)
        late.append(request)

    editor.take_edit = tell_only
    accepting = editor.run(
        "redline.accept", {"sessionId": "live", "hunks": screen.settled[:1]}
    )
    await screen.until(lambda s: s.version == 2)
    assert screen.applied(URI) == HEAD + "".join([*NEW[:30], *OLD[30:]]) + TAIL
    hold.release()
    assert (await editor.result(edit))["outcome"] == "offered"
    assert screen.refresh().applied(URI) == EDITED
    (request,) = late
    editor.reply(request, {"applied": True})
    assert (await editor.result(accepting))["outcome"] == "generating"


async def test_a_stop_while_a_hunk_is_on_its_way(
    redline: Redline, model: ScriptedModel
) -> None:
    """The writing stops; the hunk cannot be called back, and everybody is answered."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    editor.take_edit = ignore
    arguments = {"sessionId": "live", "hunks": screen.settled[:1]}
    accepting = editor.run("redline.accept", arguments)
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    stopped = await editor.run_now("redline.stop", {"sessionId": "live"})
    assert stopped == {"stopped": ["live"]}
    assert (await editor.result(edit))["outcome"] == "stopped"
    hold.release()
    take(editor, request)
    assert (await editor.result(accepting))["outcome"] == "stopped"
    assert editor.text(URI) == HEAD + "".join(with_changes(OLD, 3)) + TAIL


async def test_typing_elsewhere_while_a_hunk_is_on_its_way(
    redline: Redline, model: ScriptedModel
) -> None:
    """The stale edit is refused, and made again; the rest is where it belongs."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)

    def type_first(editor: WireEditor, request: Json) -> None:
        editor.take_edit = take
        editor.type(URI, span((0, 0), (0, 0)), "# typed\n")
        take(editor, request)

    editor.take_edit = type_first
    await accept(editor, screen.settled[0])
    assert versions(editor) == [1, 2]
    once = "# typed\n" + HEAD + "".join(with_changes(OLD, 3)) + TAIL
    assert editor.text(URI) == once
    hold.release()
    await editor.result(edit)
    assert screen.refresh().applied(URI) == "# typed\n" + EDITED


# Rejecting.


async def test_rejecting_a_hunk_while_later_ones_stream(
    redline: Redline, model: ScriptedModel
) -> None:
    """It leaves the screen and does not come back; the rest ends right."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await hold.reached()
    # Until then, what the model has sent may still be on its way.
    screen = await Screen(editor, "live").until(
        lambda s: len(s.settled) >= 2 and len(s.hunks) == 3
    )
    first, second = screen.settled[:2]
    answer = await reject(editor, first)
    assert answer == {"outcome": "generating", "remaining": 2}
    await screen.until(lambda s: first not in s.hunks)
    assert second in screen.hunks
    hold.release()
    screen = await offered(editor, edit)
    rest = HEAD + "".join(with_changes(OLD, 15, 27, 39)) + TAIL
    assert screen.applied(URI) == rest
    await accept(editor)
    assert editor.text(URI) == rest
    assert len(editor.all_of(APPLY_EDIT)) == 1


async def test_rejecting_every_hunk_while_it_streams(
    redline: Redline, model: ScriptedModel
) -> None:
    """If nothing else comes, nothing is left to be offered."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(chunks=tuple(with_changes(OLD, 3)))))
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    await reject(editor, *screen.settled)
    hold.release()
    assert (await editor.result(edit))["outcome"] == "unchanged"
    assert editor.text(URI) == TEXT
    assert not editor.all_of(APPLY_EDIT)


async def test_rejecting_and_accepting_an_offer_by_hunk(
    redline: Redline, model: ScriptedModel
) -> None:
    """What was rejected is not in the text, what was accepted is."""
    editor = redline.editor
    model.say(SCRIPT)
    screen = await offered(editor, begin(editor))
    one, two, three, four = screen.settled
    assert await reject(editor, two) == {"outcome": "offered", "remaining": 3}
    await screen.until(lambda s: two not in s.hunks)
    assert await accept(editor, one) == {"outcome": "offered", "remaining": 2}
    assert await reject(editor, four) == {"outcome": "offered", "remaining": 1}
    await screen.until(lambda s: set(s.hunks) == {three})
    rest = HEAD + "".join(with_changes(OLD, 3, 27)) + TAIL
    assert screen.applied(URI) == rest
    assert await accept(editor) == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == rest


async def test_rejecting_the_last_hunk_after_others_were_accepted(
    redline: Redline, model: ScriptedModel
) -> None:
    """The edit ends; what was accepted stays, and can be taken back."""
    editor = redline.editor
    model.say(SCRIPT)
    screen = await offered(editor, begin(editor))
    one, *others = screen.settled
    await accept(editor, one)
    answer = await reject(editor, *others)
    assert answer == {"outcome": "accepted", "remaining": 0}
    assert outcomes(editor) == ["accepted"]
    assert editor.text(URI) == HEAD + "".join(with_changes(OLD, 3)) + TAIL
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == TEXT


@pytest.mark.parametrize("n_deltas", [0, 1, 20])
async def test_rejecting_the_whole_while_it_streams(
    redline: Redline, model: ScriptedModel, n_deltas: int
) -> None:
    """It ends at once, and the model's server is notified."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=n_deltas)
    edit = begin(editor)
    await hold.reached()
    assert await reject(editor) == {"outcome": "rejected", "remaining": 0}
    assert (await editor.result(edit))["outcome"] == "unchanged"
    assert outcomes(editor) == ["rejected"]
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    assert editor.text(URI) == TEXT
