"""What a file holds, without its tree: values that can be kept, and sent on.

A tree is for one thread, keeps the whole source and needs its grammar. What is asked of
a file at the time of a request is answered from this alone, in microseconds.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from redline.syntax.facts import Call, Definition, Import
from redline.syntax.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The definitions, imports and calls of one version of a file, each in order."""

    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()

    def called_in(self, lines: range) -> tuple[str, ...]:
        """Return the names that these lines call, each once, in order."""
        first = bisect_left(self.calls, lines.start, key=_line)
        end = bisect_left(self.calls, lines.stop, lo=first, key=_line)
        return tuple(dict.fromkeys(call.name for call in self.calls[first:end]))


def outline(tree: Tree) -> Outline:
    """Take what is kept out of a tree."""
    return Outline(
        definitions=tree.definitions, imports=tree.imports, calls=tree.called
    )


def _line(call: Call) -> int:
    return call.line
