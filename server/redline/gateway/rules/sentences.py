"""Makes sentences for docstrings from names. Pure."""

from __future__ import annotations

from redline.gateway.rules.naming import name_in_words, split_name


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
