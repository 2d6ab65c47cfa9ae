"""The files that an instruction can name are listed for the newest request only."""

from __future__ import annotations

import asyncio
from pathlib import Path

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


async def test_a_newer_request_cancels_the_one_before(tmp_path: Path) -> None:
    """While an instruction is typed, only the last list is of use."""
    (tmp_path / "a.py").write_text("x\n")
    workspace = Workspace()
    tiers = FakeTiers(FakeModel())
    tiers.named["best"] = FakeModel(label="best")
    models = (prompt_messages.NamedModel(name="best", model="fake-1"),)
    workspace.roots = (tmp_path.as_uri(),)
    row = FilesCommand(workspace, InThisProcess(), tiers).table()[names.FILES]
    params = ExecuteCommand(command=names.FILES)

    answers: dict[int, object] = {}

    def request(request_id: int, typed: str) -> asyncio.Task[None]:
        later = row.handler(prompt_messages.FilesArguments(typed=typed), params)
        assert isinstance(later, DeferredAnswer)
        context = RequestContext(request_id, "workspace/executeCommand")

        async def answer() -> None:
            answers[request_id] = await later.work(context)

        task = asyncio.create_task(answer())
        context.attach(task)
        return task

    first, second, third = (request(n, "a.py"[:n]) for n in range(3))
    for older in (first, second):
        with pytest.raises(asyncio.CancelledError):
            await older
    await third
    # One that has finished does not affect the next.
    await request(3, "zzz")
    assert answers == {
        2: prompt_messages.FilesResult(files=("a.py",), definitions=(), models=models),
        3: prompt_messages.FilesResult(files=(), definitions=(), models=models),
    }
