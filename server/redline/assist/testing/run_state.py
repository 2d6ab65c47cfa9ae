"""How a run of tests stands. Messages use it before the rest of the runs is loaded."""

from __future__ import annotations

from typing import Literal

RunState = Literal[
    "waiting", "running", "passed", "failed", "error", "timeout", "cancelled"
]
"""`failed`: a test failed; `error`: the command did not get as far as the tests."""

AT_WORK: frozenset[RunState] = frozenset({"waiting", "running"})
