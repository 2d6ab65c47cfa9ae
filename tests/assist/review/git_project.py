"""A real repository for tests: files, commits and a stage."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_CONFIG = """\
[user]
\tname = A Developer
\temail = developer@example.com
[commit]
\tgpgSign = false
"""


class GitProject:
    """A new repository in a folder, with nothing of this machine's configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", "--template=")
        with (folder / ".git" / "config").open("a", encoding="utf-8") as config:
            config.write(_CONFIG)

    @property
    def uri(self) -> str:
        """The URI of the folder."""
        return self.folder.as_uri()

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file and create its folders."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def commit(self, **files: str) -> None:
        """Write some Python modules and commit everything."""
        for name, text in files.items():
            self.write(f"{name}.py", text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "A step.")

    def git(self, *words: str) -> str:
        """Run git in the folder; returns what it says."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", "-C", str(self.folder), *words],
            capture_output=True,
            check=True,
            env=kept | quiet,
        )
        return done.stdout.decode()
