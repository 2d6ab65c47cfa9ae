"""The types that a file declares, with the members that each can have.

Read in Python, JavaScript, TypeScript, Java, C#, Go and Rust. What gives a type further
members that are not written in it makes it open: an annotation or a decorator, a macro,
an embedded field, an index signature, a partial class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial, reduce
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from redline.syntax.children import nth_child
from redline.syntax.declared_members import (
    Member,
    add_members,
    is_function,
    members_of,
    type_parameters,
)
from redline.syntax.kinds import UNKNOWN, TypeKind, kind_of
from redline.syntax.language import Language
from redline.syntax.read_on_demand import ReadOnDemand
from redline.syntax.tree import Tree
from redline.syntax.type_names import name_of, text_of, type_name
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class DeclaredType(Struct, frozen=True, kw_only=True):
    """A class, struct, interface, enumeration or the like."""

    name: str
    members: Mapping[str, Member]
    bases: tuple[TypeKind, ...]
    """Types whose members it has too; one that is not known has no name."""
    is_open: bool
    """Whether it may have other members as well."""
    parameters: tuple[str, ...] = ()
    """The names of its type parameters."""
    is_partial: bool = False
    """Whether only methods of it are known, which are written apart from it."""

    def in_file(self, file: int) -> DeclaredType:
        """Return the type, as another file declares it."""
        members = {name: one.in_file(file) for name, one in self.members.items()}
        bases = tuple(one.in_file(file) for one in self.bases)
        return replace(self, members=members, bases=bases)


_TYPES = word_set(
    "class_declaration abstract_class_declaration class"
    " interface_declaration enum_declaration record_declaration"
    " type_alias_declaration type_spec struct_item enum_item trait_item"
    " impl_item class_definition struct_declaration trait_declaration"
    " class_specifier struct_specifier enum_specifier record_struct_declaration"
)
_HARMLESS = word_set(
    "Override Deprecated FunctionalInterface SuppressWarnings SafeVarargs"
    " Nullable NonNull dataclass dataclasses.dataclass final total_ordering"
    " Serializable Obsolete Test derive doc allow must_use non_exhaustive"
    " repr cfg inline default serde JsonProperty test ReturnTypeWillChange error"
)
"""Annotations, decorators and attributes that add no members."""

_ANNOTATIONS = frozenset(
    {"marker_annotation", "annotation", "attribute", "decorator", "attribute_list"}
)
_ASSIGNED = re.compile(
    r"(?:\b(?:self|this)\.|\$this->)(\w++)\s*+(?::([^=\n:]++))?(?:[-+*/|&]|\?\?|\|\|)?="
)
_MAX_N_TYPES = 50
"""Types within more others are not read: nobody writes them, and the text of each one
has all deeper ones."""
_PLAIN = frozenset({Language.CSHARP, Language.TYPESCRIPT, Language.TSX, Language.PHP})
"""Languages in which these add no members that a compiler would know."""
_LOMBOK = re.compile(
    r"@(?:lombok\.)?(?:\w*?(?:Data|Getter|Setter|Value|Builder|With|Log4j2?|Slf4j|Log"
    r"|Delegate|Accessors|Immutable|FieldNameConstants)\b)"
)
"""Annotations of Java from which tools write members."""
_DERIVED = word_set(
    "Debug Clone Copy PartialEq Eq Hash Default PartialOrd Ord Serialize Deserialize"
    " Error"
)
"""Traits of Rust whose derived members are those of the standard library."""
_DERIVE = re.compile(r"\bderive\s*+\(([^()]*+)\)")
_RECEIVER = re.compile(r"\(\s*+(?:\w++\s++)?+[(*\s]*+(\w++)")
"""The type of a receiver of Go, without its parameters: `(c *Cache[K, V])`."""
_OPENING = re.compile(
    r"__getattr|setattr\(|__dict__|__slots__ = \(\)|Object\.(?:assign|definePropert)"
    r"|new Proxy|\b__(?:call|get|callStatic)\b|\bmethod_missing\b"
)
"""Code by which a class gets members at run time."""


def declared_types(tree: Tree) -> Mapping[str, DeclaredType]:
    """Return the types of a file by name; one that is declared twice is joined."""
    parts: dict[str, list[Callable[[], DeclaredType]]] = {}
    for node in _type_nodes(tree.root):
        name = _declared_name(node, tree.language)
        if name:
            read = partial(_read, node, name, tree.language)
            parts.setdefault(name, []).append(read)
    for owner, node in _methods_of_go(tree):
        parts.setdefault(owner, []).append(partial(_with_method, owner, node))
    return ReadOnDemand(parts, lambda found: reduce(joined, (one() for one in found)))


def _type_nodes(root: Node) -> Iterator[Node]:
    waiting = [(root, 0)]
    while waiting:
        node, n_around = waiting.pop()
        if node.type in _TYPES and node.is_named:
            yield node
            n_around += 1
        if not is_function(node) and n_around <= _MAX_N_TYPES:
            inner = reversed(node.named_children)
            waiting.extend((one, n_around) for one in inner)


def _declared_name(node: Node, language: Language) -> str:
    """Return the name of a type that is not only announced; else empty."""
    if node.type in _FORWARD and _body_of(node) is None:
        return ""
    # An implementation of Rust has the name of its type, and the trait as a base.
    field = "type" if node.type == "impl_item" else "name"
    return type_name(name_of(node.child_by_field_name(field)), language)


def _body_of(node: Node) -> Node | None:
    if node.type == "type_spec":
        return node.child_by_field_name("type")
    return node.child_by_field_name("body") or node.child_by_field_name("value")


def _read(node: Node, name: str, language: Language) -> DeclaredType:
    body = _body_of(node)
    members: dict[str, Member] = {}
    bases = list(_bases(node, language))
    is_open = _is_open(node, body, language)
    for child in _parts(body):
        inner = dict(members_of(child, language))
        is_open |= child.type in _UNNAMED
        if not inner and child.type in _EMBEDDED:
            base = _embedded(child, language)
            bases.append(base)
            # It is also a field by its name.
            inner = {base.name.rpartition(".")[2]: Member(kind=base, is_function=False)}
        add_members(members, inner)
    for parameters in _record_parameters(node):
        add_members(members, dict(members_of(parameters, language)))
    if body is not None and language in _ASSIGNING:
        set_here: dict[str, Member] = {}
        for one, written in _ASSIGNED.findall(text_of(body)):
            kind = kind_of(written, language) if written else UNKNOWN
            if one not in set_here or written:
                set_here[one] = Member(kind=kind, is_function=False)
        members = set_here | members
    return DeclaredType(
        name=name,
        members=members,
        bases=tuple(bases),
        is_open=is_open,
        parameters=type_parameters(node),
        is_partial=node.type == "impl_item",
    )


_FORWARD = frozenset({"class_specifier", "struct_specifier", "enum_specifier"})
_EMBEDDED = frozenset({"field_declaration", "type_elem", "use_declaration"})
"""Parts by which a type gets all members of another one."""


def _embedded(node: Node, language: Language) -> TypeKind:
    if language in (Language.GO, Language.PHP) and node.named_child_count == 1:
        return kind_of(name_of(nth_child(node, 0)), language)
    return UNKNOWN


_ASSIGNING = frozenset(
    {
        Language.JAVASCRIPT,
        Language.TYPESCRIPT,
        Language.TSX,
        Language.PHP,
    }
)
_UNNAMED = frozenset(
    {"index_signature", "call_signature", "macro_invocation", "friend_declaration"}
)
"""Parts of a type that give it members without naming them."""

_LISTS = word_set(
    "field_declaration_list enum_body_declarations block"
    " decorated_definition struct_type interface_type expression_statement"
    " accessibility_modifier property_declaration const_declaration"
    " template_declaration preproc_if preproc_ifdef preproc_else preproc_elif"
)
"""Nodes between a type's body and its members."""


