"""A project with seeded faults, and the settings of the models that review it."""

from __future__ import annotations

from tests.assist.review.seeded_workspace import STOCK, write_workspace
from tests.e2e.review_session import FIXED_LINE, INDEX_LINE, seeded_script
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene

FIXED = STOCK.replace(INDEX_LINE, FIXED_LINE)
"""The file with the one fix applied."""

LINE = STOCK.splitlines().index(INDEX_LINE) + 1
"""Where the fault is that has that fix."""

RULED = """\
def is_nothing(value):
    return value is "nothing"
"""
"""What the built-in rules find fault with, too."""

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


def seed(scene: Scene, model: ScriptedModel) -> Scene:
    """Write the project and the settings; returns a scene with the file to review."""
    write_workspace(scene.project)
    url = model.url.replace("ws://", "http://")
    names = ("deep", "standard", "fast")
    models = "".join(_MODEL.format(name=name, url=url) for name in names)
    config = scene.home / "config" / "redline" / "config.toml"
    config.write_text(models + _SETTINGS)
    model.say(seeded_script())
    return Scene(home=scene.home, project=scene.project, name="stock.py")
