"""Frees the pieces of a source that the parser's binding has read.

tree-sitter 0.26.1 takes a reference to each piece that a function gives it and never
drops it, in parsing as in reading the text of a node: the whole source for each parse,
or a gigabyte in a day of typing in a large file. Versions that are not known to do so
are left alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

_VERSIONS = frozenset({"0.26.1"})


def free(pieces: list[bytes], drop: Callable[[bytes], None]) -> None:
    """Free pieces that nothing but the list and the binding refers to.

    Args:
        pieces: What the binding was given and does not use any more; emptied.
        drop: See `dropping`.
    """
    while pieces:
        piece = pieces.pop()
        # Two references are those of the variable and of the argument.
        for _ in range(sys.getrefcount(piece) - 2):
            drop(piece)


@cache
def dropping() -> Callable[[bytes], None] | None:
    """Return what drops a reference to a piece; None: there is no need.

    It imports modules, so it must not be called as an object is collected: that may
    happen in the middle of the same import.
    """
    import tree_sitter

    if getattr(tree_sitter, "__version__", "") not in _VERSIONS:
        return None
    if sys.implementation.name != "cpython":
        return None
    import ctypes

    function = ctypes.PYFUNCTYPE(None, ctypes.py_object)
    return function(("Py_DecRef", ctypes.pythonapi))
