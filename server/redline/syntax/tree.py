"""Syntax trees of whole files.

Parsing never fails: what the grammar cannot make sense of is among `Tree.errors`, and
everything around it is still found. The queries in `queries/` name what is looked for:
each definition's kind with `@name`, `@body` and `@parent` (without a name, `declared`
finds it), every `@import`, tags that close another one as `@mismatch`, and in
`queries/calls/` the last name of every callee as `@call`.

What takes too long to parse or to look through has no definitions, imports and calls.

`parse` may be called from any thread. A tree is for one thread at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, cast, get_args

from redline.syntax.declared import declared
from redline.syntax.effort import Effort
from redline.syntax.facts import (
    Call,
    Definition,
    DefinitionKind,
    Import,
    SyntaxFault,
)
from redline.syntax.grammar import Grammar, calls_of, grammar_of
from redline.syntax.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_N_ERRORS = 100
"""A file with more is not in the language at all."""

_CHUNK_BYTES = 65_536

_MAX_N_PARTS = 4_000
"""Of one broken place: a query takes time with the square of them."""

_EXCERPT_N_CHARS = 40
"""How much of what was not understood a message shows."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}

_WRAPPERS = frozenset(
    {
        "ambient_declaration",
        "decorated_definition",
        "export_statement",
        "template_declaration",
    }
)
"""Nodes that belong to the one definition in them."""

_TYPES = frozenset({"class", "enum", "impl", "interface", "struct", "trait"})
"""Kinds of definition whose functions are methods."""

_KINDS = frozenset(get_args(DefinitionKind))

_CODE_IN_STRINGS = ("interpolation", "substitution", "expansion")
_TEXT = ("comment", "string", "heredoc", "char_literal", "character_literal", "regex")
"""What the types of nodes contain that are code inside of strings, and text."""


