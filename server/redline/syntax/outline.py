"""What a file holds, without its tree: values that can be kept, and sent on.

A tree is for one thread, keeps the whole source and needs its grammar. What is asked of
a file at the time of a request is answered from this alone, in microseconds.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from redline.syntax.facts import Definition, Import
from redline.syntax.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The definitions, imports and calls of one version of a file, each in order."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    call_lines: tuple[int, ...] = ()
    """Where something is called, and in `call_names` what: two columns, since a file
    calls so often that the garbage collector would see objects for each."""
    call_names: tuple[str, ...] = ()

    def called_in(self, lines: range) -> tuple[str, ...]:
        """Return the names that these lines call, each once, in order."""
        first = bisect_left(self.call_lines, lines.start)
        end = bisect_left(self.call_lines, lines.stop, lo=first)
        return tuple(dict.fromkeys(self.call_names[first:end]))


def outline(tree: Tree) -> Outline:
    """Take what is kept out of a tree."""
    return Outline(
        definitions=tree.definitions,
        imports=tree.imports,
        call_lines=tuple(call.line for call in tree.called),
        call_names=tuple(call.name for call in tree.called),
    )
