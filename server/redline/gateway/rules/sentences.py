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

_DUNDERS = {
    "__init__": "Set the object up.",
    "__new__": "Create the object.",
    "__post_init__": "Finish setting the object up.",
    "__del__": "Clean up before the object goes away.",
    "__repr__": "Show the object for debugging.",
    "__str__": "Write the object as text.",
    "__bytes__": "Write the object as bytes.",
    "__format__": "Write the object in a format.",
    "__len__": "Count the items.",
    "__length_hint__": "Estimate the number of items.",
    "__bool__": "Tell whether the object counts as true.",
    "__hash__": "Compute a hash that equal objects share.",
    "__eq__": "Tell whether two objects are equal.",
    "__ne__": "Tell whether two objects differ.",
    "__lt__": "Tell whether the object comes before another.",
    "__le__": "Tell whether the object does not come after another.",
    "__gt__": "Tell whether the object comes after another.",
    "__ge__": "Tell whether the object does not come before another.",
    "__contains__": "Tell whether an item is in it.",
    "__iter__": "Iterate over the items.",
    "__aiter__": "Iterate over the items.",
    "__reversed__": "Iterate over the items backwards.",
    "__next__": "Return the next item.",
    "__anext__": "Return the next item.",
    "__getitem__": "Return an item.",
    "__setitem__": "Set an item.",
    "__delitem__": "Remove an item.",
    "__missing__": "Answer for a key that is not there.",
    "__getattr__": "Answer for an attribute that is not there.",
    "__getattribute__": "Look an attribute up.",
    "__setattr__": "Set an attribute.",
    "__delattr__": "Remove an attribute.",
    "__dir__": "List the attributes.",
    "__call__": "Call the object as a function.",
    "__enter__": "Enter the context.",
    "__aenter__": "Enter the context.",
    "__exit__": "Leave the context.",
    "__aexit__": "Leave the context.",
    "__await__": "Wait for the result.",
    "__copy__": "Make a shallow copy.",
    "__deepcopy__": "Make a deep copy.",
    "__getstate__": "Return the state to be pickled.",
    "__setstate__": "Restore a pickled state.",
    "__reduce__": "Describe how to pickle the object.",
    "__init_subclass__": "Set a subclass up.",
    "__class_getitem__": "Return the class with type arguments.",
    "__set_name__": "Record the name that it is assigned to.",
    "__get__": "Return the attribute's value.",
    "__set__": "Set the attribute's value.",
    "__delete__": "Delete the attribute.",
    "__index__": "Convert to an integer.",
    "__int__": "Convert to an integer.",
    "__float__": "Convert to a float.",
    "__fspath__": "Return the path.",
}

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
    if name.startswith("__") and name.endswith("__"):
        return _DUNDERS.get(name, f"Implement `{name}`.")
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


def noun_sentence(name: str) -> str:
    """Return a sentence that describes a class or module by its name."""
    words = name_in_words(name)
    return _sentence(words) if words else f"The `{name}` object."


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
