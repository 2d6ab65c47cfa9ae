"""The types of the elements of collections, from the way a type is written.

Also the methods of collections that pass their elements on: to a function that they
call with each, to their result, or as their result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.language import Language
from redline.syntax.links import nth_child
from redline.syntax.type_names import SCRIPTS, name_of, type_name, value_type
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class TypeKind(Struct, frozen=True):
    """A type by its name, with the name of its elements' type; empty if unknown."""

    name: str = ""
    element: str = ""


UNKNOWN = TypeKind()

_GENERIC = re.compile(r"(?P<name>[\w.:]++)\s*+[<\[](?P<arguments>.*)[>\]]", re.DOTALL)
_OF_GO = re.compile(
    r"\s*+(?:\[\d*+\]|map\[[\w.*]++\]|(?:<-)?chan(?:<-)?\s)\s*+(?P<element>.*)",
    re.DOTALL,
)
_WRAPPING = re.compile(r"(?:(?:readonly|final|const|mut)\b|&|'\w++|\s)++")
_NOTHING = frozenset({"null", "undefined", "None"})

_LISTS = word_set(
    # Java and C#
    "List ArrayList LinkedList Collection Iterable Iterator Set HashSet TreeSet"
    " LinkedHashSet SortedSet Deque ArrayDeque Queue PriorityQueue Stream Optional"
    " IEnumerable IReadOnlyList IReadOnlyCollection ICollection IList ISet IQueryable"
    # scripts
    " Array ReadonlyArray ReadonlySet"
    # Rust
    " Vec VecDeque BTreeSet BinaryHeap"
    # Python
    " list set frozenset tuple deque Sequence MutableSequence AbstractSet FrozenSet"
    " Tuple Generator"
)
"""Types that are collections of their first argument."""

_MAPS = word_set(
    "Map HashMap LinkedHashMap TreeMap SortedMap ConcurrentHashMap ConcurrentMap"
    " IDictionary Dictionary IReadOnlyDictionary SortedDictionary ConcurrentDictionary"
    " ReadonlyMap BTreeMap IndexMap dict Dict Mapping MutableMapping OrderedDict"
)
"""Types that are collections of their second argument, by a key."""


def kind_of(written: str, language: Language) -> TypeKind:
    """Return a type from the way it is written."""
    return TypeKind(type_name(written, language), _element_name(written, language))


def kind_of_value(node: Node | None, language: Language) -> TypeKind:
    """Return the type of a literal, or of an object that is created."""
    name = value_type(node, language)
    while node is not None and node.type == "expression_list":
        node = node.named_child(0) if node.named_child_count == 1 else None
    if node is None:
        return UNKNOWN
    written = ""
    match node.type:
        case "new_expression":
            written = name_of(node.child_by_field_name("constructor")) + name_of(
                node.child_by_field_name("type_arguments")
            )
        case "object_creation_expression" | "composite_literal":
            written = name_of(node.child_by_field_name("type"))
        case "call_expression" if language is Language.GO:
            return kind_of(_made_by_go(node), language)
    return TypeKind(name, _element_name(written, language))


def _made_by_go(call: Node) -> str:
    if name_of(call.child_by_field_name("function")) != "make":
        return ""
    arguments = call.child_by_field_name("arguments")
    return "" if arguments is None else name_of(nth_child(arguments, 0))


def _element_name(written: str, language: Language) -> str:
    """Return the type of the elements, or values, of a type; empty if unknown."""
    text = _stripped(written)
    if language is Language.GO:
        found = _OF_GO.fullmatch(text.lstrip("*"))
        return type_name(found["element"], language) if found else ""
    if text.endswith("[]"):
        return type_name(text[:-2], language)
    if language is Language.RUST and text.startswith("["):
        return type_name(text[1:-1].partition(";")[0], language)
    found = _GENERIC.fullmatch(text)
    if found is None:
        return ""
    arguments = _arguments(found["arguments"])
    name = re.split(r"\.|::", found["name"])[-1]
    if name in _LISTS and (len(arguments) == 1 or name in ("tuple", "Tuple")):
        rest = {one for one in arguments[1:] if one != "..."}
        return "" if rest else type_name(arguments[0], language)
    if name in _MAPS and len(arguments) == 2:
        return type_name(arguments[1], language)
    return ""


