"""Plans where something is wrong: a model, the workspace, the disk, the editor, or the
text of the planner."""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.assist.review.git_project import GitProject
from tests.e2e.conftest import Serve, Start
from tests.e2e.editor_document import Json
from tests.e2e.plan_session import (
    CART,
    DOUBLED_CART,
    NEW_TOTAL,
    STEPS,
    Planning,
    plan_answer,
    plan_script,
    planning,
    start_planning,
    step,
    write_shop,
)
from tests.e2e.plan_tasks import write_edit
from tests.e2e.wire_editor import WireEditor, refuse

from redline.gateway.engines.script import ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

Shop = Callable[..., Awaitable[Planning]]

ONE_STEP = plan_answer([{**STEPS[1], "uses": [], "reads": []}], contracts=[])


@pytest_asyncio.fixture(loop_scope="session")
async def shop(start: Start, tmp_path: Path) -> Shop:
    """Start servers in the shop: `shop(model, capabilities, **settings)`."""
    folder = tmp_path / "shop"
    write_shop(folder)
    return partial(start_planning, start, folder)


def text_of(path: str) -> str:
    """Read a file."""
    return Path(path).read_text(encoding="utf-8")


async def test_the_model_of_a_step_fails(shop: Shop, serve: Serve) -> None:
    """The step is a problem, and the plan is held; what was written can be applied."""
    failing = ScriptRule(
        when=When(instruction="Sum the doubled prices"),
        reply=ScriptReply(failed="invalid_prompt"),
    )
    model = await serve(plan_script(more=(failing,)))
    here = await shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    held = await here.run(plan_id)
    assert held["state"] == "held"
    assert [one["state"] for one in held["steps"]] == ["checked", "problem"]
    assert held["steps"][1]["message"]
    done = await here.apply(plan_id, steps=["s1"])
    assert done["applied"] == ["s1"]
    assert here.editor.text(here.uri("shop/cart.py")) == CART


async def test_the_second_of_two_plans_for_one_place_is_stale(
    shop: Shop, serve: Serve
) -> None:
    """What the first one has written stays."""
    model = await serve(plan_script(ONE_STEP))
    here = await shop(model)
    here.open("shop/cart.py")
    plans = []
    for words in ("one.doubled()", "one.cents + 1"):
        text = NEW_TOTAL.replace("one.doubled()", words)
        model.say(plan_script(ONE_STEP, replies={"Sum the doubled prices": text}))
        plans.append(await here.plan())
        await here.settled(plans[-1])
        assert (await here.run(plans[-1]))["state"] in ("ready", "held")
    await here.apply(plans[0])
    first = here.editor.text(here.uri("shop/cart.py"))
    second = await here.apply(plans[1])
    assert (second["state"], second["stale"], second["files"]) == ("held", ["s2"], [])
    assert here.editor.text(here.uri("shop/cart.py")) == first
    assert "one.doubled()" in first


async def test_a_file_outside_of_the_folders(
    shop: Shop, serve: Serve, tmp_path: Path
) -> None:
    """Nothing is planned about it, and no model is shown it."""
    outside = tmp_path / "other" / "notes.py"
    model = await serve(plan_script())
    here = await shop(model)
    here.editor.open(outside.as_uri(), "OUTSIDE = 1\n")
    failed = await here.settled(await here.plan(uri=outside.as_uri()))
    assert failed["state"] == "failed"
    assert "is in no folder of this workspace" in failed["message"]
    assert model.prompts == []


def no_repository(folder: Path, tmp_path: Path) -> str:
    return ""


def uncommitted(folder: Path, tmp_path: Path) -> str:
    project = GitProject(folder)
    project.commit()
    cart = folder / "shop/cart.py"
    cart.write_text(CART + "\n# Not committed.\n", encoding="utf-8")
    return ""


def submodule(folder: Path, tmp_path: Path) -> str:
    module = tmp_path / "module"
    write_shop(module)
    GitProject(module).commit()
    project = GitProject(folder)
    local = ("-c", "protocol.file.allow=always")
    project.git(*local, "submodule", "--quiet", "add", str(module), "sub")
    project.commit()
    return "sub/"


@pytest.mark.parametrize("arrange", [no_repository, uncommitted, submodule])
async def test_workspaces(
    arrange: Callable[[Path, Path], str], start: Start, serve: Serve, tmp_path: Path
) -> None:
    """Without version control, with changes that are not committed, and of a file in a
    submodule: the plan is about the files as they are."""
    folder = tmp_path / "shop"
    write_shop(folder)
    lead = arrange(folder, tmp_path)
    path = f"{lead}shop/cart.py"
    before = (folder / path).read_text(encoding="utf-8")
    steps = [{**STEPS[1], "file": path, "uses": [], "reads": []}]
    text = NEW_TOTAL.replace("one.doubled()", "one.cents + 1")
    script = plan_script(
        plan_answer(steps, contracts=[]), replies={"Sum the doubled prices": text}
    )
    here = await start_planning(start, folder, await serve(script))
    here.editor.take_edit = write_edit
    plan_id = await here.plan(uri=here.uri(path))
    await here.settled(plan_id)
    ready = await here.run(plan_id)
    assert ready["state"] == "ready", (ready["message"], ready["steps"])
    done = await here.apply(plan_id)
    assert (done["state"], done["files"]) == ("applied", [path])
    after = (folder / path).read_text(encoding="utf-8")
    assert after == before.replace("one.cents for", "one.cents + 1 for")


