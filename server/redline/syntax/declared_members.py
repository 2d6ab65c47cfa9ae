"""What one declaration in a type, or at the top of a file, declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from redline.syntax.children import nth_child
from redline.syntax.kinds import SELF, UNKNOWN, TypeKind, kind_of, kind_of_value
from redline.syntax.language import Language
from redline.syntax.signatures import Arity, arity_of
from redline.syntax.type_names import SCRIPTS, name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node
else:
    Node = object


class Member(Struct, frozen=True, kw_only=True):
    kind: TypeKind
    """Its type, or that of what it returns."""
    is_function: bool
    arity: Arity | None = None
    """How many arguments it takes; None: that is not known."""
    parameters: tuple[TypeKind, ...] = ()
    """The types of its parameters, in order."""
    value: Node | None = None
    """The expression whose type it has, if none is written."""
    file: int = 0
    """The file of the value, by its number."""

    def in_file(self, file: int) -> Member:
        given = tuple(one.in_file(file) for one in self.parameters)
        return replace(self, kind=self.kind.in_file(file), parameters=given, file=file)


_FUNCTIONS = word_set(
    "function_declaration function_definition function_item"
    " method_definition method_declaration constructor_declaration"
    " function_signature_item method_signature method_elem"
    " abstract_method_signature function_expression arrow_function"
    " generator_function_declaration lambda_expression closure_expression"
    " func_literal local_function_statement lambda"
)
_RESULTS = ("return_type", "result", "returns", "type")


def is_function(node: Node) -> bool:
    """Whether a node is a function, whose names are its own."""
    return node.type in _FUNCTIONS


def type_parameters(node: Node) -> tuple[str, ...]:
    """Return the names of the type parameters of a type or function."""
    given = node.child_by_field_name("type_parameters") or next(
        (one for one in node.children if one.type in _TYPE_PARAMETERS), None
    )
    if given is None:
        return ()
    names = (
        one.child_by_field_name("name") or nth_child(one, 0) or one
        for one in given.named_children
        if one.type not in ("lifetime_parameter", "comment")
    )
    return tuple(map(name_of, names))


_TYPE_PARAMETERS = frozenset({"type_parameters", "type_parameter_list"})


def members_of(node: Node, language: Language) -> Iterator[tuple[str, Member]]:
    """Yield the members that one part of a body declares."""
    if language is Language.CPP:
        yield from members_of_cpp(node)
        return
    if node.type == "assignment":  # Python
        names = [node.child_by_field_name("left")]
    elif node.type in ("property_identifier", "enum_assignment"):
        names = [node.child_by_field_name("name") or node]
    elif node.type == "const_element":  # PHP
        names = [nth_child(node, 0)]
    else:
        names = list(names_of(node))
    member = member_of(node, language)
    for name in names:
        if name is not None:
            yield name_of(name).strip("#\"'$"), member
    if node.type == "method_definition" and "constructor" in map(name_of, names):
        yield from _parameter_properties(node, language)
    parameters = node.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        if one.type == "property_promotion_parameter":
            yield from members_of(one, language)


def member_of(node: Node, language: Language) -> Member:
    """Return what a declaration says of what it declares, by any name."""
    written_in = node.parent if node.type == "property_element" else node
    written = next(
        (
            name_of(one)
            for field in _RESULTS
            if written_in and (one := written_in.child_by_field_name(field))
        ),
        "",
    )
    if not written:
        inner = next(
            (one for one in node.named_children if one.type == "variable_declaration"),
            None,
        )
        written = field_text(inner, "type")
    value = _value_of(node)
    is_function = node.type in _FUNCTIONS
    kind = kind_of(written, language)
    if not written and is_function and language in SCRIPTS:
        value = _returned(node)
    if not written:
        kind = kind_of_value(value, language)
        if value is not None and is_function and name_of(value) == "this":
            kind = TypeKind(SELF)
    if value is not None and not is_function and value.type == "arrow_function":
        # A field that is a function, or a constant that is one.
        as_function = replace(member_of(value, language), is_function=True)
        if not written:
            return as_function
        props = kind.arguments[:1] if kind.name in _COMPONENTS else ()
        return replace(as_function, parameters=props, arity=None)
    if any(one.type == "async" for one in node.children) and not written:
        kind, value = UNKNOWN, None
    own = type_parameters(node)
    return Member(
        kind=kind.with_types(dict.fromkeys(own, UNKNOWN)),
        is_function=is_function,
        arity=arity_of(node, language) if is_function else None,
        parameters=_parameter_kinds(node, language, own) if is_function else (),
        value=value if kind == UNKNOWN and not written else None,
    )


_COMPONENTS = frozenset({"FC", "FunctionComponent", "VFC"})


def _parameter_kinds(
    function: Node, language: Language, own: tuple[str, ...]
) -> tuple[TypeKind, ...]:
    """Return the types of a function's parameters in TypeScript."""
    given = function.child_by_field_name("parameters")
    if given is None or language not in SCRIPTS:
        return ()
    unknown = dict.fromkeys(own, UNKNOWN)
    written = (one.child_by_field_name("type") for one in given.named_children)
    return tuple(kind_of(name_of(one), language).with_types(unknown) for one in written)


