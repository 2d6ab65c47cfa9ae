"""Renaming Python names: what is the same name, and when it is refused."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Callable
from typing import Any  # Symbol tables as nested tuples.

import pytest

Check = Callable[..., None]


@pytest.mark.parametrize(
    ("instruction", "before", "after"),
    [
        # Locals, closures and what shadows them.
        ("rename x to y",
         "def f(x):\n    def g(): return x\n    return [x for x in x], lambda x: x\n",
         "def f(y):\n    def g(): return y\n    return [y for y in y], lambda y: y\n"),
        ("rename x to y",
         "x = 1\nclass A:\n    x = x\n    def f(self): return x\n",
         "y = 1\nclass A:\n    x = x\n    def f(self): return y\n"),
        ("rename x to y",
         "def f():\n    global x\n    x = 1\ndef g():\n    return x\n",
         "def f():\n    global y\n    y = 1\ndef g():\n    return y\n"),
        ("rename x to y",
         "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n",
         "def f():\n    y = 1\n    def g():\n        nonlocal y\n        y = 2\n"),
        ("rename x to y",
         "def f(z):\n    [x := i for i in z]\n    return x\n",
         "def f(z):\n    [y := i for i in z]\n    return y\n"),
        ("rename x to y",
         "def f(a):\n    match a:\n"
         "        case {'k': x, **r} | [x, *r] | C(x=x): print(x)\n",
         "def f(a):\n    match a:\n"
         "        case {'k': y, **r} | [y, *r] | C(x=y): print(y)\n"),
        ("rename r to q",
         "def f(a):\n    match a:\n        case {'k': 1, **r}: print(r)\n"
         "        case [1, *r]: print(r)\n        case 1 as r: print(r)\n",
         "def f(a):\n    match a:\n        case {'k': 1, **q}: print(q)\n"
         "        case [1, *q]: print(q)\n        case 1 as q: print(q)\n"),
        ("rename e to err",
         "try: pass\nexcept E as e: print(f'{e!r:>{e}}', 'e')  # e\n",
         "try: pass\nexcept E as err: print(f'{err!r:>{err}}', 'e')  # e\n"),
        ("rename x to y",
         "with a as x, b as (x, z): del x\nfor x, *z in x: x += 1\nx: int\n",
         "with a as y, b as (y, z): del y\nfor y, *z in y: y += 1\ny: int\n"),
        # Definitions.
        ("rename f to g", "@f.x\ndef f(f: 'f' = f): return f\nf(f=1)\n",
         "@g.x\ndef g(f: 'g' = g): return f\ng(f=1)\n"),
        ("rename class A to B", "class A:\n    def f(self) -> 'list[A]': return A.a\n",
         "class B:\n    def f(self) -> 'list[B]': return B.a\n"),
        ("rename A to B", "class A[T: 'A']: x: Literal['A']\n"
                          "def f[A](a: A) -> A: ...\n",
         "class B[T: 'B']: x: Literal['A']\ndef f[A](a: A) -> A: ...\n"),
        # Types in strings, outside of annotations too; other strings are text.
        ("rename A to B",
         "class A: ...\nx = cast('A', f('A'))\ny = typing.cast(\"list['A']\", 'A')\n",
         "class B: ...\nx = cast('B', f('A'))\ny = typing.cast(\"list['B']\", 'A')\n"),
        ("rename A to B",
         "class A: ...\nT = TypeVar('A', 'A', x.A, bound='A', name='A')\n"
         "N = NewType('A', 'A')\nF = ForwardRef('A')\n",
         "class B: ...\nT = TypeVar('A', 'B', x.A, bound='B', name='A')\n"
         "N = NewType('A', 'B')\nF = ForwardRef('B')\n"),
        ("rename A to B",
         "class A: ...\nX = Optional['A']\nY: TypeAlias = 'A'\nZ: str = 'A'\n"
         "class C(Generic['A'], dict[str, 'A']): x = colors['A'] + Literal['A']\n"
         "d = cast(Union['A', Literal['A']], d['A'])\n",
         "class B: ...\nX = Optional['B']\nY: TypeAlias = 'B'\nZ: str = 'A'\n"
         "class C(Generic['B'], dict[str, 'B']): x = colors['A'] + Literal['A']\n"
         "d = cast(Union['B', Literal['A']], d['A'])\n"),
        ("rename T to U", "type L[T] = list[T]\ndef f[T](x: T): return T\n",
         "type L[U] = list[U]\ndef f[U](x: U): return U\n"),
        # Imports.
        ("rename np to numpy", "import numpy as np\nnp.x.np\n",
         "import numpy as numpy\nnumpy.x.np\n"),
        ("rename dumps to to_json", "from json import dumps\ndumps(1)\n",
         "from json import dumps as to_json\nto_json(1)\n"),
        ("rename f to g", "__all__ = ['f', 'ff']\n__all__ += ['f']\ndef f(): 'f'\n",
         "__all__ = ['g', 'ff']\n__all__ += ['g']\ndef g(): 'f'\n"),
        # Parameters and who passes them by name.
        ("rename a to b", "def f(a, *, c=1): return a\nf(a=1)\nx.f(a=1)\ng(a=1)\n",
         "def f(b, *, c=1): return b\nf(b=1)\nx.f(b=1)\ng(a=1)\n"),
        ("rename a to b", "class K:\n    def __init__(self, a): self.a = a\nK(a=1).a\n",
         "class K:\n    def __init__(self, b): self.a = b\nK(b=1).a\n"),
        ("rename a to b", "def f(a): ...\npartial(f, a=1)\n",
         "def f(b): ...\npartial(f, b=1)\n"),
        # Attributes.
        ("rename self.a to self.b",
         "class K:\n    def __init__(self, a): self.a = a\n    def __eq__(self, other):"
         " return self.a == other.a\nK().a\nK.a\nos = 1\nimport sys\nsys.a\n",
         "class K:\n    def __init__(self, a): self.b = a\n    def __eq__(self, other):"
         " return self.b == other.b\nK().b\nK.b\nos = 1\nimport sys\nsys.a\n"),
        ("rename run to go",
         "class K:\n    def run(self): ...\n    @run.x\n    def b(self): run()\n"
         "class L(K):\n    def run(self): super().run()\n",
         "class K:\n    def go(self): ...\n    @go.x\n    def b(self): run()\n"
         "class L(K):\n    def go(self): super().go()\n"),
        ("rename a to b",
         "@dataclass\nclass K:\n    __slots__ = ('a',)\n    a: int\nK(a=1)\n"
         "replace(k, a=2)\n",
         "@dataclass\nclass K:\n    __slots__ = ('b',)\n    b: int\nK(b=1)\n"
         "replace(k, b=2)\n"),
    ],
)  # fmt: skip
def test_all_of_a_name_and_nothing_else(
    edit: Callable[..., str], instruction: str, before: str, after: str
) -> None:
    assert edit(instruction, before) == after


@pytest.mark.parametrize(
    ("instruction", "code", "reason"),
    [
        ("rename x to 1x", "x = 1\n", "`1x` is not a name"),
        ("rename x to class", "x = 1\n", "`class` is not a name"),
        ("rename x to __y", "x = 1\n", "two underscores"),
        ("rename z to y", "x = 1\n", "nothing that is called `z`"),
        ("rename print to y", "print(1)\n", "nothing that is called `print`"),
        ("rename x to y", "x = y = 1\n", "`y` is already used in line 1"),
        ("rename x to y", "def f(x): return y\n", "`y` is already used in line 1"),
        ("rename x to y", "x = 1\ndef f(y): return x\n", "already another name"),
        ("rename x to y", "import x.z\nx.z()\n", "imported in parts"),
        ("rename x to y", "«\ndef f(): ...\nx = 1\n»\nprint(x)\n", "used in line 3"),
        ("rename x to y", "x = 1\n«\nprint(x)\n»\n", "used in line 1"),
        ("rename a to b", "«\ndef f(a): ...\n»\nf(a=1)\n", "used in line 2"),
        ("rename a to b", "class K:\n    a = 1\nk.a\n", "whether line 3 means"),
        ("rename a to b", "class K:\n    a = 1\ngetattr(k, 'a')\n", "whether line 3"),
        ("rename a to b", "class K:\n    a = 1\nmatch k:\n    case K(a=1): ...\n",
         "whether line 4"),
        ("rename a to b", "class K(Thread):\n    a = 1\n", "base of `K`"),
        ("rename a to b", "class K:\n    a = b = 1\n", "already uses the name `b`"),
        ("rename a to b", "class K:\n    a = 1\nclass L:\n    a = 2\n", "`K` and `L`"),
        ("rename a to b", "class K:\n«\n    a = 1\n»\n"
                          "    def f(self): self.a\n", "line 3"),
    ],
)  # fmt: skip
def test_refused_rather_than_broken(
    refuses: Callable[..., None], instruction: str, code: str, reason: str
) -> None:
    refuses(instruction, code, reason)


def test_functions_of_one_name_with_the_same_parameter(
    refuses: Callable[..., None], check: Check
) -> None:
    """A shared keyword is ambiguous; each function's own is not."""
    code = "«\ndef f(a): ...\n»\nclass K:\n    def f(self, a): ...\nK().f(a=1)\n"
    refuses("rename a to b", code, "several functions `f`")
    code = code.replace("self, a", "self, c")
    refuses("rename a to b", code, "used in line")


