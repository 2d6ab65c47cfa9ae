"""The code action menu, and the work of a chosen entry."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from tests.e2e.conftest import Connect, Start
from tests.e2e.editor_document import EditorDocument, Json, lines, place, span
from tests.e2e.redline_session import Redline, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import APPLY_EDIT, CAPABILITIES, WireEditor

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

CONTENT_MODIFIED, REQUEST_CANCELLED, REQUEST_FAILED = -32801, -32800, -32803

URI = "file:///project/prices.py"
TEXT = "def total(prices):\n    return sum(prices)\n\n\nx = 1\n"
BETTER = "def total(prices):\n    return sum(prices, 0)\n"
EDITED = TEXT.replace("sum(prices)", "sum(prices, 0)")
BODY = lines(1, 1)
PROBLEM: Json = {
    "range": span((1, 11), (1, 14)),
    "message": "it is wrong",
    "source": "linter",
    "code": 7,
    "severity": 1,
    "data": {"of": "the linter"},
}


def menu(
    editor: WireEditor,
    where: Json = BODY,
    *,
    uri: str = URI,
    diagnostics: object = (),
    only: list[str] | None = None,
) -> int:
    """Ask for the menu; returns the request's id."""
    context: Json = {"diagnostics": diagnostics}
    if only is not None:
        context["only"] = only
    document = {"uri": uri}
    params = {"textDocument": document, "range": where, "context": context}
    return editor.ask("textDocument/codeAction", params)


async def choose(editor: WireEditor, title: str, *args: Any, **more: Any) -> Json:
    """Open the menu and take the first action whose title begins like that."""
    actions = await editor.result(menu(editor, *args, **more))
    return next(each for each in actions if each["title"].startswith(title))


def resolve(editor: WireEditor, action: Json) -> int:
    """Ask for an action's edit; returns the request's id."""
    return editor.ask("codeAction/resolve", action)


def apply(editor: WireEditor, edit: Json) -> None:
    """Take an edit, and tell the server of it."""
    changed = editor.apply({"edit": edit})
    assert changed is not None, "the edit is for another version"
    editor.tell(changed)


def text_of(shown: Json) -> str:
    """The text of a document that the server shows."""
    return Path(unquote(urlsplit(shown["uri"]).path)).read_text()


def saying(text: str) -> Script:
    """Say one thing to everybody."""
    return Script(otherwise=ScriptReply(text=text))


async def test_an_action_is_resolved_into_a_versioned_edit(
    redline: Redline, model: ScriptedModel
) -> None:
    """No model is asked before; the server changes nothing by itself."""
    editor = redline.editor
    model.say(saying(BETTER))
    editor.open(URI, TEXT, version=4)
    action = await choose(editor, "Simplify")
    assert model.prompts == []
    assert "edit" not in action
    assert "command" not in action
    resolved = await editor.result(resolve(editor, action))
    assert {name: resolved[name] for name in action} == action
    (change,) = resolved["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": URI, "version": 4}
    assert editor.all_of(APPLY_EDIT) == []
    apply(editor, resolved["edit"])
    assert editor.text(URI) == EDITED


async def test_the_menu_is_answered_while_a_generation_runs(
    redline: Redline, model: ScriptedModel
) -> None:
    """With what can be done about the edit that runs there."""
    editor = redline.editor
    model.say(saying(BETTER))
    hold = model.hold("improve it", after=1)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 2), sessionId="s", apply="end")
    await hold.reached()
    stop = await choose(editor, "Stop: improve it")
    assert stop["kind"] == "redline.session"
    assert len(model.prompts) == 1
    elsewhere = await editor.result(menu(editor, lines(4, 4)))
    assert not any(each["title"].startswith("Stop") for each in elsewhere)
    command = stop["command"]
    assert await editor.run_now(command["command"], *command["arguments"]) == {
        "stopped": ["s"]
    }
    assert (await editor.result(edit))["outcome"] == "stopped"
    assert editor.text(URI) == TEXT
    hold.release()


