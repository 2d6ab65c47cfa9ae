"""Editors report an edit in many ways, and the user types meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.live_screen import Screen, numbered, offered, with_changes
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import APPLY_EDIT, WireEditor, ignore, take

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When
from redline.gateway.injected_faults import Cut

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/landing.py"
OLD = numbered(40)
NEW = with_changes(OLD, 3, 15, 27)
OTHER = with_changes(OLD, 3, 33, to="other")
HEAD, TAIL = "# head\n", "# tail\n"
TEXT = HEAD + "".join(OLD) + TAIL
REGION = lines(1, 41)
TYPED = "# typed\n"
SCRIPT = Script(
    rules=(
        ScriptRule(
            when=When(instruction="other"), reply=ScriptReply(chunks=tuple(OTHER))
        ),
    ),
    otherwise=ScriptReply(chunks=tuple(NEW)),
)


def after(changed: list[str]) -> str:
    """The document with the region changed."""
    return HEAD + "".join(changed) + TAIL


def begin(editor: WireEditor, apply: str) -> int:
    """Ask for the edit."""
    editor.open(URI, TEXT)
    return editor.edit(URI, REGION, sessionId="live", apply=apply)


def tell(editor: WireEditor, changes: list[Json]) -> None:
    """Send changes in one message."""
    document = editor.documents[URI]
    identifier = {"uri": URI, "version": document.version}
    params = {"textDocument": identifier, "contentChanges": changes}
    editor.notify("textDocument/didChange", params)


def piecewise(editor: WireEditor, request: Json) -> None:
    """Apply an edit and report each place by itself, as some editors do."""
    (part,) = request["params"]["edit"]["documentChanges"]
    document = editor.documents[URI]
    assert part["textDocument"]["version"] == document.version
    for edit in reversed(part["edits"]):
        tell(editor, document.apply([edit]))
    editor.reply(request, {"applied": True})


def together_with_typing(editor: WireEditor, request: Json) -> None:
    """Apply an edit, and report it together with the typing right after it."""
    editor.take_edit = take
    changed = editor.apply(request["params"])
    assert changed is not None
    ((document, changes),) = changed
    where = {"range": span((0, 0), (0, 0)), "newText": TYPED}
    tell(editor, [*changes, *document.apply([where])])
    editor.reply(request, {"applied": True})


def never_answered(editor: WireEditor, request: Json) -> None:
    """Apply an edit, report it, and never answer."""
    editor.tell(editor.apply(request["params"]) or ())


WAYS = [(piecewise, ""), (together_with_typing, TYPED), (never_answered, "")]

Taking = Callable[[WireEditor, Json], None]


@pytest.mark.parametrize(("taking", "above"), WAYS)
@pytest.mark.parametrize("apply", ["end", "stream"])
async def test_an_edit_lands(
    redline: Redline, model: ScriptedModel, apply: str, taking: Taking, above: str
) -> None:
    """For any report, it has landed when it shows; it can be taken back."""
    editor = redline.editor
    editor.take_edit = taking
    model.say(SCRIPT)
    edit = begin(editor, apply)
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == above + after(NEW)
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == above + TEXT


@pytest.mark.parametrize(("taking", "above"), WAYS)
@pytest.mark.parametrize("is_written", [True, False])
async def test_hunks_land(
    redline: Redline,
    model: ScriptedModel,
    taking: Taking,
    above: str,
    is_written: bool,
) -> None:
    """Two at once, while the rest is written or offered; the rest is in its place."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=25)
    edit = begin(editor, "preview")
    await hold.reached()
    if is_written:
        hold.release()
        await editor.result(edit)
    screen = await Screen(editor, "live").until(lambda s: len(s.settled) >= 2)
    editor.take_edit = taking
    accepted = {"sessionId": "live", "hunks": screen.settled[:2]}
    await editor.run_now("redline.accept", accepted)
    assert editor.text(URI) == above + after(with_changes(OLD, 3, 15))
    editor.take_edit = take
    hold.release()
    assert (await editor.result(edit))["outcome"] == "offered"
    await screen.until(lambda s: s.is_current)
    assert screen.applied(URI) == above + after(NEW)
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == above + after(NEW)


