"""A project with seeded faults, and the settings of the models that review it."""

from __future__ import annotations

from pathlib import Path

from tests.assist.review.answering_model import findings, verdict
from tests.assist.review.git_project import GitProject
from tests.assist.review.seeded_workspace import INDEX, STOCK, write_workspace
from tests.e2e.review_session import FIXED_LINE, INDEX_LINE, seeded_script
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

FIXED = STOCK.replace(INDEX_LINE, FIXED_LINE)
"""The file with the one fix applied."""

LINE = STOCK.splitlines().index(INDEX_LINE) + 1
"""Where the fault is that has that fix."""

RULED = """\
def is_nothing(value):
    return value is "nothing"
"""
"""What the built-in rules find fault with, too."""

UNRULED = RULED.replace('is "', '== "')
"""Without that fault."""

_MODEL = """\
[models.{name}]
api = "responses-http"
url = "{url}"
name = "{name}"
key = {{ env = "E2E_KEY" }}
background = true
"""

_SETTINGS = """\
[tiers]
deep = "deep"
standard = "standard"
fast = "fast"
[checks]
repair = false
escalate = false
[routing]
second_opinions = 0
[review]
scouts = 0
"""


HARMLESS = STOCK.replace(INDEX_LINE, "    return names[0]")
"""The file before that fault is made."""


def seed(scene: Scene, model: ScriptedModel, *, review: str = "") -> Scene:
    """Write the project and the settings; returns a scene with the file to review.

    Args:
        scene: Where.
        model: What answers.
        review: Further settings of reviews, as TOML.
    """
    write_workspace(scene.project)
    url = model.url.replace("ws://", "http://")
    names = ("deep", "standard", "fast")
    models = "".join(_MODEL.format(name=name, url=url) for name in names)
    config = scene.home / "config" / "redline" / "config.toml"
    config.write_text(models + _SETTINGS + review)
    model.say(seeded_script())
    return Scene(home=scene.home, project=scene.project, name="stock.py")


def break_two_files(scene: Scene) -> Path:
    """Make a fault in the scene's file and in another, which no model reviews.

    Returns:
        The other file.
    """
    (scene.home / "config" / "redline" / "config.toml").unlink()
    (scene.project / ".git").rmdir()
    GitProject(scene.project).commit(prices=UNRULED, rates=UNRULED)
    other = scene.project / "rates.py"
    for file in (scene.file, other):
        file.write_text(RULED)
    return other


def saving_script() -> Script:
    """Return what models say to reviews, and the standard tier's to those on save."""
    judging = When(model="standard", contains="uphold")
    rules = (
        ScriptRule(when=judging, reply=ScriptReply(text=verdict("upheld"))),
        ScriptRule(
            when=When(model="standard"), reply=ScriptReply(text=findings(INDEX))
        ),
    )
    return Script(rules=(*rules, *seeded_script().rules))