async def test_resolving_can_be_cancelled(
    redline: Redline, model: ScriptedModel
) -> None:
    """The generation ends with it, and so does its progress."""
    editor = redline.editor
    action = {}
    editor.open(URI, TEXT)
    action = await choose(editor, "Simplify")
    hold = model.hold(action["data"]["arguments"]["instruction"], after=1)
    request = resolve(editor, action)
    await hold.reached()
    assert (await editor.run_now("redline.status", {}))["sessions"] != []
    editor.cancel(request)
    assert (await editor.error(request))["code"] == REQUEST_CANCELLED
    assert (await editor.run_now("redline.status", {}))["sessions"] == []
    hold.release()


async def test_data_with_half_an_emoji_are_refused(
    redline: Redline, model: ScriptedModel
) -> None:
    """JSON can express it, and UTF-8 cannot."""
    editor = redline.editor
    editor.open(URI, TEXT)
    action = await choose(editor, "Simplify")
    action["data"]["arguments"]["instruction"] = "\ud83d"
    error = await editor.error(resolve(editor, action))
    assert "not in UTF-8" in error["message"]


async def test_resolving_is_stopped_by_its_progress(
    redline: Redline, model: ScriptedModel
) -> None:
    """And by typing into the range: the edit is not for that text any more."""
    editor = redline.editor
    editor.open(URI, TEXT)
    action = await choose(editor, "Simplify")
    hold = model.hold(action["data"]["arguments"]["instruction"], after=1)
    request = resolve(editor, action)
    await hold.reached()
    progress = await editor.hear_method("$/progress")
    assert progress["value"]["cancellable"] is True
    editor.notify("window/workDoneProgress/cancel", {"token": progress["token"]})
    assert (await editor.error(request))["code"] == CONTENT_MODIFIED
    again = resolve(editor, action)
    await model.until(lambda: len(model.prompts) == 2)
    editor.type(URI, span((1, 4), (1, 4)), "# mine\n    ")
    assert (await editor.error(again))["code"] == CONTENT_MODIFIED
    hold.release()


async def test_a_stale_action_is_refused(
    redline: Redline, model: ScriptedModel
) -> None:
    """Its ranges are those of another version; no model is asked."""
    editor = redline.editor
    editor.open(URI, TEXT)
    action = await choose(editor, "Simplify")
    editor.type(URI, span((0, 0), (0, 0)), "\n")
    error = await editor.error(resolve(editor, action))
    assert error["code"] == CONTENT_MODIFIED
    assert model.prompts == []


async def test_an_edit_with_problems_is_not_handed_out(
    redline: Redline, connect: Connect
) -> None:
    """The error says what is wrong with it."""
    editor = redline.editor
    broken = saying("def total(prices:\n    return sum(prices)\n")
    checked = {"off": [], "repair": False, "escalate": False}
    await connect(broken, checks=checked)
    editor.open(URI, TEXT)
    error = await editor.error(resolve(editor, await choose(editor, "Simplify")))
    assert error["code"] == REQUEST_FAILED
    assert error["data"]["cause"] == "edit-held"
    assert error["message"].startswith("The edit was held back: ")
    assert editor.text(URI) == TEXT


async def test_nothing_to_change_is_said(
    redline: Redline, model: ScriptedModel
) -> None:
    editor = redline.editor
    model.say(saying("NO CHANGE: it is fine"))
    editor.open(URI, TEXT)
    error = await editor.error(resolve(editor, await choose(editor, "Simplify")))
    assert (error["code"], error["data"]["cause"]) == (
        REQUEST_FAILED,
        "nothing-to-change",
    )
    assert "it is fine." in error["message"]


async def test_fixes_are_about_the_editors_diagnostics(
    redline: Redline, model: ScriptedModel
) -> None:
    """As it sent them, with any extra members; invalid diagnostics are left out."""
    editor = redline.editor
    model.say(saying(BETTER))
    editor.open(URI, TEXT)
    given = [{"message": "no range"}, PROBLEM]
    fix = await choose(editor, "Fix with Redline: it is wrong", diagnostics=given)
    assert fix["kind"] == "quickfix"
    assert fix["diagnostics"] == [PROBLEM]
    resolved = await editor.result(resolve(editor, fix))
    (task,) = model.tasks
    assert "it is wrong (linter 7), at `return sum(prices)`." in task.instruction
    apply(editor, resolved["edit"])
    assert editor.text(URI) == EDITED
    nothings: list[object] = [{}, None, "no list"]
    for nothing in nothings:
        titles = await editor.result(menu(editor, diagnostics=nothing))
        assert not any(each["title"].startswith("Fix") for each in titles)


