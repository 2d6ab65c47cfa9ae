"""How an edit looks, in each kind of theme: everything that can be painted at once.

The pictures are for people, and for the extension's page; what is tested is that all of
it is there.
"""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene
from tests.editors.vscode.conftest import OpenWindow, write_settings

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

THEMES = {
    "dark": "Default Dark Modern",
    "light": "Default Light Modern",
    "contrast": "Default High Contrast",
    "contrast-light": "Default High Contrast Light",
}

BEFORE = """\
import json
import os


def load(path):
    file = open(path)
    return json.load(file)


def names(orders):
    found = []
    for order in orders:
        found.append(order["name"])
    return found


def total(orders):
    return sum(order["price"] for order in orders)


def largest(orders):
    return max(orders, key=lambda order: order["price"])
"""

AFTER = '''\
import json
from pathlib import Path


def load(path: Path) -> list[dict]:
    """Read the orders of a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def names(orders):
    return [order["name"] for order in orders]


def total(orders):
    # Cents, so that nothing is lost; prices are rounded to cents long before.
    return sum(round(order["price"] * 100) for order in orders)


def largest(orders):
    return max(orders, key=lambda order: order["price"])
'''


@pytest.mark.parametrize("kind", THEMES)
async def test_an_edit_in_a_theme(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel, kind: str
) -> None:
    """Words in lines, a card beside the code, one over it, and lines that go."""
    scene.file.write_text(BEFORE)
    write_settings(
        scene.project,
        model,
        {
            "workbench.colorTheme": THEMES[kind],
            "redline.checks.off": ["undefined-name"],
        },
    )
    model.say(Script(otherwise=ScriptReply(text=AFTER)))
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.press("Control+a")
    await window.instruct("modernise it, and count in cents")
    await window.lens("Accept").wait_for()
    await window.page.mouse.move(640, 780)
    await window.picture(f"look-{kind}")
    painted = await window.painted()
    assert ": Path" in painted
    assert 'return [order["name"] ' in painted
    assert '    """Read the orders of a file."""' in painted
    await window.accept()
    await window.shows(AFTER)
