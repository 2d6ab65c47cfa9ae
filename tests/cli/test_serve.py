"""`redline serve` reads where to serve, on this machine only."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from redline.cli.commands.serve import tcp_address
from redline.lsp.options import TcpAddress


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:4000", "127.0.0.1", 4000),
        ("localhost:0", "localhost", 0),
        ("[::1]:65535", "::1", 65_535),
    ],
)
def test_an_address_on_this_machine(text: str, host: str, port: int) -> None:
    assert tcp_address(text) == TcpAddress(host=host, port=port)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not HOST:PORT"),
        ("4000", "not HOST:PORT"),
        (":4000", "not HOST:PORT"),
        ("localhost", "not HOST:PORT"),
        ("localhost:", "not HOST:PORT"),
        ("localhost:-1", "not HOST:PORT"),
        ("localhost:x", "not HOST:PORT"),
        ("localhost:٣", "not HOST:PORT"),
        ("localhost:65536", "not HOST:PORT"),
        ("0.0.0.0:4000", "not this machine"),
        ("example.com:4000", "not this machine"),
        ("localhost.example.com:4000", "not this machine"),
    ],
)
def test_anything_else_is_refused(text: str, why: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=why):
        tcp_address(text)


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


CONVERSATION = b"".join(
    frame(body)
    for body in (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize",'
        b'"params":{"processId":null,"rootUri":null,"capabilities":{}}}',
        b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}',
        b'{"jsonrpc":"2.0","method":"exit"}',
    )
)


def test_a_whole_life_over_stdio_leaves_only_the_log(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("log.level = 'debug'\n")
    log = tmp_path / "redline.log"
    words = ["serve", "--stdio", "--config", str(config), "--log-file", str(log)]
    process = subprocess.run(
        [sys.executable, "-m", "redline", *words],
        input=CONVERSATION,
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert process.returncode == 0
    assert process.stderr == b""
    assert b'"id":1' in process.stdout
    assert b'"id":2' in process.stdout
    assert log.exists()


@pytest.mark.skipif(os.name == "nt", reason="the shell is a POSIX one")
def test_an_editor_may_close_standard_error(tmp_path: Path) -> None:
    """The server runs, and no other file gets the number of standard error."""
    words = [sys.executable, "-m", "redline", "serve"]
    process = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", *words, "--log-file", tmp_path / "log"],
        input=CONVERSATION,
        stdout=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    assert process.returncode == 0
    assert b'"id":2' in process.stdout