async def test_all_problems_of_the_file_are_fixed_at_once(
    redline: Redline, model: ScriptedModel
) -> None:
    editor = redline.editor
    model.say(saying(EDITED.replace("x = 1", "y = 1")))
    editor.open(URI, TEXT)
    other = {"range": span((4, 0), (4, 1)), "message": "x is no name"}
    fix = await choose(
        editor, "Fix all problems", lines(0, 5), diagnostics=[PROBLEM, other]
    )
    apply(editor, (await editor.result(resolve(editor, fix)))["edit"])
    assert editor.text(URI) == EDITED.replace("x = 1", "y = 1")
    (task,) = model.tasks
    assert task.target == TEXT
    assert "it is wrong" in task.instruction
    assert "x is no name" in task.instruction


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (["quickfix"], {"quickfix"}),
        (["refactor"], {"refactor.rewrite"}),
        (["refactor.extract"], set()),
        (["source"], {"source.redline.fixFile", "source.redline.document"}),
        (["source.fixAll"], set()),
        (["redline.explain"], {"redline.explain"}),
    ],
)
async def test_only_what_the_editor_asks_for(
    redline: Redline, only: list[str], expected: set[str]
) -> None:
    editor = redline.editor
    editor.open(URI, TEXT)
    found = await editor.result(menu(editor, diagnostics=[PROBLEM], only=only))
    assert {each["kind"] for each in found} == expected


async def test_nothing_is_offered_for_what_is_not_open(redline: Redline) -> None:
    assert await redline.editor.result(menu(redline.editor)) == []


async def test_a_redline_comment_is_done_and_gone(
    redline: Redline, model: ScriptedModel
) -> None:
    editor = redline.editor
    model.say(saying(BETTER))
    editor.open(URI, f"# redline: begin at zero\n{TEXT}")
    do = await choose(editor, "Do this with Redline: begin at zero", lines(0, 0))
    assert do["isPreferred"] is True
    apply(editor, (await editor.result(resolve(editor, do)))["edit"])
    assert editor.text(URI) == EDITED
    (task,) = model.tasks
    assert task.instruction.startswith("begin at zero\n")
    assert "Remove that comment." in task.instruction


async def test_all_comments_are_one_edit(
    redline: Redline, model: ScriptedModel
) -> None:
    """Each at its place, with one answer of the model; also as a source action."""
    editor = redline.editor
    model.say(
        saying(
            "<<<<<<< RANGE 2\nx = 2\n>>>>>>> RANGE 2\n"
            f"<<<<<<< RANGE 1\n{BETTER}>>>>>>> RANGE 1\n"
        )
    )
    comments = "# redline: begin at zero\n", "# redline: add one\n"
    editor.open(URI, comments[0] + TEXT.replace("x = 1", comments[1] + "x = 1"))
    title = "Do all `redline:` comments of this file with Redline"
    only = ["source.redline.comments"]
    (action,) = await editor.result(menu(editor, lines(0, 0), only=only))
    assert action["title"] == title
    do = await choose(editor, title, lines(5, 5))
    apply(editor, (await editor.result(resolve(editor, do)))["edit"])
    assert editor.text(URI) == EDITED.replace("x = 1", "x = 2")
    (task,) = model.tasks
    assert task.instruction == "Range 1: begin at zero\nRange 2: add one"


async def test_the_users_own_action(redline: Redline, connect: Connect) -> None:
    """By its title and kind, with its instruction."""
    editor = redline.editor
    mine = {"title": "Begin at zero", "instruction": "zero it", "kind": "quickfix"}
    model = await connect(saying(BETTER))
    settings = settings_for(model, name="own-action")
    settings["actions"] = {"own": {"zero": mine}}
    await redline.use(settings, name="own-action")
    editor.open(URI, TEXT)
    action = await choose(editor, "Begin at zero")
    assert action["kind"] == "quickfix"
    apply(editor, (await editor.result(resolve(editor, action)))["edit"])
    assert editor.text(URI) == EDITED
    assert [task.instruction for task in model.tasks] == ["zero it"]


