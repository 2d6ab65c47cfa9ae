"""A process that exceeds its limits ends, even in the middle of a computation."""

from __future__ import annotations

import subprocess
import sys

import pytest

from redline.process_limits import OUT_OF_TIME

IN_C = "import re; re.match('(a|a)*b', 'a' * 60)"
"""It takes years and lets no other thread run meanwhile."""


def run(code: str) -> int:
    """Return the exit code of a process that runs some code."""
    before = "from redline.process_limits import limit_memory, limited_time\n"
    return subprocess.run(
        [sys.executable, "-c", before + code],
        stderr=subprocess.DEVNULL,
        timeout=100,
        check=False,
    ).returncode


def test_work_in_c_ends_in_time() -> None:
    assert run(f"with limited_time(0.2):\n    {IN_C}\n") == OUT_OF_TIME


def test_what_is_done_in_time_goes_on() -> None:
    code = "import time\nwith limited_time(0.2): pass\ntime.sleep(0.5); exit(7)"
    assert run(code) == 7


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces it")
def test_memory_is_limited() -> None:
    code = (
        "limit_memory(100_000_000)\n"
        "try: bytearray(200_000_000)\n"
        "except MemoryError: exit(7)\n"
    )
    assert run(code) == 7
