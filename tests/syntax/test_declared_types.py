"""The types that a file declares, and the names of written types."""

from __future__ import annotations

import pytest

from redline.syntax.declared_types import declared_types
from redline.syntax.language import Language
from redline.syntax.tree import parse
from redline.syntax.type_names import type_name


@pytest.mark.parametrize(
    "receiver",
    ["c Cache", "c *Cache", "*Cache", "Cache", "c *Cache[K, V]", "c Cache[K,V]"],
)
def test_a_method_of_go_belongs_to_its_receiver(receiver: str) -> None:
    """With or without a name, a pointer and type parameters."""
    tree = parse(
        f"package p\n\ntype Cache struct{{}}\n\nfunc ({receiver}) Put() {{}}\n",
        Language.GO,
    )
    assert set(declared_types(tree)["Cache"].members) == {"Put"}


def test_a_type_parameter_that_is_not_written_yet() -> None:
    """The grammar has a node without children for it."""
    tree = parse("class Shelf {\n  <a, > void put() { }\n}\n", Language.JAVA)
    assert set(declared_types(tree)["Shelf"].members) == {"put"}


def test_a_method_of_go_with_an_empty_receiver_has_no_type() -> None:
    tree = parse("package p\n\nfunc ( ) Put() {}\n", Language.GO)
    assert declared_types(tree) == {}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("finalState", "finalState"),
        ("constState", "constState"),
        ("readonlySettings", "readonlySettings"),
        ("readonly Settings", "Settings"),
        ("&'a mut State", "State"),
        ("*const State", "State"),
    ],
)
def test_a_prefix_is_a_whole_word(written: str, name: str) -> None:
    assert type_name(written, Language.TYPESCRIPT) == name
