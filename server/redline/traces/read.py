"""Reads the failures of an output, whichever programs have printed it.

Output is hostile: a test prints what it likes. Each line is cut to a bounded length and
matched by expressions that do not backtrack over it, so the time is linear in the
output; nothing of it raises.
"""

from __future__ import annotations

from collections.abc import Sequence

from redline.traces.compilers import read_compilers
from redline.traces.failure import ProgramFailure
from redline.traces.go import read_go
from redline.traces.java import read_java
from redline.traces.javascript import is_jest, read_jest, read_node
from redline.traces.mocha import is_mocha, read_mocha
from redline.traces.node_test import is_node_test, read_node_test
from redline.traces.output import output_lines
from redline.traces.phpunit import read_phpunit
from redline.traces.pytest_output import is_pytest, read_pytest
from redline.traces.python import read_python
from redline.traces.rspec import is_rspec, read_rspec
from redline.traces.rust import read_rust

MAX_FAILURES = 50
"""Most failures of an output; the first ones, which often cause the others."""


def read_failures(text: str) -> tuple[ProgramFailure, ...]:
    """Return the failures that an output shows, in their order."""
    lines = output_lines(text)
    found = read_pytest(lines) if is_pytest(lines) else read_python(lines)
    found += _read_scripts(lines)
    if is_rspec(lines):
        found += read_rspec(lines)
    for read in (read_go, read_rust, read_java, read_phpunit, read_compilers):
        found += read(lines)
    return tuple(sorted(found, key=lambda failure: failure.at)[:MAX_FAILURES])


def _read_scripts(lines: Sequence[str]) -> list[ProgramFailure]:
    """Read the failures of Node, or of the test runner that printed its errors."""
    if is_jest(lines):
        return read_jest(lines)
    if is_mocha(lines):
        return read_mocha(lines)
    if not is_node_test(lines):
        return read_node(lines)
    found = read_node_test(lines)
    # Above them are the errors of files that could not be run, in TAP as comments.
    first = found[0].at if found else len(lines)
    return [*read_node([line.removeprefix("# ") for line in lines[:first]]), *found]