def _parts(body: Node | None) -> Iterator[Node]:
    """Yield what a body declares, in order."""
    if body is None or body.type not in _BODIES:
        return
    waiting = [*reversed(body.named_children)]
    while waiting:
        node = waiting.pop()
        is_named = node.child_by_field_name("name") is not None
        if node.type in _LISTS and (not is_named or node.type.startswith("preproc")):
            waiting.extend(reversed(node.named_children))
        else:
            yield node


_BODIES = word_set(
    "class_body interface_body object_type enum_body declaration_list block"
    " field_declaration_list enum_variant_list struct_type interface_type"
    " enum_member_declaration_list enum_declaration_list enumerator_list"
)


def _record_parameters(node: Node) -> Iterator[Node]:
    if node.type == "record_declaration":
        for child in node.named_children:
            if child.type in ("formal_parameters", "parameter_list"):
                yield from child.named_children


def _bases(node: Node, language: Language) -> Iterator[TypeKind]:
    if node.type == "impl_item" and (trait := node.child_by_field_name("trait")):
        yield kind_of(name_of(trait), language)
    bounds = node.child_by_field_name("bounds") if node.type == "trait_item" else None
    for child in bounds.named_children if bounds is not None else ():
        if child.type != "lifetime":
            yield kind_of(name_of(child), language)
    for child in node.named_children:
        if child.type in _HERITAGE:
            yield from _base_names(child, language)
    if node.type == "type_alias_declaration":
        value = node.child_by_field_name("value")
        if value is not None and value.type != "object_type":
            yield UNKNOWN
    if node.type == "type_spec":
        kind = node.child_by_field_name("type")
        if kind is not None and kind.type not in ("struct_type", "interface_type"):
            yield UNKNOWN


