"""Syntax trees of whole files.

Parsing never fails: what the grammar cannot parse is in `Tree.errors`, and everything
around it is still found. The queries in `queries/` capture each definition's kind with
`@name`, `@body` and `@parent` (without a name, `declared` finds it), every `@import`,
tags that close another one as `@mismatch`, words that close nothing as `@surplus`, and
in `queries/calls/` the last name of every callee as `@call`.

A file that takes too long to parse or to query has no definitions, imports and calls.

`parse` may be called from any thread. A tree is for one thread at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, cast, get_args
from weakref import finalize, ref

from msgspec import Struct
from msgspec.structs import replace

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
from redline.syntax.read_pieces import dropping, free

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_N_ERRORS = 100
"""A file with more faults is not in the language at all."""

_CHUNK_BYTES = 65_536
_NODE_BYTES = 256

_MAX_N_PARTS = 4_000
"""Most children of one broken node: a query's time is quadratic in them."""

_EXCERPT_N_CHARS = 40
"""Longest part of unparsed code that a message shows."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}

_WRAPPERS = frozenset(
    {
        "ambient_declaration",
        "decorated_definition",
        "export_statement",
        "template_declaration",
    }
)
"""Nodes that belong to the one definition that they contain."""

_TYPES = frozenset({"class", "enum", "impl", "interface", "struct", "trait"})
"""Kinds of definition whose functions are methods."""

_KINDS = frozenset(get_args(DefinitionKind))

_CODE_IN_STRINGS = ("interpolation", "substitution", "expansion")
_TEXT = ("comment", "string", "heredoc", "char_literal", "character_literal", "regex")
"""Parts of the names of node types: of code inside strings, and of text."""


def _reader(tree: Tree) -> Callable[[int, object], bytes | None]:
    """Return the function by which the parser, its queries and nodes read the source.

    The binding never frees it (tree-sitter 0.26.1), so it must not hold the tree, which
    takes fifty times the memory of the source.
    """
    weak = ref(tree)

    def read(offset: int, _place: object) -> bytes | None:
        tree = weak()
        # For None the text of a node raises TypeError. For empty bytes it would ask
        # again for ever, and an exception here would crash the interpreter.
        return None if tree is None else tree.chunk(offset)

    return read


class Tree:
    """The syntax of one file."""

    def __init__(self, text: str, language: Language) -> None:
        """Parse a text; see `parse`."""
        import tree_sitter

        # The grammars count lines by line feeds alone. With any line end, the lines and
        # columns of everything before it stay the same.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.language = language
        self._source = text.encode("utf-8", "replace")
        self._grammar: Grammar = grammar_of(language)
        parser = tree_sitter.Parser(self._grammar.grammar)
        effort = Effort(n_bytes=len(self._source))
        self._chunk = slice(0, _CHUNK_BYTES)
        self._is_parsed = False
        self._pieces: list[bytes] = []
        drop = dropping()
        if drop is not None:
            freeing = finalize(self, free, self._pieces, drop)
            # At the end of the process nothing needs to be freed.
            freeing.atexit = False
        read = _reader(self)
        try:
            parsed = parser.parse(read, progress_callback=effort.is_spent)
        except ValueError:
            # It takes too long, so it is not code that a person wrote.
            parsed = tree_sitter.Parser(self._grammar.grammar).parse(b"")
        self._is_parsed = True
        self._root = parsed.root_node

    def chunk(self, offset: int) -> bytes:
        """Return the next bytes of the source; none at its end.

        After parsing, the binding looks at every byte of a chunk, however short the
        node is whose text it reads. So the first chunk of a node is short, and each
        further one is twice as long.
        """
        n_bytes = _CHUNK_BYTES
        if self._is_parsed:
            n_bytes = _NODE_BYTES
            if offset == self._chunk.stop:
                n_bytes = 2 * (self._chunk.stop - self._chunk.start)
        self._chunk = slice(offset, offset + n_bytes)
        # A slice of all bytes would be the source itself, and single bytes are shared.
        piece = bytes(memoryview(self._source)[self._chunk])
        if len(piece) > 1:
            self._pieces.append(piece)
        return piece

    @property
    def source(self) -> bytes:
        return self._source

    @property
    def root(self) -> Node:
        """The node of the whole file, for the modules of this room.

        Keep the tree as long as its nodes: they read their text from it.
        """
        return self._root

    @cached_property
    def errors(self) -> tuple[SyntaxFault, ...]:
        """The faults, in order; at most a hundred, besides tags and words that
        close something else."""
        broken = islice(_broken(self._root), _MAX_N_ERRORS)
        faults = [self._fault(node) for node in broken]
        faults += [
            self._fault_at(node, f"`{self._text(node)}` closes another tag")
            for node in self._captures.mismatches
        ]
        faults += [
            self._fault_at(node, f"`{self._text(node)}` closes nothing")
            for node in self._captures.surplus
        ]
        return tuple(sorted(faults, key=lambda fault: (fault.line, fault.column)))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """All definitions, outer before inner, in order."""
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
        """Return the innermost definition that contains all of these lines.

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

    def in_comment_or_string(self, line: int, column: int) -> bool:
        """Whether the character at a place is text and not code.

        Args:
            line: The place's line.
            column: Code points before it.
        """
        return self._text_around(line, column) is not None

    def in_value(self, line: int, column: int) -> bool:
        """Whether a place is in a string that is part of an expression.

        Comments do not count, nor strings that are statements themselves, such as
        docstrings.
        """
        node = self._text_around(line, column)
        if node is None or "comment" in node.type:
            return False
        outer = node.parent
        return outer is not None and outer.type != "expression_statement"

    def continues_text(self, line: int) -> bool:
        """Whether a line begins in a comment or string of an earlier line."""
        node = self._text_around(line, 0)
        return node is not None and node.start_point.row < line

    def _text_around(self, line: int, column: int) -> Node | None:
        """Return the comment or string around a place, or None."""
        around = self._around(line, self._to_units(line, column))
        while around:
            node = around.pop()
            if any(word in node.type for word in _CODE_IN_STRINGS):
                return None
            # A string may contain nodes for its parts.
            is_part = bool(around) and _is_text(around[-1])
            if _is_text(node) and not is_part:
                return node
        return None

    def _around(self, line: int, units: int) -> list[Node]:
        """Return the nodes around a place, outermost first.

        Walked from the root, since finding a node's parent takes time with its depth.
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

        The query's own time limit cannot be used: the binding frees it before use
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

        captures = _Captures(definitions=[], imports=[], mismatches=[], surplus=[])
        if self._is_too_broken:
            return captures
        cursor = tree_sitter.QueryCursor(self._grammar.outline)
        for _, match in cursor.matches(self._root):
            captures.definitions.extend(_defined(match))
            captures.imports.extend(match.get("import", ()))
            captures.mismatches.extend(match.get("mismatch", ()))
            captures.surplus.extend(match.get("surplus", ()))
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
                name_line=one.name.start_point.row,
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
        if node.is_missing or node.start_byte == node.end_byte:
            kind = node.type.replace("_", " ")
            article = "an" if kind[0] in "aeiou" else "a"
            what = f"{article} {kind}" if node.is_named else f"`{kind}`"
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
        language: The language of the text.
    """
    return Tree(text, language)


