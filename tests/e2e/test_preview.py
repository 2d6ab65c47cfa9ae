"""The preview: what is shown, what is accepted, and clients that have none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.e2e.conftest import Connect, Start
from tests.e2e.editor_document import EditorDocument, Json, lines, span
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import CAPABILITIES, WireEditor

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When
from redline.gateway.injected_faults import Cut

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/preview.py"
ROWS = [f"a{number} = {number}\n" for number in range(20)]
TEXT = "".join(ROWS)
NEW_ROWS = [*ROWS[:3], "a3 = 'x'\n", *ROWS[4:10], "new = 0\n", *ROWS[10:16], *ROWS[18:]]
NEW_TEXT = "".join(NEW_ROWS)
SCRIPT = Script(otherwise=ScriptReply(text=NEW_TEXT, chunk_chars=5))
WHOLE = lines(0, 20)


def shown_text(editor: WireEditor, text: str) -> str:
    """Apply what a preview shows by its messages to a text, as a client does."""
    hunks: dict[int, Json] = {}
    for message in editor.all_of("redline/edit/hunks"):
        hunks = {} if message["full"] else hunks
        for gone in message["removed"]:
            hunks.pop(gone, None)
        hunks |= {hunk["id"]: hunk for hunk in message["hunks"]}
    document = EditorDocument(URI, text, encoding="utf-16")
    document.apply(list(hunks.values()))
    return document.text


async def offer(
    redline: Redline, where: Json = WHOLE, text: str = TEXT, **more: Any
) -> Json:
    """Ask for an edit that must be offered; returns the outcome."""
    editor = redline.editor
    editor.open(URI, text)
    edit = editor.edit(URI, where, sessionId="one", apply="preview", **more)
    outcome: Json = await editor.result(edit)
    assert outcome["outcome"] == "offered"
    assert editor.text(URI) == text, "an offer touches nothing"
    return outcome


async def state(editor: WireEditor) -> Json:
    """The whole preview."""
    found: Json = await editor.run_now("redline.editState", {"sessionId": "one"})
    return found


async def test_what_is_shown_is_what_is_accepted(
    redline: Redline, model: ScriptedModel
) -> None:
    """Began, hunks in order, answered, accepted, ended; the text is the shown one."""
    editor = redline.editor
    model.say(SCRIPT)
    await offer(redline)
    (began,) = editor.all_of("redline/edit/began")
    assert (began["uri"], began["version"]) == (URI, 1)
    assert began["range"]["start"] == {"line": 0, "character": 0}
    assert shown_text(editor, TEXT) == NEW_TEXT
    accepted = await editor.run_now("redline.accept", {"sessionId": "one"})
    assert accepted == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == NEW_TEXT
    (ended,) = editor.all_of("redline/edit/ended")
    assert ended["outcome"] == "accepted"


async def test_the_offer_is_answered_after_its_last_hunks(
    redline: Redline, model: ScriptedModel
) -> None:
    """Who has the answer has seen all that it is about."""
    editor = redline.editor
    model.say(SCRIPT)
    await offer(redline)
    n_heard = len(editor.all_of("redline/edit/hunks"))
    await asyncio.wait_for(editor.run_now("redline.status", {}), 20)
    assert len(editor.all_of("redline/edit/hunks")) == n_heard
    assert all(hunk["state"] == "settled" for hunk in (await state(editor))["hunks"])


async def test_hunks_are_painted_while_the_model_writes(
    redline: Redline, model: ScriptedModel
) -> None:
    """The first change is on the screen before the last is written."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=20)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, WHOLE, sessionId="one", apply="preview")
    await hold.reached()
    painted = await editor.hear(
        lambda m: m.get("method") == "redline/edit/hunks" and m["params"]["hunks"]
    )
    assert painted["params"]["version"] == 1
    hold.release()
    assert (await editor.result(edit))["outcome"] == "offered"
    assert shown_text(editor, TEXT) == NEW_TEXT


async def test_accepting_hunk_by_hunk(redline: Redline, model: ScriptedModel) -> None:
    """In any order; each leaves the preview, the last ends it."""
    editor = redline.editor
    model.say(SCRIPT)
    await offer(redline)
    ids = [hunk["id"] for hunk in (await state(editor))["hunks"]]
    assert len(ids) == 3
    for remaining, each in ((2, ids[1]), (1, ids[0]), (0, ids[2])):
        choice = {"sessionId": "one", "hunks": [each]}
        accepted = await editor.run_now("redline.accept", choice)
        outcome = "accepted" if remaining == 0 else "offered"
        assert accepted == {"outcome": outcome, "remaining": remaining}
    assert editor.text(URI) == NEW_TEXT


