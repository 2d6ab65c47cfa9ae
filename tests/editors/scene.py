"""What every editor finds: a home, a project, and the settings of a scripted model."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.redline_session import ENVIRONMENT, WRONG_KEY
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.server_process import clean_environment

CONFIG = """\
{models}
[tiers]
fast = "scripted"
{deep}
[checks]
repair = false
escalate = false
[complete]
enabled = {completes}
[next_edit]
model = "{next_edits}"
"""

_MODEL = """\
[models.{name}]
api = "responses-socket"
url = "{url}"
name = "{name}"
key = {{ env = "{key}" }}
"""

TEXT = """\
import math


def total(prices):
    return sum(prices)


def area(radius):
    return math.pi * radius * radius


def last(items):
    return items[-1]
"""

INVOICE = (
    """\
def invoice(rows, rate):
    price = 100 * rate
    total = sum(row["count"] * price for row in rows)
    if total > 1000:
        total = total * 0.9
    lines = [f"{row['name']}: {row['count']}" for row in rows]
    lines.append("")
    lines.append(f"{len(rows)} rows at {price}")
"""
    + "".join(f"    lines.append(str({number}))\n" for number in range(60))
    + "    return lines, round(total / price)\n"
)
"""A function that uses `price` in lines 3, 8 and 69, out of sight."""

TOTAL = "def total(prices):\n    return sum(prices)\n"
BETTER = "def total(prices):\n    return sum(prices, 0.0)\n"
OTHER = "def total(prices):\n    return math.fsum(prices)\n"


_LINES = [f"name_{number:02} = {number}\n" for number in range(20)]


def with_changes(*numbers: int) -> str:
    """Return a text of twenty lines with some of them changed."""
    return "".join(
        line.replace("= ", "= 10 * ") if number in numbers else line
        for number, line in enumerate(_LINES)
    )


BEFORE = with_changes()
AFTER = with_changes(2, 7, 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where an editor is started."""

    home: Path
    """Its home; nothing of this machine's user is in it."""
    project: Path
    name: str = "prices.py"
    """Of the file that is opened."""

    @property
    def file(self) -> Path:
        """The file that most tests edit."""
        return self.project / self.name

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.home / "redline.log"

    @property
    def command(self) -> list[str]:
        """How the server is started."""
        return [sys.executable, "-m", "redline", "serve", "--log-file", str(self.log)]

    @property
    def environment(self) -> Mapping[str, str]:
        """Everything an editor and its server see."""
        utf8 = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        return {**clean_environment(self.home), **ENVIRONMENT, **utf8}

    def use_model(
        self,
        model: ScriptedModel,
        *,
        key: str = "E2E_KEY",
        completes: bool = False,
        next_edits: str = "none",
        deep: str | None = None,
    ) -> None:
        """Write the user's own settings; completions and next edits by a model would
        send more requests. `deep` names a second model, for the deep tier."""
        folder = self.home / "config" / "redline"
        folder.mkdir(parents=True, exist_ok=True)
        names = ["scripted", *([deep] if deep else [])]
        config = CONFIG.format(
            models="".join(
                _MODEL.format(name=name, url=model.url, key=key) for name in names
            ),
            deep=f'deep = "{deep}"' if deep else "",
            completes=str(completes).lower(),
            next_edits=next_edits,
        )
        (folder / "config.toml").write_text(config)

    def check_log(self) -> None:
        """The server has logged no failure of its own, and no key."""
        written = self.log.read_text() if self.log.exists() else ""
        assert "Traceback" not in written, written
        assert WRONG_KEY not in written
        assert ENVIRONMENT["E2E_KEY"] not in written


def make_scene(folder: Path, text: str = TEXT) -> Scene:
    """Make a home and a project in an empty folder."""
    scene = Scene(home=folder / "home", project=folder / "project")
    scene.home.mkdir()
    (scene.project / ".git").mkdir(parents=True)
    scene.file.write_text(text)
    return scene


def kill_server(scene: Scene) -> None:
    """Kill the server that works in the scene."""
    log = str(scene.log).encode()
    (pid,) = (
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if log in _read_if_there(path)
    )
    os.kill(pid, signal.SIGKILL)


@contextmanager
def paused_servers(home: Path) -> Iterator[None]:
    """Let the servers with a home answer only after the block."""
    stopped = [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if b"redline\0serve" in _read_if_there(path)
        and f"HOME={home}\0".encode() in _read_if_there(path.with_name("environ"))
    ]
    assert stopped
    try:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def _read_if_there(path: Path) -> bytes:
    """Read a file of a process, which may have ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
