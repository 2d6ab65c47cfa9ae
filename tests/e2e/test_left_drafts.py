"""What a killed process has left in a workspace goes when a server opens it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from tests.e2e.conftest import Start
from tests.e2e.redline_session import ENVIRONMENT
from tests.test_drafts import DAY_S, killed_while_writing

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_draft_is_removed_when_its_workspace_is_opened(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, data = tmp_path / "workspace", tmp_path / "data"
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    draft = killed_while_writing(workspace / "src" / "a.py")
    for path in (draft, data / "redline" / "drafts" / draft.name):
        os.utime(path, (path.stat().st_mtime - DAY_S,) * 2)
    redline = await start(
        environment={**ENVIRONMENT, "XDG_DATA_HOME": str(data)},
        workspaceFolders=[{"uri": workspace.as_uri(), "name": "workspace"}],
    )
    async with asyncio.timeout(60):
        while draft.exists():
            await redline.editor.run_now("redline.status", {})