async def test_accepting_some_and_rejecting_the_rest(
    redline: Redline, model: ScriptedModel
) -> None:
    """What was accepted stays, what was rejected never was."""
    editor = redline.editor
    model.say(SCRIPT)
    await offer(redline)
    first, second, third = [hunk["id"] for hunk in (await state(editor))["hunks"]]
    rejected = await editor.run_now(
        "redline.reject", {"sessionId": "one", "hunks": [second]}
    )
    assert rejected == {"outcome": "offered", "remaining": 2}
    accepted = await editor.run_now(
        "redline.accept", {"sessionId": "one", "hunks": [first]}
    )
    assert accepted == {"outcome": "offered", "remaining": 1}
    error = await editor.error(
        editor.run("redline.accept", {"sessionId": "one", "hunks": [second]})
    )
    assert error["code"] == -32602
    rejected = await editor.run_now("redline.reject", {"sessionId": "one"})
    assert rejected["remaining"] == 0
    assert editor.text(URI) == TEXT.replace("a3 = 3", "a3 = 'x'")
    assert third != first


async def test_editing_elsewhere_moves_the_preview(
    redline: Redline, model: ScriptedModel
) -> None:
    """All of it is sent again for the new version, and accepting lands in place."""
    editor = redline.editor
    text = "# top\n" + TEXT + "# end\n"
    model.say(SCRIPT)
    await offer(redline, lines(1, 21), text)
    editor.type(URI, span((0, 0), (0, 0)), "# one more\n")
    await editor.hear(
        lambda m: (
            m.get("method") == "redline/edit/hunks"
            and m["params"]["version"] == 2
            and m["params"]["full"]
        )
    )
    expected = "# one more\n# top\n" + NEW_TEXT + "# end\n"
    assert shown_text(editor, editor.text(URI)) == expected
    await editor.run_now("redline.accept", {"sessionId": "one"})
    assert editor.text(URI) == expected


async def test_typing_into_an_offer(redline: Redline, model: ScriptedModel) -> None:
    """What was typed stays, and the changes of other lines are still offered."""
    editor = redline.editor
    model.say(SCRIPT)
    await offer(redline)
    editor.type(URI, span((5, 0), (5, 1)), "z")
    assert (await state(editor))["hunks"]
    await editor.run_now("redline.accept", {"sessionId": "one"})
    assert editor.text(URI) == NEW_TEXT.replace("a5", "z5")


async def test_typing_over_an_offer(redline: Redline, model: ScriptedModel) -> None:
    """It goes away with all the lines that it would change."""
    editor = redline.editor
    model.say(SCRIPT)
    await offer(redline)
    typed = "z = 0\n" * len(ROWS)
    editor.type(URI, WHOLE, typed)
    ended = await editor.hear_method("redline/edit/ended")
    assert ended["outcome"] == "stopped"
    assert editor.text(URI) == typed


async def test_an_offer_for_a_closed_file(
    redline: Redline, model: ScriptedModel
) -> None:
    """It goes with the file."""
    editor = redline.editor
    model.say(SCRIPT)
    await offer(redline)
    editor.close_document(URI)
    assert (await editor.hear_method("redline/edit/ended"))["outcome"] == "stopped"


async def test_an_offer_for_a_renamed_file(
    redline: Redline, model: ScriptedModel
) -> None:
    """Rejected, it can be offered again under the file's new name."""
    editor, new_uri = redline.editor, URI.replace("preview", "renamed")
    model.say(SCRIPT)
    await offer(redline)
    await editor.run_now("redline.reject", {"sessionId": "one"})
    editor.close_document(URI)
    editor.open(new_uri, TEXT)
    renamed = {"files": [{"oldUri": URI, "newUri": new_uri}]}
    editor.notify("workspace/didRenameFiles", renamed)
    # Served after the notification, in the order of their arrival.
    await editor.run_now("redline.stats", {})
    outcome = await editor.run_now("redline.bringBack", {"uri": new_uri})
    assert outcome["outcome"] == "offered"
    await editor.run_now("redline.accept", {"sessionId": outcome["sessionId"]})
    assert editor.text(new_uri) == NEW_TEXT


HELD = "".join([*ROWS[:3], "# ... rest of the code unchanged ...\n"])


