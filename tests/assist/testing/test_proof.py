"""The failing test is run without and with a fix, in a copy, with limits."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from tests.assist.testing.nested_folders import nest

from redline.assist.testing.command_run import run_command
from redline.assist.testing.proof import Proved, Prover
from redline.assist.testing.workspace_copy import workspace_copy
from redline.errors import CommandRunError
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRequest
from redline.settings.test_run_settings import TestRunSettings as RunSettings
from redline.settings.tree import Settings, TrustSettings

PRICE = "def euros(cents):\n    return cents / 10\n"
FIXED = PRICE.replace("10", "100")
OUTPUT = """\
=========================== short test summary info ============================
FAILED tests/test_price.py::test_euros - assert 25.0 == 2.5
"""
RUNNER = f"""\
import sys
from pathlib import Path
assert sys.argv[1] == "tests/test_price.py::test_euros"
names = {{}}
exec(Path("shop/price.py").read_text(), names)
Path("written").touch()
if names["euros"](250) != 2.5:
    print({OUTPUT!r})
    sys.exit(1)
"""
N_ENTRIES = 10
COMMAND = (sys.executable, "run.py", "{test}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a project whose test fails."""
    folder = tmp_path / "shop"
    for path, text in (
        ("shop/price.py", PRICE),
        ("tests/test_price.py", "def test_euros(): ...\n"),
        ("run.py", RUNNER),
        (".env", "KEY=1\n"),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


async def proved(
    folder: Path,
    texts: dict[str, str],
    *,
    command: tuple[str, ...] = COMMAND,
    trusted: tuple[str, ...] | None = None,
    timeout_s: float = 60.0,
    output: str = OUTPUT,
) -> Proved:
    """Prove a fix of the price."""
    settings = Settings(
        test=RunSettings(command=command, timeout_s=timeout_s),
        trust=TrustSettings(workspaces=(str(folder),) if trusted is None else trusted),
    )
    request = PlanRequest(
        instruction="", kind="debug", output=output, roots=(folder.as_uri(),)
    )
    overlay = Overlay(base=dict.fromkeys(texts, ""), texts=texts)
    return await Prover(lambda: settings, dict, asyncio.Lock()).prove(request, overlay)


@pytest.mark.parametrize(
    ("text", "proof"), [(FIXED, "green"), (PRICE.replace("10", "20"), "red")]
)
async def test_a_fix_is_proved_in_a_copy(folder: Path, text: str, proof: str) -> None:
    """Red before; green or red after; the user's files stay as they are."""
    found = await proved(folder, {"shop/price.py": text})
    assert found.proof == proof, found.message
    assert bool(found.output) == (proof == "red")
    assert (folder / "shop/price.py").read_text(encoding="utf-8") == PRICE
    assert not (folder / "written").exists()


@pytest.mark.parametrize(
    ("arrange", "reason"),
    [
        ({"command": ()}, "no `test.command` is configured"),
        ({"trusted": ()}, "not in `trust.workspaces`"),
        ({"output": "Traceback (most recent call last):\n"
          '  File "a.py", line 1, in <module>\nValueError: no\n'},
         "the failure names no test"),
        ({"command": (sys.executable, "-c", "raise SystemExit(3)")},
         "fails in another way"),
        ({"command": (sys.executable, "-c", "pass")}, "passes without the fix"),
        ({"command": ("no-such-program",)}, "cannot be started"),
        ({"command": (sys.executable, "-c", "import time; time.sleep(600)"),
          "timeout_s": 0.1}, "does not end within 0.1 s"),
        ({"trusted": ("", ".", "~no-such-user/x")}, "not in `trust.workspaces`"),
    ],
)  # fmt: skip
async def test_what_proves_nothing_is_not_run(
    folder: Path, arrange: dict[str, object], reason: str
) -> None:
    """With the reason, which the user can act on."""
    found = await proved(folder, {"shop/price.py": FIXED}, **arrange)  # type: ignore[arg-type] # A table.
    assert found.proof == "not run"
    assert reason in found.message


async def test_a_fix_whose_test_has_no_known_file(folder: Path) -> None:
    """The output names it below another folder."""
    output = OUTPUT.replace("tests/test_price.py::", "test_price.py::")
    code = f"import sys; print({output!r}); sys.exit(1)"
    found = await proved(
        folder,
        {"shop/price.py": FIXED},
        command=(sys.executable, "-c", code, "{test}"),
        output=output,
    )
    assert found.proof == "red"


@pytest.mark.parametrize("path", ["conftest.py", "tests/conftest.py", "pytest.ini"])
async def test_a_fix_of_what_decides_the_run(folder: Path, path: str) -> None:
    """It may skip the test."""
    found = await proved(folder, {"shop/price.py": FIXED, path: "# new\n"})
    assert found.proof == "not run"
    assert f"changes {path}, which decides" in found.message


async def test_a_fix_of_the_test_itself_proves_nothing(folder: Path) -> None:
    """A test that was weakened passes with any code."""
    found = await proved(folder, {"tests/test_price.py": "def test_euros(): ...\n\n"})
    assert found.proof == "not run"
    assert "which holds the test" in found.message


async def test_a_copy_has_no_ignored_files_and_is_deleted(folder: Path) -> None:
    """Open documents count as they are; installed packages stay as they are."""
    package = folder / "node_modules" / "a.js"
    package.parent.mkdir()
    package.write_bytes(b"a\r\n")
    documents = {
        "shop/price.py": FIXED.replace("\n", "\r\n"),
        "node_modules/a.js": "open",
        ".env": "KEY=2\n",
    }
    async with workspace_copy(folder, documents) as copy:
        text = (copy / "shop/price.py").read_bytes().decode()
        assert text == FIXED.replace("\n", "\r\n")
        assert (copy / "run.py").exists()
        assert (copy / "node_modules").is_symlink()
        assert not (copy / ".env").exists()
    assert not copy.parent.exists()
    assert package.read_bytes() == b"a\r\n"


async def test_a_cancelled_copy_is_deleted(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that is being written, and one of a server that was killed."""
    place = tmp_path / "temporary"
    killed = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await killed.wait()
    (place / f"redline-test-{killed.pid}-a" / "shop").mkdir(parents=True)
    (place / "redline-test-of-the-user").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))

    async def copied() -> None:
        async with workspace_copy(folder, {}):
            await asyncio.Event().wait()

    for n_turns in (1, 3, 50):
        task = asyncio.create_task(copied())
        for _ in range(n_turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with workspace_copy(folder, {}):
        pass
    assert [each.name for each in place.iterdir()] == ["redline-test-of-the-user"]


async def test_deeply_nested_folders_are_deleted(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of this run and of a killed server; what links lead to stays."""
    place = tmp_path / "temporary"
    killed = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await killed.wait()
    stale = place / f"redline-test-{killed.pid}-a"
    stale.mkdir(parents=True)
    nest(stale)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    async with workspace_copy(folder, {}) as copy:
        assert list(place.iterdir()) == [copy.parent]
        nest(copy)
        (copy / "link").symlink_to(folder)
    assert not list(place.iterdir())
    assert (folder / "run.py").exists()


async def test_a_folder_that_cannot_be_read_is_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one with more entries than all that is copied may have."""
    monkeypatch.setattr(
        "redline.assist.testing.workspace_copy.MAX_COPY_FILES", N_ENTRIES
    )
    data = folder / "data"
    data.mkdir()
    for number in range(N_ENTRIES + 1):
        (data / str(number)).touch()
    async with workspace_copy(folder, {}) as copy:
        assert (copy / "run.py").exists()
        assert list((copy / "data").iterdir()) == []


async def test_a_fix_of_an_installed_package_is_not_tried(folder: Path) -> None:
    """The copy has only a link to it."""
    package = folder / "venv" / "lib.py"
    package.parent.mkdir()
    package.write_text("x = 1\n", encoding="utf-8")
    found = await proved(folder, {"venv/lib.py": "x = 2\n"})
    assert found.proof == "not run"
    assert "shares with the workspace" in found.message
    assert package.read_text(encoding="utf-8") == "x = 1\n"


async def test_a_command_has_no_keys_and_no_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its imports come from the folder that it runs in."""
    monkeypatch.setenv("SHOP_API_KEY", "sk-1")
    monkeypatch.setenv("SHOP_PAYMENTS", f" ghp_{'aB3' * 12}")
    code = (
        "import os, sys; print(sorted(os.environ), sys.stdin.read() == '');"
        "import shop; print(list(shop.__path__))"
    )
    end = await run_command((sys.executable, "-c", code), folder, timeout_s=60.0)
    assert end.exit_code == 0, end.output
    assert "SHOP_" not in end.output
    assert "True" in end.output
    assert str(folder / "shop") in end.output


async def test_a_flood_is_cut(folder: Path) -> None:
    """The start and the end are kept."""
    code = "print('first'); print('x' * 5_000_000); print('last')"
    end = await run_command((sys.executable, "-c", code), folder, timeout_s=60.0)
    assert len(end.output) < 1_100_000
    assert end.output.startswith("first")
    assert end.output.endswith("last\n")
    assert "... output left out ..." in end.output


async def test_no_part_of_a_line_is_left_of_a_flood(folder: Path) -> None:
    """A part of a secret would not be recognized as one."""
    code = "print('secret ' * 100_000); print('secret ' * 100_000); print('last')"
    end = await run_command((sys.executable, "-c", code), folder, timeout_s=60.0)
    assert end.output == "... output left out ...\nlast\n"


@pytest.mark.parametrize("is_daemon", [False, True])
async def test_a_command_that_leaves_a_process_behind(
    folder: Path, *, is_daemon: bool
) -> None:
    """Its exit counts; that process is killed, also in a session of its own."""
    code = (
        "import subprocess, sys;"
        "left = [sys.executable, '-c', 'import time; time.sleep(600)'];"
        f"started = subprocess.Popen(left, start_new_session={is_daemon});"
        "print(started.pid, flush=True); sys.exit(3)"
    )
    end = await run_command((sys.executable, "-c", code), folder, timeout_s=300.0)
    assert end.exit_code == 3
    await asyncio.to_thread(_wait_until_gone, int(end.output))


FORKING = """\
import os, sys, time
def sleep():
    print(os.getpid(), file=pipe, flush=True)
    time.sleep(600)
pipe = open(sys.argv[1], "w")
if os.fork() == 0:
    sleep()
if os.fork() == 0:
    os.setsid()
    # Its parent ends, so it belongs to no process of the command.
    if os.fork() == 0:
        sleep()
    os._exit(0)
sleep()
"""
KILLED = """\
import asyncio, sys
from pathlib import Path
from redline.assist.testing.command_run import run_command
asyncio.run(run_command(sys.argv[2:], Path(sys.argv[1]), timeout_s=600.0))
"""


def _forking(folder: Path) -> tuple[str, ...]:
    os.mkfifo(folder / "pipe")
    return (sys.executable, "-c", FORKING, str(folder / "pipe"))


def _read_ids(folder: Path) -> list[int]:
    with (folder / "pipe").open(encoding="utf-8") as pipe:
        return [int(pipe.readline()) for _ in range(3)]


async def test_all_that_a_command_started_is_killed(folder: Path) -> None:
    """When it is cancelled, also twice: children, and daemons in other sessions."""
    task = asyncio.create_task(run_command(_forking(folder), folder, timeout_s=600.0))
    ids = await asyncio.to_thread(_read_ids, folder)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for process_id in ids:
        await asyncio.to_thread(_wait_until_gone, process_id)


async def test_a_command_ends_with_a_killed_server(folder: Path) -> None:
    """With all that it started."""
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", KILLED, str(folder), *_forking(folder))
    )
    ids = await asyncio.to_thread(_read_ids, folder)
    server.kill()
    await server.wait()
    for process_id in ids:
        await asyncio.to_thread(_wait_until_gone, process_id)


CHAIN = """\
import os, sys, time
pipe = open(sys.argv[1], "w")
print("started", file=pipe, flush=True)
if os.fork() == 0:
    for _ in range(100_000):
        if os.fork():
            os._exit(0)
        os.setsid()
        time.sleep(0.004)
else:
    time.sleep(600)
"""
KILLS_ITS_PARENT = """\
import os, signal, sys, time
pipe = open(sys.argv[1], "w")
print("started", file=pipe, flush=True)
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("code", "timeout_s", "exit_code"),
    [(CHAIN, 2.0, None), (KILLS_ITS_PARENT, 600.0, 128 + signal.SIGKILL)],
    ids=["a chain", "its parent"],
)
async def test_a_command_that_makes_it_hard_to_kill_it(
    folder: Path, code: str, timeout_s: float, exit_code: int | None
) -> None:
    """By a new process each 4 ms, in a session of its own, or by killing its guard."""
    os.mkfifo(folder / "pipe")
    pipe = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    command = (sys.executable, "-c", code, str(folder / "pipe"))
    end = await run_command(command, folder, timeout_s=timeout_s)
    assert end.exit_code == exit_code
    # All of its processes hold the pipe open.
    assert await asyncio.to_thread(_read_to_end, pipe) == b"started\n"


def _read_to_end(pipe: int) -> bytes:
    read = b""
    while select.select([pipe], [], [], 60.0)[0]:
        data = os.read(pipe, 100)
        if not data:
            os.close(pipe)
            return read
        read += data
    raise AssertionError("a process goes on")


def _wait_until_gone(process_id: int) -> None:
    """Open the process: it is gone, or ends now."""
    try:
        descriptor = os.pidfd_open(process_id)
    except ProcessLookupError:
        return
    assert select.select([descriptor], [], [], 60.0)[0]
    os.close(descriptor)


async def test_a_command_that_is_missing_is_an_error(folder: Path) -> None:
    """With its name."""
    with pytest.raises(CommandRunError, match="'no-such' cannot be started"):
        await run_command(("no-such",), folder, timeout_s=1.0)
