"""Reads the errors that type checkers and linters print.

The formats of compilers are read by their own readers. The others are a line for each
error (mypy, pyright, ruff, flake8, pylint, ESLint's `unix`, shellcheck's `gcc`), or
such lines without a path below a line with it (ESLint's `stylish`). What is labelled a
warning or a note is no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from redline.traces.compilers import read_compilers
from redline.traces.output import output_lines
from redline.traces.rust import read_rust

MAX_ERRORS = 5_000
"""Most errors that are read of an output."""

_LINE = re.compile(
    r"\s*+(?!\d++:)(?P<path>(?:[A-Za-z]:(?=[\\/]))?[^\s:][^:]*+):(?P<line>\d{1,9})"
    r"(?::\d{1,9})?(?:-\d{1,9})?:? (?:- )?(?P<said>\S.*+)$"
)
_HEADING = re.compile(r"(?P<path>(?:[A-Za-z]:)?[^\s:][^:]*+)(?<=\w)$")
_BELOW = re.compile(
    r"\s++(?P<line>\d{1,9}):\d{1,9}\s++(?P<label>error|warning)\s++(?P<said>\S.*+)$"
)
_LABEL = re.compile(
    r"(?P<label>fatal error|error|warning|note|info(?:rmation)?|hint|help|remark|style)"
    r"(?::|(?=\[)| (?=TS\d))\s*",
    re.IGNORECASE,
)


class CheckerError(Struct, frozen=True, kw_only=True):
    """One error of a type checker or linter."""

    path: str
    """As it was printed."""
    line: int
    """From 1."""
    message: str


def read_checker_errors(text: str) -> tuple[CheckerError, ...]:
    """Return the errors of an output, in their order."""
    lines = output_lines(text)
    compiled = dict(_compiler_errors(lines))
    found: list[CheckerError] = []
    heading = ""
    for at, line in enumerate(lines):
        if (known := compiled.get(at)) is not None:
            found.append(known)
        elif (place := _HEADING.match(line)) is not None:
            heading = place["path"]
        elif heading and (below := _BELOW.match(line)) is not None:
            if below["label"] == "error":
                found.append(_error(heading, below["line"], below["said"]))
        elif (one := _LINE.match(line)) is not None:
            label = _LABEL.match(one["said"])
            said = one["said"][label.end() :] if label else one["said"]
            is_error = label is None or label["label"].lower().endswith("error")
            # ESLint's `unix` has the label at the end.
            if is_error and not said.rpartition("[")[2].startswith("Warning/"):
                found.append(_error(one["path"], one["line"], said))
        if len(found) >= MAX_ERRORS:
            break
    return tuple(found)


def _compiler_errors(lines: Sequence[str]) -> Iterator[tuple[int, CheckerError]]:
    """Yield the errors of compilers with the indices of their lines."""
    for failure in (*read_compilers(lines), *read_rust(lines)):
        if failure.error == "panic":
            continue
        frame = failure.frames[-1]
        has_code = failure.error not in ("error", "fatal error")
        message = f"{failure.error}: {failure.message}" if has_code else failure.message
        yield failure.at, _error(frame.path, str(frame.line), message)


def _error(path: str, line: str, message: str) -> CheckerError:
    # ESLint aligns its columns.
    message = " ".join(message.split())
    return CheckerError(path=path, line=int(line), message=message)
