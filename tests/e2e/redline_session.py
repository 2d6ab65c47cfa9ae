"""A server process with an editor at its wire: what most tests here are about."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.e2e.editor_document import Json
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.server_process import ServerProcess, start_process
from tests.e2e.talk_checks import check_talk
from tests.e2e.wire_editor import CAPABILITIES, Talk, WireEditor, take

from redline.checks.all_checks import RULES

KEY = "sk-e2e-e07d5c3b9a1f4628"
"""What the scripted models want to see; no message and no log may hold it."""

UNCHECKED: Json = {
    "off": sorted(RULES.keys() - {"elision"}),
    "repair": False,
    "escalate": False,
}

WRONG_KEY = "sk-e2e-wrong-77aa31"

ENVIRONMENT = {"E2E_KEY": KEY, "E2E_WRONG_KEY": WRONG_KEY}


_N_LOOKS = 100
"""How often to ask before everything must have ended."""


class Redline:
    """One server and its editor."""

    def __init__(self, process: ServerProcess, editor: WireEditor, home: Path) -> None:
        self.process = process
        self.editor = editor
        self.home = home
        self.says_paths = False
        """Whether a message may name a file in its home, as one on settings does."""

    async def use(self, settings: Json, *, name: str) -> None:
        """Change the settings as a user does, and wait until a model is in use.

        Args:
            settings: The editor's whole section.
            name: The name of the fast tier's model, another than now.
        """
        editor = self.editor
        editor.settings = settings
        after = len(editor.heard)
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        await self.hear_of(name, after=after)

    def change_folders(
        self, *, added: Sequence[Json] = (), removed: Sequence[Json] = ()
    ) -> None:
        """Change the folders of the workspace."""
        event = {"added": list(added), "removed": list(removed)}
        self.editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    async def hear_of(self, name: str, *, after: int = 0) -> None:
        """Wait until the status says that a model fills the fast tier."""

        def is_so(message: Json) -> bool:
            is_status = message.get("method") == "redline/status"
            return is_status and message["params"]["tiers"][0]["model"] == name

        await self.editor.hear(is_so, after=after)

    async def settle(self) -> None:
        """End what a test has begun, and check everything that was said."""
        editor = self.editor
        editor.take_edit = take
        await editor.run_now("redline.stop", {})
        for request_id in list(editor.talk.asked):
            await editor.answer(request_id)
        for uri in list(editor.documents):
            editor.close_document(uri)
        # What was just refused takes a few turns of the server's loop to end.
        for _ in range(_N_LOOKS):
            status = await editor.run_now("redline.status", {})
            if not status["sessions"]:
                break
        assert status["sessions"] == []
        self.check()
        editor.talk = Talk()

    async def end(self) -> None:
        """Shut it down; nothing is left running."""
        await self.editor.shut_down()
        assert await self.process.gone() == 0
        self.check()

    async def kill(self) -> None:
        """Kill it, and wait until it is gone; what it began to report has no end."""
        self.process.kill()
        await self.process.gone()
        self.editor.talk = Talk()

    def check(self) -> None:
        """Check the messages so far, answers and notifications."""
        places = () if self.says_paths else (str(self.home),)
        check_talk(self.editor.talk, private=(KEY, WRONG_KEY, *places))
        self.check_log()

    def check_log(self) -> None:
        """The log has no key, and nothing but our own lines went anywhere else."""
        written = self.process.log.read_text() + self.process.complaints
        assert KEY not in written
        assert WRONG_KEY not in written
        assert "Traceback" not in written


async def start_redline(
    *arguments: str,
    home: Path,
    capabilities: Mapping[str, Any] = CAPABILITIES,
    environment: Mapping[str, str] = ENVIRONMENT,
    settings: object = None,
) -> Redline:
    """Start a server over stdio; nothing has been said to it yet."""
    process = await start_process(*arguments, home=home, environment=environment)
    assert process.child.stdin is not None
    assert process.child.stdout is not None
    editor = WireEditor(
        process.child.stdout, process.child.stdin, capabilities=capabilities
    )
    editor.settings = settings
    return Redline(process, editor, home)


def settings_for(
    model: ScriptedModel | str,
    *,
    name: str = "scripted",
    limits: Mapping[str, float] | None = None,
    edit: Mapping[str, object] | None = None,
    checks: Mapping[str, object] | None = None,
    key: str | None = "E2E_KEY",
    next_edits: Mapping[str, object] | None = None,
    **more: object,
) -> Json:
    """Settings with one model, which fills the fast tier.

    Args:
        model: A server, or its address.
        name: Its label and its name at the provider.
        limits: The section of that name.
        edit: The section of that name.
        checks: The section of that name; absent: only the reply and elisions are
            checked, since most texts of these tests are no code.
        key: The environment variable with its key.
        next_edits: The section of that name; absent: no model is asked for them.
        more: Further settings of the model.
    """
    url = model if isinstance(model, str) else model.url
    configured: Json = {"api": "responses-socket", "url": url, "name": name}
    # The scripted server announces that it can be steered; most tests are of restarts.
    configured |= {"steer": False, **more}
    if key is not None:
        configured["key"] = {"env": key}
    return {
        "models": {name: configured},
        "tiers": {"fast": name},
        "limits": dict(limits or {}),
        "edit": dict(edit or {}),
        "checks": dict(UNCHECKED if checks is None else checks),
        # Typing would open connections and start generations of its own.
        "complete": {"enabled": False},
        "next_edit": {"model": "none"} if next_edits is None else dict(next_edits),
    }


async def kill(redline: Redline) -> None:
    """End it in any state; for a test that has failed."""
    redline.process.kill()
    await asyncio.wait_for(redline.process.child.wait(), 10)
