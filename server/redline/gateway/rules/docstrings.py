"""Adds docstrings in Google style to the functions of a range that have none.

Only facts are written: the values returned and yielded, and the exceptions raised with
their conditions, under the name in words. A function without any gets no docstring: it
would only repeat the name. Parameters are left out, since only their names and defaults
are known, which are in the signature. The purpose of a function is left to a person or
a model.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

import libcst as cst
from msgspec import Struct

from redline.gateway.rules.definitions import NodeDefinition, definitions_in, header_end
from redline.gateway.rules.function_facts import (
    FunctionFacts,
    RaiseFact,
    dotted_name,
    read_facts,
)
from redline.gateway.rules.naming import name_in_words, split_name
from redline.gateway.rules.python_source import Patch, PythonSource
from redline.gateway.rules.region import Declined
from redline.gateway.rules.strings import has_docstring


def add_docstrings(
    source: PythonSource, names: tuple[str, ...]
) -> list[Patch] | Declined:
    """Write docstrings where there are none, and where they say more than the name.

    Args:
        source: The parsed text.
        names: Only for these definitions and those nested in them; empty: for all.
    """
    if source.path.endswith(".pyi"):
        return Declined(reason="stub files carry no docstrings")
    chosen = [d for d in definitions_in(source) if d.is_named(names)]
    if names and not chosen:
        return Declined(reason=f"the range does not define {_listed(names)}")
    return [
        patch
        for definition in chosen
        if _needs_docstring(definition)
        for patch in _definition_patches(definition, source)
    ]


def _listed(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _needs_docstring(definition: NodeDefinition) -> bool:
    node = definition.node
    name = node.name.value
    if isinstance(node, cst.ClassDef) or has_docstring(node):
        return False
    if name == "_" or (name.startswith("__") and name.endswith("__")):
        return False
    # The docstring belongs to a property's getter and to an overload's implementation.
    last_words = {name.rpartition(".")[2] for name in definition.decorators}
    return not last_words & {"overload", "setter", "deleter"}


def _definition_patches(
    definition: NodeDefinition, source: PythonSource
) -> list[Patch]:
    node = definition.node
    start = source.span(node)[0]
    indent = source.indent_at(start)
    body = node.body
    if isinstance(body, cst.IndentedBlock):
        unit = source.module.default_indent if body.indent is None else body.indent
        inner = indent + unit
        at = source.span(body.header)[1]
    else:
        unit = "\t" if "\t" in indent else source.indent_unit
        inner, at = indent + unit, header_end(node, source)
    if not source.may_insert(at):
        return []
    lines = _docstring_lines(definition, source, inner)
    text = "".join(f"{inner}{line}\n" if line else "\n" for line in lines)
    if not text:
        return []
    if isinstance(body, cst.IndentedBlock):
        return [Patch(start=at, end=at, text=text)]
    assert isinstance(body, cst.SimpleStatementSuite)
    end = source.span(body.leading_whitespace)[1]
    return [Patch(start=at, end=end, text=f"\n{text}{inner}")]


def _docstring_lines(
    definition: NodeDefinition, source: PythonSource, indent: str
) -> list[str]:
    lines = function_docstring(definition, source, indent)
    return [f'"""{lines[0]}', *lines[1:], '"""'] if lines else []


_WIDTH = 88
_MAX_TEST_CHARS = 50
_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty"})
_SILENT = frozenset({"None", "NoReturn", "Never"})
_VAGUE = frozenset({"result", "results", "ret", "res", "value", "val", "out", "output"})

Entry = tuple[str, str]
"""The described item, empty for a plain sentence, and its description."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GETTERS = _words(
    "build calculate compute create determine derive estimate fetch find generate get"
    " infer load lookup make obtain parse read retrieve select take"
)
"""Verbs whose object is what the function returns."""

_LINKS = _words("by for from in of on to with at as via using if or and")

_STATES = {
    "is": "Tell whether it is {}.",
    "are": "Tell whether they are {}.",
    "was": "Tell whether it was {}.",
    "has": "Tell whether it has {}.",
    "have": "Tell whether they have {}.",
    "can": "Tell whether it can {}.",
    "could": "Tell whether it could {}.",
    "should": "Tell whether it should {}.",
    "needs": "Tell whether it needs {}.",
    "supports": "Tell whether it supports {}.",
    "on": "Handle {}.",
    "to": "Convert to {}.",
    "as": "Return as {}.",
    "from": "Create from {}.",
    "with": "Return with {}.",
}


def function_sentence(name: str, *, is_property: bool = False) -> str:
    """Return a sentence that describes a function by its name."""
    words = split_name(name)
    if not words:
        return f"Do what `{name}` does."
    text = name_in_words(name)
    first, _, rest = text.partition(" ")
    if is_property:
        return _property_sentence(first, rest, text)
    if name == "main":
        return "Run the program."
    if rest and first in _STATES:
        return _STATES[first].format(rest)
    return _sentence(text)


def object_of(name: str) -> str:
    """Return the object in a function's name: "user" for `get_user_by_id`."""
    first, *rest = [*name_in_words(name).split(), ""]
    if first not in GETTERS:
        return ""
    thing: list[str] = []
    for word in rest:
        if word in _LINKS:
            break
        thing.append(word)
    return " ".join(filter(None, thing))