async def test_tests_are_written_into_a_new_file(
    redline: Redline, model: ScriptedModel, tmp_path: Path
) -> None:
    """It is created with the edit, where tests of this project belong."""
    editor = redline.editor
    tests = "def test_total():\n    assert total([1]) == 1\n"
    model.say(saying(tests))
    uri = (tmp_path / "prices.py").as_uri()
    editor.open(uri, TEXT)
    action = await choose(editor, "Write tests", uri=uri)
    edit = (await editor.result(resolve(editor, action)))["edit"]
    create, change = edit["documentChanges"]
    target = (tmp_path / "tests" / "test_prices.py").as_uri()
    assert create == {
        "kind": "create",
        "uri": target,
        "options": {"ignoreIfExists": True},
    }
    assert change["textDocument"] == {"uri": target, "version": None}
    assert change["edits"] == [{"range": lines(0, 0), "newText": tests}]
    (task,) = model.tasks
    assert task.path.endswith("test_prices.py")
    assert TEXT.split("\n\n")[0] in task.instruction
    assert os.listdir(tmp_path) == []


async def test_tests_are_added_to_a_file_that_is_not_open(
    redline: Redline, model: ScriptedModel, tmp_path: Path
) -> None:
    """For what is on disk, hence without a version; what is there stays."""
    editor = redline.editor
    old, new = "def test_a():\n    assert a\n", "\n\ndef test_b():\n    assert b\n"
    (tmp_path / "test_prices.py").write_text(old)
    model.say(saying(old + new))
    uri = (tmp_path / "prices.py").as_uri()
    editor.open(uri, TEXT)
    action = await choose(editor, "Write tests", uri=uri)
    edit = (await editor.result(resolve(editor, action)))["edit"]
    (change,) = edit["documentChanges"]
    assert change["textDocument"]["version"] is None
    document = EditorDocument("", old, encoding=editor.encoding)
    document.apply(change["edits"])
    assert document.text == old + new


async def test_tests_are_added_to_an_open_file_in_the_spelling_of_the_editor(
    redline: Redline, model: ScriptedModel, tmp_path: Path
) -> None:
    """What it shows counts, and not what is on disk until it saves."""
    editor = redline.editor
    old, new = "def test_a():\n    assert a\n", "\n\ndef test_b():\n    assert b\n"
    (tmp_path / "test_prices.py").write_text("# Saved.\n")
    model.say(saying(old + new))
    uri = (tmp_path / "prices.py").as_uri()
    target = f"{tmp_path.as_uri()}/test_%70rices.py"
    editor.open(uri, TEXT)
    editor.open(target, old)
    action = await choose(editor, "Write tests", uri=uri)
    edit = (await editor.result(resolve(editor, action)))["edit"]
    assert editor.apply({"edit": edit}) is not None
    assert editor.text(target) == old + new


async def test_tests_that_are_there_are_not_lost(
    redline: Redline, connect: Connect, tmp_path: Path
) -> None:
    """Such an answer is held, since the file is changed without a preview."""
    (tmp_path / "test_prices.py").write_text("def test_a():\n    assert a\n")
    checks = {"off": [], "repair": False, "escalate": False}
    await connect(saying("def test_b():\n    assert True\n"), checks=checks)
    uri = (tmp_path / "prices.py").as_uri()
    redline.editor.open(uri, TEXT)
    where = {"uri": uri, "range": lines(0, 2)}
    error = await redline.editor.error(redline.editor.run("redline.writeTests", where))
    assert "`def test_a():`" in error["message"]
    assert redline.editor.all_of(APPLY_EDIT) == []


