"""A project that the user trusts, with a test that fails, and its command."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from tests.e2e.debug_session import write_project
from tests.editors.scene import Scene

COMMAND = [sys.executable, "-m", "pytest", "-q", "-p", "no:asyncio", "{test}"]
PATH = "tests/test_price.py"
FAILED = "Failed: tests/test_price.py::test_euros"


def write_failing_test(scene: Scene, config: Path | None = None) -> Scene:
    """Write the project and the user's settings; return a scene with the test's file.

    Args:
        scene: Where.
        config: The user's `config.toml`; None: that of the scene.
    """
    write_project(scene.project)
    config = config or scene.home / "config" / "redline" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    before = config.read_text(encoding="utf-8") if config.exists() else ""
    config.write_text(
        f"{before}\n[trust]\nworkspaces = [{json.dumps(str(scene.project))}]\n"
        f"[test]\ncommand = {json.dumps(COMMAND)}\n",
        encoding="utf-8",
    )
    return replace(scene, name=PATH)
