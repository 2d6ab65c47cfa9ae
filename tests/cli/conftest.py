"""What tests of several commands need."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.assist.review.reviewing_process import TOKEN
from tests.cli.tiers_config import TOKEN_VARIABLE

from redline.models import local_servers


@pytest.fixture
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings or local servers of the machine that runs the tests."""
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    nobody = replace(local_servers.SERVERS[0], port=1)
    monkeypatch.setattr(local_servers, "SERVERS", (nobody,))
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)


@pytest.fixture
def default_interrupt() -> Iterator[None]:
    """Let child processes be interrupted, also where a shell's background job runs us.

    A signal that is ignored stays ignored across `exec`; one that has a handler is
    reset to its default (POSIX, `exec`).
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
