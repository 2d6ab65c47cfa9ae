"""Several editors, a killed one, and disks that cannot be written: real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

Rows = Callable[[Path, str], list[tuple[object, ...]]]

RECORDING = Path(__file__).with_name("recording.py")


@contextmanager
def recording(path: Path, run: str, n_tasks: int) -> Iterator[subprocess.Popen[str]]:
    """Start a server that records; it is ended at the latest on leaving."""
    words = [sys.executable, str(RECORDING), str(path), run, str(n_tasks)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_two_editors_write_at_once(path: Path, rows: Rows) -> None:
    with recording(path, "r1", 400) as one, recording(path, "r2", 400) as other:
        for process in (one, other):
            _, complaints = process.communicate(timeout=60)
            assert (process.returncode, complaints) == (0, "")

    counts = "SELECT run, count(DISTINCT id), count(*) FROM tasks GROUP BY run"
    assert rows(path, counts) == [("r1", 400, 400), ("r2", 400, 400)]
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("n_lines", [1, 5, 17])
def test_a_killed_writer_loses_no_more_than_was_not_flushed(
    n_lines: int, path: Path, rows: Rows
) -> None:
    with recording(path, "r1", 1_000_000) as process:
        assert process.stdout is not None
        stored = 0
        for _ in range(n_lines):
            stored = int(process.stdout.readline())
        process.kill()
        stored = max([stored, *map(int, process.stdout.read().split())])

    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    ids = {name for (name,) in rows(path, "SELECT id FROM tasks")}
    assert {f"t{n}" for n in range(1, stored + 1)} <= ids

    # The next start goes on in the same file.
    with recording(path, "r2", 7) as process:
        _, complaints = process.communicate(timeout=60)
    assert complaints == ""
    assert rows(path, "SELECT count(*) FROM tasks WHERE run = 'r2'") == [(7,)]


def run_in(folder: Path, code: str) -> str:
    """Run code in a process; return what it printed."""
    head = (
        "import asyncio, concurrent.futures.thread, logging, os, resource, sys\n"
        # Now: whoever the process becomes may not be able to read Python's own files.
        "import urllib.parse\n"
        "from pathlib import Path\n"
        f"sys.path.insert(0, {str(RECORDING.parent)!r})\n"
        "from recording import _task\n"
        "import redline.store.task_rows, redline.store.usage_file\n"
        "from redline.store.usage_store import UsageStore\n"
        f"folder = Path({str(folder)!r})\n"
        "logging.getLogger().addHandler(logging.NullHandler())\n"
        "notes = []\n"
    )
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", head + code],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder that all users may read; `root` must change its user id."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
        Path(name).chmod(0o700)


AS_ANYBODY = "folder.chmod(0o555)\nif os.geteuid() == 0: os.seteuid(65534)\n"


def test_a_folder_that_cannot_be_written(read_only_folder: Path) -> None:
    output = run_in(
        read_only_folder,
        AS_ANYBODY + "async def main():\n"
        "    store = UsageStore.open(folder / 'usage.sqlite3', notify=notes.append)\n"
        "    store.record(_task(1))\n"
        "    store.record(_task(2))\n"
        "    await store.aclose()\n"
        "    print(store.cost_today(now=1_800_000_000.0), *notes)\n"
        "asyncio.run(main())\n",
    )

    cost, _, message = output.partition(" ")
    assert cost == "1.0"
    assert message.startswith("Usage is not stored for now: ")
    assert "Permission denied" in message
    assert message.count("Usage") == 1
    assert list(read_only_folder.iterdir()) == []


def test_a_file_that_cannot_be_written_can_be_read(read_only_folder: Path) -> None:
    file = read_only_folder / "usage.sqlite3"
    with recording(file, "r1", 3) as process:
        process.communicate(timeout=60)
    file.chmod(0o444)

    output = run_in(
        read_only_folder,
        AS_ANYBODY + "async def main():\n"
        "    store = UsageStore.open(folder / 'usage.sqlite3', notify=notes.append)\n"
        "    store.record(_task(9))\n"
        "    totals = await asyncio.to_thread(store.totals, since=0.0, by=())\n"
        "    await store.aclose()\n"
        "    print(totals[0].tasks, *notes)\n"
        "asyncio.run(main())\n",
    )

    n_tasks, _, message = output.partition(" ")
    assert n_tasks == "3"
    assert message.startswith("Usage is not stored for now: ")


def test_a_full_disk(tmp_path: Path, rows: Rows) -> None:
    """A limit on file sizes fails writes half-way, as a full disk does."""
    output = run_in(
        tmp_path,
        "async def main():\n"
        "    store = UsageStore.open(folder / 'usage.sqlite3', notify=notes.append)\n"
        "    store.record(_task(1))\n"
        "    await asyncio.to_thread(store.totals, since=0.0)\n"
        "    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))\n"
        "    for n in range(2, 602): store.record(_task(n))\n"
        "    await asyncio.to_thread(store._writer.flush, limit_s=30)\n"
        "    print(len(notes), *notes)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))\n"
        "    store.record(_task(602))\n"
        "    await store.aclose()\n"
        "asyncio.run(main())\n",
    )

    assert output.startswith("1 Usage is not stored for now: ")
    question = "SELECT count(*), count(DISTINCT id) FROM tasks"
    assert rows(tmp_path / "usage.sqlite3", question) == [(602, 602)]
    assert not (tmp_path / "usage-2.sqlite3").exists()


def test_only_the_user_can_read_the_file(path: Path) -> None:
    with recording(path, "r1", 1_000_000) as process:
        assert process.stdout is not None
        process.stdout.readline()
        modes = {os.stat(file).st_mode & 0o777 for file in path.parent.iterdir()}
        names = {file.name for file in path.parent.iterdir()}

    assert f"{path.name}-wal" in names
    assert modes == {0o600}
