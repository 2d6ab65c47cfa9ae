"""Reads the failures of an output, whichever programs have printed it.

Output is hostile: a test prints what it likes. Each line is cut to a bounded length and
matched by expressions that do not backtrack over it, so the time is linear in the
output; nothing of it raises.
"""

from __future__ import annotations

from redline.traces.compilers import read_compilers
from redline.traces.failure import ProgramFailure
from redline.traces.go import read_go
from redline.traces.java import read_java
from redline.traces.javascript import is_jest, read_jest, read_node
from redline.traces.output import output_lines
from redline.traces.pytest_output import is_pytest, read_pytest
from redline.traces.python import read_python
from redline.traces.rust import read_rust

MAX_FAILURES = 50
"""Most failures of an output; the first ones, which often cause the others."""


def read_failures(text: str) -> tuple[ProgramFailure, ...]:
    """Return the failures that an output shows, in their order."""
    lines = output_lines(text)
    found = read_pytest(lines) if is_pytest(lines) else read_python(lines)
    found += read_jest(lines) if is_jest(lines) else read_node(lines)
    for read in (read_go, read_rust, read_java, read_compilers):
        found += read(lines)
    return tuple(sorted(found, key=lambda failure: failure.at)[:MAX_FAILURES])
