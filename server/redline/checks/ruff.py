"""Runs ruff on Python text: it gets the text, reads no file, and runs none of it.

Only the settings given here apply: the same text gets the same answer everywhere.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import PurePosixPath

import msgspec

from redline.child_environment import child_environment
from redline.errors import LinterError

TIMEOUT_S = 10.0
"""For one run; a file of 10,000 lines takes well under one second."""

MAX_CHARS = 2_000_000

NEWEST_PYTHON = "py314"
"""The version for which no syntax is reported as too new."""

_SECTION = re.compile(r"^## Why is this bad\?\n(.*?)(?=^## |\Z)", re.DOTALL | re.M)
_CODE_BLOCK = re.compile(r"^```.*?^```\n?", re.DOTALL | re.M)
_REFERENCE = re.compile(
    r"\[([^\]\n]{1,200}+)\](?:\([^)\n]{0,500}+\)|\[[^\]\n]{0,200}+\])?"
)


_turn = threading.Lock()


class RuffPlace(msgspec.Struct, frozen=True):
    """A place in the text, both counted from 1, columns in code points."""

    row: int
    column: int


class RuffEdit(msgspec.Struct, frozen=True):
    """A replacement of a part of the text."""

    content: str
    location: RuffPlace
    end_location: RuffPlace


class RuffFix(msgspec.Struct, frozen=True):
    """Edits that must be applied together."""

    applicability: str
    """`safe`, or ruff's word for how unsafe it is."""
    edits: list[RuffEdit]


class RuffMessage(msgspec.Struct, frozen=True):
    """One entry of ruff's report, with the fields that are used."""

    code: str | None
    """None, or `invalid-syntax`: the text cannot be parsed."""
    message: str
    location: RuffPlace
    end_location: RuffPlace
    fix: RuffFix | None = None
    url: str | None = None


class _Rule(msgspec.Struct, frozen=True):
    explanation: str = ""


_MESSAGES = msgspec.json.Decoder(list[RuffMessage])
_RULE = msgspec.json.Decoder(_Rule)


def ask_ruff(
    text: str,
    *,
    path: str,
    rules: str,
    target_version: str,
    first_party: Sequence[str] = (),
) -> list[RuffMessage]:
    """Run ruff over one text.

    Args:
        text: LF line ends; longer texts than `MAX_CHARS` must not be sent.
        path: The file's path; only its name is passed on.
        rules: Rule codes, joined by commas.
        target_version: The Python version of the text, such as `py311`.
        first_party: Packages that are the project's own.

    Raises:
        LinterError: If ruff cannot be run, takes too long or is not understood.
    """
    return check_text(
        text,
        path=path,
        options=(
            f"--select={rules}",
            f"--target-version={target_version}",
            "--config=src = []",
            f"--config=lint.isort.known-first-party = {_toml(first_party)}",
        ),
        timeout_s=TIMEOUT_S,
    )


def check_text(
    text: str, *, path: str, options: Sequence[str], timeout_s: float
) -> list[RuffMessage]:
    """Run `ruff check` on one text, with command line options.

    Args:
        text: LF line ends.
        path: The file's path; only its name is passed on.
        options: Added to those that confine ruff to the text.
        timeout_s: For the run.

    Raises:
        LinterError: If ruff cannot be run, takes too long or is not understood.
    """
    output = _run(
        "check",
        "--isolated",
        "--no-cache",
        "--exit-zero",
        "--output-format=json",
        *options,
        f"--stdin-filename={_file_name(path)}",
        "-",
        text=text,
        timeout_s=timeout_s,
    )
    try:
        return _MESSAGES.decode(output)
    except msgspec.DecodeError as error:
        raise LinterError("ruff's report could not be read") from error


@cache
def why(rule: str) -> str:
    """Return ruff's explanation of why a rule's fault is bad; may be empty."""
    try:
        output = _run(
            "rule", rule, "--output-format=json", text="", timeout_s=TIMEOUT_S
        )
        explanation = _RULE.decode(output).explanation
    except (LinterError, msgspec.DecodeError):
        return ""
    found = _SECTION.search(explanation)
    if found is None:
        return ""
    return _REFERENCE.sub(r"\1", _CODE_BLOCK.sub("", found[1])).strip()


def ruff_program() -> str:
    """Return the path of ruff; safe to call from any thread.

    The first call of `sysconfig` in a process fills a table that a second call, in
    another thread, sees half filled (CPython 3.11 and 3.12, `get_config_vars`), so a
    lock allows one call at a time.

    Raises:
        FileNotFoundError: If it is not installed.
    """
    with _turn:
        return _found_program()


@cache
def _found_program() -> str:
    # Imported late: a start does not need it.
    from ruff import (  # type: ignore[import-untyped]  # It has no hints.
        find_ruff_bin,
    )

    return str(find_ruff_bin())


def _run(*words: str, text: str, timeout_s: float) -> bytes:
    settings = {
        k: v
        for k, v in child_environment(os.environ).items()
        if not k.startswith("RUFF_")
    }
    try:
        done = subprocess.run(
            [ruff_program(), *words],
            input=text.encode("utf-8", "replace"),
            capture_output=True,
            timeout=timeout_s,
            cwd=tempfile.gettempdir(),
            env=settings,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise LinterError("ruff took too long") from error
    except (subprocess.CalledProcessError, OSError) as error:
        raise LinterError("ruff could not be run") from error
    return done.stdout


def _toml(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _file_name(path: str) -> str:
    name = PurePosixPath(path.replace("\\", "/")).name
    is_usable = name.endswith((".py", ".pyi")) and "\0" not in name
    return name if is_usable else "text.py"
