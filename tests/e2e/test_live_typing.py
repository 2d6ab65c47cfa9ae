"""The user types where an edit is written, and several edits share a file."""

from __future__ import annotations

import itertools

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.live_screen import Screen, numbered, offered, with_changes
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import APPLY_EDIT, WireEditor, ignore, take

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/live_typing.py"
OLD = numbered(40)
NEW = with_changes(OLD, 3, 15, 27)
HEAD, TAIL = "# head\n", "# tail\n"
TEXT = HEAD + "".join(OLD) + TAIL
REGION = lines(1, 41)
TYPED = "typed = True\n"
AGAIN = [*NEW[:9], TYPED, *NEW[9:]]
SCRIPT = Script(
    rules=(
        ScriptRule(
            when=When(contains=TYPED.strip()), reply=ScriptReply(chunks=tuple(AGAIN))
        ),
    ),
    otherwise=ScriptReply(chunks=tuple(NEW)),
)
REPLAN: Json = {"on_typing": "replan"}


def begin(editor: WireEditor, apply: str = "preview") -> int:
    """Ask for the edit."""
    editor.open(URI, TEXT)
    return editor.edit(URI, REGION, sessionId="live", apply=apply)


def type_inside(editor: WireEditor) -> None:
    """Type a line into the region, in several changes."""
    editor.type(URI, span((10, 0), (10, 0)), "typed")
    editor.type(URI, span((10, 5), (10, 5)), " = True")
    editor.type(URI, span((10, 12), (10, 12)), "\n")


@pytest.mark.parametrize("apply", ["preview", "end", "stream"])
@pytest.mark.parametrize("n_deltas", [0, 12])
async def test_it_begins_anew_on_what_was_typed(
    redline: Redline, connect: Connect, apply: str, n_deltas: int
) -> None:
    """Once, after a pause, with the new text and what was written as a draft."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=REPLAN)
    hold = model.hold("improve it", after=n_deltas)
    edit = begin(editor, apply)
    await hold.reached()
    if apply == "preview" and n_deltas:
        await Screen(editor, "live").until(lambda s: s.hunks)
    if apply == "stream" and n_deltas:
        await editor.hear(lambda _: editor.text(URI) != TEXT)
    target = "".join(with_changes(OLD, 3) if apply == "stream" and n_deltas else OLD)
    type_inside(editor)
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    outcome = await editor.result(edit)
    if apply == "preview":
        assert outcome["outcome"] == "offered"
        await editor.run_now("redline.accept", {"sessionId": "live"})
    else:
        assert outcome["outcome"] == "applied"
    assert editor.text(URI) == HEAD + "".join(AGAIN) + TAIL
    assert model.n("create") == 2
    task = model.tasks[-1]
    assert task.target == target.replace(OLD[9], TYPED + OLD[9])
    if n_deltas and apply != "end":
        # Without a preview nothing tells how much of it was read by then.
        assert task.draft is not None
        assert task.draft.startswith("".join(NEW[:4]))


async def test_typing_on_while_it_begins_anew(
    redline: Redline, connect: Connect
) -> None:
    """What was written first is the draft, however often it begins again."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=REPLAN)
    hold = model.hold("improve it", after=12)
    edit = begin(editor)
    await hold.reached()
    await Screen(editor, "live").until(lambda s: s.hunks)
    for count, text in enumerate(TYPED, start=1):
        editor.type(URI, span((10, count - 1), (10, count - 1)), text)
        # One by one, in the pause, and once while it writes again.
        await editor.run_now("redline.status", {})
        if count == 5:
            later = model.hold("improve it", after=0)
            await later.reached()
    later.release()
    assert (await editor.result(edit))["outcome"] == "offered"
    hold.release()
    screen = Screen(editor, "live").refresh()
    assert screen.applied(URI) == HEAD + "".join(AGAIN) + TAIL
    for task in model.tasks[1:]:
        assert task.draft is not None
        assert task.draft.startswith("".join(NEW[:4]))


async def test_the_preview_is_gone_until_it_writes_again(
    redline: Redline, connect: Connect
) -> None:
    """The preview is for an outdated text; it cannot be accepted."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=REPLAN)
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    old = set(screen.hunks)
    type_inside(editor)
    arguments = {"sessionId": "live", "hunks": sorted(old)}
    error = await editor.error(editor.run("redline.accept", arguments))
    assert error["code"] == -32602
    await screen.until(lambda s: s.version == 4)
    assert not screen.hunks.keys() & old
    hold.release()
    await editor.result(edit)
    assert screen.refresh().applied(URI) == HEAD + "".join(AGAIN) + TAIL
    # No id is used for something else.
    assert not screen.hunks.keys() & old


@pytest.mark.parametrize("on_stop", ["drop", "keep"])
async def test_a_stop_in_the_pause(
    redline: Redline, connect: Connect, on_stop: str
) -> None:
    """Nothing is kept of what was for another text."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={**REPLAN, "on_stop": on_stop})
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    await Screen(editor, "live").until(lambda s: s.settled)
    with editor.at_once():
        type_inside(editor)
        stop = editor.run("redline.stop", {})
    assert await editor.result(stop) == {"stopped": ["live"]}
    assert (await editor.result(edit))["outcome"] == "stopped"
    hold.release()
    assert editor.text(URI) == TEXT.replace(OLD[9], TYPED + OLD[9])


