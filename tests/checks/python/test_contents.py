"""What is read from a module's text, against what running it makes."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.checks.python.definition import (
    UNCLEAR,
    Class,
    Contents,
    Function,
    Imported,
    InstanceOf,
)
from redline.checks.python.scope import read_contents

BINDINGS = [
    "{a} = 1",
    "{a}, ({b}, *{c}) = 1, (2, 3)",
    "{a} = {b} = 1",
    "{a}: int = 1",
    "def {a}({b}=1):\n    {c} = {b}",
    "async def {a}(): ...",
    "class {a}:\n    {b} = 1",
    "import os as {a}, sys as {b}",
    "from os import path as {a}",
    "for {a} in (1,):\n    {b} = 1\nelse:\n    {c} = 1",
    "while True:\n    {a} = 1\n    break",
    "with open('/dev/null') as {a}:\n    {b} = 1",
    "try:\n    {a} = 1\nexcept OSError as {b}:\n    pass\nelse:\n    {c} = 1\n"
    "finally:\n    pass",
    "if ({a} := 1):\n    {b} = 1",
    "print(end='', *[{a} := 1 for {b} in (1,)])",
    "match [1, 2]:\n    case [{a}, *{b}]:\n        {c} = 1",
    "match {{'k': 1}}:\n    case {{'k': 1, **{a}}}:\n        pass\n    case {b}:\n"
    "        pass",
    "def {b}():\n    global {a}\n    {a} = 1\n{b}()",
    "lambda {a}: {b}",
]


@given(
    templates=st.lists(st.sampled_from(BINDINGS), max_size=6),
    names=st.permutations(["n1", "n2", "n3"]),
)
def test_every_name_that_running_makes_is_read(
    templates: list[str], names: list[str]
) -> None:
    """Whatever statement binds it."""
    a, b, c = names
    text = "\n".join(one.format(a=a, b=b, c=c) for one in templates) + "\n"
    namespace: dict[str, object] = {}
    exec(text, namespace)
    made = {name for name in namespace if not name.startswith("__")}
    assert made <= set(read(text).names)


def read(text: str) -> Contents:
    return read_contents(text, ast.parse(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.b", Imported(module="a")),
        ("import a.b as n", Imported(module="a.b")),
        ("from a.b import n", Imported(module="a.b", name="n")),
        ("from ..a import c as n", Imported(module="a", level=2, name="c")),
        ("from . import n", Imported(module="", level=1, name="n")),
        ("n = make.it()", InstanceOf(maker="make.it")),
        ("n: A.B = 1", InstanceOf(maker="A.B")),
        ("n: list[int] = []", UNCLEAR),
        ("n = make()()", UNCLEAR),
        ("n = 1", UNCLEAR),
        ("n = A()\nn = A()", UNCLEAR),
        ("n = A()\ndel n", UNCLEAR),
        ("n = A()\nn += 1", UNCLEAR),
        ("n = A()\ndef f():\n    global n", UNCLEAR),
        ("n = A()\nf((n := 1))", UNCLEAR),
    ],
)
def test_what_a_name_stands_for(text: str, expected: object) -> None:
    """Once bound it is known; twice, or otherwise, it is not."""
    names = read(text).names
    assert names.get("n", names.get("a")) == expected


def test_functions_and_classes_are_read() -> None:
    """With what decides how they are called."""
    text = (
        "@a.b\n@c(1)\n@d[0]\ndef f(x): return x\n"
        "@e\nclass C(A, B[int], make(), metaclass=M):\n    def g(self): ...\n"
    )
    names = read(text).names
    function, found = names["f"], names["C"]
    assert isinstance(function, Function)
    assert function.decorators == ("a.b", "c", None)
    assert function.lines == range(3, 4)
    assert isinstance(found, Class)
    assert (found.bases, found.metaclass) == (("A", "B", None), "M")
    assert (found.decorators, found.lines) == (("e",), range(5, 7))


@pytest.mark.parametrize(
    ("body", "is_placeholder"),
    [
        ("...", True),
        ("pass", True),
        ("'''Say it.'''", True),
        ("raise NotImplementedError", True),
        ("'''Say it.'''\n    raise NotImplementedError('x')", True),
        ("return None", True),
        ("return NotImplemented", True),
        ("return", True),
        ("return x", False),
        ("print(x)", False),
    ],
)
def test_placeholders(body: str, is_placeholder: bool) -> None:
    """A body that does nothing is there to be overridden."""
    function = read(f"def f(x):\n    {body}\n").names["f"]
    assert isinstance(function, Function)
    assert function.is_placeholder == is_placeholder


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("def __getattr__(name): ...", True),
        ("globals()['a'] = 1", True),
        ("import sys\nsys.modules[__name__] = A()", True),
        ("__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)", True),
        ("a = 1", False),
    ],
)
def test_modules_that_make_names(text: str, is_open: bool) -> None:
    """There may be more than can be read."""
    assert read(text).is_open == is_open


def test_stars_and_set_attributes() -> None:
    """What is taken over, and what may have been replaced."""
    contents = read(
        "from a import *\nfrom .b import *\nx.one = 1\nx.y.two : int = 2\n"
        "setattr(x, 'three', 3)\nx.four == 4\n"
    )
    assert contents.stars == (Imported(module="a"), Imported(module="b", level=1))
    assert contents.set_attributes == {"one", "two", "three"}
