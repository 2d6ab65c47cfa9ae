"""Counts the steps of Python code, in place of time, which depends on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_steps(work: Callable[[], object]) -> int:
    """Run something; return how many byte code instructions of Python it took.

    What C code does, such as a search in a text, is one instruction.
    """
    n_steps = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal n_steps
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        n_steps += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return n_steps
