"""The members that code uses, also in code that is made to be deep or long."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

import pytest
from tests.steps import count_steps

from redline.syntax.accesses import Access, FileTypes
from redline.syntax.language import Language
from redline.syntax.tree import parse

_ALL = range(sys.maxsize)
_N = 5_000

_NODE = "class Node {\n  next: Node = this;\n  step(): Node { return this; }\n}\n"


def _accesses(text: str, language: Language) -> list[Access]:
    return list(FileTypes(parse(text, language)).accesses(_ALL))


def _has_member(found: list[Access], owner: str, name: str) -> bool:
    return any((one.owner, one.name) == (owner, name) for one in found)


@pytest.mark.parametrize(
    "chain",
    [
        lambda n: ".next" * n,
        lambda n: ".step()" * n,
        lambda n: ".next.step()" * (n // 2),
    ],
)
def test_a_chain_of_any_length_has_a_type(chain: Callable[[int], str]) -> None:
    """Each link takes the type of the one before it."""
    for n in (4, _N):
        text = f"{_NODE}function f(node: Node) {{ node{chain(n)}.missing; }}\n"
        found = _accesses(text, Language.TYPESCRIPT)
        assert len(found) == n + 1
        assert {one.owner for one in found} == {"Node"}
        assert _has_member(found, "Node", "missing")


def test_what_is_deep_in_brackets_has_a_type() -> None:
    value = "(" * _N + "new Node()" + ")" * _N
    text = f"{_NODE}function f() {{ const node = {value}; node.missing; }}\n"
    found = _accesses(text, Language.TYPESCRIPT)
    assert _has_member(found, "Node", "missing")
    text = f"{_NODE}function f(n: Node) {{ {'(' * _N}n{')' * _N}.missing; }}\n"
    assert _has_member(_accesses(text, Language.TYPESCRIPT), "Node", "missing")


@pytest.mark.parametrize(
    ("language", "head", "inner", "tail"),
    [
        (Language.TYPESCRIPT, "function f(a: A) {", "a.x;", "}"),
        (Language.TYPESCRIPT, "class A {", "x = this.x;", "}"),
        (Language.JAVASCRIPT, "if (a) {", "a.x;", "}"),
        (Language.JAVASCRIPT, "({a = ", "a.x", "} = {});"),
        (Language.TYPESCRIPT, "let a: (b: ", "A", ") => void;"),
        (Language.PYTHON, "(a := ", "a.x", ")"),
        (Language.RUST, "a::", "b", ""),
        (Language.CSHARP, "a.F<", "b", ">()"),
        (Language.JAVA, "class A {", "int x = this.x;", "}"),
    ],
)
def test_deep_code_is_read_in_linear_steps(
    language: Language, head: str, inner: str, tail: str
) -> None:
    """A node costs no steps with its depth."""

    def n_steps(depth: int) -> int:
        text = head * depth + inner + tail * depth
        return count_steps(lambda: _accesses(text, language))

    assert n_steps(1_000) < 5 * n_steps(250)


def test_a_node_without_its_tree_fails_at_once() -> None:
    """The binding would ask for its text for ever; see `Tree.root`."""
    node = parse("package a\n\nfunc f() {}\n", Language.GO).root
    gc.collect()
    with pytest.raises(TypeError):
        assert node.text
