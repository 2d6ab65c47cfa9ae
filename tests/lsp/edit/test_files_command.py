"""The files that an instruction can name are listed for the newest request only."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest
from tests.assist.conftest import FakeTiers
from tests.assist.fake_model import FakeModel
from tests.assist.in_process import InThisProcess

from redline.assist.editor.workspace import Workspace
from redline.lsp.edit import prompt_messages
from redline.lsp.edit.files_command import FilesCommand
from redline.lsp.jsonrpc.request_context import DeferredAnswer, RequestContext
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import ExecuteCommand


class Listing:
    """Requests for the files of a folder, and their answers."""

    def __init__(self, folder: Path) -> None:
        (folder / "a.py").write_text("x\n")
        self.answers: dict[int, object] = {}
        workspace = Workspace()
        workspace.roots = (folder.as_uri(),)
        tiers = FakeTiers(FakeModel())
        tiers.named["best"] = FakeModel(label="best")
        table = FilesCommand(workspace, InThisProcess(), tiers).table()
        self._row = table[names.FILES]

    def request(self, request_id: int, typed: str) -> asyncio.Task[None]:
        params = ExecuteCommand(command=names.FILES)
        later = self._row.handler(prompt_messages.FilesArguments(typed=typed), params)
        assert isinstance(later, DeferredAnswer)
        context = RequestContext(request_id, "workspace/executeCommand")

        async def answer() -> None:
            self.answers[request_id] = await later.work(context)

        task = asyncio.create_task(answer())
        context.attach(task)
        return task


def result(*files: str) -> prompt_messages.FilesResult:
    models = (prompt_messages.NamedModel(name="best", model="fake-1"),)
    return prompt_messages.FilesResult(files=files, definitions=(), models=models)


async def test_a_newer_request_cancels_the_one_before(tmp_path: Path) -> None:
    """While an instruction is typed, only the last list is of use."""
    listing = Listing(tmp_path)
    first, second, third = (listing.request(n, "a.py"[:n]) for n in range(3))
    for older in (first, second):
        with pytest.raises(asyncio.CancelledError):
            await older
    await third
    # One that has finished does not affect the next.
    await listing.request(3, "zzz")
    assert listing.answers == {2: result("a.py"), 3: result()}


async def test_a_disk_that_does_not_answer_holds_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many keys are typed meanwhile."""
    listing = Listing(tmp_path)
    answers = threading.Event()
    looks: SimpleQueue[str] = SimpleQueue()
    real = os.scandir

    def scandir(path: str) -> Iterator[os.DirEntry[str]]:
        looks.put(path)
        answers.wait()
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    requests = [listing.request(0, "a")]
    try:
        await asyncio.to_thread(looks.get)
        for number in range(1, 40):
            requests.append(listing.request(number, "a"))
            await asyncio.sleep(0)
        # The threads of others are free.
        await asyncio.to_thread(len, "")
        assert looks.empty()
    finally:
        answers.set()
    await requests[-1]
    assert listing.answers == {39: result("a.py")}