async def test_a_test_file_that_changes_meanwhile_is_left_alone(
    redline: Redline, connect: Connect, tmp_path: Path
) -> None:
    """The edit was made for the text before."""
    old, new = "def test_a():\n    assert a\n", "\n\ndef test_b():\n    assert b\n"
    file = tmp_path / "test_prices.py"
    file.write_text(old)
    model = await connect(saying(old + new))
    hold = model.hold_model("own-1", after=0)
    uri = (tmp_path / "prices.py").as_uri()
    redline.editor.open(uri, TEXT)
    where = {"uri": uri, "range": lines(0, 2)}
    asked = redline.editor.run("redline.writeTests", where)
    await hold.reached()
    file.write_text("# by another program\n" + old)
    hold.release()
    error = await redline.editor.error(asked)
    assert error["data"]["cause"] == "outdated"
    assert redline.editor.all_of(APPLY_EDIT) == []


@pytest.mark.parametrize("is_folder", [False, True])
async def test_no_test_file_is_created_outside(
    redline: Redline, model: ScriptedModel, tmp_path: Path, is_folder: bool
) -> None:
    """By a link in the workspace to what is not there yet."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    (inside / "tests").mkdir(parents=True)
    if is_folder:
        (inside / "tests").rmdir()
        (inside / "tests").symlink_to(outside)
        (outside / "other.py").write_text("")
    else:
        (inside / "tests" / "test_prices.py").symlink_to(outside / "test_prices.py")
    uri = (inside / "prices.py").as_uri()
    redline.editor.open(uri, TEXT)
    where = {"uri": uri, "range": lines(0, 2)}
    error = await redline.editor.error(redline.editor.run("redline.writeTests", where))
    assert "leads out of the folder" in error["message"]
    assert model.prompts == []


async def test_a_menu_for_lines_that_are_gone_at_once(redline: Redline) -> None:
    """The menu prepares an edit of them, and the next message shortens the text."""
    editor = redline.editor
    editor.open(URI, "x = 1\n" * 50)
    with editor.at_once():
        asked = menu(editor, {"start": place(40), "end": place(45)})
        editor.type(URI, {"start": place(1), "end": place(50)}, "")
    await editor.answer(asked)


async def test_an_explanation_is_shown_and_runs_nothing(
    redline: Redline, model: ScriptedModel
) -> None:
    """As a document, and as the command's result; without links to commands."""
    editor = redline.editor
    model.say(saying("It sums. [Run](command:evil) `sum`."))
    editor.open(URI, TEXT)
    action = await choose(editor, "Explain")
    command = action["command"]
    request = editor.run(command["command"], *command["arguments"])
    shown = text_of(await editor.hear_method("window/showDocument"))
    result = await editor.result(request)
    assert result == {
        "markdown": "It sums. [Run] (command:evil) `sum`.\n",
        "tier": "fast",
    }
    assert shown == result["markdown"]
    (prompt,) = model.prompts
    assert "Range to explain:" in prompt.chat_messages[-1].text


async def test_a_denied_file_is_not_explained_nor_tested(
    redline: Redline, model: ScriptedModel
) -> None:
    """Not one frame of it is sent."""
    editor = redline.editor
    uri = "file:///project/credentials.json"
    editor.open(uri, TEXT)
    where = {"uri": uri, "range": lines(0, 2)}
    error = await editor.error(editor.run("redline.explain", where))
    assert error["data"]["cause"] == "held-back"
    assert (await editor.error(editor.run("redline.writeTests", where)))["data"][
        "cause"
    ] == "held-back"
    assert model.prompts == []


def without(*path: str) -> Json:
    """The capabilities of an editor that lacks something."""
    capabilities = copy.deepcopy(CAPABILITIES)
    *above, last = path
    inner = capabilities
    for name in above:
        inner = inner[name]
    del inner[last]
    return capabilities


async def test_what_a_model_carries_out_is_tagged(start: Start, serve: Any) -> None:
    """For clients that can read LSP's `LLMGenerated`; others see no tag."""
    model = await serve(saying(BETTER))
    tags = {"tagSupport": {"valueSet": [1]}}
    for able in (tags, {}):
        capabilities = copy.deepcopy(CAPABILITIES)
        capabilities["textDocument"]["codeAction"] |= able
        redline = await start(model=model, capabilities=capabilities)
        await redline.hear_of("scripted")
        redline.editor.open(URI, TEXT)
        action = await choose(redline.editor, "Simplify")
        assert action.get("tags") == ([1] if able else None)


