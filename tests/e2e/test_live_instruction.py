"""An instruction that is carried out while it is typed."""

from __future__ import annotations

import copy

import pytest
from tests.e2e.conftest import Connect, Start
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.live_screen import Screen, numbered, offered, with_changes
from tests.e2e.redline_session import Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import APPLY_EDIT, CAPABILITIES, WireEditor

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When
from redline.text.reply import DECLINED

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/instruction.py"
OLD = numbered(40)
HALF = with_changes(OLD, 3, to="half")
WHOLE = with_changes(OLD, 3, 15)
HEAD, TAIL = "# head\n", "# tail\n"
TEXT = HEAD + "".join(OLD) + TAIL
REGION = lines(1, 41)
SCRIPT = Script(
    rules=(
        ScriptRule(
            when=When(instruction="add types"), reply=ScriptReply(chunks=tuple(WHOLE))
        ),
        ScriptRule(when=When(instruction="add"), reply=ScriptReply(chunks=tuple(HALF))),
        ScriptRule(
            when=When(instruction="?"),
            reply=ScriptReply(text=f"{DECLINED} Which one?\n"),
        ),
    )
)

AT_ONCE: Json = {"live_pause_s": 0, "live_per_minute": 1000}
NEVER: Json = {"live_pause_s": 1000}


def after(changed: list[str]) -> str:
    """The document with the region changed."""
    return HEAD + "".join(changed) + TAIL


def draft(editor: WireEditor, instruction: str) -> int:
    """Send the instruction as far as it is typed."""
    return editor.edit(URI, REGION, instruction, sessionId="live", draft=True)


def final(editor: WireEditor, instruction: str, *, apply: str = "end") -> int:
    """Send the instruction when it is typed."""
    return editor.edit(URI, REGION, instruction, sessionId="live", apply=apply)


async def outcome(editor: WireEditor, request: int) -> str:
    """Wait for how a request comes out."""
    result: str = (await editor.result(request))["outcome"]
    return result


async def test_each_draft_supersedes_the_one_before(
    redline: Redline, connect: Connect
) -> None:
    """Each request is answered once; only what is painted changes."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=AT_ONCE)
    hold = model.hold("add", after=20)
    editor.open(URI, TEXT)
    first = draft(editor, "add")
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.hunks) == 1)
    second = draft(editor, "add types")
    assert await outcome(editor, first) == "superseded"
    await offered(editor, second)
    assert screen.refresh().applied(URI) == after(WHOLE)
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    assert editor.text(URI) == TEXT
    assert not editor.all_of(APPLY_EDIT)
    assert len(editor.all_of("redline/edit/began")) == 1
    assert await outcome(editor, final(editor, "add types")) == "applied"
    assert editor.text(URI) == after(WHOLE)


async def test_nothing_is_asked_before_a_pause(
    redline: Redline, connect: Connect
) -> None:
    """While the user types nothing is sent; the final instruction does not wait."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=NEVER)
    model.entries.clear()
    editor.open(URI, TEXT)
    drafts = [draft(editor, "add types"[:n]) for n in range(1, 10)]
    for each in drafts[:-1]:
        assert await outcome(editor, each) == "superseded"
    assert model.n("create") == 0
    assert await outcome(editor, final(editor, "add types")) == "applied"
    assert await outcome(editor, drafts[-1]) == "superseded"
    assert [task.instruction for task in model.tasks] == ["add types"]
    assert editor.text(URI) == after(WHOLE)


