"""An action of the user's own, so that a test knows the instruction of a menu entry."""

from __future__ import annotations

from tests.editors.scene import Scene

TITLE = "Begin at zero"
INSTRUCTION = "begin at zero"

_SETTINGS = """
[actions.own.mine]
title = "{title}"
instruction = "{instruction}"
"""


def add_own_action(
    scene: Scene, *, title: str = TITLE, instruction: str = INSTRUCTION
) -> None:
    """Write one into the user's settings."""
    config = scene.home / "config" / "redline" / "config.toml"
    before = config.read_text() if config.exists() else ""
    own = _SETTINGS.format(title=title, instruction=instruction)
    config.write_text(before + own)
