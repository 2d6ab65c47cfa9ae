"""Each git process belongs to what started it."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from redline.assist.review.change.running_git import owned_processes, owning_git
from redline.errors import NotReviewableError

STARTS_GIT = """
import subprocess
from redline.assist.review.change.running_git import git_command
subprocess.run(git_command(["status"]))
"""


def start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], start_new_session=True)


async def test_processes_end_with_their_owner_only() -> None:
    """Also those that threads of the owner wait for."""
    started: asyncio.Queue[subprocess.Popen[bytes]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def work() -> int:
        with owned_processes().running(start) as process:
            loop.call_soon_threadsafe(started.put_nowait, process)
            return process.wait()

    async def own() -> int:
        with owning_git():
            return await asyncio.to_thread(work)

    first = asyncio.create_task(own())
    its_process = await started.get()
    second = asyncio.create_task(own())
    other_process = await started.get()
    first.cancel()
    await asyncio.wait({first})
    assert await asyncio.to_thread(its_process.wait) < 0
    assert other_process.poll() is None
    second.cancel()
    await asyncio.wait({second})
    assert await asyncio.to_thread(other_process.wait) < 0


async def test_nothing_is_started_for_an_owner_that_has_ended() -> None:
    """A thread may be between two commands then."""
    with owning_git():
        processes = owned_processes()
    with (
        pytest.raises(NotReviewableError, match="was stopped"),
        processes.running(start),
    ):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills it at once")
@pytest.mark.parametrize("tools", [("setpriv", "true"), ()])
def test_git_that_hangs_ends_with_a_process_that_is_killed(
    tmp_path: Path, tools: tuple[str, ...]
) -> None:
    """Also where there is no `setpriv`."""
    git = tmp_path / "git"
    git.write_text("#!/bin/sh\necho hangs\nexec /bin/sleep 600\n")
    git.chmod(0o755)
    for tool in tools:
        if found := shutil.which(tool):
            (tmp_path / tool).symlink_to(found)
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_GIT],
        env=os.environ | {"PATH": str(tmp_path)},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"hangs\n"
        process.kill()
        # At its end; both have it open.
        assert process.stdout.read() == b""