def test_part_of_a_file(refuses: Callable[..., None], check: Check) -> None:
    """Without the file, locals can be renamed, what others may use cannot."""
    code = "«\n    def f(self, n):\n        self.n = n\n»\n"
    check(
        "rename n to m", code, "    def f(self, m):\n        self.n = m\n", whole=False
    )
    refuses("rename f to g", code, "were not shown", whole=False)
    refuses("rename self.n to self.m", "class K:\n" + code, "not shown", whole=False)


def test_case_of_names(check: Check, refuses: Callable[..., None]) -> None:
    """Named or declared names; text in comments and docstrings; never code."""
    check(
        "convert to snake case",
        "class MyClass:\n    x = 1\ndef doIt(someArg, MAX_N=1):\n"
        "    newName = someArg\n",
        "class MyClass:\n    x = 1\ndef do_it(some_arg, MAX_N=1):\n"
        "    new_name = some_arg\n",
    )
    check("convert to pascal case", "class my_class: ...\n", "class MyClass: ...\n")
    check("change `a_b` to camel case", "a_b = c_d = 1\n", "aB = c_d = 1\n")
    check("upper case", "«\n# one\n»\nx = 1\n", "# ONE\nx = 1\n")
    check("title case", '"""\n«\nit\'s one\n»\n"""\n', '"""\nIt\'s One\n"""\n')
    refuses("upper case", "x = 1\n", "which names")
    refuses("change `ab_c` to kebab case", "ab_c = 1\n", "not a name")
    refuses("convert to snake case", "aB = a_b = 1\n", "already used")