def _value_of(node: Node) -> Node | None:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    declarator = node.child_by_field_name("declarator")
    if value is None and declarator is not None:  # Java
        value = declarator.child_by_field_name("value")
    return value


def _returned(function: Node) -> Node | None:
    """Return the value of the only `return` of a function."""
    body = function.child_by_field_name("body")
    if body is None:
        return None
    if body.type != "statement_block":
        return body
    found: list[Node] = []
    waiting = [body]
    while waiting and len(found) < 2:
        node = waiting.pop()
        if node.type == "return_statement":
            found.append(node)
        elif not is_function(node):
            waiting.extend(node.named_children)
    return nth_child(found[0], 0) if len(found) == 1 else None


def field_text(node: Node | None, field: str) -> str:
    return "" if node is None else name_of(node.child_by_field_name(field))


def members_of_cpp(node: Node) -> Iterator[tuple[str, Member]]:
    """Yield the members that a declaration of C++ declares."""
    if node.type in ("enumerator", "alias_declaration"):
        yield field_text(node, "name"), Member(kind=UNKNOWN, is_function=False)
    written = field_text(node, "type")
    for declarator in node.children_by_field_name("declarator"):
        function: Node | None = None
        name: Node | None = declarator
        while name is not None and not name.type.endswith("identifier"):
            if name.type == "function_declarator":
                function = name
            name = name.child_by_field_name("declarator") or nth_child(name, 0)
        if name is not None:
            yield (
                name_of(name),
                Member(
                    kind=kind_of(written, Language.CPP),
                    is_function=function is not None,
                    arity=None
                    if function is None
                    else arity_of(function, Language.CPP),
                ),
            )


def names_of(node: Node) -> Iterator[Node]:
    yield from node.children_by_field_name("name")
    yield from node.children_by_field_name("property")
    for declarator in node.named_children:
        if declarator.type in ("variable_declarator", "variable_declaration"):
            yield from names_of(declarator)


def _parameter_properties(
    node: Node, language: Language
) -> Iterator[tuple[str, Member]]:
    """Yield the fields that a constructor of TypeScript declares."""
    parameters = node.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        if any(child.type == "accessibility_modifier" for child in one.children) or (
            "readonly" in {child.type for child in one.children}
        ):
            written = name_of(one.child_by_field_name("type"))
            name = name_of(one.child_by_field_name("pattern"))
            yield name, Member(kind=kind_of(written, language), is_function=False)


def add_members(members: dict[str, Member], more: Mapping[str, Member]) -> None:
    """Add members to those of a type."""
    for name, one in more.items():
        known = members.get(name)
        members[name] = one if known is None else overloaded(known, one)


def overloaded(known: Member, one: Member) -> Member:
    """Return what is known of a member that is declared twice; of overloads little."""
    if known == one and not one.is_function:
        return known
    return Member(
        kind=known.kind if known.kind == one.kind else UNKNOWN,
        is_function=known.is_function and one.is_function,
    )
