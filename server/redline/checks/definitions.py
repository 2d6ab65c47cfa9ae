"""The definitions of a region, in a form to match those before and after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from redline.syntax.facts import Definition
from redline.syntax.tree import Tree
from redline.text.lines import strip_end

Key = tuple[str, str]
"""The family of a definition, and its full name."""


class Defined(Struct, frozen=True, kw_only=True):
    definition: Definition
    around: tuple[Definition, ...]
    """The enclosing definitions, outermost first."""
    lines: Sequence[str]
    """All lines of the file."""

    @property
    def key(self) -> Key:
        """The identity of a definition before and after: its family and full name.

        A function stays the same when it becomes a method.
        """
        return _FAMILY.get(self.definition.kind, "type"), self.definition.qualified_name

    @property
    def body(self) -> str:
        """Its lines after the signature, joined by line feeds."""
        first, last = self.definition.first_line, self.definition.last_line
        text = "\n".join(map(strip_end, self.lines[first : last + 1]))
        _, found, rest = text.partition(self.definition.signature)
        return rest if found else ""


_FAMILY = {
    "function": "function",
    "method": "function",
    "property": "function",
    "macro": "macro",
    "impl": "impl",
    "namespace": "namespace",
}
"""Kinds that may replace each other; all others are types."""


HOLDING = frozenset(
    {"class", "enum", "impl", "interface", "namespace", "struct", "trait"}
)
"""Kinds whose inner definitions are visible outside; those of functions are not."""


def all_defined(tree: Tree, lines: Sequence[str]) -> tuple[Defined, ...]:
    """Return a file's definitions, outer before inner."""
    found = []
    around: list[Definition] = []
    for definition in tree.definitions:
        while around and not _holds(around[-1], definition):
            around.pop()
        found.append(Defined(definition=definition, around=tuple(around), lines=lines))
        around.append(definition)
    return tuple(found)


def begin_in(region: range, found: Iterable[Defined]) -> Iterator[Defined]:
    """Yield the definitions that begin in a region."""
    return (one for one in found if one.definition.first_line in region)


_HOLLOW = re.compile(r"\s*+:?\s*+(?:\.\.\.|pass|\{\s*+(?:\.\.\.)?\s*+\}|end|)[\s;]*+")
_DOCSTRING = re.compile(
    r"\A(?P<colon>\s*+:?\s*+)(?:[rRuU]?(?:\"{3}.*?\"{3}|'{3}.*?'{3}))", re.DOTALL
)
_COMMENT = re.compile(r"/\*|(?://|#)[^\n]*")


def code_of(body: str) -> str:
    """Cut the comments out of a body; one that is not closed is none."""
    code, at = "", 0
    while found := _COMMENT.search(body, at):
        end = found.end()
        if found[0] == "/*" and (end := body.find("*/", end) + 2) < 2:
            break
        code += body[at : found.start()]
        at = end
    return code + body[at:]


def statements_of(body: str) -> str:
    """Cut the comments and the docstring out of a body."""
    return code_of(_DOCSTRING.sub(r"\g<colon>", body, count=1))


def is_hollow(body: str) -> bool:
    """Whether a body has no statement that does anything."""
    return _HOLLOW.fullmatch(statements_of(body)) is not None


def _holds(outer: Definition, inner: Definition) -> bool:
    return outer.first_line <= inner.first_line and inner.last_line <= outer.last_line
