"""All faults of a file that a compiler refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redline.syntax.compile_faults.cases import duplicate_cases, missing_cases
from redline.syntax.compile_faults.exceptions import uncaught
from redline.syntax.compile_faults.fault import CompileFault, Near
from redline.syntax.compile_faults.moved import used_after_move
from redline.syntax.compile_faults.places import misplaced
from redline.syntax.compile_faults.reassigned import reassigned
from redline.syntax.compile_faults.result_counts import result_counts
from redline.syntax.compile_faults.returned import wrong_returns
from redline.syntax.compile_faults.unused import unused
from redline.syntax.tree import Tree

_FINDERS: tuple[Callable[[Tree, Near], Iterator[CompileFault]], ...] = (
    reassigned,
    unused,
    missing_cases,
    duplicate_cases,
    wrong_returns,
    result_counts,
    misplaced,
    used_after_move,
    uncaught,
)


def compile_faults(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield what a compiler refuses.

    Args:
        tree: A file without syntax errors.
        is_near: Accepts the nodes where faults may be that only depend on what is near.
            Others may be anywhere in the file.
    """
    for find in _FINDERS:
        yield from find(tree, is_near)