class _Captures(Struct, frozen=True, kw_only=True):
    definitions: list[_Defined]
    imports: list[Node]
    mismatches: list[Node]
    surplus: list[Node]


class _Defined(Struct, frozen=True, kw_only=True):
    """The nodes of one definition."""

    kind: DefinitionKind
    node: Node
    name: Node
    body: Node | None
    parent: Node | None = None


class _Found(Struct, frozen=True, kw_only=True):
    """A definition whose enclosing definitions are not known yet."""

    span: tuple[int, int]
    definition: Definition


def _defined(match: dict[str, list[Node]]) -> Iterator[_Defined]:
    """Yield the definitions of a match; `declared` finds names not captured."""
    captured = next((name for name in match if name in _KINDS), None)
    if captured is None:
        return
    # The captures are named after the kinds.
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
    """Complete a definition by those around it, outermost first."""
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
    """Yield broken nodes in order, descending only into nodes with errors."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            waiting.extend(reversed(node.children))
            if not node.children:
                # A name whose hidden part is missing, as in `int = 5;` of C#.
                yield node


def _is_text(node: Node) -> bool:
    return any(word in node.type for word in _TEXT)


def _unmatched(node: Node) -> Node | None:
    """Return the bracket that breaks a node, if there is one.

    The unparsed code may begin far above, even with the file.
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
    # Two definitions of one statement have the same span.
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