@pytest.mark.parametrize("apply", ["end", "preview"])
@pytest.mark.parametrize("command", ["redline.accept", "redline.reject"])
async def test_code_that_is_left_out_is_held(
    redline: Redline, model: ScriptedModel, apply: str, command: str
) -> None:
    """Not applied, with why; the user may take it anyway, or not."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(text=HELD)))
    editor.open(URI, TEXT)
    edit = editor.edit(URI, WHOLE, sessionId="one", apply=apply)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "held"
    (check,) = outcome["checks"]
    assert (check["rule"], check["line"]) == ("elision", 3)
    assert editor.text(URI) == TEXT
    answered = await editor.run_now(command, {"sessionId": "one"})
    is_accepted = command == "redline.accept"
    assert answered["outcome"] == ("accepted" if is_accepted else "rejected")
    assert editor.text(URI) == (HELD if is_accepted else TEXT)


async def test_a_model_that_declines(redline: Redline, model: ScriptedModel) -> None:
    """Unchanged, with its reason, and the preview ends."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(text="NO CHANGE: it is good as it is.\n")))
    editor.open(URI, TEXT)
    edit = editor.edit(URI, WHOLE, apply="preview")
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "unchanged"
    assert "it is good as it is" in outcome["message"]
    assert editor.all_of("redline/edit/ended")[0]["outcome"] == "unchanged"


async def test_a_failure_ends_the_preview(
    redline: Redline, model: ScriptedModel
) -> None:
    """The preview is over before the error is answered."""
    editor = redline.editor
    model.say(
        Script(
            otherwise=ScriptReply(text=NEW_TEXT, chunk_chars=5, failed="server_error")
        )
    )
    editor.open(URI, TEXT)
    error = await editor.error(editor.edit(URI, WHOLE, apply="preview"))
    assert error["code"] == -32803
    (ended,) = editor.all_of("redline/edit/ended")
    assert ended["outcome"] == "failed"


async def test_a_preview_that_was_cut_is_painted_anew(
    redline: Redline, model: ScriptedModel
) -> None:
    """What the first try showed is gone; what is shown is what is accepted."""
    editor = redline.editor
    wrong = ScriptReply(text="wrong = 1\n" * 30, chunk_chars=5, faults=(Cut(at=40),))
    rules = (ScriptRule(when=When(nth=1), reply=wrong),)
    model.say(Script(rules=rules, otherwise=SCRIPT.otherwise))
    await offer(redline)
    assert shown_text(editor, TEXT) == NEW_TEXT
    await editor.run_now("redline.accept", {"sessionId": "one"})
    assert editor.text(URI) == NEW_TEXT


async def test_preview_as_the_setting(redline: Redline, connect: Connect) -> None:
    """`edit.apply = "preview"` previews every edit that does not say otherwise."""
    editor = redline.editor
    await connect(SCRIPT, edit={"apply": "preview"})
    editor.open(URI, TEXT)
    edit = editor.edit(URI, WHOLE, sessionId="one")
    assert (await editor.result(edit))["outcome"] == "offered"
    edit = editor.edit(URI, WHOLE, apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"


async def test_an_editor_that_does_not_read(redline: Redline, connect: Connect) -> None:
    """The model is not held up, and the editor catches up once it reads again."""
    editor = redline.editor
    rows = [f"line = {number}\n" for number in range(5_000)]
    script = Script(otherwise=ScriptReply(chunks=tuple(rows)))
    model = await connect(script, edit={"paints_per_s": 0, "rewrite_lines": 10_000})
    editor.open(URI, TEXT)
    editor.may_read.clear()
    edit = editor.edit(URI, WHOLE, sessionId="one", apply="preview")
    await model.until(lambda: model.n("ended") == 1)
    editor.may_read.set()
    assert (await editor.result(edit))["outcome"] == "offered"
    assert shown_text(editor, TEXT) == "".join(rows)
    await editor.run_now("redline.accept", {"sessionId": "one"})
    assert editor.text(URI) == "".join(rows)


def without(*path: str) -> Json:
    """An able editor's capabilities but one."""

    def cut(value: Json, at: str, *rest: str) -> Json:
        if not rest:
            return {name: each for name, each in value.items() if name != at}
        return {**value, at: cut(value[at], *rest)}

    return cut(CAPABILITIES, *path)


async def test_a_client_without_a_preview(start: Start, model: ScriptedModel) -> None:
    """It receives none; its edits are applied at the end, for any request."""
    redline = await start(model=model, capabilities=without("experimental"))
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, WHOLE, apply="preview")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == NEW_TEXT
    assert not [m for m in editor.heard if m.get("method", "").startswith("redline/")]