class Tree:
    """One file's syntax."""

    def __init__(self, text: str, language: Language) -> None:
        """Parse a text; see `parse`."""
        import tree_sitter

        # The grammars count lines by line feeds alone. Whatever a line ends with, the
        # lines and columns of everything before its end stay the same.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.language = language
        self._source = text.encode("utf-8", "replace")
        self._grammar: Grammar = grammar_of(language)
        parser = tree_sitter.Parser(self._grammar.grammar)
        effort = Effort(n_bytes=len(self._source))
        try:
            parsed = parser.parse(self._read, progress_callback=effort.is_spent)
        except ValueError:
            # It takes too long: no code that anybody has written.
            parsed = tree_sitter.Parser(self._grammar.grammar).parse(b"")
        self._root = parsed.root_node

    def _read(self, offset: int, _place: object) -> bytes:
        return self._source[offset : offset + _CHUNK_BYTES]

    @cached_property
    def errors(self) -> tuple[SyntaxFault, ...]:
        """What the grammar cannot make sense of, in order; of broken places at most a
        hundred, besides tags that do not match."""
        broken = islice(_broken(self._root), _MAX_N_ERRORS)
        faults = [self._fault(node) for node in broken]
        faults += [
            self._fault_at(node, f"`{self._text(node)}` closes another tag")
            for node in self._captures.mismatches
        ]
        return tuple(sorted(faults, key=lambda fault: (fault.line, fault.column)))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Everything that has a name and a body, outer before inner, in order."""
        found = sorted(self._found_definitions, key=_outer_first)
        around: list[_Found] = []
        definitions = []
        for one in found:
            while around and not _holds(around[-1], one):
                around.pop()
            definitions.append(_in_context(one, around))
            around.append(one)
        return tuple(definitions)

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The statements that import or include, in order."""
        return tuple(
            Import(
                first_line=node.start_point.row,
                last_line=_last_line(node),
                text=self._text(node).rstrip(),
            )
            for node in sorted(self._captures.imports, key=_start)
        )

    @cached_property
    def called(self) -> tuple[Call, ...]:
        """Every call, in order."""
        import tree_sitter

        if self._is_too_broken:
            return ()
        cursor = tree_sitter.QueryCursor(calls_of(self.language))
        nodes = cursor.captures(self._root).get("call", [])
        return tuple(
            Call(line=node.start_point.row, name=self._text(node))
            for node in sorted(nodes, key=_start)
        )

    def enclosing(self, lines: range) -> Definition | None:
        """Return the innermost definition that holds all of these lines.

        Args:
            lines: Line numbers; an empty range is the place before its start.
        """
        last = max(lines.stop - 1, lines.start)
        holding = [
            definition
            for definition in self.definitions
            if definition.first_line <= lines.start and last <= definition.last_line
        ]
        return holding[-1] if holding else None

    def calls(self, lines: range) -> tuple[str, ...]:
        """Return the names that these lines call, each once, in order.

        Of `a.b.c()` the name is `c`.
        """
        return tuple(dict.fromkeys(c.name for c in self.called if c.line in lines))

    def in_comment_or_string(self, line: int, column: int) -> bool:
        """Tell whether the character at a place is text and not code.

        Args:
            line: The place's line.
            column: Code points before it.
        """
        return self._text_around(line, column) is not None

    def in_value(self, line: int, column: int) -> bool:
        """Tell whether a place is in a string that is part of an expression.

        A comment is none, and neither is a string that is a statement by itself, as a
        docstring is.
        """
        node = self._text_around(line, column)
        if node is None or "comment" in node.type:
            return False
        outer = node.parent
        return outer is not None and outer.type != "expression_statement"

    def continues_text(self, line: int) -> bool:
        """Tell whether a line begins in a comment or string of an earlier line."""
        node = self._text_around(line, 0)
        return node is not None and node.start_point.row < line

    def _text_around(self, line: int, column: int) -> Node | None:
        """Return the comment or string that a place is in."""
        around = self._around(line, self._to_units(line, column))
        while around:
            node = around.pop()
            if any(word in node.type for word in _CODE_IN_STRINGS):
                return None
            # Inside of a string there may be nodes for its parts.
            is_part = bool(around) and _is_text(around[-1])
            if _is_text(node) and not is_part:
                return node
        return None

    def _around(self, line: int, units: int) -> list[Node]:
        """Return the nodes that hold a place, the outermost first.

        Walked from above: to find the parent of a node takes time with its depth.
        """
        start, end = (line, units), (line, units + 1)
        cursor = self._root.walk()
        nodes = [self._root]
        while cursor.goto_first_child_for_point(start) is not None:
            node = cursor.node
            if node is None or node.start_point > start or node.end_point < end:
                break
            nodes.append(node)
        return nodes

    @cached_property
    def _is_too_broken(self) -> bool:
        """Whether a query would take too long.

        Its own limit of time cannot be used: the binding frees it before it is asked
        (tree-sitter 0.26.1, `query_cursor.c`).
        """
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if node.is_error and node.child_count > _MAX_N_PARTS:
                return True
            if node.has_error:
                waiting.extend(node.children)
        return False

    @cached_property
    def _captures(self) -> _Captures:
        import tree_sitter

        captures = _Captures(definitions=[], imports=[], mismatches=[])
        if self._is_too_broken:
            return captures
        cursor = tree_sitter.QueryCursor(self._grammar.outline)
        for _, match in cursor.matches(self._root):
            captures.definitions.extend(_defined(match))
            captures.imports.extend(match.get("import", ()))
            captures.mismatches.extend(match.get("mismatch", ()))
        return captures

    @property
    def _found_definitions(self) -> Iterator[_Found]:
        for one in self._captures.definitions:
            outer = one.node.parent
            whole = outer if outer and outer.type in _WRAPPERS else one.node
            definition = Definition(
                kind=one.kind,
                name=self._text(one.name),
                parent=self._text(one.parent) if one.parent else "",
                first_line=whole.start_point.row,
                last_line=_last_line(whole),
                signature=self._signature(one.node, one.body),
            )
            yield _Found(span=(whole.start_byte, whole.end_byte), definition=definition)

    def _signature(self, node: Node, body: Node | None) -> str:
        end = node.end_byte
        if body is not None:
            last = body.prev_sibling
            while last is not None and last.type == "comment":
                last = last.prev_sibling
            # A body that is not a child of its own level begins where its parent does.
            end = last.end_byte if last is not None else body.start_byte
        return self._slice(node.start_byte, end).strip()

    def _fault(self, node: Node) -> SyntaxFault:
        if node.is_missing:
            kind = node.type.replace("_", " ")
            what = f"a {kind}" if node.is_named else f"`{kind}`"
            return self._fault_at(node, f"{what} is missing here")
        if bracket := _unmatched(node):
            return self._fault_at(bracket, f"`{bracket.type}` has no other half")
        words = " ".join(self._text(node).split())
        if len(words) > _EXCERPT_N_CHARS:
            words = words[:_EXCERPT_N_CHARS].rstrip() + " …"
        message = f"This cannot be parsed: {words}" if words else "A part is missing"
        return self._fault_at(node, message)

    def _fault_at(self, node: Node, message: str) -> SyntaxFault:
        row, units = node.start_point
        return SyntaxFault(
            line=row, column=self._to_code_points(row, units), message=message
        )

    def _text(self, node: Node) -> str:
        return self._slice(node.start_byte, node.end_byte)

    def _slice(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")

    @cached_property
    def _lines(self) -> list[bytes]:
        return self._source.split(b"\n")

    def _to_code_points(self, line: int, units: int) -> int:
        return len(self._lines[line][:units].decode("utf-8", "replace"))

    def _to_units(self, line: int, column: int) -> int:
        if line >= len(self._lines):
            return 0
        return len(self._lines[line].decode("utf-8")[:column].encode("utf-8"))


def parse(text: str, language: Language) -> Tree:
    """Parse a whole file.

    Args:
        text: With any line ends; a line ends as in `text`.
        language: What it is written in.
    """
    return Tree(text, language)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Captures:
    definitions: list[_Defined]
    imports: list[Node]
    mismatches: list[Node]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Defined:
    """The nodes of one definition."""

    kind: DefinitionKind
    node: Node
    name: Node
    body: Node | None
    parent: Node | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A definition that does not know yet what is around it."""

    span: tuple[int, int]
    definition: Definition


def _defined(match: dict[str, list[Node]]) -> Iterator[_Defined]:
    """Read a match, with the names that the query gives or else finds none of."""
    captured = next((name for name in match if name in _KINDS), None)
    if captured is None:
        return
    # The captures of the queries are the kinds.
    kind, node = cast(DefinitionKind, captured), match[captured][0]
    if "name" not in match:
        for name, body in declared(node):
            yield _Defined(kind=kind, node=node, name=name, body=body)
        return
    yield _Defined(
        kind=kind,
        node=node,
        name=match["name"][0],
        body=match["body"][0] if "body" in match else None,
        parent=match["parent"][0] if "parent" in match else None,
    )


def _in_context(one: _Found, around: list[_Found]) -> Definition:
    """Complete a definition by those that hold it, the outermost first."""
    definition = one.definition
    names = [outer.definition.name for outer in around]
    # C++ writes the type before the name: `Reader::read`.
    *scopes, name = definition.name.split("::")
    names += [*filter(None, [definition.parent]), *scopes]
    kind = definition.kind
    inner = around[-1].definition.kind if around else None
    is_method = bool(definition.parent or scopes or inner in _TYPES)
    if kind == "function" and is_method:
        kind = "method"
    return replace(definition, kind=kind, name=name, parent=".".join(names))


def _broken(node: Node) -> Iterator[Node]:
    """Walk to what is broken, in order, and through nothing else."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            waiting.extend(reversed(node.children))


def _is_text(node: Node) -> bool:
    return any(word in node.type for word in _TEXT)


def _unmatched(node: Node) -> Node | None:
    """Return the bracket that a broken stretch is broken by, if it is one.

    What cannot be parsed may begin far above, even with the file.
    """
    opened: list[Node] = []
    for child in node.children:
        if child.type in _BRACKETS:
            opened.append(child)
        elif child.type in _BRACKETS.values():
            if not opened or _BRACKETS[opened[-1].type] != child.type:
                return child
            opened.pop()
    return opened[-1] if opened else None


def _holds(outer: _Found, inner: _Found) -> bool:
    # Two that one statement defines have the same span.
    return outer.span[1] >= inner.span[1] and outer.span != inner.span


def _outer_first(one: _Found) -> tuple[int, int]:
    start, end = one.span
    return start, -end


def _start(node: Node) -> int:
    return node.start_byte


def _last_line(node: Node) -> int:
    row, units = node.end_point
    # The end is exclusive: at a line's start, the line before is the last.
    return row - 1 if units == 0 and row > node.start_point.row else row