async def test_the_document_cannot_be_written(
    shop: Shop, serve: Serve, tmp_path: Path
) -> None:
    """As on a disk that is full or read-only: the plan fails and says why."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "plans").write_text("not a folder")
    here = await shop(await serve(plan_script()))
    failed = await here.settled(await here.plan())
    assert failed["state"] == "failed"
    assert "The plan's document cannot be written" in failed["message"]
    assert os.listdir(here.folder) == ["shop"]


async def test_an_editor_that_shows_no_documents(shop: Shop, serve: Serve) -> None:
    """It gets the path, in the answer and in a message."""
    capabilities = planning()
    del capabilities["window"]["showDocument"]
    here = await shop(await serve(plan_script()), capabilities)
    plan_id = await here.plan()
    await here.settled(plan_id)
    opened = await here.editor.run_now("redline.openPlan", {"planId": plan_id})
    assert opened["shown"] is False
    assert text_of(opened["file"]).startswith("# Plan\n")
    message = (await here.editor.hear_method("window/showMessage"))["message"]
    assert opened["file"] in message
    assert here.editor.all_of("window/showDocument") == []


HOSTILE = "[run](command:workbench.x) ![](https://e.example/k) \x1b[2J\u202egnp"


async def test_a_hostile_planner(shop: Shop, serve: Serve) -> None:
    """What it writes runs nothing and loads nothing, wherever it is shown; the steps
    change their own files only."""
    steps: list[dict[str, Any]] = [
        step(
            file="shop/cart.py",
            where={"symbol": "Cart.total"},
            instruction=f"Sum the doubled prices {HOSTILE}",
        )
    ]
    answer = plan_answer(steps, contracts=[], summary=HOSTILE, assumptions=[HOSTILE])
    text = NEW_TOTAL.replace("one.doubled()", "one.cents + 1")
    replies = {"Sum the doubled prices": text}
    model = await serve(plan_script(answer, replies=replies))
    here = await shop(model)
    here.open("shop/cart.py", "shop/price.py")
    plan_id = await here.plan()
    planned = await here.settled(plan_id)
    opened = await here.editor.run_now("redline.openPlan", {"planId": plan_id})
    document = text_of(opened["file"])
    shown = [planned["summary"], planned["steps"][0]["instruction"], document]
    for text in shown:
        assert "](command:" not in text
    assert "![" not in document
    await here.run(plan_id)
    done = await here.apply(plan_id)
    assert done["files"] == ["shop/cart.py"]
    edit = here.applied_edit()["edit"]
    for annotation in edit["changeAnnotations"].values():
        assert "](command:" not in annotation["label"] + annotation["description"]


async def test_an_editor_without_a_list_of_plans_is_told_what_was_applied(
    shop: Shop, serve: Serve
) -> None:
    """Its menu drops the result of a command, so a message has it."""
    capabilities = planning()
    del capabilities["experimental"]["redline"]["plan"]
    here = await shop(await serve(plan_script()), capabilities)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.editor.hear(lambda one: says(one, "The plan has 2 steps."))
    await here.editor.run_now("redline.runPlan", {"planId": plan_id})
    await here.editor.hear(lambda one: says(one, "The plan is ready to be applied."))
    last = CART.count("\n") - 1
    start, end = {"line": last, "character": 8}, {"line": last, "character": 14}
    here.editor.type(here.uri("shop/cart.py"), {"start": start, "end": end}, "give")
    await here.editor.run_now("redline.applyPlan", {"planId": plan_id})
    await here.editor.hear(
        lambda one: says(one, "The plan is held. Their places were changed meanwhile")
    )
    await here.editor.run_now("redline.takeBack", {"planId": plan_id})
    await here.editor.hear(lambda one: says(one, "The plan is taken back."))


def says(message: Any, words: str) -> bool:
    """Whether it is a message for the user with some words."""
    is_shown = message.get("method") == "window/showMessage"
    return is_shown and words in message["params"]["message"]


@pytest.mark.parametrize("operations", [[], ["create", "rename", "delete"]])
async def test_a_plan_whose_folder_is_gone_is_kept(
    shop: Shop, serve: Serve, operations: list[str]
) -> None:
    """No folder is created, and there is nothing to take back."""
    steps = [
        step(id="s1", file="NOTES.md", do="create", instruction="Write notes."),
        step(id="s2", file="shop/__init__.py", do="delete"),
    ]
    model = await serve(plan_script(plan_answer(steps, contracts=[])))
    here = await shop(model, planning(resourceOperations=operations))
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    here.editor.take_edit = refuse
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    await here.editor.error(request)
    here.editor.choice = "Do it"
    shutil.rmtree(here.folder)
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    assert "folder of the plan is gone" in (await here.editor.error(request))["message"]
    request = here.editor.run("redline.takeBack", {"planId": plan_id})
    assert "nothing of it is applied" in (await here.editor.error(request))["message"]
    assert not here.folder.exists()
    assert (await here.state(plan_id))["state"] == "ready"


async def test_a_plan_that_the_user_declined_has_nothing_to_take_back(
    shop: Shop, serve: Serve
) -> None:
    """Not even if the user deletes the file that the plan would have deleted."""
    steps = [step(id="s1", file="shop/__init__.py", do="delete")]
    model = await serve(plan_script(plan_answer(steps, contracts=[])))
    here = await shop(model, planning(resourceOperations=[]))
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    here.editor.choice = "Change nothing"
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    assert "was not allowed to" in (await here.editor.error(request))["message"]
    file = here.folder / "shop/__init__.py"
    file.unlink()
    request = here.editor.run("redline.takeBack", {"planId": plan_id})
    assert "nothing of it is applied" in (await here.editor.error(request))["message"]
    assert not file.exists()


@pytest.mark.parametrize("opened", ["shop/%63art.py", "../link/shop/cart.py"])
async def test_an_editor_that_names_a_file_in_another_way(
    opened: str, shop: Shop, serve: Serve
) -> None:
    """Its open document is edited, with what is not saved, under its own name."""
    here = await shop(await serve(plan_script(ONE_STEP)))
    (here.folder.parent / "link").symlink_to(here.folder)
    uri = f"{here.folder.parent.as_uri()}/shop/{opened}"
    uri = uri.replace("/shop/../", "/")
    here.editor.open(uri, f"# Not saved.\n{CART}")
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    done = await here.apply(plan_id)
    assert (done["state"], done["message"]) == ("applied", "")
    assert here.editor.text(uri) == f"# Not saved.\n{DOUBLED_CART}"
    await here.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert here.editor.text(uri) == f"# Not saved.\n{CART}"


async def test_an_editor_that_opens_a_file_under_another_name(
    shop: Shop, serve: Serve
) -> None:
    """What it shows counts, and not what is on disk until it saves."""
    here = await shop(await serve(plan_script(ONE_STEP)))
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)

    def open_and_apply(editor: WireEditor, request: Json) -> None:
        editor.open(here.uri("shop/") + "/%63art.py", DOUBLED_CART)
        editor.reply(request, {"applied": True})

    here.editor.take_edit = open_and_apply
    done = await here.apply(plan_id)
    assert (done["state"], done["message"]) == ("applied", "")


async def test_an_editor_without_annotations(shop: Shop, serve: Serve) -> None:
    """It gets a plain edit, also of a plan that is held."""
    capabilities = planning()
    del capabilities["workspace"]["workspaceEdit"]["changeAnnotationSupport"]
    failing = ScriptRule(
        when=When(instruction="Sum the doubled prices"),
        reply=ScriptReply(failed="invalid_prompt"),
    )
    here = await shop(await serve(plan_script(more=(failing,))), capabilities)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    assert (await here.run(plan_id))["state"] == "held"
    assert (await here.apply(plan_id))["applied"] == ["s1"]
    edit = here.applied_edit()["edit"]
    assert "changeAnnotations" not in edit
    (change,) = edit["documentChanges"]
    assert all("annotationId" not in one for one in change["edits"])


async def test_a_planner_that_answers_prose(shop: Shop, serve: Serve) -> None:
    """It is asked for a plan once more; then its words are in the message."""
    model = await serve(plan_script("I would first look at the carts."))
    here = await shop(model)
    here.open("shop/cart.py")
    failed = await here.settled(await here.plan())
    assert failed["state"] == "failed"
    assert "I would first look at the carts." in failed["message"]
    assert len(model.prompts) == 2
    model.forget()
    good = ScriptRule(
        when=When(contains="no JSON object"), reply=ScriptReply(text=plan_answer())
    )
    model.say(plan_script("I would first look at the carts.", more=(good,)))
    planned = await here.settled(await here.plan())
    assert (planned["state"], len(planned["steps"])) == ("planned", 2)


async def test_a_step_is_applied_without_what_it_uses_only_if_forced(
    shop: Shop, serve: Serve
) -> None:
    """Otherwise it is named and left out, too."""
    here = await shop(await serve(plan_script()))
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    done = await here.apply(plan_id, steps=["s2"])
    assert (done["applied"], done["leftOut"]) == ([], ["s2"])
    assert here.editor.text(here.uri("shop/cart.py")) == CART
    done = await here.apply(plan_id, steps=["s2"], force=True)
    assert (done["applied"], done["leftOut"]) == (["s2"], [])
    assert "one.doubled()" in here.editor.text(here.uri("shop/cart.py"))