@pytest.mark.parametrize("apply", ["end", "preview"])
async def test_the_final_text_is_the_same_while_it_is_written(
    redline: Redline, connect: Connect, apply: str
) -> None:
    """The running generation is used."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=AT_ONCE)
    hold = model.hold("add types", after=20)
    editor.open(URI, TEXT)
    early = draft(editor, "add types")
    await hold.reached()
    late = final(editor, " add types ", apply=apply)
    assert await outcome(editor, early) == "superseded"
    hold.release()
    if apply == "preview":
        screen = await offered(editor, late)
        assert screen.applied(URI) == after(WHOLE)
        await editor.run_now("redline.accept", {"sessionId": "live"})
    else:
        assert await outcome(editor, late) == "applied"
    assert editor.text(URI) == after(WHOLE)
    assert model.n("create") == 1


@pytest.mark.parametrize("apply", ["end", "preview"])
async def test_the_final_text_is_the_same_after_it_is_written(
    redline: Redline, connect: Connect, apply: str
) -> None:
    """What is there is taken."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=AT_ONCE)
    editor.open(URI, TEXT)
    screen = await offered(editor, draft(editor, "add types"))
    again = await offered(editor, draft(editor, "add types "))
    assert again.applied(URI) == after(WHOLE)
    late = final(editor, "add types", apply=apply)
    if apply == "preview":
        assert await outcome(editor, late) == "offered"
        assert screen.refresh().applied(URI) == after(WHOLE)
        await editor.run_now("redline.accept", {"sessionId": "live"})
    else:
        assert await outcome(editor, late) == "applied"
    assert editor.text(URI) == after(WHOLE)
    assert model.n("create") == 1
    (ended,) = editor.all_of("redline/edit/ended")
    assert ended["outcome"] == "accepted"


@pytest.mark.parametrize("is_written", [True, False])
async def test_the_final_text_is_another(
    redline: Redline, connect: Connect, is_written: bool
) -> None:
    """It starts again, with the written text as the draft."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=AT_ONCE)
    hold = model.hold("add", after=20)
    editor.open(URI, TEXT)
    early = draft(editor, "add")
    await hold.reached()
    if is_written:
        hold.release()
        await offered(editor, early)
    assert await outcome(editor, final(editor, "add types")) == "applied"
    assert editor.text(URI) == after(WHOLE)
    assert model.n("create") == 2
    hold.release()


async def test_the_budget(start: Start, model: ScriptedModel) -> None:
    """More drafts a minute than it allows are not tried out; the final one is."""
    model.say(SCRIPT)
    options = settings_for(model, edit={**AT_ONCE, "live_per_minute": 2})
    editor = (await start(options=options)).editor
    editor.open(URI, TEXT)
    await offered(editor, draft(editor, "add"))
    await offered(editor, draft(editor, "add t"))
    over = [draft(editor, "add ty"), draft(editor, "add type")]
    assert await outcome(editor, over[0]) == "superseded"
    await editor.run_now("redline.status", {})
    assert model.n("create") == 2
    assert await outcome(editor, final(editor, "add types")) == "applied"
    assert await outcome(editor, over[1]) == "superseded"
    assert [task.instruction for task in model.tasks] == ["add", "add t", "add types"]
    assert editor.text(URI) == after(WHOLE)


async def test_no_budget_at_all(redline: Redline, connect: Connect) -> None:
    """Nothing is tried out."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={**AT_ONCE, "live_per_minute": 0})
    editor.open(URI, TEXT)
    early = draft(editor, "add types")
    await editor.run_now("redline.status", {})
    assert await outcome(editor, final(editor, "add types")) == "applied"
    assert await outcome(editor, early) == "superseded"
    assert model.n("create") == 1


async def test_a_draft_without_a_preview(start: Start, model: ScriptedModel) -> None:
    """It could only be shown, so it is an error that says so."""
    capabilities = copy.deepcopy(CAPABILITIES)
    capabilities["experimental"]["redline"]["preview"] = False
    model.say(SCRIPT)
    editor = (await start(model=model, capabilities=capabilities)).editor
    editor.open(URI, TEXT)
    error = await editor.error(draft(editor, "add types"))
    assert error["code"] == -32602
    assert "preview" in error["message"]
    assert await outcome(editor, final(editor, "add types")) == "applied"


