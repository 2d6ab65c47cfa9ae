"""Types of values, with the arguments of generic ones, from the way they are written.

What a type only wraps without members of its own, such as a reference, a nullable type
or a smart pointer, is taken off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from redline.syntax.children import nth_child, nth_part
from redline.syntax.language import Language
from redline.syntax.type_names import SCRIPTS, name_of, type_name, value_type
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class TypeKind(Struct, frozen=True):
    """A type by its name; without a name it is not known."""

    name: str = ""
    arguments: tuple[TypeKind, ...] = ()
    """Those of a generic type, or the parts of a tuple."""
    file: int = 0
    """The file whose names these are, by its number."""

    @property
    def element(self) -> TypeKind:
        """The type of the elements of a list, or of the values of a map."""
        position = 1 if is_map(self.name) else 0
        is_collection = position or self.name in _LISTS
        has_it = is_collection and len(self.arguments) == position + 1
        return self.arguments[position] if has_it else UNKNOWN

    def in_file(self, file: int) -> TypeKind:
        """Return the same type, as it is written in another file."""
        if not self.name and not self.arguments:
            return self
        inner = tuple(one.in_file(file) for one in self.arguments)
        return TypeKind(self.name, inner, file)

    def with_types(self, given: Mapping[str, TypeKind]) -> TypeKind:
        """Return the type with types in place of the names of type parameters."""
        if self.name in given:
            return given[self.name]
        if not self.arguments:
            return self
        inner = tuple(one.with_types(given) for one in self.arguments)
        return replace(self, arguments=inner)


UNKNOWN = TypeKind()
TUPLE = "()"
SELF = "Self"
"""The name of the type whose member has it."""

_GENERIC = re.compile(r"(?P<name>[\w.:$]++)\s*+[<\[](?P<arguments>.*)[>\]]", re.DOTALL)
_OF_GO = re.compile(
    r"(?:\.\.\.|\[\d*+\]|map\[(?P<key>[\w.*]++)\]|(?P<chan>(?:<-)?chan(?:<-)?\s))\s*+"
    r"(?P<element>.*)",
    re.DOTALL,
)
_WRAPPING = re.compile(r"(?:(?:readonly|final|const|mut|dyn|impl)\b|&|\*|'\w++|\s)++")
_NOTHING = frozenset({"null", "undefined", "None", "nil", "false"})
_TRANSPARENT = {
    Language.RUST: word_set("Box Rc Arc Cow Ref RefMut Pin MutexGuard RwLockReadGuard")
    | {"RwLockWriteGuard"},
}
"""Types that have the members of their last argument."""

_ARRAYS = frozenset({"Array", "ReadonlyArray"})
_LISTS = word_set(
    "[] chan each"
    # Java and C#
    " List ArrayList LinkedList Collection Iterable Iterator Set HashSet TreeSet"
    " LinkedHashSet SortedSet Deque ArrayDeque Queue PriorityQueue Stream Optional"
    " IEnumerable IReadOnlyList IReadOnlyCollection ICollection IList ISet IQueryable"
    " IOrderedEnumerable Stack"
    # scripts
    " ReadonlySet"
    # Rust
    " Vec VecDeque BTreeSet BinaryHeap Iter"
    # Python
    " list set frozenset deque Sequence MutableSequence AbstractSet FrozenSet"
    " Generator"
    # C++
    " vector array"
)
"""Types that are collections of their only argument."""

_MAPS = word_set(
    "map Map HashMap LinkedHashMap TreeMap SortedMap ConcurrentHashMap ConcurrentMap"
    " IDictionary Dictionary IReadOnlyDictionary SortedDictionary ConcurrentDictionary"
    " ReadonlyMap BTreeMap IndexMap dict Dict Mapping MutableMapping OrderedDict"
    " unordered_map multimap"
)
"""Types that are collections of their second argument, by a key."""

_MAX_DEPTH = 6
_MAX_N_CHARS = 300


def kind_of(written: str, language: Language, depth: int = 0) -> TypeKind:
    """Return a type from the way it is written."""
    if depth > _MAX_DEPTH or len(written) > _MAX_N_CHARS:
        return UNKNOWN
    text = _stripped(written)
    if language is Language.GO:
        return _kind_of_go(text.lstrip("*"), depth)
    if language is Language.CPP:
        text = text.removeprefix("std::")
    element = _element(text, language)
    if element:
        return TypeKind("[]", (kind_of(element, language, depth + 1),))
    if text.startswith("(") and text.endswith(")") and "=>" not in text:
        parts = _arguments(text[1:-1])
        if len(parts) == 1:
            return kind_of(parts[0], language, depth + 1)
        return _tuple(parts, language, depth)
    if text in (SELF, "static", "self", "this"):
        return TypeKind(SELF)
    return _kind_of_name(text, language, depth)


def _element(text: str, language: Language) -> str:
    """Return how the elements of an array are written; empty: it is none."""
    if text.endswith("[]"):
        return text[:-2]
    if language is Language.RUST and text.startswith("[") and text.endswith("]"):
        return text[1:-1].rpartition(";")[0] or text[1:-1]
    return ""


def _kind_of_name(text: str, language: Language, depth: int) -> TypeKind:
    """Return a type that is written as a name, with arguments or without."""
    generic = _GENERIC.fullmatch(text)
    if generic is not None and not _is_closed(generic["arguments"]):
        generic = None
    plain = text if generic is None else generic["name"]
    name = _qualified(plain, language) or type_name(plain, language)
    if generic is None:
        return TypeKind(name)
    given = [one for one in _arguments(generic["arguments"]) if one[:1] != "'"]
    whole = re.split(r"\.|::", generic["name"])[-1]
    if whole in _TRANSPARENT.get(language, ()) and len(given) == 1:
        return kind_of(given[0], language, depth + 1)
    if whole in ("tuple", "Tuple"):
        first = {one for one in given if one != "..."}
        inner = (kind_of(first.pop(), language, depth + 1),) if len(first) == 1 else ()
        return TypeKind("tuple", inner)
    if language in SCRIPTS and whole in _ARRAYS:
        name = "[]"
    if not name:
        return UNKNOWN
    return TypeKind(name, tuple(kind_of(one, language, depth + 1) for one in given))


def _qualified(text: str, language: Language) -> str:
    """Return the whole name of a type that another type or a package is before."""
    if language not in (Language.RUST, Language.JAVA, Language.CSHARP):
        return ""
    found = _PATH.match(text)
    if found is None or found[0] == "Map.Entry":
        return ""
    if language is Language.RUST and _OWN_PATH.search(found[0]):
        return ""
    return found[0]


_PATH = re.compile(r"\w+(?:(?:\.|::)\w+)+")
_OWN_PATH = re.compile(r"^(?:crate|self|super)::|::(?:Result|Option)$")


def _tuple(parts: list[str], language: Language, depth: int) -> TypeKind:
    """Return a tuple, of whose parts C# and Go may also write the names."""
    named = language in (Language.GO, Language.CSHARP)
    written = [re.sub(r"^\w+ (?=\S)|(?<=\S) \w+$", "", one) for one in parts]
    inner = [kind_of(one, language, depth + 1) for one in (written if named else parts)]
    return TypeKind(TUPLE, tuple(inner))


