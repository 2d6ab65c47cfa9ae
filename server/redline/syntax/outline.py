"""The contents of a file without its tree: values that can be stored and sent.

A tree is for one thread, holds the whole source and needs its grammar. Requests are
answered from this alone, in microseconds.
"""

from __future__ import annotations

from bisect import bisect_left

from msgspec import Struct

from redline.syntax.facts import Definition, Import
from redline.syntax.tree import Tree


class Outline(Struct, frozen=True, kw_only=True):
    """The definitions, imports and calls of one version of a file, each in order."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    call_lines: tuple[int, ...] = ()
    """The lines of calls, with their names in `call_names`: two columns, since a file
    has so many calls that objects for each would burden the garbage collector."""
    call_names: tuple[str, ...] = ()

    def called_in(self, lines: range) -> tuple[str, ...]:
        """Return the names called in these lines, each once, in order."""
        first = bisect_left(self.call_lines, lines.start)
        end = bisect_left(self.call_lines, lines.stop, lo=first)
        return tuple(dict.fromkeys(self.call_names[first:end]))


def outline(tree: Tree) -> Outline:
    return Outline(
        definitions=tree.definitions,
        imports=tree.imports,
        call_lines=tuple(call.line for call in tree.called),
        call_names=tuple(call.name for call in tree.called),
    )