async def test_a_draft_that_changes_nothing(redline: Redline, connect: Connect) -> None:
    """Half an instruction often changes nothing: the session continues."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=AT_ONCE)
    editor.open(URI, TEXT)
    first = await editor.result(draft(editor, "?"))
    assert first["outcome"] == "offered"
    assert "Which one?" in first["message"]
    await offered(editor, draft(editor, "add types"))
    assert await outcome(editor, final(editor, "add types")) == "applied"
    assert model.n("create") == 2
    assert len(editor.all_of("redline/edit/began")) == 1


async def test_a_final_text_that_changes_nothing(
    redline: Redline, connect: Connect
) -> None:
    """Then the edit is over."""
    editor = redline.editor
    await connect(SCRIPT, edit=AT_ONCE)
    editor.open(URI, TEXT)
    assert await outcome(editor, draft(editor, "?")) == "offered"
    last = await editor.result(final(editor, "?"))
    assert last["outcome"] == "unchanged"
    assert "Which one?" in last["message"]


@pytest.mark.parametrize("n_deltas", [0, 20, 40])
async def test_a_stop_of_a_draft(
    redline: Redline, connect: Connect, n_deltas: int
) -> None:
    """The user thinks better of it; the same name can be used again."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=AT_ONCE)
    hold = model.hold("add types", after=n_deltas)
    editor.open(URI, TEXT)
    early = draft(editor, "add types")
    await hold.reached()
    stopped = await editor.run_now("redline.stop", {"sessionId": "live"})
    assert stopped == {"stopped": ["live"]}
    assert await outcome(editor, early) == "stopped"
    hold.release()
    assert editor.text(URI) == TEXT
    await model.until(lambda: model.n("stopped") + model.n("ended") == 1)


async def test_a_stop_in_a_pause(redline: Redline, connect: Connect) -> None:
    """Nothing was asked, and nothing will be."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=NEVER)
    editor.open(URI, TEXT)
    early = draft(editor, "add types")
    await editor.run_now("redline.stop", {})
    assert await outcome(editor, early) == "stopped"
    assert model.n("create") == 0


async def test_cancelling_the_request_of_a_draft(
    redline: Redline, connect: Connect
) -> None:
    """The last one's stops the session; an earlier one's was answered."""
    editor = redline.editor
    await connect(SCRIPT, edit=NEVER)
    editor.open(URI, TEXT)
    early, late = draft(editor, "add"), draft(editor, "add types")
    assert await outcome(editor, early) == "superseded"
    editor.cancel(early)
    status = await editor.run_now("redline.status", {})
    assert [each["sessionId"] for each in status["sessions"]] == ["live"]
    editor.cancel(late)
    assert (await editor.error(late))["code"] == -32800
    status = await editor.run_now("redline.status", {})
    assert status["sessions"] == []


async def test_typing_elsewhere(redline: Redline, connect: Connect) -> None:
    """The preview moves; what is applied in the end is in its place."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=AT_ONCE)
    hold = model.hold("add types", after=20)
    editor.open(URI, TEXT)
    early = draft(editor, "add types")
    await hold.reached()
    editor.type(URI, span((0, 0), (0, 0)), "# typed\n")
    hold.release()
    screen = await offered(editor, early)
    assert screen.applied(URI) == "# typed\n" + after(WHOLE)
    editor.type(URI, span((0, 0), (0, 0)), "# more\n")
    assert await outcome(editor, final(editor, "add types")) == "applied"
    assert editor.text(URI) == "# more\n# typed\n" + after(WHOLE)


async def test_a_session_that_is_no_draft(redline: Redline, connect: Connect) -> None:
    """Its name cannot be used for another edit while it runs."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=AT_ONCE)
    hold = model.hold("add types", after=20)
    editor.open(URI, TEXT)
    edit = final(editor, "add types", apply="preview")
    await hold.reached()
    for again in (draft(editor, "add"), final(editor, "add")):
        assert (await editor.error(again))["code"] == -32602
    hold.release()
    await offered(editor, edit)
