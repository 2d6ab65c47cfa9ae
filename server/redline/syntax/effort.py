"""A limit on the time spent on one file.

Tree-sitter tries many ways to repair what it cannot parse: 8 kB of Java can take 6 s,
and four times as much sixteen times as long (tree-sitter 0.26). People do not write
such files by accident, but a workspace may come from anywhere. The limit is checked
between steps of the parser; a single step may be long.

This is the only clock in the pure rooms: it counts processor time, which does not
depend on the load of the machine.
"""

from __future__ import annotations

from time import thread_time

_LEAST_S = 1.0
_S_PER_BYTE = 3e-6
"""Ordinary code takes a tenth of it."""


class Effort:
    """The processor time that parsing one file may take."""

    def __init__(self, *, n_bytes: int) -> None:
        self._end = thread_time() + _LEAST_S + n_bytes * _S_PER_BYTE

    def is_spent(self, *_progress: object) -> bool:
        """Whether to stop; accepts and ignores tree-sitter's progress."""
        return thread_time() > self._end
