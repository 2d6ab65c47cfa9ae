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
import time
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


PROBE = """
const vscode = require("vscode");
const { writeFileSync, renameSync } = require("node:fs");
exports.activate = async () => {
  await vscode.commands.executeCommand("workbench.action.openDefaultKeybindingsFile");
  const document = vscode.workspace.textDocuments.find(({ uri }) =>
    uri.path.includes("keybindings"),
  );
  writeFileSync(TARGET + ".part", document.getText());
  renameSync(TARGET + ".part", TARGET);
};
"""
"""An extension that writes the page of all default keys into a file."""


def add_probe(server: CodeServer, target: Path) -> None:
    """Put the extension into the profile."""
    folder = server.folder / "extensions" / "redline-ls.probe-0.0.1"
    folder.mkdir(parents=True)
    manifest = {
        "name": "probe",
        "publisher": "redline-ls",
        "version": "0.0.1",
        "engines": {"vscode": "^1.91.0"},
        "main": "./probe.js",
        "activationEvents": ["onStartupFinished"],
    }
    (folder / "package.json").write_text(json.dumps(manifest))
    script = PROBE.replace("TARGET", json.dumps(str(target)))
    (folder / "probe.js").write_text(script)


def wait_for(target: Path) -> str:
    """Return what the probe writes, once it is there, and remove it."""
    while not target.exists():
        time.sleep(0.2)  # A file is the probe's only way to say so.
    text = target.read_text(encoding="utf-8")
    target.unlink()
    return text


async def read_keys(
    browser: Browser, server: CodeServer, agent: str, target: Path
) -> list[str]:
    """Return the keys of one platform, as VS Code writes them."""
    context = await browser.new_context(user_agent=agent)
    window = Window(await context.new_page(), server.address, Path())
    await window.open(server.folder)
    text = await asyncio.to_thread(wait_for, target)
    found = re.findall(r'"key": "([^"]+)"', text)
    await context.close()
    return sorted({json.loads(f'"{key}"') for key in found})


async def main() -> None:
    """Read them all and write them."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        server = CodeServer(home, clean_environment(home))
        add_probe(server, home / "keys.json")
        keys: dict[str, list[str]] = {}
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=program("chromium"), args=["--no-sandbox"]
            )
            async with server.serve("--disable-workspace-trust"):
                for name, agent in PLATFORMS.items():
                    found = await read_keys(browser, server, agent, home / "keys.json")
                    keys[name] = sorted({*found, *DESKTOP_ONLY[name]})
            await browser.close()
    TARGET.write_text(json.dumps(keys, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(
        f"{ {name: len(each) for name, each in keys.items()} }{os.linesep}"
    )


if __name__ == "__main__":
    asyncio.run(main())
