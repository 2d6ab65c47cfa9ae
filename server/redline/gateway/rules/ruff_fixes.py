"""Applying the fixes of ruff that it calls safe, inside the range only.

Ruff reads the text from its standard input and runs none of it. It is asked what it
would change, not to change it: a fix is taken only if all of its edits are in the
range.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Literal

import msgspec
from ruff import find_ruff_bin  # type: ignore[import-untyped]  # It has no hints.

from redline.gateway.rules.python_source import parses
from redline.gateway.rules.region import Declined, Outcome, Region

RuffRule = Literal["sort-imports", "unused-imports", "lint"]

TIMEOUT_S = 10.0
"""For one run; a file of 10,000 lines takes well under one second."""

MAX_CHARS = 2_000_000

_MAX_ROUNDS = 10
"""One fix can make way for another; ruff itself stops after 100."""

_SELECTED: dict[RuffRule, str] = {
    "sort-imports": "I001",
    "unused-imports": "F401",
    "lint": "F,E,W,I,B,C4,PIE,SIM,UP",
}
_TARGET_VERSION = "py39"
"""The oldest Python that the fixed code may have to run on, as it is not known."""


class RuffPlace(msgspec.Struct, frozen=True):
    """A place in the text, both counted from 1, columns in code points."""

    row: int
    column: int


class RuffEdit(msgspec.Struct, frozen=True):
    """A part of the text that is replaced."""

    content: str
    location: RuffPlace
    end_location: RuffPlace


class RuffFix(msgspec.Struct, frozen=True):
    """The edits that belong together."""

    applicability: str
    edits: list[RuffEdit]


class RuffFinding(msgspec.Struct, frozen=True):
    """One line of ruff's report, as much of it as is used."""

    code: str | None
    fix: RuffFix | None


_DECODER = msgspec.json.Decoder(list[RuffFinding])


class _RuffFailedError(Exception):
    """Ruff could not be run to its end."""


def apply_ruff(region: Region, rule: RuffRule) -> Outcome:
    """Apply a rule's safe fixes until there are none left in the range."""
    if len(region.text) > MAX_CHARS:
        return Declined(reason="the file is too long")
    if not region.is_whole_file:
        if rule != "sort-imports":
            return Declined(reason="it would have to see the whole file for this")
        # Imports that stand alone can be sorted without the rest.
        region = replace(region, before="", after="", is_whole_file=True)
    if not parses(region.text):
        return Declined(reason="the file cannot be parsed as Python")
    try:
        return _fixed(region, rule)
    except _RuffFailedError as error:
        return Declined(reason=str(error))


def _fixed(region: Region, rule: RuffRule) -> str:
    for _ in range(_MAX_ROUNDS):
        batches = _batches(region, _run(region, rule))
        targets = (_applied(region, batch) for batch in batches)
        target = next((text for text in targets if text is not None), None)
        if target is None:
            break
        region = region.with_target(target)
    return region.target


Edit = tuple[int, int, str]


def _batches(region: Region, findings: list[RuffFinding]) -> list[list[Edit]]:
    """The fixes that fit together, and, should they not, the first one alone."""
    lines = [0]
    for line in region.text.split("\n"):
        lines.append(lines[-1] + len(line) + 1)
    start = len(region.before)
    end = start + len(region.target)
    taken: list[Edit] = []
    first: list[Edit] = []
    for finding in findings:
        if finding.fix is None or finding.fix.applicability != "safe":
            continue
        edits = [
            (
                lines[edit.location.row - 1] + edit.location.column - 1,
                lines[edit.end_location.row - 1] + edit.end_location.column - 1,
                edit.content,
            )
            for edit in finding.fix.edits
        ]
        is_inside = all(start <= s and e <= end for s, e, _ in edits)
        is_apart = all(e < s2 or e2 < s for s, e, _ in edits for s2, e2, _ in taken)
        if is_inside and is_apart and edits:
            taken += edits
            first = first or edits
    return [batch for batch in (taken, first) if batch]


def _applied(region: Region, edits: list[Edit]) -> str | None:
    """The new range; None if its file could not be parsed any more."""
    offset = len(region.before)
    target = region.target
    for start, end, text in sorted(edits, reverse=True):
        target = target[: start - offset] + text + target[end - offset :]
    return target if parses(region.with_target(target).text) else None


def _run(region: Region, rule: RuffRule) -> list[RuffFinding]:
    # Nobody's settings but the ones above.
    settings = {k: v for k, v in os.environ.items() if not k.startswith("RUFF_")}
    try:
        done = subprocess.run(
            [find_ruff_bin(), *_arguments(region.path, rule)],
            input=region.text.encode(),
            capture_output=True,
            timeout=TIMEOUT_S,
            cwd=tempfile.gettempdir(),
            env=settings,
            check=True,
        )
        return _DECODER.decode(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise _RuffFailedError("ruff took too long") from error
    except (subprocess.CalledProcessError, OSError) as error:
        raise _RuffFailedError("ruff could not be run") from error
    except msgspec.DecodeError as error:
        raise _RuffFailedError("ruff's report could not be read") from error


def _arguments(path: str, rule: RuffRule) -> list[str]:
    return [
        "check",
        "--isolated",
        "--no-cache",
        "--exit-zero",
        "--output-format=json",
        f"--select={_SELECTED[rule]}",
        f"--target-version={_TARGET_VERSION}",
        "--config=src = []",
        f"--config=lint.isort.known-first-party = {_first_party(path)}",
        f"--stdin-filename={_file_name(path)}",
        "-",
    ]


def _first_party(path: str) -> str:
    """The folders that the file is in, as TOML: what they hold is the project's own."""
    names = PurePosixPath(path.replace("\\", "/")).parent.parts
    known = [n for n in names if n.isidentifier() and n not in sys.stdlib_module_names]
    return "[" + ", ".join(f'"{name}"' for name in known) + "]"


def _file_name(path: str) -> str:
    name = PurePosixPath(path.replace("\\", "/")).name
    return name if name.endswith((".py", ".pyi")) else "text.py"