@pytest.mark.parametrize("apply", ["preview", "end", "stream"])
async def test_a_second_edit_while_the_first_is_on_its_way(
    redline: Redline, model: ScriptedModel, apply: str
) -> None:
    """It waits until that has landed, and works on what stands there then."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=25)
    editor.take_edit = ignore
    edit = begin(editor, apply)
    accepting = None
    landed = [3, 15, 27]
    if apply == "end":
        hold.release()
    elif apply == "preview":
        screen = await Screen(editor, "live").until(lambda s: s.settled)
        arguments = {"sessionId": "live", "hunks": screen.settled[:1]}
        accepting = editor.run("redline.accept", arguments)
        landed = [3]
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    if apply == "stream":
        (part,) = request["params"]["edit"]["documentChanges"]
        landed = landed[: len(part["edits"])]
    again = editor.edit(URI, REGION, "other", sessionId="next", apply="end")
    await editor.run_now("redline.status", {})
    assert model.n("create") == 1
    editor.take_edit = take
    take(editor, request)
    if accepting is not None:
        await editor.result(accepting)
    outcome = (await editor.result(edit))["outcome"]
    assert outcome == ("applied" if apply == "end" else "superseded")
    assert (await editor.result(again))["outcome"] == "applied"
    assert model.tasks[-1].target == "".join(with_changes(OLD, *landed))
    assert editor.text(URI) == after(OTHER)
    hold.release()


async def test_a_cut_after_a_hunk_was_accepted(
    redline: Redline, model: ScriptedModel
) -> None:
    """The answer is begun again, for the text in which the hunk is."""
    editor = redline.editor
    # 25 lines and the three events before them.
    cut = ScriptReply(chunks=tuple(NEW), faults=(Cut(at=28),))
    first = ScriptRule(when=When(nth=1), reply=cut)
    model.say(Script(rules=(first, *SCRIPT.rules), otherwise=SCRIPT.otherwise))
    hold = model.hold("improve it", after=20)
    edit = begin(editor, "preview")
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    accepted = {"sessionId": "live", "hunks": screen.settled[:1]}
    await editor.run_now("redline.accept", accepted)
    hold.release()
    assert (await editor.result(edit))["outcome"] == "offered"
    await screen.until(lambda s: s.is_current)
    assert screen.applied(URI) == after(NEW)
    assert model.n("create") == 2
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == after(NEW)


async def test_a_steer_between_steps(redline: Redline, connect: Connect) -> None:
    """The successor continues from the steps that have landed."""
    editor = redline.editor
    items = ("".join(NEW[:26]), "".join(NEW[26:]))
    script = Script(
        rules=SCRIPT.rules, otherwise=ScriptReply(items=items, chunk_chars=10_000)
    )
    model = await connect(script, steer=True, limits={"steer_s": 10.0})
    hold = model.hold("improve it", after=1)
    edit = begin(editor, "stream")
    await hold.reached()
    await editor.hear(lambda _: editor.text(URI) != TEXT)
    arguments = {"sessionId": "live", "instruction": "other"}
    turned = editor.run("redline.redirect", arguments)
    await model.until(lambda: model.n("steer") == 1)
    hold.release()
    assert (await editor.result(turned))["how"] == "steered"
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == after(OTHER)
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == TEXT


async def test_the_rest_of_a_cut_answer_stays(
    redline: Redline, model: ScriptedModel
) -> None:
    """An answer that ends at the output limit deletes nothing that it never reached."""
    editor = redline.editor
    text = "".join(NEW[:26])
    reply = ScriptReply(text=text, chunk_chars=40, incomplete="max_output_tokens")
    model.say(Script(otherwise=reply))
    editor.open(URI, TEXT)
    # An answer of which nothing has landed is held back instead.
    hold = model.hold("improve it", after=len(text) // 40 - 1)
    edit = editor.edit(URI, REGION, sessionId="live", apply="stream")
    await hold.reached()
    await editor.hear(lambda _: editor.text(URI) != TEXT)
    hold.release()
    message = (await editor.error(edit))["message"]
    assert "output limit" in message
    assert "the rest of the range is as it was" in message
    lines = editor.text(URI).splitlines(keepends=True)
    assert lines[-20:] == TEXT.splitlines(keepends=True)[-20:]
    assert len(lines) == len(TEXT.splitlines())
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == TEXT


async def test_steps_are_for_clients_without_a_preview(
    redline: Redline, model: ScriptedModel
) -> None:
    """Such clients see nothing else, and there is one candidate."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, REGION, apply="stream", candidates=3)
    assert (await editor.result(edit))["outcome"] == "applied"
    assert model.n("create") == 1
    assert not [m for m in editor.heard if "redline/edit/" in m.get("method", "")]


async def test_two_accepts_at_once(redline: Redline, model: ScriptedModel) -> None:
    """Read together: one is carried out, the other fails with advice to try again."""
    editor = redline.editor
    model.say(SCRIPT)
    screen = await offered(editor, begin(editor, "preview"))
    editor.take_edit = ignore
    with editor.at_once():
        requests = [
            editor.run("redline.accept", {"sessionId": "live", "hunks": [hunk]})
            for hunk in screen.settled[:2]
        ]
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    error = await editor.error(requests[1])
    assert "on its way" in error["message"]
    editor.take_edit = take
    take(editor, request)
    assert (await editor.result(requests[0]))["remaining"] == 2
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == after(NEW)
