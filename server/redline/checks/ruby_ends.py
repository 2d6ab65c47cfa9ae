"""`syntax` in Ruby: an `end` that closes nothing.

The tolerant grammar reads one behind the last block as a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import text_of


def check_ruby_ends(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report more of them than before."""
    before, after = candidate.tree_before, candidate.tree_after
    if candidate.grammar is not Language.RUBY or before is None or after is None:
        return
    found = _ends(after)
    if len(found) > len(_ends(before)):
        line = candidate.line_in_region(found[0])
        message = "The file no longer parses: an `end` closes nothing."
        yield Problem(rule="syntax", message=message, line=line)


def _ends(tree: Tree) -> list[int]:
    """Return the lines with the word at the top level of the file."""
    return [
        one.start_point.row
        for one in tree.root.named_children
        if one.type == "identifier" and text_of(one) == "end"
    ]
