"""Plans in an editor: planned, run on lanes, reviewed, applied as one edit."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.conftest import OpenPlanning, Serve, Start
from tests.e2e.editor_document import Json, span
from tests.e2e.plan_session import (
    CART,
    DOUBLED_CART,
    DOUBLED_PRICE,
    NEW_PRICE,
    NOTES,
    PRICE,
    STEPS,
    Planning,
    plan_answer,
    plan_script,
    plan_settings,
    planning,
    start_planning,
    step,
    write_shop,
)
from tests.e2e.wire_editor import APPLY_EDIT, WireEditor, ignore, refuse, take

from redline.text.uri import uri_path

pytestmark = pytest.mark.asyncio(loop_scope="session")

Shop = Callable[..., Awaitable[Planning]]


@pytest_asyncio.fixture(loop_scope="session")
async def shop(start: Start, tmp_path: Path) -> Shop:
    """Start servers in the shop: `shop(model, capabilities, **settings)`."""
    folder = tmp_path / "shop"
    write_shop(folder)
    return partial(start_planning, start, folder)


@pytest.fixture
def shared_shop(open_planning: OpenPlanning, tmp_path: Path) -> Shop:
    """Open a shop of the test's own in a server that tests share, once."""
    folder = tmp_path / "shop"
    write_shop(folder)
    return partial(open_planning, folder)


async def test_a_plan_is_run_reviewed_applied_and_taken_back(
    serve: Serve, shared_shop: Shop
) -> None:
    """The user's files change once, by one edit with an annotation for each file."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    planned = await here.settled(plan_id)
    assert planned["state"] == "planned", planned["message"]
    assert [one["id"] for one in planned["steps"]] == ["s1", "s2"]
    assert {use["tier"] for use in planned["usage"]} == {"deep"}
    ready = await here.run(plan_id)
    assert ready["state"] == "ready", ready["message"]
    assert [one["state"] for one in ready["steps"]] == ["checked", "checked"]
    assert {use["tier"] for use in ready["usage"]} >= {"deep", "fast"}
    assert here.editor.text(here.uri("shop/cart.py")) == CART
    # The user reads the edit in a preview, and applies the plan once more meanwhile.
    here.editor.take_edit = ignore
    first = here.editor.run("redline.applyPlan", {"planId": plan_id})
    request = await here.editor.hear(lambda one: one.get("method") == APPLY_EDIT)
    for command in ("redline.applyPlan", "redline.takeBack"):
        again = here.editor.run(command, {"planId": plan_id})
        error = await here.editor.error(again)
        assert "its edit waits in the editor" in error["message"]
    here.editor.take_edit = take
    take(here.editor, request)
    done = await here.editor.result(first)
    assert len(here.editor.all_of(APPLY_EDIT)) == 1
    assert (done["state"], done["applied"]) == ("applied", ["s1", "s2"])
    assert here.editor.text(here.uri("shop/price.py")) == DOUBLED_PRICE
    assert here.editor.text(here.uri("shop/cart.py")) == DOUBLED_CART
    params = here.applied_edit()
    assert params["metadata"] == {"isRefactoring": True}
    annotations = params["edit"]["changeAnnotations"].values()
    assert [one["label"] for one in annotations] == ["s1 Price", "s2 Cart.total"]
    assert not any(one["needsConfirmation"] for one in annotations)
    document = await here.editor.run_now("redline.openPlan", {"planId": plan_id})
    text = await asyncio.to_thread(Path(document["file"]).read_text, encoding="utf-8")
    here.editor.open(document["uri"], text)
    (back,) = await here.lenses_of(document["uri"])
    assert back["title"] == "Take back"
    await here.editor.run_now(back["command"], back["arguments"][0])
    assert here.editor.text(here.uri("shop/price.py")) == PRICE
    assert here.editor.text(here.uri("shop/cart.py")) == CART
    assert await here.lenses_of(document["uri"]) == []
    assert (await here.state(plan_id))["state"] == "rejected"
    prompts = [task for task in model.tasks if "Sum the doubled" in task.instruction]
    assert len(prompts) == 1


async def test_steps_run_side_by_side_and_survive_a_kill(
    shop: Shop, serve: Serve
) -> None:
    """Killed while a plan runs: the next server writes only what has no result."""
    model = await serve(plan_script())
    here = await shop(model)
    here.open("shop/price.py", "shop/cart.py")
    hold = model.hold_model("deep", after=1)
    plan_id = await here.plan()
    await hold.reached()
    # Killed while the planner writes: it is asked again.
    await here.redline.kill()
    model.forget()
    hold.release()
    here = await shop(model)
    planned = await here.settled(plan_id)
    assert planned["state"] == "planned", planned["message"]
    # Killed while it waits: it still waits.
    await here.redline.kill()
    here = await shop(model)
    waiting = await here.state(plan_id)
    assert (waiting["state"], len(waiting["steps"])) == ("planned", 2)
    hold = model.hold("Add the method doubled.", after=1)
    await here.editor.run_now("redline.runPlan", {"planId": plan_id})
    # The second step is done before the first one.
    await hold.reached()
    states = await here.until(
        plan_id,
        lambda one: [s["state"] for s in one["steps"]] == ["writing", "checked"],
    )
    assert states["state"] == "running"
    await here.redline.kill()
    model.entries.clear()
    hold.release()
    here = await shop(model)
    ready = await here.settled(plan_id)
    assert ready["state"] == "ready", ready["message"]
    assert [task.instruction for task in model.tasks] == ["Add the method doubled."]
    here.open("shop/price.py", "shop/cart.py")
    await here.apply(plan_id)
    assert here.editor.text(here.uri("shop/price.py")) == DOUBLED_PRICE
    assert here.editor.text(here.uri("shop/cart.py")) == DOUBLED_CART


async def test_a_secret_of_the_instruction_is_in_no_prompt(
    serve: Serve, shared_shop: Shop
) -> None:
    """Neither the planner's, nor a step's, nor that of the review."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    token = "ghp_" + "a1B2" * 9
    plan_id = await here.plan(instruction=f"Double the prices. My token is {token}.")
    await here.settled(plan_id)
    ready = await here.run(plan_id)
    assert ready["state"] == "ready", ready["message"]
    sent = [one.text for prompt in model.prompts for one in prompt.chat_messages]
    assert sum("Double the prices" in text for text in sent) >= 2
    assert not [text for text in sent if token in text]


