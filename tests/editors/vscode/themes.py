"""Themes of VS Code, one of each kind, and the change from one to another."""

from __future__ import annotations

import json
from pathlib import Path

from tests.editors.vscode.window import Window

THEMES = {
    "dark": ("Default Dark Modern", "vs-dark"),
    "light": ("Default Light Modern", "vs"),
    "contrast": ("Default High Contrast", "hc-black"),
    "contrast-light": ("Default High Contrast Light", "hc-light"),
}
"""The setting, and the class that the page has then."""


async def use_theme(window: Window, project: Path, kind: str) -> None:
    """Show a window in a theme from now on, by the settings of its folder."""
    theme, theme_class = THEMES[kind]
    file = project / ".vscode" / "settings.json"
    settings = json.loads(file.read_text())
    settings["workbench.colorTheme"] = theme
    file.write_text(json.dumps(settings))
    await window.page.locator(f".monaco-workbench.{theme_class}").wait_for()
