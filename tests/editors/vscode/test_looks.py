"""How an edit looks, in each kind of theme: everything that can be painted at once.

The pictures are for people, and for the extension's page; what is tested is that all of
it is there.
"""

from __future__ import annotations

import re

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene
from tests.editors.vscode.conftest import OpenWindow, write_settings
from tests.editors.vscode.themes import THEMES, use_theme

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

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

N_NEW_LINES = 7
"""Lines of `AFTER` that are new or changed."""


async def test_an_edit_in_each_theme(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Words in lines, new lines, and lines that go, beside what came for them."""
    scene.file.write_text(BEFORE)
    write_settings(scene.project, model, {"redline.checks.off": ["undefined-name"]})
    # At a pace that a reader of the picture believes.
    model.say(Script(otherwise=ScriptReply(text=AFTER, tokens_per_s=1000)))
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.press("Control+a")
    await window.instruct("modernise it, and count in cents")
    # Not held back: a reader of the picture sees an edit without problems.
    await window.offer(re.compile(r"^\W*4 changes")).wait_for()
    await window.status("tok/s").wait_for()
    await window.page.mouse.move(640, 700)
    for kind in THEMES:
        await use_theme(window, scene.project, kind)
        await window.paints_among("import os")
        await window.paints_among("found = []")
        await window.marks(N_NEW_LINES)
        await window.shows(AFTER)
        await window.picture(f"look-{kind}")
    await window.accept()
    await window.marks(0)
    await window.paints()
    await window.shows(AFTER)
