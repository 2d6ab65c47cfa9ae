"""One name, one idea: a public class name is defined once in the server."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.server_trees import server_trees

# Types of the protocol page that show a value of ours, under the value's own name.
ALLOWED = {"Finding", "Hunk"}


def public_classes() -> dict[str, list[str]]:
    """Return class name → the modules that define it."""
    homes: dict[str, list[str]] = defaultdict(list)
    for module, tree in server_trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module)
    return homes


def test_a_public_class_name_is_defined_once() -> None:
    """A reader who searches a name finds one thing; see docs/explanation/words.md."""
    twice = {name: homes for name, homes in public_classes().items() if homes[1:]}
    assert {name: homes for name, homes in twice.items() if name not in ALLOWED} == {}


def test_the_allowed_names_are_needed() -> None:
    """A name that is defined once leaves the list."""
    homes = public_classes()
    assert {name for name in ALLOWED if len(homes[name]) == 1} == set()