async def test_typing_into_an_offer(redline: Redline, connect: Connect) -> None:
    """An offer is not planned again: the changes of other lines stay in it."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=REPLAN)
    await offered(editor, begin(editor))
    type_inside(editor)
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == HEAD + "".join(AGAIN) + TAIL
    assert model.n("create") == 1


async def test_the_region_is_deleted(redline: Redline, connect: Connect) -> None:
    """No text is left to plan on, for any setting; every request is answered."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=REPLAN)
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    editor.type(URI, span((0, 0), (42, 0)), "")
    hold.release()
    await editor.answer(edit)
    await editor.run_now("redline.stop", {})


@pytest.mark.parametrize("apply", ["preview", "stream"])
async def test_typing_inside_while_something_is_on_its_way(
    redline: Redline, connect: Connect, apply: str
) -> None:
    """The stale edit is refused, and then the edit starts again."""
    editor = redline.editor
    model = await connect(SCRIPT, edit=REPLAN)
    hold = model.hold("improve it", after=12)
    editor.take_edit = ignore
    edit = begin(editor, apply)
    accepting = None
    if apply == "preview":
        screen = await Screen(editor, "live").until(lambda s: s.settled)
        arguments = {"sessionId": "live", "hunks": screen.settled}
        accepting = editor.run("redline.accept", arguments)
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    type_inside(editor)
    editor.take_edit = take
    take(editor, request)
    if accepting is not None:
        await editor.result(accepting)
    hold.release()
    outcome = await editor.result(edit)
    if apply == "preview":
        assert outcome["outcome"] == "offered"
        await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == HEAD + "".join(AGAIN) + TAIL


# Side by side.

PARTS = [numbered(12, first=100 * n) for n in (1, 2, 3)]
NAMES = ("one", "two", "three")
FILE = "# top\n" + "# between\n".join("".join(part) for part in PARTS)


def longer(part: list[str]) -> list[str]:
    """A part with a line changed and two more, so that all below it moves."""
    return [*part[:3], "added = 1\n", "added = 2\n", *part[3:8], "new = 0\n", *part[9:]]


def whole(*changed: int) -> str:
    """The file with some of the parts changed."""
    parts = [longer(p) if n in changed else p for n, p in enumerate(PARTS)]
    return "# top\n" + "# between\n".join("".join(part) for part in parts)


SIDE_BY_SIDE = Script(
    rules=tuple(
        ScriptRule(
            when=When(instruction=name), reply=ScriptReply(chunks=tuple(longer(part)))
        )
        for name, part in zip(NAMES, PARTS, strict=True)
    )
)


def part(number: int) -> Json:
    """Where a part is in the file as it was."""
    return lines(1 + 13 * number, 13 + 13 * number)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_offers_side_by_side(
    redline: Redline, model: ScriptedModel, order: tuple[int, ...]
) -> None:
    """They are accepted in any order, and none shifts another wrongly."""
    editor = redline.editor
    model.say(SIDE_BY_SIDE)
    editor.open(URI, FILE)
    edits = [
        editor.edit(URI, part(n), name, sessionId=name, apply="preview")
        for n, name in enumerate(NAMES)
    ]
    screens = [
        await offered(editor, edit, name)
        for edit, name in zip(edits, NAMES, strict=True)
    ]
    done: list[int] = []
    for number in order:
        await screens[number].until(lambda s: s.is_current)
        assert screens[number].applied(URI) == whole(*done, number)
        await editor.run_now("redline.accept", {"sessionId": NAMES[number]})
        done.append(number)
        assert editor.text(URI) == whole(*done)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_writing_side_by_side(
    redline: Redline, model: ScriptedModel, order: tuple[int, ...]
) -> None:
    """Steps, an edit at the end and a preview, ended in any order."""
    editor = redline.editor
    model.say(SIDE_BY_SIDE)
    editor.open(URI, FILE)
    holds = [model.hold(name, after=10) for name in NAMES]
    edits = [
        editor.edit(URI, part(n), NAMES[n], sessionId=NAMES[n], apply=apply)
        for n, apply in enumerate(("stream", "end", "preview"))
    ]
    for hold in holds:
        await hold.reached()
    for number in order:
        editor.type(URI, span((0, 0), (0, 0)), f"# typed {number}\n")
        holds[number].release()
        outcome = (await editor.result(edits[number]))["outcome"]
        assert outcome == ("offered" if number == 2 else "applied")
    await editor.run_now("redline.accept", {"sessionId": "three"})
    typed = "".join(f"# typed {number}\n" for number in reversed(order))
    assert editor.text(URI) == typed + whole(0, 1, 2)
    for number in order:
        await editor.run_now("redline.takeBack", {"sessionId": NAMES[number]})
    assert editor.text(URI) == typed + FILE


async def test_hunks_side_by_side(redline: Redline, model: ScriptedModel) -> None:
    """Hunks of several previews are accepted in turns."""
    editor = redline.editor
    model.say(SIDE_BY_SIDE)
    editor.open(URI, FILE)
    edits = [
        editor.edit(URI, part(n), name, sessionId=name, apply="preview")
        for n, name in enumerate(NAMES)
    ]
    screens = [
        await offered(editor, edit, name)
        for edit, name in zip(edits, NAMES, strict=True)
    ]
    for turn in range(2):
        for number in (1, 0, 2):
            screen = screens[number]
            await screen.until(lambda s: s.is_current)
            hunk = screen.settled[0 if turn == 0 else -1]
            arguments = {"sessionId": NAMES[number], "hunks": [hunk]}
            await editor.run_now("redline.accept", arguments)
    assert editor.text(URI) == whole(0, 1, 2)
    assert len(editor.all_of(APPLY_EDIT)) == 6
