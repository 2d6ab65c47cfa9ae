"""Helix without any plugin: what its own menu and messages make of Redline."""

from __future__ import annotations

import pytest
from tests.e2e.redline_session import KEY
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.helix.conftest import Open
from tests.editors.helix.helix import Helix
from tests.editors.own_action import INSTRUCTION, TITLE, add_own_action
from tests.editors.scene import BETTER, OTHER, TEXT, TOTAL, Scene, kill_server
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)
SAYING = Script(otherwise=ScriptReply(text=BETTER))
ORDER = TEXT.replace(TOTAL, f"# redline: begin at zero\n{TOTAL}")

SIMPLIFY = "Simplify with Redline"
ADD_TYPES = "Add types with Redline"


async def test_code_action_and_undo_in_one_step(
    helix: Helix, model: ScriptedModel
) -> None:
    """An edit is chosen from the menu and lands; one undo takes it back."""
    model.say(SAYING)
    await helix.choose(5, SIMPLIFY)
    await helix.terminal.shows(r"sum\(prices, 0\.0\)")
    await helix.terminal.shows(
        r"Redline changed 1 line in prices\.py; undo takes it back\."
    )
    await helix.saves(EDITED)
    helix.terminal.type("u")
    await helix.terminal.hides(r"sum\(prices, 0\.0\)")
    await helix.saves(TEXT)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (TOTAL, r"changed nothing in prices\.py\. The model changed nothing"),
        (
            "def total(prices):\n    return sum(prices\n",
            r"changed nothing in prices\.py\. Held back: ",
        ),
    ],
)
async def test_an_edit_that_does_not_land_says_why(
    helix: Helix, model: ScriptedModel, reply: str, said: str
) -> None:
    """One line, and the file as it was."""
    model.say(Script(otherwise=ScriptReply(text=reply)))
    await helix.choose(5, SIMPLIFY)
    await helix.terminal.shows(said)
    await helix.saves(TEXT)


async def test_instruction_comment(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """A `redline:` comment is done, and gone."""
    scene.file.write_text(ORDER)
    helix = await open_it()
    model.say(SAYING)
    await helix.choose(4, "Do this with Redline: begin at zero")
    await helix.terminal.shows(r"sum\(prices, 0\.0\)")
    await helix.saves(EDITED)
    assert model.tasks[0].instruction.startswith("begin at zero\n")


async def test_edit_stopped_half_way(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Keys are taken while it is written, and the menu has a way to stop it."""
    add_own_action(scene)
    helix = await open_it()
    model.say(SAYING)
    hold = model.hold(INSTRUCTION, after=2)
    await helix.choose(5, TITLE)
    await hold.reached()
    await helix.choose(5, "Stop: ")
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await helix.saves(TEXT)


async def test_edit_redirected(helix: Helix, model: ScriptedModel) -> None:
    """Another action on the same lines takes over from the one that is written."""
    model.say(
        Script(
            rules=(
                ScriptRule(
                    when=When(instruction="type"), reply=ScriptReply(text=OTHER)
                ),
            ),
            otherwise=ScriptReply(text=BETTER, delay_s=3600),
        )
    )
    await helix.choose(5, SIMPLIFY)
    await model.until(lambda: len(model.tasks) == 1)
    await helix.choose(5, ADD_TYPES)
    await helix.terminal.shows(r"math\.fsum\(prices\)")
    await helix.saves(TEXT.replace(TOTAL, OTHER))
    await model.until(lambda: model.n("stopped") == 1)


async def test_progress_shown(helix: Helix, model: ScriptedModel) -> None:
    """While an edit is written the status line says so."""
    model.say(Script(otherwise=ScriptReply(text=BETTER, delay_s=3600)))
    await helix.choose(5, SIMPLIFY)
    await helix.terminal.shows("Redline.* Simplify")
    await helix.choose(5, "Stop: ")
    await model.until(lambda: model.n("stopped") == 1)


async def test_server_killed_and_back(
    scene: Scene, helix: Helix, model: ScriptedModel
) -> None:
    """Helix lets a dead server be; `:lsp-restart` brings it back."""
    model.say(SAYING)
    kill_server(scene)
    await model.until(lambda: model.n_connected == 0)
    helix.terminal.type(f":lsp-restart{ENTER}")
    await model.until(lambda: model.n_connected > 0)
    await helix.is_ready()
    await helix.choose(5, SIMPLIFY)
    await helix.terminal.shows(r"sum\(prices, 0\.0\)")
    await helix.saves(EDITED)


async def test_wrong_key_message(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Helix shows no error answers, so it gets a message; without the key."""
    scene.use_model(model, key="E2E_WRONG_KEY")
    helix = await open_it()
    await helix.choose(5, SIMPLIFY)
    await helix.terminal.shows("Redline: .*key")
    assert KEY not in helix.terminal.text
    await helix.saves(TEXT)


async def test_without_a_model(scene: Scene, open_it: Open) -> None:
    """The built-in rules engine does what it can."""
    (scene.home / "config" / "redline" / "config.toml").unlink()
    add_own_action(scene, title="Say it better", instruction="rename total to whole")
    helix = await open_it()
    await helix.choose(5, "Say it better")
    await helix.terminal.shows("def whole")


async def test_an_edit_grows_in_place(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Lines come while others are written; undo takes the steps back one by one."""
    rows = [f"row_{number:02} = {number}\n" for number in range(12)]
    before = "".join(rows)
    changed = [row.replace("= ", "= 1") if "_02" in row else row for row in rows]
    after = [row.replace("= ", "= 1") if "_10" in row else row for row in changed]
    scene.file.write_text(f"def f():\n{indented(before)}")
    config = scene.home / "config" / "redline" / "config.toml"
    config.write_text(f'{config.read_text()}\n[edit]\napply = "stream"\n')
    add_own_action(scene)
    helix = await open_it()
    chunks = ("def f():\n", *(f"    {row}" for row in after))
    model.say(Script(otherwise=ScriptReply(chunks=chunks)))
    hold = model.hold(INSTRUCTION, after=10)
    await helix.choose(3, TITLE)
    await hold.reached()
    await helix.terminal.shows("row_02 = 12")
    await helix.saves(f"def f():\n{indented(''.join(changed))}")
    hold.release()
    await helix.terminal.shows("row_10 = 110")
    await helix.terminal.shows("undo takes it back step by step")
    await helix.saves(f"def f():\n{indented(''.join(after))}")
    helix.terminal.type("u")
    await helix.terminal.hides("row_10 = 110")
    await helix.saves(f"def f():\n{indented(''.join(changed))}")
    helix.terminal.type("u")
    await helix.terminal.hides("row_02 = 12")
    await helix.saves(f"def f():\n{indented(before)}")


def indented(text: str) -> str:
    """Return lines as those of a function."""
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))