def _property_sentence(first: str, rest: str, text: str) -> str:
    if rest and first in {"is", "has", "can", "should", "was", "needs", "supports"}:
        return f"Whether it {first} {rest}."
    return f"The {text}."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def function_docstring(
    definition: NodeDefinition, source: PythonSource, indent: str
) -> list[str]:
    """Write a function's docstring, without quotes and outer indentation.

    Returns:
        Its lines; none if the body shows nothing that the name does not say.
    """
    function = definition.node
    assert isinstance(function, cst.FunctionDef)
    last_words = {word.rpartition(".")[2] for word in definition.decorators}
    is_property = bool(last_words & _PROPERTIES)
    facts = read_facts(function)
    returned = None if is_property else _returned(function, facts, source)
    yields = [] if is_property else _yields(facts)
    raises = list(_raises(facts, source))
    if not (yields or raises or (returned is not None and returned.is_fact)):
        return []
    name = function.name.value
    sections: dict[str, list[Entry]] = {
        "Returns": [] if returned is None else [("", f"{returned.text}.")],
        "Yields": yields,
        "Raises": raises,
    }
    return _lines(function_sentence(name, is_property=is_property), sections, indent)


def _lines(sentence: str, sections: dict[str, list[Entry]], indent: str) -> list[str]:
    unit = "\t" if "\t" in indent else "    "
    lines = [sentence]
    for title, entries in sections.items():
        if not entries:
            continue
        lines += ["", f"{title}:"]
        for name, text in entries:
            lines += textwrap.wrap(
                f"{name}: {text}" if name else text,
                width=max(40, _WIDTH - len(indent)),
                initial_indent=unit,
                subsequent_indent=unit * 2 if name else unit,
                break_long_words=False,
                break_on_hyphens=False,
            )
    return lines


def _quotable(text: str, max_chars: int) -> bool:
    """Whether code can be quoted in a docstring: short, on one line, no escapes."""
    return (
        len(text) <= max_chars
        and not any(bad in text for bad in "\n\\\r")
        and ('"""' not in text)
    )


def _annotation(annotation: cst.Annotation | None, source: PythonSource) -> str:
    if annotation is None:
        return ""
    node = annotation.annotation
    if isinstance(node, cst.SimpleString):
        return node.raw_value
    return source.code(node)


def _allows_none(annotation: str) -> bool:
    return annotation.startswith("Optional[") or "None" in annotation.split(" | ")


class _Returned(Struct, frozen=True):
    """What a function returns, as a clause."""

    text: str
    is_fact: bool
    """Whether it says more than the function's name."""


def _returned(
    function: cst.FunctionDef, facts: FunctionFacts, source: PythonSource
) -> _Returned | None:
    annotation = _annotation(function.returns, source)
    if facts.is_generator or annotation.rpartition(".")[2] in _SILENT:
        return None
    if not annotation and not facts.returned:
        return None
    returned = _returned_thing(function.name.value, facts, annotation)
    if returned is None:
        return None
    if _allows_none(annotation) or len(facts.returned) < len(facts.returns):
        return _Returned(f"{returned.text}, or None", True)
    return returned


def _returned_thing(
    name: str, facts: FunctionFacts, annotation: str
) -> _Returned | None:
    values = {dotted_name(value) or "" for value in facts.returned}
    value = values.pop() if len(values) == 1 else ""
    first, _, rest = name_in_words(name).partition(" ")
    if value == "self" and not annotation:
        return _Returned("The object itself", True)
    if rest and first in {"is", "has", "can", "should", "needs"}:
        return _Returned(f"True if it {first} {rest}, else False", False)
    if thing := object_of(name):
        return _Returned(f"The {thing}", False)
    is_telling = value.isidentifier() and value.islower() and value not in _VAGUE
    if is_telling and len(value) > 2 and annotation != "bool":
        return _Returned(f"The {name_in_words(value)}", True)
    return None


def _yields(facts: FunctionFacts) -> list[Entry]:
    if not facts.is_generator:
        return []
    values = {dotted_name(v) if v is not None else None for v in facts.yields}
    value = values.pop() if len(values) == 1 else None
    if value is not None and value.isidentifier() and len(value) > 2:
        return [("", f"The next {name_in_words(value)}.")]
    return []


def _raises(facts: FunctionFacts, source: PythonSource) -> Iterator[Entry]:
    by_class: dict[str, list[RaiseFact]] = {}
    for fact in facts.raises:
        by_class.setdefault(fact.exception, []).append(fact)
    for name, found in by_class.items():
        tests = list(dict.fromkeys(_tests(found, source)))
        if name == "NotImplementedError" and not tests:
            yield name, "Always; subclasses implement it."
        elif not tests or len(tests) < len(found):
            yield name, "Raised by the function itself."
        elif len(tests) > 2:
            yield name, f"{tests[0]}, or for {len(tests) - 1} other reasons."
        else:
            yield name, f"{', or '.join([tests[0], *map(_lowered, tests[1:])])}."


def _tests(found: Iterable[RaiseFact], source: PythonSource) -> Iterator[str]:
    for fact in found:
        if fact.guard is None:
            continue
        test = source.code(fact.guard)
        if _quotable(test, _MAX_TEST_CHARS):
            yield f"{'Unless' if fact.is_negated else 'If'} `{test}`"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