NEW = "zz_new"


class _NamedBack(ast.NodeTransformer):
    """Replaces the new name by the old one, also in strings."""

    def __init__(self, old: str) -> None:
        self._old = old

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for key, value in ast.iter_fields(node):
            if isinstance(value, str):
                setattr(node, key, re.sub(rf"\b{NEW}\b", self._old, value))
            elif isinstance(value, list) and value and isinstance(value[0], str):
                names = [self._old if name == NEW else name for name in value]
                setattr(node, key, names)
        if isinstance(node, ast.alias) and node.asname == node.name:
            node.asname = None
        return super().generic_visit(node)


def _symbols(table: symtable.SymbolTable, old: str) -> tuple[Any, ...]:
    symbols = {}
    for symbol in table.get_symbols():
        name = old if symbol.get_name() == NEW else symbol.get_name()
        # Both names in one scope: a use was missed.
        assert name not in symbols
        symbols[name] = (
            symbol.is_local(),
            symbol.is_global(),
            symbol.is_free(),
            symbol.is_parameter(),
            symbol.is_nonlocal(),
        )
    inner = [_symbols(child, old) for child in table.get_children()]
    return table.get_type(), sorted(symbols.items()), inner


def _names(tree: ast.AST) -> set[str]:
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    names |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    names |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    defs = (ast.FunctionDef, ast.ClassDef)
    return names | {n.name for n in ast.walk(tree) if isinstance(n, defs)}


@pytest.mark.parametrize("module", [
    "contextlib", "heapq", "reprlib", "sched", "textwrap", "cmd", "bisect",
])  # fmt: skip
def test_the_code_means_the_same_under_the_new_name(
    edit: Callable[..., str], module: str
) -> None:
    """The syntax tree and the compiler's symbol tables differ by the name alone."""
    with open(ast.__file__.replace("ast.py", f"{module}.py"), encoding="utf-8") as file:
        source = file.read()
    tree = ast.parse(source)
    n_renamed = 0
    for old in sorted(_names(tree))[::15]:
        result = edit(f"rename `{old}` to `{NEW}`", source)
        if result.startswith("NO CHANGE"):
            continue
        n_renamed += 1
        named_back = _NamedBack(old).visit(ast.parse(result))
        assert ast.dump(named_back) == ast.dump(tree), old
        before = _symbols(symtable.symtable(source, "m", "exec"), old)
        assert _symbols(symtable.symtable(result, "m", "exec"), old) == before, old
    assert n_renamed
