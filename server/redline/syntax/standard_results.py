"""What members of a library's collections and wrappers give, by what they hold.

In the tables, `e` is the type of the elements or of what is wrapped, `k` that of the
keys of a map, and `=` the owner itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from redline.syntax.kinds import TUPLE, UNKNOWN, TypeKind, is_map
from redline.syntax.language import Language
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

_Results = Mapping[str, str]


def _each(words: str, result: str) -> _Results:
    return dict.fromkeys(words.split(), result)


_OF_SCRIPTS: Mapping[str, _Results] = {
    "list": {
        **_each("filter slice sort reverse toSorted toReversed splice concat", "[]<e>"),
        **_each("find at pop shift findLast", "e"),
        **_each("values", "each<e>"),
    },
    "map": {
        "get": "e",
        "values": "each<e>",
        "keys": "each<k>",
        "entries": "each<()<k,e>>",
    },
}
_OF_JAVA: Mapping[str, _Results] = {
    "list": {
        **_each("stream parallelStream", "Stream<e>"),
        **_each("toList subList reversed", "List<e>"),
        **_each("get getFirst getLast removeFirst removeLast poll pop next first", "e"),
        **_each("last element", "e"),
        "iterator": "Iterator<e>",
    },
    "Stream": {
        **_each("filter sorted distinct limit skip peek takeWhile dropWhile", "="),
        **_each("map flatMap mapToObj", "Stream"),
        **_each("findFirst findAny max min", "Optional<e>"),
        "toList": "List<e>",
    },
    "Optional": {**_each("get orElse orElseThrow orElseGet", "e"), "filter": "="},
    "map": {
        **_each("get getOrDefault put remove computeIfAbsent merge putIfAbsent", "e"),
        "values": "Collection<e>",
        "keySet": "Set<k>",
        "entrySet": "Set<Entry<k,e>>",
    },
    "Entry": {"getKey": "k", "getValue": "e"},
    "Pattern": {"matcher": "Matcher"},
    "Matcher": {"results": "Stream"},
}
_LAZY = (
    "Where OrderBy OrderByDescending ThenBy ThenByDescending Reverse AsEnumerable Take"
    " Skip TakeWhile SkipWhile Distinct Append Concat DefaultIfEmpty DistinctBy Except"
    " ExceptBy Intersect IntersectBy Order OrderDescending Prepend SkipLast"
)
_OF_CSHARP: Mapping[str, _Results] = {
    "list": {
        **_each(_LAZY, "IEnumerable<e>"),
        "ToList": "List<e>",
        "ToArray": "[]<e>",
        **_each("First Last Single FirstOrDefault SingleOrDefault LastOrDefault", "e"),
        **_each("Peek Dequeue Pop ElementAt Find MinBy MaxBy", "e"),
    },
    "map": {"Values": "ICollection<e>", "Keys": "ICollection<k>"},
    "KeyValuePair": {"Key": "k", "Value": "e"},
    "": {**_each(_LAZY, "IEnumerable"), **_each("Select SelectMany", "IEnumerable")},
}
_OF_RUST: Mapping[str, _Results] = {
    "list": {
        **_each(
            "iter iter_mut into_iter filter rev skip take skip_while take_while cloned"
            " copied inspect peekable drain",
            "Iter<e>",
        ),
        **_each(
            "first last get get_mut pop next nth find max_by_key min_by_key first_mut"
            " last_mut pop_front pop_back front back peek max_by min_by",
            "Option<e>",
        ),
        "enumerate": "Iter<()<usize,e>>",
    },
    "map": {
        **_each("get get_mut remove insert", "Option<e>"),
        **_each("values values_mut into_values", "Iter<e>"),
        **_each("keys into_keys", "Iter<k>"),
        **_each("iter iter_mut", "Iter<()<k,e>>"),
    },
    "Option": {
        **_each(
            "unwrap expect unwrap_or unwrap_or_default unwrap_or_else insert"
            " get_or_insert_with",
            "e",
        ),
        **_each("as_ref as_mut cloned copied take filter or_else or replace", "="),
        **_each("as_deref as_deref_mut", "Option"),
        **_each("ok_or ok_or_else context with_context", "Result<e>"),
    },
    "Result": {
        **_each("unwrap expect unwrap_or unwrap_or_default unwrap_or_else", "e"),
        **_each("map_err context with_context as_ref as_mut", "Result<e>"),
        "ok": "Option<e>",
    },
    "Mutex": {"lock": "Result<e>"},
    "RwLock": {**_each("read write", "Result<e>")},
    "RefCell": {**_each("borrow borrow_mut", "e")},
}
_OF_CPP: Mapping[str, _Results] = {
    "list": {**_each("front back at", "e")},
    "map": {"at": "e"},
    "pointer": {"get": "e"},
    "optional": {**_each("value value_or", "e")},
}

_RESULTS: Mapping[Language, Mapping[str, _Results]] = {
    **dict.fromkeys(SCRIPTS, _OF_SCRIPTS),
    Language.JAVA: _OF_JAVA,
    Language.CSHARP: _OF_CSHARP,
    Language.RUST: _OF_RUST,
    Language.CPP: _OF_CPP,
}

WRAPPERS = word_set(
    "Option Optional Result Promise Task ValueTask Future optional unique_ptr"
    " shared_ptr Nullable"
)
"""Types that hold one value, their first argument."""
POINTERS = frozenset({"unique_ptr", "shared_ptr"})

_PARTS = re.compile(r"([^<>,]+)(?:<(.*)>)?")


def library_result(owner: TypeKind, name: str, language: Language) -> TypeKind:
    """Return the type of a member of a library's type; a call's is its result's."""
    tables = _RESULTS.get(language, {})
    family = "pointer" if owner.name in POINTERS else owner.name
    result = tables.get(family, {}).get(name)
    if result is None and is_map(owner.name):
        result = tables.get("map", {}).get(name)
    if result is None and held(owner) != UNKNOWN and owner.name not in WRAPPERS:
        result = tables.get("list", {}).get(name)
    if result is None:
        result = tables.get("", {}).get(name)
    return UNKNOWN if result is None else _filled(result, owner)


