"""The members that code uses, also in code that is made to be deep or long."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

import pytest
from tests.steps import count_steps

from redline.syntax.accesses import Access, accesses
from redline.syntax.file_types import FileTypes
from redline.syntax.language import Language
from redline.syntax.tree import parse

_ALL = range(sys.maxsize)
_N = 5_000

_NODE = "class Node {\n  next: Node = this;\n  step(): Node { return this; }\n}\n"


def _accesses(text: str, language: Language) -> list[Access]:
    return list(accesses(FileTypes(parse(text, language)), _ALL))


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


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (Language.TYPESCRIPT, "function f(xs: T[]) { xs.filter(x => x.missing); }"),
        (
            Language.TYPESCRIPT,
            "function f(xs: Set<T>) { [...xs].sort((a, b) => b.missing); }",
        ),
        (Language.TYPESCRIPT, "function f(xs: T[]) { for (const x of xs) x.missing; }"),
        (
            Language.JAVA,
            "class C { List<T> xs; void f() {"
            " xs.stream().filter(x -> x.missing()).toList(); } }",
        ),
        (
            Language.JAVA,
            "class C { void f(Map<String, T> xs) { var x = xs.get(1); x.missing(); } }",
        ),
        (
            Language.CSHARP,
            "class C { void f(T[] xs) { var x = xs.Where(y => y.missing); } }",
        ),
        (
            Language.CSHARP,
            "class C { T f(T? t) { t = g(); return t with { missing = 1 }; } }",
        ),
        (
            Language.GO,
            "package a\n\nfunc f(xs map[string]*T) {\n"
            "\tfor _, x := range xs {\n\t\tx.missing()\n\t}\n}\n",
        ),
        (
            Language.RUST,
            "fn f(xs: &[T]) { let x = &xs[0]; x.missing; }",
        ),
        (Language.RUST, "fn f(xs: Vec<T>) { xs.iter().any(|x| x.missing); }"),
    ],
)
def test_an_element_has_the_type_of_its_list(language: Language, text: str) -> None:
    assert _has_member(_accesses(text, language), "T", "missing")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (Language.PYTHON, "def f(xs: dict[str, T]):\n    for x in xs: x.missing\n"),
        (Language.PYTHON, "def f(xs: tuple[T, U]):\n    xs[1].missing\n"),
        (Language.TYPESCRIPT, "function f(xs: T[]) { for (const x in xs) x.missing; }"),
        (Language.TYPESCRIPT, "function f(xs: T[], x: U) { g(x => x.missing); }"),
        (Language.TYPESCRIPT, "function f(xs: T[]) { xs.map((y, x) => x.missing); }"),
        (Language.TYPESCRIPT, "function f(xs: T[]) { xs.map(({ x }) => x.missing); }"),
        (
            Language.GO,
            "package a\n\nfunc f(xs []T) {\n\tfor x := range xs {\n"
            "\t\tx.missing()\n\t}\n}\n",
        ),
    ],
)
def test_a_key_or_another_value_has_not(language: Language, text: str) -> None:
    found = _accesses(text, language)
    assert not {"T", "U"} & {one.owner for one in found}


def test_names_that_are_set_to_each_other_are_given_up() -> None:
    text = "def f(a: T):\n" + "".join(f"    x{n} = x{n + 1}.y\n" for n in range(200))
    found = _accesses(text + "    x200 = x0.y\n    a.missing\n", Language.PYTHON)
    assert [one.name for one in found] == ["missing"]


def test_a_node_without_its_tree_fails_at_once() -> None:
    """The binding would ask for its text for ever; see `Tree.root`."""
    node = parse("package a\n\nfunc f() {}\n", Language.GO).root
    gc.collect()
    with pytest.raises(TypeError):
        assert node.text
