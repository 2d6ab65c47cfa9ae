"""Redline's own commands as processes, in a home and a project of the test's own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.editor_document import Json
from tests.e2e.server_process import clean_environment
from tests.outside.programs import PROGRAM_S

HANGS_S = 40.0
"""How long a command may take that hung before: a bound, never a measure."""

GIT = (
    *("git", "-c", "user.name=A", "-c", "user.email=a@example.org"),
    *("-c", "commit.gpgsign=false"),
)


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How a command has ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """All that it has written."""
        return self.out + self.err

    @property
    def report(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.out)


class Desk:
    """A user's home with settings, and a project folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.home.mkdir(parents=True)
        self.project.mkdir()

    def configure(self, toml: str) -> Path:
        """Write the user's own settings."""
        file = self.home / "config" / "redline" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(toml)
        return file

    def use_model(
        self,
        url: str,
        *,
        api: str = "responses-socket",
        name: str = "m",
        tiers: tuple[str, ...] = ("fast",),
        more: str = "",
        rest: str = "",
    ) -> None:
        """Configure one model, whose key is in `OUTSIDE_KEY`.

        Args:
            url: Its endpoint.
            api: Its wire format.
            name: Its name at the provider.
            tiers: The tiers that it fills.
            more: Further settings of the model, as TOML.
            rest: Further sections, as TOML.
        """
        filled = "\n".join(f'{tier} = "m"' for tier in tiers)
        self.configure(
            f'[models.m]\napi = "{api}"\nurl = "{url}"\nname = "{name}"\n'
            f'key = {{ env = "OUTSIDE_KEY" }}\n{more}\n[tiers]\n{filled}\n{rest}\n'
        )

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file of the project."""
        file = self.project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def commit(self) -> None:
        """Make the project a repository with all its files in one commit."""
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "first")):
            subprocess.run([*GIT, *words], cwd=self.project, check=True)

    async def run(
        self,
        *words: str,
        key: str = "the-key-of-these-tests",
        environment: Mapping[str, str] | None = None,
        stdin: int | None = asyncio.subprocess.DEVNULL,
        within_s: float = PROGRAM_S,
    ) -> Ran:
        """Run `redline WORDS` in the project to its end.

        Raises:
            TimeoutError: If it does not end; it is killed.
        """
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "redline", *words),
            stdin=stdin,
            stdout=PIPE,
            stderr=PIPE,
            cwd=self.project,
            env=self.environment(key) | dict(environment or {}),
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(within_s):
                out, err = await process.communicate()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode is not None
        return Ran(
            code=process.returncode,
            out=out.decode(errors="replace"),
            err=err.decode(errors="replace"),
        )

    def environment(self, key: str) -> dict[str, str]:
        """The environment of a command."""
        data = str(self.home / "data")
        clean = clean_environment(self.home)
        return {**clean, "XDG_DATA_HOME": data, "OUTSIDE_KEY": key}

    def settings(self, url: str, *, api: str = "responses-socket", **more: Any) -> Json:
        """Settings of an editor with one model, which fills every tier.

        Args:
            url: Its endpoint.
            api: Its wire format.
            more: Further settings of the model; a table is a section of its own.
        """
        sections = {k: v for k, v in more.items() if isinstance(v, dict)}
        model = {k: v for k, v in more.items() if k not in sections}
        name = model.pop("name", "m")
        configured = {"api": api, "url": url, "name": name, **model}
        configured["key"] = {"env": "OUTSIDE_KEY"}
        return {
            "models": {"m": configured},
            "tiers": dict.fromkeys(("fast", "standard", "deep"), "m"),
            "store": {"file": str(self.home / "store.sqlite3")},
            **sections,
        }
