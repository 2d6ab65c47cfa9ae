"""Makes a release of the Neovim plugin: a git repository whose root is the plugin.

    python publishing/neovim.py FOLDER

lazy.nvim, vim.pack and Vim's own packages install a plugin from the root of a
repository, and ours is a folder of one. The release has one commit and the tag of the
version; push it with `git push --force REMOTE main --tags`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "editors" / "neovim"

_IDENTITY = ("-c", "user.name=Redline", "-c", "user.email=release@redline.invalid")


def release(folder: Path) -> str:
    """Make the release in a folder that does not exist; returns its tag."""
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tag = f"v{package['project']['version']}"
    shutil.copytree(PLUGIN, folder, ignore=shutil.ignore_patterns("doc/tags"))
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE")
    # The pages that the changelog links to are not in the plugin.
    pages = f"{package['project']['urls']['Homepage']}/blob/main/"
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    linked = re.sub(r"\]\((?!https:)", f"]({pages}", changelog)
    (folder / "CHANGELOG.md").write_text(linked, encoding="utf-8")
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "add", "--all")
    _git(folder, *_IDENTITY, "commit", "--quiet", "--message", f"Redline {tag}")
    _git(folder, *_IDENTITY, "tag", "--annotate", tag, "--message", f"Redline {tag}")
    return tag


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)


if __name__ == "__main__":
    sys.stdout.write(f"{release(Path(sys.argv[1]))}\n")
