"""Formats of C and Go whose verbs are more, or fewer, than the values behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
    line_of,
    nodes_of,
    text_of,
)
from redline.syntax.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_PLACES = {
    **dict.fromkeys(("printf", "wprintf"), 0),
    **dict.fromkeys(("fprintf", "sprintf", "dprintf", "syslog"), 1),
    "snprintf": 2,
}
_OF_GO = {
    **{f"fmt.{name}": 0 for name in ("Printf", "Sprintf", "Errorf")},
    **{f"log.{name}": 0 for name in ("Printf", "Fatalf", "Panicf")},
    "fmt.Fprintf": 1,
}
_LANGUAGES = {Language.C: _PLACES, Language.CPP: _PLACES, Language.GO: _OF_GO}
_TEXTS = frozenset({"string_literal", "interpreted_string_literal"})
_VERB = re.compile(
    r"%(?:%|[-+ #0']*+(?P<width>\*)?\d*+(?:\.(?P<precision>\*)?\d*+)?"
    r"(?:hh|h|ll|l|j|z|t|L|q)?(?P<verb>[A-Za-z]))"
)


def wrong_formats(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the calls whose format is a plain text."""
    places = _LANGUAGES.get(tree.language)
    if places is None:
        return
    for node in nodes_of(tree.root, is_near):
        if node.type != "call_expression":
            continue
        place = places.get(text_of(node.child_by_field_name("function")))
        counts = _counts(node, place) if place is not None else None
        if counts is not None and counts[0] != counts[1]:
            yield CompileFault(
                line=line_of(node),
                key=f"format {text_of(node)[:80]}",
                message=f"The format has {counts[0]} verbs, and {counts[1]} values are"
                " given.",
            )


def _counts(call: Node, place: int) -> tuple[int, int] | None:
    """Return the numbers of verbs and of values; None if they are not known."""
    given = call.child_by_field_name("arguments")
    values = [
        one
        for one in (given.named_children if given is not None else [])
        if "comment" not in one.type
    ]
    if len(values) <= place or values[place].type not in _TEXTS:
        return None
    text = text_of(values[place])
    rest = values[place + 1 :]
    is_spread = any(one.type in ("variadic_argument", "pack_expansion") for one in rest)
    is_spread = is_spread or text_of(given).rstrip(") \n\t,").endswith("...")
    if is_spread or "%[" in text or "%m" in text or "$" in text:
        return None
    verbs = [one for one in _VERB.finditer(text) if one["verb"]]
    stars = sum(bool(one["width"]) + bool(one["precision"]) for one in verbs)
    return len(verbs) + stars, len(rest)