_HERITAGE = word_set(
    "class_heritage extends_clause implements_clause extends_type_clause"
    " superclass super_interfaces extends_interfaces type_list base_list"
    " argument_list base_clause class_interface_clause base_class_clause"
)


def _base_names(node: Node, language: Language) -> Iterator[TypeKind]:
    for child in node.named_children:
        if child.type in _HERITAGE:
            # What a class implements, it has to have itself.
            if child.type != "implements_clause":
                yield from _base_names(child, language)
        elif child.type == "keyword_argument":
            yield UNKNOWN
        elif child.type not in ("type_arguments", "access_specifier", "comment"):
            yield kind_of(name_of(child), language)


def _is_open(node: Node, body: Node | None, language: Language) -> bool:
    if body is not None and _OPENING.search(text_of(body)):
        return True
    outer = node.parent
    if outer is not None and outer.type.startswith("preproc"):
        return True  # Another type may be meant.
    around = [node]
    if outer is not None and outer.type in ("decorated_definition", "export_statement"):
        around.append(outer)
    if language is Language.RUST:
        before = node.prev_named_sibling
        while before is not None and before.type == "attribute_item":
            around.append(before)
            before = before.prev_named_sibling
    for one in around:
        for child in one.named_children:
            if child.type == "modifier" and name_of(child) == "partial":
                return True
            inside = child.named_children if child.type == "modifiers" else (child,)
            if any(_adds_members(part, language) for part in inside):
                return True
    return False


def _adds_members(annotation: Node, language: Language) -> bool:
    if annotation.type not in _ANNOTATIONS or language in _PLAIN:
        return False
    if language is Language.JAVA:
        return _LOMBOK.match(name_of(annotation)) is not None
    if derived := _DERIVE.search(text_of(annotation)):
        names = {one.rpartition("::")[2] for one in re.split(r"[,\s]+", derived[1])}
        return not names <= _DERIVED | {""}
    name = re.match(r"[@\[#\s]*([\w.:]+)", name_of(annotation))
    return name is None or name[1] not in _HARMLESS


def _methods_of_go(tree: Tree) -> Iterator[tuple[str, Node]]:
    if tree.language is not Language.GO:
        return
    for node in tree.root.named_children:
        if node.type != "method_declaration":
            continue
        written = _RECEIVER.match(name_of(node.child_by_field_name("receiver")))
        if written:
            yield written[1], node


def _with_method(owner: str, method: Node) -> DeclaredType:
    return DeclaredType(
        name=owner,
        members=dict(members_of(method, Language.GO)),
        bases=(),
        is_open=False,
        is_partial=True,
    )


def joined(known: DeclaredType | None, one: DeclaredType) -> DeclaredType:
    if known is None:
        return one
    members = dict(known.members)
    for name, member in one.members.items():
        other = members.get(name, member)
        is_same = (other.kind, other.arity) == (member.kind, member.arity)
        plain = Member(kind=UNKNOWN, is_function=member.is_function)
        members[name] = member if is_same else plain
    return DeclaredType(
        name=one.name,
        members=members,
        bases=known.bases + one.bases,
        is_open=known.is_open or one.is_open,
        parameters=known.parameters or one.parameters,
        is_partial=known.is_partial and one.is_partial,
    )
