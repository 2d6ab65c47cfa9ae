"""Parser processes: work is done in them, and what hangs them is given up."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from redline.checks.edit_question import (
    CHECK,
    CheckedFolders,
    EditCheck,
    EditVerdict,
)
from redline.errors import ParserEndedError
from redline.parsing.parser_pool import ParserPool
from redline.parsing.work import Work
from redline.text.lines import split_lines

HOSTILE = "a=>" * 5_000
"""15 kB at the end of a file of Java: one step of tree-sitter takes 40 s and 8 GB."""

MakePool = Callable[..., ParserPool]


@pytest.fixture
async def make_pool() -> AsyncIterator[MakePool]:
    """Create pools; nothing of them is left after the test."""
    pools: list[ParserPool] = []

    def make(**options: object) -> ParserPool:
        pools.append(ParserPool(**options))  # type: ignore[arg-type]  # By name.
        return pools[-1]

    yield make
    for pool in pools:
        pids = pool.pids
        await pool.aclose()
        assert pool.pids == ()
        assert not [pid for pid in pids if is_running(pid)]


def edit(old: str, new: str, *, path: str = "a.py", after: str = "") -> EditCheck:
    """Return the question about an edit of the lines before `after`."""
    return EditCheck(
        before=split_lines(old + after),
        first=0,
        n_old=old.count("\n"),
        new=split_lines(new)[:-1],
        language="",
        path=path,
        instruction="Improve it.",
        environment=CheckedFolders(roots=()),
    )


def is_running(pid: int) -> bool:
    """Whether there is such a process, perhaps one that nobody has waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_end(pid: int) -> None:
    """Wait until a child has ended, and leave its exit code to its owner."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def data_limit(pid: int) -> int:
    """Read the limit that Linux enforces."""
    limits = Path(f"/proc/{pid}/limits").read_text(encoding="utf-8")
    (line,) = [each for each in limits.splitlines() if "Max data size" in each]
    return int(line.split()[3])


async def test_checks_find_the_same_as_in_this_process(make_pool: MakePool) -> None:
    verdict = await make_pool().run(CHECK, edit("x = 1\n", "x = (1\n"))
    assert [problem.rule for problem in verdict.problems] == ["syntax"]
    assert "syntax" not in verdict.passed
    assert verdict.score < 1


async def test_a_hostile_text_is_given_up_and_the_next_one_is_checked(
    make_pool: MakePool,
) -> None:
    """Its process is killed, whatever its parser does."""
    pool = make_pool()
    hostile = asyncio.ensure_future(
        pool.run(CHECK, edit("int a;\n", "int b;\n", path="A.java", after=HOSTILE))
    )
    # Meanwhile, another text is checked in another process.
    verdict = await pool.run(CHECK, edit("x = 1\n", "x = 2\n"))
    assert verdict.problems == ()
    async with asyncio.timeout(90):
        with pytest.raises(ParserEndedError):
            await hostile
    verdict = await pool.run(CHECK, edit("x = 1\n", "x = (2\n"))
    assert [problem.rule for problem in verdict.problems] == ["syntax"]


async def test_a_process_that_was_killed_between_two_units_is_replaced(
    make_pool: MakePool,
) -> None:
    pool = make_pool(max_processes=1)
    await pool.run(CHECK, edit("x = 1\n", "x = 2\n"))
    (pid,) = pool.pids
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)
    verdict = await pool.run(CHECK, edit("x = 1\n", "x = 2\n"))
    assert verdict.problems == ()
    assert pool.pids != (pid,)


async def test_an_idle_process_ends(make_pool: MakePool) -> None:
    pool = make_pool(idle_s=0.05)
    await pool.run(CHECK, edit("x = 1\n", "x = 2\n"))
    async with asyncio.timeout(60):
        while pool.pids:  # noqa: ASYNC110  # A process has no event to wait for.
            await asyncio.sleep(0.01)
    assert (await pool.run(CHECK, edit("x = 1\n", "x = 2\n"))).problems == ()


async def test_a_unit_that_takes_too_long_is_given_up(make_pool: MakePool) -> None:
    """Not even the rules are loaded within this limit."""
    with pytest.raises(ParserEndedError) as raised:
        await make_pool(limit_s=0.001).run(CHECK, edit("x = 1\n", "x = 2\n"))
    assert raised.value.reason == "it took longer than 0.001 s"


async def test_closing_does_not_wait_for_a_hostile_text(make_pool: MakePool) -> None:
    pool = make_pool(max_processes=1)
    question = edit("int a;\n", "int b;\n", path="A.java", after=HOSTILE)
    running = asyncio.ensure_future(pool.run(CHECK, question))
    waiting = asyncio.ensure_future(pool.run(CHECK, question))
    async with asyncio.timeout(60):
        while not pool.pids:  # noqa: ASYNC110  # See above.
            await asyncio.sleep(0.01)
        await pool.aclose()
        with pytest.raises(ParserEndedError):
            await running
        with pytest.raises(asyncio.CancelledError):
            await waiting
    with pytest.raises(asyncio.CancelledError):
        await pool.run(CHECK, question)


async def test_a_fault_of_the_work_is_logged_and_the_next_work_is_done(
    make_pool: MakePool, caplog: pytest.LogCaptureFixture
) -> None:
    pool = make_pool(max_processes=1)
    missing: Work[EditCheck, EditVerdict] = Work(
        function="redline.checks.check_process:no_such", result=EditVerdict
    )
    question = edit("x = 1\n", "x = 2\n")
    verdict = await pool.run(CHECK, question)
    with pytest.raises(ParserEndedError, match="Redline failed at it"):
        await pool.run(missing, question)
    assert "no_such failed" in caplog.text
    assert "AttributeError" in caplog.text
    assert "has no attribute" not in caplog.text
    assert await pool.run(CHECK, question) == verdict


async def test_a_process_that_does_not_keep_its_limit_is_killed(
    make_pool: MakePool,
) -> None:
    """As one that the system has stopped; everybody who waits is answered."""
    silent = (sys.executable, "-c", "import time; time.sleep(600)")
    pool = make_pool(command=silent, limit_s=0.1, max_processes=1)
    question = edit("x = 1\n", "x = 2\n")
    waiting = asyncio.to_thread(pool.run_and_wait, CHECK, question)
    found = await asyncio.gather(
        pool.run(CHECK, question), waiting, return_exceptions=True
    )
    assert [type(each) for each in found] == [ParserEndedError, ParserEndedError]


async def test_text_that_is_not_unicode_is_not_parsed(make_pool: MakePool) -> None:
    with pytest.raises(ParserEndedError, match="it is not valid Unicode"):
        await make_pool().run(CHECK, edit("x = 1\n", "x = '\ud800'\n"))


async def test_a_program_that_is_missing_is_reported(make_pool: MakePool) -> None:
    pool = make_pool(command=("/no/such/program",))
    with pytest.raises(ParserEndedError, match="could not be started"):
        await pool.run(CHECK, edit("x = 1\n", "x = 2\n"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces it")
async def test_the_memory_of_a_process_is_limited(make_pool: MakePool) -> None:
    """The limit holds for what it starts, too."""
    pool = make_pool()
    await pool.run(CHECK, edit("x = 1\n", "x = 2\n"))
    (pid,) = pool.pids
    assert data_limit(pid) == 1 << 30