def is_map(name: str) -> bool:
    """Whether the elements of a type are its values, which a loop does not yield."""
    return name in _MAPS


def _stripped(written: str) -> str:
    text = written.strip().removeprefix(":").strip().strip("\"'").strip()
    if found := _WRAPPING.match(text):
        text = text[found.end() :]
    some, _, last = text.rpartition("|")
    return some.rstrip() if last.strip() in _NOTHING else text.removesuffix("?")


def _arguments(written: str) -> list[str]:
    """Divide the arguments of a type."""
    found, depth = [""], 0
    for letter in written:
        depth += (letter in "<[(") - (letter in ">])")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [one.strip() for one in found]


KEEPING: Mapping[Language, frozenset[str]] = {
    **dict.fromkeys(
        SCRIPTS,
        word_set("filter slice sort reverse toSorted toReversed splice values"),
    ),
    Language.JAVA: word_set(
        "stream parallelStream filter sorted distinct limit skip peek toList values"
        " subList takeWhile dropWhile findFirst findAny iterator"
    ),
    Language.CSHARP: word_set(
        "Where OrderBy OrderByDescending ThenBy ThenByDescending ToList ToArray Reverse"
        " AsEnumerable Take Skip TakeWhile SkipWhile Distinct Values"
    ),
    Language.RUST: word_set(
        "iter iter_mut into_iter filter rev skip take skip_while take_while cloned"
        " copied values values_mut inspect peekable"
    ),
    Language.PYTHON: word_set("values copy"),
}
"""Methods, and properties, whose result has the elements of their owner."""

TAKING: Mapping[Language, frozenset[str]] = {
    **dict.fromkeys(SCRIPTS, word_set("find at pop shift findLast")),
    Language.JAVA: word_set("get getFirst getLast orElseThrow removeFirst removeLast"),
    Language.CSHARP: word_set("First Last Single FirstOrDefault SingleOrDefault"),
}
"""Methods that return one of the elements."""

_OF_SCRIPTS: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(
        word_set("filter map forEach find findIndex findLast some every flatMap"), (0,)
    ),
    "sort": (0, 1),
    "toSorted": (0, 1),
    "reduce": (1,),
}
EACH: Mapping[Language, Mapping[str, tuple[int, ...]]] = {
    **dict.fromkeys(SCRIPTS, _OF_SCRIPTS),
    Language.JAVA: {
        **dict.fromkeys(
            word_set(
                "filter map mapToInt mapToLong mapToDouble mapToObj flatMap forEach"
                " anyMatch allMatch noneMatch peek removeIf takeWhile dropWhile"
                " ifPresent"
            ),
            (0,),
        ),
        "sorted": (0, 1),
        "sort": (0, 1),
    },
    Language.CSHARP: dict.fromkeys(
        word_set(
            "Where Select SelectMany Any All First FirstOrDefault Single Find"
            " SingleOrDefault Last LastOrDefault Count Sum Min Max Average OrderBy"
            " OrderByDescending GroupBy ToDictionary ForEach TakeWhile SkipWhile MinBy"
            " MaxBy RemoveAll"
        ),
        (0,),
    ),
    Language.RUST: {
        **dict.fromkeys(
            word_set(
                "filter map for_each any all find position filter_map flat_map inspect"
                " take_while skip_while max_by_key min_by_key retain sort_by_key"
                " partition"
            ),
            (0,),
        ),
        "sort_by": (0, 1),
        "max_by": (0, 1),
        "min_by": (0, 1),
        "fold": (1,),
    },
}
"""Methods that call a function with elements, and the positions of these."""

_STREAM = word_set(
    "filter map sorted distinct limit skip peek flatMap takeWhile dropWhile mapToObj"
)
RESULTS: Mapping[Language, Mapping[str, Mapping[str, str]]] = {
    Language.JAVA: {
        **{
            name: {"stream": "Stream", "parallelStream": "Stream"}
            for name in word_set("List ArrayList Collection Set HashSet Deque Queue")
        },
        "Pattern": {"matcher": "Matcher"},
        "Matcher": {"results": "Stream"},
        "Stream": {**dict.fromkeys(_STREAM, "Stream"), "toList": "List"},
    },
}
"""What methods of a library's types return, by the type and the method."""