def _kind_of_go(text: str, depth: int) -> TypeKind:
    if text.startswith("("):
        parts = [one for one in _arguments(text[1:-1]) if one]
        inner = [
            kind_of(one.rpartition(" ")[2], Language.GO, depth + 1) for one in parts
        ]
        return inner[0] if len(inner) == 1 else TypeKind(TUPLE, tuple(inner))
    found = _OF_GO.fullmatch(text)
    if found is not None:
        element = kind_of(found["element"], Language.GO, depth + 1)
        if found["key"]:
            return TypeKind("map", (kind_of(found["key"], Language.GO), element))
        return TypeKind("chan" if found["chan"] else "[]", (element,))
    generic = _GENERIC.fullmatch(text)
    given = _arguments(generic["arguments"]) if generic else []
    inner = [kind_of(one, Language.GO, depth + 1) for one in given]
    return TypeKind(type_name(text, Language.GO), tuple(inner))


def kind_of_value(node: Node | None, language: Language) -> TypeKind:
    """Return the type of a literal, or of an object that is created."""
    name = value_type(node, language)
    while node is not None and node.type == "expression_list":
        node = nth_child(node, 0) if node.named_child_count == 1 else None
    if node is None:
        return UNKNOWN
    written = ""
    match node.type:
        case "new_expression":
            written = name_of(node.child_by_field_name("constructor")) + name_of(
                node.child_by_field_name("type_arguments")
            )
        case "object_creation_expression" | "composite_literal" | "cast_expression":
            written = name_of(node.child_by_field_name("type") or nth_child(node, 0))
        case "as_expression" | "satisfies_expression":
            written = name_of(nth_child(node, 1))
        case "type_cast_expression" | "type_assertion_expression":
            written = name_of(node.child_by_field_name("type"))
        case "unary_expression" if nth_part(node, 0) is not None:
            operand = node.child_by_field_name("operand")
            is_literal = operand is not None and operand.type == "composite_literal"
            return kind_of_value(operand, language) if is_literal else TypeKind(name)
        case "call_expression" if language is Language.GO:
            return kind_of(_made_by_go(node), language)
        case "call_expression" if language is Language.CPP:
            found = _MADE.match(name_of(node.child_by_field_name("function")))
            return (
                kind_of(f"{found[1]}_ptr<{found[2]}>", language) if found else UNKNOWN
            )
    return kind_of(written, language) if written else TypeKind(name)


_MADE = re.compile(r"(?:std::)?make_(unique|shared)<(.*)>", re.DOTALL)


def _made_by_go(call: Node) -> str:
    if name_of(call.child_by_field_name("function")) not in ("make", "new"):
        return ""
    arguments = call.child_by_field_name("arguments")
    return "" if arguments is None else name_of(nth_child(arguments, 0))


def is_map(name: str) -> bool:
    """Whether the elements of a type are its values, which a loop does not yield."""
    return name in _MAPS


def _stripped(written: str) -> str:
    text = written.strip().removeprefix(":").strip().strip("\"'").strip()
    if found := _WRAPPING.match(text):
        text = text[found.end() :]
    text = text.removeprefix("?").rstrip("&*").rstrip()
    some, _, last = text.rpartition("|")
    return some.rstrip() if last.strip() in _NOTHING else text.removesuffix("?")


def _is_closed(arguments: str) -> bool:
    """Whether no bracket of the arguments closes the one before them."""
    depth = 0
    for letter in arguments.replace("=>", "").replace("->", ""):
        depth += (letter in "<[({") - (letter in ">])}")
        if depth < 0:
            return False
    return depth == 0


def _arguments(written: str) -> list[str]:
    """Divide the arguments of a type."""
    found, depth = [""], 0
    for letter in written:
        depth += (letter in "<[({") - (letter in ">])}")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [one.strip() for one in found]