def held(owner: TypeKind) -> TypeKind:
    """Return the type of the elements, or of the value, that a type holds."""
    if owner.name in WRAPPERS and owner.arguments:
        return owner.arguments[0]
    if owner.name in ("Entry", "KeyValuePair") and len(owner.arguments) == 2:
        return owner.arguments[1]
    return owner.element


def looped(owner: TypeKind, language: Language) -> TypeKind:
    """Return the type of what a loop over a type yields."""
    if not is_map(owner.name) or len(owner.arguments) != 2:
        return UNKNOWN if owner.name in WRAPPERS else owner.element
    match language:
        case Language.CSHARP:
            return TypeKind("KeyValuePair", owner.arguments)
        case Language.GO:
            return owner.element
        case _:
            return TypeKind(TUPLE, owner.arguments)


def _filled(result: str, owner: TypeKind) -> TypeKind:
    if result == "=":
        return owner
    if result == "e":
        return held(owner)
    if result == "k":
        return owner.arguments[0] if owner.arguments else UNKNOWN
    found = _PARTS.fullmatch(result)
    assert found is not None
    inner = _divided(found[2]) if found[2] else []
    return TypeKind(found[1], tuple(_filled(one, owner) for one in inner))


def _divided(text: str) -> list[str]:
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


_EACH_OF_SCRIPTS: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(
        word_set("filter map forEach find findIndex findLast some every flatMap"), (0,)
    ),
    "sort": (0, 1),
    "toSorted": (0, 1),
    "reduce": (1,),
}
EACH: Mapping[Language, Mapping[str, tuple[int, ...]]] = {
    **{one: {**_EACH_OF_SCRIPTS, "then": (0,)} for one in SCRIPTS},
    Language.JAVA: {
        **dict.fromkeys(
            word_set(
                "filter map mapToInt mapToLong mapToDouble mapToObj flatMap forEach"
                " anyMatch allMatch noneMatch peek removeIf takeWhile dropWhile"
                " ifPresent ifPresentOrElse"
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
                " partition and_then is_some_and map_or"
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


def called_with(owner: TypeKind, name: str, language: Language) -> list[TypeKind]:
    """Return the types that a method's function is called with, by position."""
    positions = EACH.get(language, {}).get(name, ())
    if is_map(owner.name) and name == "forEach":
        both = list(owner.arguments)
        return both[::-1] if language in SCRIPTS else both
    if is_map(owner.name) and name in ("retain", "removeIf"):
        return list(owner.arguments)
    element = held(owner)
    if is_map(owner.name) and language is Language.CSHARP:
        element = looped(owner, language)
    elif is_map(owner.name):
        return []
    if owner.name == "Promise" and name != "then":
        return []
    return [element if n in positions else UNKNOWN for n in range(2)]