async def test_a_client_without_document_changes(
    start: Start, model: ScriptedModel
) -> None:
    """It gets plain `changes`, and typing in between is handled all the same."""
    capabilities = without("workspace", "workspaceEdit", "documentChanges")
    redline = await start(model=model, capabilities=capabilities)
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, WHOLE, apply="end")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == NEW_TEXT
    (applied,) = editor.all_of("workspace/applyEdit")
    assert list(applied["edit"]) == ["changes"]
    assert list(applied["edit"]["changes"]) == [URI]


async def test_a_client_without_progress(start: Start, model: ScriptedModel) -> None:
    """No token is made for it; one of its own is used all the same."""
    redline = await start(model=model, capabilities=without("window"))
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    await editor.result(editor.edit(URI, WHOLE, apply="end"))
    assert not editor.all_of("window/workDoneProgress/create")
    assert not editor.all_of("$/progress")
    await editor.result(editor.edit(URI, WHOLE, apply="end", token=7))
    assert {each["token"] for each in editor.all_of("$/progress")} == {7}


async def test_progress_of_an_edit(redline: Redline, model: ScriptedModel) -> None:
    """It carries the instruction and can be cancelled; its token is asked for first."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("number them", after=20)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, WHOLE, "number them", apply="end")
    await hold.reached()
    created = await editor.hear_method("window/workDoneProgress/create")
    begun = await editor.hear_method("$/progress")
    assert begun["token"] == created["token"]
    assert begun["value"]["cancellable"] is True
    assert begun["value"]["title"] == "Redline"
    assert begun["value"]["message"] == "number them"
    hold.release()
    assert (await editor.result(edit))["outcome"] == "applied"


async def test_an_import_that_is_used_by_then_stays(
    redline: Redline, model: ScriptedModel
) -> None:
    """Other lines may need it, or have it, when the offer is accepted."""
    editor = redline.editor
    text = (
        "import json\nimport os\n\n\ndef f(a):\n    return json.dumps(a)\n\n\n"
        "def g(a): os\n"
    )
    code = "    return re.escape(a)\n"
    model.say(Script(otherwise=ScriptReply(text=f"import re\n\n{code}")))
    await offer(redline, lines(5, 6), text)
    assert len((await state(editor))["hunks"]) == 3
    body, top = {"line": 8, "character": 12}, {"line": 2, "character": 0}
    editor.type(URI, {"start": body, "end": body}, ", json, re")
    editor.type(URI, {"start": top, "end": top}, "import re\n")
    answer = await editor.run_now("redline.accept", {"sessionId": "one"})
    assert answer["outcome"] == "accepted"
    assert editor.text(URI) == (
        f"import json\nimport os\nimport re\n\n\ndef f(a):\n{code}\n\n"
        "def g(a): os, json, re\n"
    )


async def test_an_import_takes_the_place_of_another(
    redline: Redline, model: ScriptedModel
) -> None:
    """It is accepted with the text that uses it."""
    editor = redline.editor
    text = "import json\nimport os\n\n\ndef f(a):\n    return json.dumps(a)\n"
    code = "    return json.dumps(a, option=1)\n"
    model.say(Script(otherwise=ScriptReply(text=f"import orjson as json\n\n{code}")))
    await offer(redline, lines(5, 6), text)
    await editor.run_now("redline.accept", {"sessionId": "one"})
    accepted = editor.text(URI)
    assert "import orjson as json\n" in accepted
    assert "import json\n" not in accepted
    assert accepted.endswith(f"def f(a):\n{code}")


async def test_imports_are_changes_of_their_own(
    redline: Redline, model: ScriptedModel
) -> None:
    """They come above the range once it is written, and are undone with the rest."""
    editor = redline.editor
    text = "import os\n\nhome = os.sep\n\n\ndef f(a):\n    return a\n"
    code = "def f(a):\n    return json.dumps(a)\n"
    model.say(Script(otherwise=ScriptReply(text=f"import json\n\n\n{code}")))
    await offer(redline, lines(5, 7), text)
    messages = editor.all_of("redline/edit/hunks")
    assert all(
        hunk["range"]["start"]["line"] >= 5
        for message in messages[:-1]
        for hunk in message["hunks"]
    )
    above, inside = (await state(editor))["hunks"]
    assert (above["range"]["start"]["line"], above["newText"]) == (0, "import json\n")
    new = f"import json\n{text[: text.index('def')]}{code}"
    assert shown_text(editor, text) == new
    chosen = {"sessionId": "one", "hunks": [inside["id"]]}
    answer = await editor.run_now("redline.accept", chosen)
    assert answer == {"outcome": "offered", "remaining": 1}
    await editor.run_now("redline.accept", {"sessionId": "one"})
    assert editor.text(URI) == new
    await editor.run_now("redline.takeBack", {"sessionId": "one"})
    assert editor.text(URI) == text
