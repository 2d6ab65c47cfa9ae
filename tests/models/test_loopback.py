"""Only names and addresses that can be no other machine are loopback."""

from __future__ import annotations

import pytest

from redline.models.loopback import is_loopback_host


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "::1", "[::1]"],
)
def test_this_machine(host: str) -> None:
    assert is_loopback_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "localhost.evil.com",
        "notlocalhost",
        "localhost.",
        "127.0.0.1.nip.io",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0.0.0.0",
        "::",
        "10.0.0.1",
        "fe80::1",
        "ｌocalhost",  # noqa: RUF001 (a full-width letter is the point)
    ],
)
def test_anything_else(host: str) -> None:
    assert not is_loopback_host(host)