async def test_a_broken_contract_holds_the_plan(
    serve: Serve, shared_shop: Shop
) -> None:
    """It goes back once, then to a higher tier; what is left needs confirmation."""
    broken = NEW_PRICE.replace("times: int = 1", "n: int")
    model = await serve(plan_script(replies={"Add the method doubled": broken}))
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    held = await here.run(plan_id)
    assert held["state"] == "held"
    first, second = held["steps"]
    assert (first["state"], second["state"]) == ("problem", "checked")
    assert {"contract"} <= {one["rule"] for one in first["problems"]}
    asked = [one for one in model.tasks if "Add the method" in one.instruction]
    assert len(asked) == 3
    await here.apply(plan_id)
    annotations = here.applied_edit()["edit"]["changeAnnotations"].values()
    assert all(one["needsConfirmation"] for one in annotations)


@pytest.mark.parametrize(
    ("new", "text", "old", "changed"),
    [
        ("shop/tax.py", "RATE = 0.19\n", "shop/cart.py",
         CART.replace("\n\n\n", "\nfrom shop.tax import RATE\n\n\n") + "\n\nRATE\n"),
        ("web/tax.ts", "export const rate = 0.19;\n", "web/cart.ts",
         'import { rate } from "./tax.ts";\n\nconsole.log(rate);\n'),
    ],
)  # fmt: skip
async def test_a_step_imports_what_another_step_creates(
    new: str, text: str, old: str, changed: str,
    open_planning: OpenPlanning, serve: Serve, tmp_path: Path,
) -> None:  # fmt: skip
    """It is not reported as missing, also where another folder comes first."""
    folders = [tmp_path / "first", tmp_path / "shop"]
    for folder in folders:
        write_shop(folder)
        (folder / "web").mkdir()
        (folder / "web/cart.ts").write_text("console.log(0.19);\n", encoding="utf-8")
    steps = [
        step(id="s1", file=new, do="create", instruction="Write the rate."),
        step(id="s2", file=old, instruction="Print the rate."),
    ]
    replies = {"Write the rate.": text, "Print the rate.": changed}
    model = await serve(plan_script(plan_answer(steps, contracts=[]), replies=replies))
    redline = (await open_planning(folders[0], model)).redline
    second = [{"uri": folders[1].as_uri(), "name": folders[1].name}]
    redline.change_folders(added=second)
    here = Planning(redline, folders[1])
    plan_id = await here.plan(uri=here.uri(old))
    await here.settled(plan_id)
    done = await here.run(plan_id)
    assert done["state"] == "ready", done["steps"]
    redline.change_folders(removed=second)