async def test_an_editor_without_resolve_gets_commands(
    start: Start, serve: Any, tmp_path: Path
) -> None:
    """They apply the edit; tests too, and the file is created."""
    model = await serve(saying(BETTER))
    redline = await start(
        model=model,
        capabilities=without("textDocument", "codeAction", "resolveSupport"),
    )
    editor = redline.editor
    await redline.hear_of("scripted")
    editor.open(URI, TEXT)
    action = await choose(editor, "Simplify")
    assert "data" not in action
    command = action["command"]
    assert command["command"] == "redline.edit"
    result = await editor.run_now(command["command"], *command["arguments"])
    assert result["outcome"] == "applied"
    assert editor.text(URI) == EDITED
    uri = (tmp_path / "prices.py").as_uri()
    editor.open(uri, TEXT)
    command = (await choose(editor, "Write tests", uri=uri))["command"]
    editor.take_edit = lambda editor, request: editor.reply(request, {"applied": True})
    result = await editor.run_now(command["command"], *command["arguments"])
    assert (result["outcome"], result["created"]) == ("applied", True)
    create, _ = editor.all_of(APPLY_EDIT)[-1]["edit"]["documentChanges"]
    assert create["uri"] == result["uri"]


async def test_an_old_editor_gets_plain_commands(start: Start, serve: Any) -> None:
    """Those without `codeActionLiteralSupport` know nothing else."""
    model = await serve(saying(BETTER))
    redline = await start(
        model=model, capabilities=without("textDocument", "codeAction")
    )
    editor = redline.editor
    await redline.hear_of("scripted")
    editor.open(URI, TEXT)
    actions = await editor.result(menu(editor, {"start": place(1), "end": place(1)}))
    assert {frozenset(each) for each in actions} == {
        frozenset({"title", "command", "arguments"})
    }


async def test_a_fix_is_ready_before_it_is_asked_for(
    redline: Redline, connect: Connect
) -> None:
    """Within the budget; the user's own sessions do not see it."""
    editor = redline.editor
    model = await connect(saying(BETTER))
    settings = settings_for(model, name="ahead")
    settings["actions"] = {"precompute": True, "precompute_per_minute": 1}
    await redline.use(settings, name="ahead")
    editor.open(URI, TEXT)
    fix = await choose(editor, "Fix with Redline", diagnostics=[PROBLEM])
    await model.until(lambda: len(model.prompts) == 1)
    assert (await editor.run_now("redline.status", {}))["sessions"] == []
    apply(editor, (await editor.result(resolve(editor, fix)))["edit"])
    assert editor.text(URI) == EDITED
    assert len(model.prompts) == 1
    await choose(editor, "Fix with Redline", diagnostics=[PROBLEM])
    await editor.run_now("redline.status", {})
    assert len(model.prompts) == 1


async def test_a_fix_is_ready_for_an_editor_that_runs_it(
    redline: Redline, connect: Connect
) -> None:
    """As an edit of its own, with the progress and the preview of one."""
    editor = redline.editor
    model = await connect(saying(BETTER))
    settings = settings_for(model, name="ahead")
    settings["actions"] = {"precompute": True}
    await redline.use(settings, name="ahead")
    editor.open(URI, TEXT)
    fix = await choose(editor, "Fix with Redline", diagnostics=[PROBLEM])
    await model.until(lambda: len(model.prompts) == 1)
    done = await editor.run_now("redline.edit", fix["data"]["arguments"])
    assert done["outcome"] == "applied"
    assert editor.text(URI) == EDITED
    assert len(model.prompts) == 1


async def test_the_server_says_which_kinds_it_has(start: Start) -> None:
    redline = await start()
    capabilities = await redline.editor.hear(lambda message: "result" in message)
    provider = capabilities["result"]["capabilities"]["codeActionProvider"]
    assert provider["resolveProvider"] is True
    assert "quickfix" in provider["codeActionKinds"]
