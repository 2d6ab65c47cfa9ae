"""Text and names of files on the command line, in a locale without their letters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from redline.cli.terminal.exit_codes import EXIT_USAGE

pytestmark = pytest.mark.usefixtures("isolated")

_ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def said(folder: Path, *words: str | bytes) -> tuple[int, str]:
    """Run a command in a locale of ASCII; return its exit code and its messages."""
    done = subprocess.run(
        [sys.executable, "-m", "redline", *words],
        cwd=folder,
        env=os.environ | _ASCII,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stderr.decode("ascii")


def test_an_instruction_is_read_as_utf_8(tmp_path: Path) -> None:
    """The rules engine quotes what it does not understand."""
    (tmp_path / "a.py").write_text("x = 1\n")
    _, message = said(tmp_path, "edit", "a.py", "Gr\u00f6\u00dfe \u65e5".encode())
    assert r'not understand "Gr\xf6\xdfe \u65e5"' in message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("edit", "a.py", b"\xff"), "The instruction is not in UTF-8."),
        (("edit", b"\xff.py", "x"), r"'\udcff.py' is not in UTF-8."),
        (
            ("edit", b"\xc3\xa4.py", "x"),
            r"'\xe4.py' has letters that the locale lacks.",
        ),
        (("review", b"\xc3\xa4.py"), r"'\xe4.py' has letters that the locale lacks."),
    ],
)
def test_what_cannot_be_used_is_refused(
    tmp_path: Path, words: tuple[str | bytes, ...], message: str
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    code, found = said(tmp_path, *words)
    assert (code, message in found) == (EXIT_USAGE, True), found