async def test_a_step_uses_a_member_that_another_step_defines(
    serve: Serve, shared_shop: Shop
) -> None:
    """It is judged when both are there, whichever is written first."""
    steps = [
        {**STEPS[0], "gives": []},
        step(id="s2", file="shop/__init__.py", instruction="Print the rate."),
    ]
    replies = {
        "Add the method doubled": NEW_PRICE + "\n\nRATE = 2\n",
        "Print the rate.": "from shop import price\n\nprint(price.RATE)\n",
    }
    model = await serve(plan_script(plan_answer(steps, contracts=[]), replies=replies))
    here = await shared_shop(model)
    (here.folder / "shop/__init__.py").write_text("# The shop.\n", encoding="utf-8")
    here.open("shop/price.py", "shop/__init__.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    hold = model.hold("Add the method doubled.", after=1)
    after = len(here.editor.heard)
    await here.editor.run_now("redline.runPlan", {"planId": plan_id})
    written = await here.until(
        plan_id,
        lambda one: one["steps"][1]["state"] in ("checked", "problem"),
        after=after,
    )
    assert written["steps"][1]["problems"] == []
    hold.release()
    done = await here.settled(plan_id, after=after)
    assert done["state"] == "ready", done["steps"]


async def test_a_plan_outside_of_the_workspace_is_refused_twice(
    serve: Serve, shared_shop: Shop
) -> None:
    """The planner gets the reasons once; the plan then fails, and says why."""
    outside = plan_answer([step(file="../secret.py", instruction="Read it.")])
    model = await serve(plan_script(outside))
    here = await shared_shop(model)
    here.open("shop/cart.py")
    plan_id = await here.plan()
    failed = await here.settled(plan_id)
    assert failed["state"] == "failed"
    assert "'../secret.py' cannot be used" in failed["message"]
    (usage,) = failed["usage"]
    assert usage["outputTokens"] > 0
    again = model.prompts[-1].chat_messages
    assert [one.role for one in again] == ["user", "assistant", "user"]
    assert "cannot be used" in again[-1].text
    assert len(model.prompts) == 2


async def test_a_cancelled_apply_keeps_the_plan_for_the_edit_in_the_editor(
    shop: Shop, serve: Serve
) -> None:
    """The editor may still apply it: nothing else is done with the plan until then."""
    model = await serve(plan_script())
    here = await shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    assert (await here.run(plan_id))["state"] == "ready"
    here.editor.take_edit = ignore
    first = here.editor.run("redline.applyPlan", {"planId": plan_id})
    request = await here.editor.hear(lambda one: one.get("method") == APPLY_EDIT)
    here.editor.cancel(first)
    assert (await here.editor.error(first))["code"] == -32800
    for command in ("applyPlan", "runPlan", "planAgain", "rejectPlan", "cancelPlan"):
        again = here.editor.run(f"redline.{command}", {"planId": plan_id})
        error = await here.editor.error(again)
        assert "its edit waits in the editor" in error["message"], command
    assert (await here.state(plan_id))["state"] == "ready"
    other = await here.plan()
    assert (await here.settled(other))["state"] == "planned"
    after = len(here.editor.heard)
    take(here.editor, request)
    applied = await here.until(
        plan_id, lambda one: one["state"] != "ready", after=after
    )
    assert applied["state"] == "applied"
    assert here.editor.text(here.uri("shop/cart.py")) == DOUBLED_CART
    # The server ends although the editor never answers this one.
    here.editor.run("redline.takeBack", {"planId": plan_id})
    await here.editor.hear(
        lambda one: one.get("method") == APPLY_EDIT and one["id"] != request["id"]
    )


async def test_a_plan_is_cancelled_while_it_is_planned_and_while_it_runs(
    serve: Serve, shared_shop: Shop
) -> None:
    """Nothing was changed, and it cannot be run afterwards."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    hold = model.hold_model("deep", after=1)
    first = await here.plan()
    await hold.reached()
    done = await here.editor.run_now("redline.cancelPlan", {"planId": first})
    assert done == {"cancelled": True}
    assert (await here.state(first))["state"] == "cancelled"
    model.forget()
    plan_id = await here.plan()
    await here.settled(plan_id)
    hold = model.hold("Sum the doubled prices.", after=1)
    await here.editor.run_now("redline.runPlan", {"planId": plan_id})
    await hold.reached()
    await here.editor.run_now("redline.cancelPlan", {"planId": plan_id})
    assert (await here.state(plan_id))["state"] == "cancelled"
    hold.release()
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    error = await here.editor.error(request)
    assert "only a plan that is ready or held" in error["message"]
    assert here.editor.text(here.uri("shop/cart.py")) == CART
    plans = (await here.editor.run_now("redline.plans", {}))["plans"]
    states = {one["planId"]: one["state"] for one in plans}
    assert (states[first], states[plan_id]) == ("cancelled", "cancelled")


async def test_a_cancel_that_cannot_be_stored_is_an_error_and_stored_later(
    shop: Shop, serve: Serve
) -> None:
    """A server that is killed after the second answer does not go on with it."""
    model = await serve(plan_script())
    here = await shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    hold = model.hold("Sum the doubled prices.", after=1)
    await here.editor.run_now("redline.runPlan", {"planId": plan_id})
    await hold.reached()
    asked = {"planId": plan_id}
    kept = here.folder.parent / "kept" / "plans.sqlite3"
    with closing(sqlite3.connect(kept, isolation_level=None)) as locker:
        locker.execute("BEGIN IMMEDIATE")
        error = await here.editor.error(here.editor.run("redline.cancelPlan", asked))
        assert error["message"].startswith("The plan is stopped, but that could not be")
        assert error["data"]["cause"] == "store-busy"
        assert (await here.state(plan_id))["state"] == "cancelled"
    done = await here.editor.run_now("redline.cancelPlan", asked)
    assert done == {"cancelled": False}
    await here.redline.kill()
    model.forget()
    here = await shop(model)
    assert (await here.state(plan_id))["state"] == "cancelled"


async def test_the_applied_part_of_a_cancelled_plan_is_taken_back(
    serve: Serve, shared_shop: Shop
) -> None:
    """Once; the plan stays cancelled."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    done = await here.apply(plan_id, files=["shop/price.py"])
    assert (done["state"], done["files"]) == ("ready", ["shop/price.py"])
    await here.editor.run_now("redline.cancelPlan", {"planId": plan_id})
    await here.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert (await here.state(plan_id))["state"] == "cancelled"
    assert here.editor.text(here.uri("shop/price.py")) == PRICE
    request = here.editor.run("redline.takeBack", {"planId": plan_id})
    assert "nothing of it is applied" in (await here.editor.error(request))["message"]


async def test_a_locked_store_changes_nothing_or_the_answer_says_what_changed(
    serve: Serve, shared_shop: Shop
) -> None:
    """Nothing before the edit is sent; after that the files are named as changed, and
    the plan is stored and can be taken back as soon as the store can be written."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    (kept,) = here.redline.home.rglob("redline.sqlite3")
    with closing(sqlite3.connect(kept, isolation_level=None)) as locker:
        locker.execute("BEGIN IMMEDIATE")
        request = here.editor.run("redline.applyPlan", {"planId": plan_id})
        assert "locked" in (await here.editor.error(request))["message"]
        assert not here.editor.all_of(APPLY_EDIT)
        locker.execute("ROLLBACK")

        def lock(editor: WireEditor, asked: Json) -> None:
            locker.execute("BEGIN IMMEDIATE")
            take(editor, asked)

        here.editor.take_edit = lock
        request = here.editor.run("redline.applyPlan", {"planId": plan_id})
        message = (await here.editor.error(request))["message"]
        assert message.startswith("The files were changed, but that could not be")
        assert here.editor.text(here.uri("shop/cart.py")) == DOUBLED_CART
        assert (await here.state(plan_id))["state"] == "applied"
        here.editor.take_edit = take
        request = here.editor.run("redline.takeBack", {"planId": plan_id})
        assert "locked" in (await here.editor.error(request))["message"]
        locker.execute("ROLLBACK")
    await here.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert here.editor.text(here.uri("shop/cart.py")) == CART
    assert (await here.state(plan_id))["state"] == "rejected"


async def test_a_changed_place_is_stale_and_the_rest_is_applied(
    serve: Serve, shared_shop: Shop
) -> None:
    """What the user typed elsewhere in a file stays."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    here.editor.type(here.uri("shop/price.py"), span((0, 0), (0, 0)), "# Mine.\n")
    last = CART.count("\n") - 1
    here.editor.type(here.uri("shop/cart.py"), span((last, 8), (last, 14)), "give")
    done = await here.apply(plan_id)
    assert (done["applied"], done["stale"]) == (["s1"], ["s2"])
    assert here.editor.text(here.uri("shop/price.py")) == "# Mine.\n" + DOUBLED_PRICE
    assert "give" in here.editor.text(here.uri("shop/cart.py"))
    assert "doubled" not in here.editor.text(here.uri("shop/cart.py"))
    # The stale step is written again, for the text as it is now.
    after = len(here.editor.heard)
    given = {"planId": plan_id, "steps": ["s2"]}
    await here.editor.run_now("redline.runPlan", given)
    again = await here.settled(plan_id, after=after)
    assert [one["state"] for one in again["steps"]] == ["checked", "checked"]
    done = await here.apply(plan_id)
    assert (done["state"], done["applied"]) == ("applied", ["s2"])
    assert "one.doubled()" in here.editor.text(here.uri("shop/cart.py"))
    assert here.editor.text(here.uri("shop/price.py")) == "# Mine.\n" + DOUBLED_PRICE


async def test_files_are_created_and_deleted_by_the_editor_or_by_consent(
    shop: Shop, serve: Serve
) -> None:
    """An editor that cannot do it, and a user who has not said yes: nothing changes."""
    steps = [
        step(id="s1", file="NOTES.md", do="create", instruction="Write notes."),
        step(id="s2", file="shop/__init__.py", do="delete"),
    ]
    model = await serve(plan_script(plan_answer(steps, contracts=[])))
    here = await shop(model, planning(resourceOperations=[]))
    # The second mark is text.
    marked = 2 * b"\xef\xbb\xbf" + b"# The shop.\r\nNAME = 1\n"
    removed = here.folder / "shop/__init__.py"
    removed.write_bytes(marked)
    removed.chmod(0o640)
    plan_id = await here.plan()
    await here.settled(plan_id)
    ready = await here.run(plan_id)
    assert ready["state"] == "ready", ready["message"]
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    error = await here.editor.error(request)
    assert "cannot create NOTES.md by an edit" in error["message"]
    assert removed.read_bytes() == marked
    await here.redline.end()
    here = await shop(model)
    here.editor.take_edit = create_and_delete
    done = await here.apply(plan_id)
    assert done["state"] == "applied", done["message"]
    edit = here.applied_edit()["edit"]
    kinds = [one.get("kind", "edit") for one in edit["documentChanges"]]
    assert kinds == ["create", "edit", "delete"]
    (text,) = edit["documentChanges"][1]["edits"]
    assert text["newText"] == NOTES
    looks = [one["needsConfirmation"] for one in edit["changeAnnotations"].values()]
    assert looks == [False, True]
    assert not removed.exists()
    # No edit can carry line ends and a byte order mark into a new file.
    await here.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert removed.read_bytes() == marked
    assert removed.stat().st_mode & 0o777 == 0o640
    assert not (here.folder / "NOTES.md").exists()


@pytest.mark.parametrize("is_saved", [True, False])
async def test_a_file_that_was_changed_after_planning_is_not_deleted(
    serve: Serve, shared_shop: Shop, is_saved: bool
) -> None:
    """The planner cannot have known what the user wrote there."""
    deletion = step(id="s1", file="shop/__init__.py", do="delete")
    model = await serve(plan_script(plan_answer([deletion], contracts=[])))
    here = await shared_shop(model)
    plan_id = await here.plan()
    await here.settled(plan_id)
    if is_saved:
        (here.folder / "shop/__init__.py").write_text("MINE = 1\n")
    else:
        here.editor.open(here.uri("shop/__init__.py"), "MINE = 1\n")
    held = await here.run(plan_id)
    assert held["state"] == "held"
    (deleting,) = held["steps"]
    assert deleting["state"] == "problem"
    assert "is not saved, or was changed after the plan was made" in deleting["message"]
    done = await here.apply(plan_id)
    assert done["message"] == "Nothing was applied."
    assert (here.folder / "shop/__init__.py").exists()
    after = len(here.editor.heard)
    await here.editor.run_now("redline.planAgain", {"planId": plan_id})
    await here.settled(plan_id, after=after)
    again = await here.run(plan_id)
    assert again["state"] == ("ready" if is_saved else "held")


async def test_a_file_of_a_disk_whose_clock_is_ahead_is_deleted(
    serve: Serve, shared_shop: Shop
) -> None:
    """It is the one that the planner was shown, whatever time it has."""
    deletion = step(id="s1", file="shop/__init__.py", do="delete")
    model = await serve(plan_script(plan_answer([deletion], contracts=[])))
    here = await shared_shop(model)
    here.editor.take_edit = create_and_delete
    ahead = time.time() + 3_600
    os.utime(here.folder / "shop/__init__.py", (ahead, ahead))
    plan_id = await here.plan()
    await here.settled(plan_id)
    assert (await here.run(plan_id))["state"] == "ready"
    await here.apply(plan_id)
    assert not (here.folder / "shop/__init__.py").exists()


async def test_redline_changes_files_for_an_editor_that_cannot(
    shop: Shop, serve: Serve
) -> None:
    """After a question, with the text of the editor; all of it is taken back."""
    steps = [
        step(id="s1", file="NOTES.md", do="create", instruction="Write notes."),
        step(id="s2", file="shop/__init__.py", do="delete"),
        step(id="s3", file="shop/cart.py", do="rename", to="shop/carts.py"),
        {**STEPS[0], "id": "s4"},
    ]
    model = await serve(plan_script(plan_answer(steps)))
    here = await shop(model, planning(resourceOperations=[]))
    cart, carts = here.folder / "shop/cart.py", here.folder / "shop/carts.py"
    cart.write_bytes(b"\xef\xbb\xbf" + CART.replace("\n", "\r\n").encode())
    cart.chmod(0o640)
    before = {each: each.read_bytes() for each in here.folder.rglob("*.py")}
    here.open("shop/price.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    ready = await here.run(plan_id)
    assert ready["state"] in ("ready", "held"), ready["message"]
    here.editor.choice = "Do it"
    here.editor.take_edit = refuse
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    assert "did not apply" in (await here.editor.error(request))["message"]
    assert {each: each.read_bytes() for each in here.folder.rglob("*.py")} == before
    here.editor.take_edit = take
    done = await here.apply(plan_id)
    assert done["state"] == "applied", done["message"]
    question = here.editor.all_of("window/showMessageRequest")[-1]["message"]
    assert "create NOTES.md, delete shop/__init__.py" in question
    assert "rename shop/cart.py as shop/carts.py" in question
    edit = here.applied_edit()["edit"]
    assert [one["textDocument"]["uri"] for one in edit["documentChanges"]] == [
        here.uri("shop/price.py")
    ]
    assert (here.folder / "NOTES.md").read_text() == NOTES
    assert carts.read_bytes() == before[cart]
    assert carts.stat().st_mode & 0o777 == 0o640
    assert not cart.exists()
    assert not (here.folder / "shop/__init__.py").exists()
    await here.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert {each: each.read_bytes() for each in here.folder.rglob("*.py")} == before
    assert not (here.folder / "NOTES.md").exists()
    assert here.editor.text(here.uri("shop/price.py")) == PRICE


async def test_a_plan_is_run_and_applied_step_by_step(
    serve: Serve, shared_shop: Shop
) -> None:
    """It is held, and does not end, while a step is not written."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    held = await here.run(plan_id, steps=["s1"])
    assert [one["state"] for one in held["steps"]] == ["checked", "waiting"]
    assert (held["state"], held["message"]) == ("held", "s2 is not written yet.")
    done = await here.apply(plan_id)
    assert (done["state"], done["applied"]) == ("held", ["s1"])
    # The rest is written for the files as they are now.
    model.entries.clear()
    ready = await here.run(plan_id)
    assert ready["state"] == "ready", ready["message"]
    assert [task.instruction for task in model.tasks] == ["Sum the doubled prices."]
    done = await here.apply(plan_id)
    assert (done["state"], done["applied"]) == ("applied", ["s2"])
    await here.editor.run_now("redline.takeBack", {"planId": plan_id})
    assert here.editor.text(here.uri("shop/price.py")) == PRICE
    assert here.editor.text(here.uri("shop/cart.py")) == CART


async def test_what_is_planned_again_is_written_again(
    serve: Serve, shared_shop: Shop
) -> None:
    """A step of the earlier plan was applied, and a new one has the same id."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id, steps=["s1"])
    done = await here.apply(plan_id)
    assert (done["state"], done["applied"]) == ("held", ["s1"])
    here.editor.replace_all(here.uri("shop/price.py"), PRICE)
    after = len(here.editor.heard)
    await here.editor.run_now("redline.planAgain", {"planId": plan_id})
    planned = await here.settled(plan_id, after=after)
    assert planned["state"] == "planned"
    assert [one["state"] for one in planned["steps"]] == ["waiting", "waiting"]
    model.entries.clear()
    ready = await here.run(plan_id)
    assert ready["state"] == "ready", ready["message"]
    assert {task.instruction for task in model.tasks} == {
        "Add the method doubled.",
        "Sum the doubled prices.",
    }
    done = await here.apply(plan_id)
    assert (done["state"], done["applied"]) == ("applied", ["s1", "s2"])
    assert here.editor.text(here.uri("shop/price.py")) == DOUBLED_PRICE


async def test_planning_that_is_too_expensive_asks_no_model(
    shop: Shop, serve: Serve
) -> None:
    """The limit counts for the planning, too, and needs no run."""
    model = await serve(plan_script())
    options = plan_settings(model)["models"]
    priced = {name: {**one, "name": "gpt-5.3-codex"} for name, one in options.items()}
    here = await shop(model, models=priced)
    plan_id = await here.plan(maxCost=0.000001)
    failed = await here.settled(plan_id)
    assert failed["state"] == "failed"
    assert "The cost of planning is estimated at $" in failed["message"]
    assert "no model was asked" in failed["message"]
    assert not model.prompts


@pytest.mark.parametrize("applied", [True, False])
async def test_what_the_editor_leaves_out_stays_in_the_plan(
    serve: Serve, shared_shop: Shop, *, applied: bool
) -> None:
    """A file that no buffer shows, unchecked in a preview, or after a failure."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    await here.run(plan_id)
    here.editor.take_edit = only("price.py", applied=applied)
    done = await here.apply(plan_id)
    assert (done["state"], done["applied"]) == ("ready", ["s1"])
    assert done["files"] == ["shop/price.py"]
    assert "files were left as they were: shop/cart.py" in done["message"]
    # It is offered again; an editor that applies nothing changes nothing.
    here.editor.take_edit = refuse
    request = here.editor.run("redline.applyPlan", {"planId": plan_id})
    assert "did not apply" in (await here.editor.error(request))["message"]
    edit = here.applied_edit()["edit"]
    (change,) = edit["documentChanges"]
    assert change["textDocument"]["uri"] == here.uri("shop/cart.py")


async def test_the_document_of_a_plan_is_edited_and_run(
    serve: Serve, shared_shop: Shop
) -> None:
    """A check box leaves a step out; nonsense is a diagnostic, and does not run."""
    model = await serve(plan_script())
    here = await shared_shop(model)
    here.open("shop/price.py", "shop/cart.py")
    plan_id = await here.plan()
    await here.settled(plan_id)
    opened = await here.editor.run_now("redline.openPlan", {"planId": plan_id})
    text = await asyncio.to_thread(Path(opened["file"]).read_text, encoding="utf-8")
    here.editor.open(opened["uri"], text)
    lenses = [one["title"] for one in await here.lenses_of(opened["uri"])]
    name = f"double-the-prices-of-cart-{plan_id}.md"
    assert Path(opened["file"]).name == name
    assert lenses == [
        "Run", "Plan again", "Discard",
        "Run this step (waiting)", "Run this step (waiting)",
    ]  # fmt: skip
    here.editor.replace_all(opened["uri"], text.replace("[x] edit", "[x] shell"))
    request = here.editor.run("redline.runPlan", {"planId": plan_id})
    assert "cannot be read" in (await here.editor.error(request))["message"]
    await here.editor.hear(
        lambda one: (
            one.get("method") == "textDocument/publishDiagnostics"
            and one["params"]["uri"] == opened["uri"]
            and one["params"]["diagnostics"]
        )
    )
    left_out = text.replace(
        '- [x] edit\n- quote: "    def', '- [ ] edit\n- quote: "    def'
    )
    assert left_out != text
    here.editor.replace_all(opened["uri"], left_out)
    ready = await here.run(plan_id)
    assert [one["state"] for one in ready["steps"]] == ["checked", "skipped"]
    # What the editor still shows after the plan is made again does not run.
    here.editor.replace_all(opened["uri"], text + " " * 1_000_000)
    request = here.editor.run("redline.runPlan", {"planId": plan_id})
    assert "it is too large" in (await here.editor.error(request))["message"]
    here.editor.replace_all(opened["uri"], text)
    after = len(here.editor.heard)
    await here.editor.run_now("redline.planAgain", {"planId": plan_id})
    assert (await here.settled(plan_id, after=after))["state"] == "planned"
    request = here.editor.run("redline.runPlan", {"planId": plan_id})
    assert "it was planned again" in (await here.editor.error(request))["message"]
    text = await asyncio.to_thread(Path(opened["file"]).read_text, encoding="utf-8")
    assert text.startswith("# Plan 2\n")
    await here.editor.run_now("redline.rejectPlan", {"planId": plan_id})
    assert (await here.state(plan_id))["state"] == "rejected"


async def test_without_a_store_a_plan_has_no_document(
    serve: Serve, shared_shop: Shop, tmp_path: Path
) -> None:
    """Nothing of it is written, and it is run as it was planned."""
    model = await serve(plan_script())
    file = tmp_path / "kept" / "plans.sqlite3"
    here = await shared_shop(model, store={"file": str(file), "enabled": False})
    plan_id = await here.plan()
    await here.settled(plan_id)
    request = here.editor.run("redline.openPlan", {"planId": plan_id})
    error = await here.editor.error(request)
    assert "has no document: `store.enabled` is false" in error["message"]
    assert (await here.run(plan_id))["state"] == "ready"
    assert not await asyncio.to_thread(file.parent.exists)


async def test_a_plan_needs_a_model(start: Start, tmp_path: Path) -> None:
    """Without one, the command says so at once."""
    write_shop(tmp_path / "shop")
    folder = {"uri": (tmp_path / "shop").as_uri(), "name": "shop"}
    redline = await start(workspaceFolders=[folder])
    uri = (tmp_path / "shop" / "shop" / "cart.py").as_uri()
    request = redline.editor.run("redline.plan", {"uri": uri, "instruction": "Plan."})
    error = await redline.editor.error(request)
    assert error["message"].startswith("A plan needs a model, and none is configured.")


def create_and_delete(editor: WireEditor, request: Json) -> None:
    """Apply an edit as an editor does that changes files on disk."""
    for change in request["params"]["edit"]["documentChanges"]:
        match change.get("kind"):
            case "create":
                Path(uri_path(change["uri"])).touch()
            case "delete":
                Path(uri_path(change["uri"])).unlink()
            case None:
                (text,) = change["edits"]
                uri = change["textDocument"]["uri"]
                Path(uri_path(uri)).write_text(text["newText"], encoding="utf-8")
    editor.reply(request, {"applied": True})


def only(path: str, *, applied: bool) -> Callable[[WireEditor, Json], None]:
    """Apply the change of one file, and answer."""

    def take_edit(editor: WireEditor, request: Json) -> None:
        edit = request["params"]["edit"]
        chosen = [
            one
            for one in edit["documentChanges"]
            if one["textDocument"]["uri"].endswith(path)
        ]
        changed = editor.apply({"edit": {**edit, "documentChanges": chosen}})
        editor.tell(changed or ())
        editor.reply(request, {"applied": applied})

    return take_edit
