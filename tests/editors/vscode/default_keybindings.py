"""The keys that VS Code itself uses on each platform, read from VS Code.

`python -m tests.editors.vscode.default_keybindings` writes them to
`editors/vscode/test/default-keybindings.json`. In a browser VS Code takes the platform
from the user agent, so one machine is enough.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, async_playwright
from tests.e2e.server_process import clean_environment
from tests.editors.programs import program
from tests.editors.vscode.code_server import CodeServer
from tests.editors.vscode.window import Window

TARGET = (
    Path(__file__).parents[3]
    / "editors"
    / "vscode"
    / "test"
    / "default-keybindings.json"
)

_AGENT = "Mozilla/5.0 ({}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0"

PLATFORMS = {
    "linux": _AGENT.format("X11; Linux x86_64"),
    "mac": _AGENT.format("Macintosh; Intel Mac OS X 10_15_7"),
    "windows": _AGENT.format("Windows NT 10.0; Win64; x64"),
}

DESKTOP_ONLY = {
    "linux": ("alt+f4", "ctrl+q", "ctrl+shift+i", "ctrl+shift+w", "ctrl+w", "f11"),
    "mac": ("alt+cmd+h", "cmd+h", "cmd+m", "cmd+q", "cmd+w", "shift+cmd+w"),
    "windows": ("alt+f4", "ctrl+shift+i", "ctrl+shift+w", "ctrl+w", "f11"),
}
"""What a browser keeps for itself, and the desktop program therefore has besides."""


async def read_keys(browser: Browser, server: CodeServer, agent: str) -> list[str]:
    """Return the keys of one platform, as VS Code writes them."""
    context = await browser.new_context(
        user_agent=agent, permissions=["clipboard-read", "clipboard-write"]
    )
    window = Window(await context.new_page(), server.address, Path())
    await window.open(server.folder)
    await window.command("Preferences: Open Default Keyboard Shortcuts (JSON)")
    await window.page.locator(".editor-instance .view-line").first.wait_for()
    await window.focus()
    modifier = "Meta" if "Macintosh" in agent else "Control"
    await window.press(f"{modifier}+a", f"{modifier}+c")
    text = await window.page.evaluate("() => navigator.clipboard.readText()")
    await context.close()
    return sorted(set(re.findall(r'"key": "([^"]+)"', text)))


async def main() -> None:
    """Read them all and write them."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        server = CodeServer(home, clean_environment(home))
        keys: dict[str, list[str]] = {}
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=program("chromium"), args=["--no-sandbox"]
            )
            async with server.serve("--disable-workspace-trust"):
                for name, agent in PLATFORMS.items():
                    found = await read_keys(browser, server, agent)
                    keys[name] = sorted({*found, *DESKTOP_ONLY[name]})
            await browser.close()
    TARGET.write_text(json.dumps(keys, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(
        f"{ {name: len(each) for name, each in keys.items()} }{os.linesep}"
    )


if __name__ == "__main__":
    asyncio.run(main())
