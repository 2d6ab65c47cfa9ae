"""Settings that cannot be read for a moment are read later."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from tests.lsp.conftest import Editor

from redline.lsp.client.configuration import Configuration
from redline.lsp.client.diagnostics import DiagnosticBoard
from redline.lsp.initialize import Client
from redline.settings.load import Loaded


@pytest.mark.parametrize("n_before", [0, 1])
async def test_settings_are_read_once_threads_can_be_started(
    ready: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_before: int
) -> None:
    """A user may have no processes left when the settings are read."""
    loads: asyncio.Queue[Loaded] = asyncio.Queue()
    file = tmp_path / "config.toml"
    file.write_text("")
    configuration = Configuration(
        endpoint=ready.endpoint,
        client=Client(),
        roots=(),
        diagnostics=DiagnosticBoard(ready.endpoint),
        config=file,
        on_change=lambda: None,
        on_loaded=loads.put_nowait,
    )
    if n_before:
        await configuration.start()
        await loads.get()
    failed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def fail(thread: threading.Thread) -> None:
        loop.call_soon_threadsafe(failed.set)
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", fail)
        file.write_text('edit = { apply = "stream" }\n')
        if not n_before:
            await configuration.start()
        async with asyncio.timeout(20):
            await failed.wait()
    async with asyncio.timeout(20):
        loaded = await loads.get()
    assert loaded.settings.edit.apply == "stream"
