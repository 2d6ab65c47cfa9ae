"""Calls in the file that no longer fit a function whose header the edit changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.callers import check_callers

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

CALLED = [
    (
        "python",
        "»\ndef total(items):\n    return sum(items)\n«\n\ntotal([1, 2])\n",
        "def total(items, rate):\n    return rate * sum(items)\n",
    ),
    (
        "kotlin",
        "»\nfun label(name: String): String {\n    return name\n}\n«\n"
        'fun main() {\n    println(label("a"))\n}\n',
        "fun label(name: String, size: Int): String {\n    return name + size\n}\n",
    ),
    (
        "swift",
        "»\nfunc area(of w: Int) -> Int { w * w }\n«\nlet a = area(of: 3)\n",
        "func area(of w: Int, by h: Int) -> Int { w * h }\n",
    ),
    (
        "dart",
        "class A {\n»\n  int twice(int x) {\n    return 2 * x;\n  }\n«\n}\n"
        "void main() {\n  final a = A();\n  print(a.twice(2));\n}\n",
        "  int twice(int x, int y) {\n    return 2 * x + y;\n  }\n",
    ),
    (
        "rust",
        "»\nfn scale(x: f64) -> f64 {\n    x * 2.0\n}\n«\nfn main() {\n"
        '    println!("{}", scale(1.0));\n}\n',
        "fn scale(x: f64, by: f64) -> f64 {\n    x * by\n}\n",
    ),
    (
        "go",
        "»\nfunc (s *Store) Load(key string) string {\n\treturn s.m[key]\n}\n«\n"
        'func main() {\n\ts := &Store{}\n\tprintln(s.Load("a"))\n}\n'
        "type Store struct{}\n",
        "func (s *Store) Load(key string, n int) string {\n\treturn s.m[key]\n}\n",
    ),
    (
        "c",
        "»\nint add(int a, int b)\n{\n\treturn a + b;\n}\n«\n"
        "int main(void)\n{\n\treturn add(1, 2);\n}\n",
        "int add(int a, int b, int c)\n{\n\treturn a + b + c;\n}\n",
    ),
    (  # In C, `&` takes an address, and spreads no list.
        "c",
        "»\nbool pop(struct ring *r, int *out)\n{\n\treturn get(r, out);\n}\n«\n"
        "int main(void)\n{\n\treturn pop(&ring, &value);\n}\n",
        "bool pop(struct ring *r, int *out, int mask)\n{\n"
        "\treturn get(r, out) & mask;\n}\n",
    ),
    (
        "csharp",
        "class A {\n»\n    int Add(int a) { return a; }\n«\n"
        "    int Two() { return this.Add(1); }\n}\n",
        "    int Add(int a, int b) { return a + b; }\n",
    ),
    (
        "ruby",
        "»\ndef greet(name)\n  name\nend\n«\nputs greet('a')\n",
        "def greet(name, time)\n  name + time\nend\n",
    ),
    (
        "php",
        "<?php\n»\nfunction f($a) {\n    return $a;\n}\n«\necho f(1);\n",
        "function f($a, $b) {\n    return $a + $b;\n}\n",
    ),
    (
        "lua",
        "»\nlocal function area(w)\n  return w * w\nend\n«\nprint(area(2))\n",
        "local function area(w, h)\n  return w * h\nend\n",
    ),
    (
        "javascript",
        "»\nfunction price(item) {\n  return item.price;\n}\n«\nprice(a);\n",
        "function price(item, tax) {\n  return item.price * tax.rate;\n}\n",
    ),
    (
        "typescript",
        "»\nfunction load(path: string): string {\n  return read(path);\n}\n«\n"
        "const text = load('a');\n",
        "async function load(path: string): Promise<string> {\n"
        "  return read(path);\n}\n",
    ),
    (
        "python",
        "»\ndef load(path, mode):\n    return mode\n«\n\nload('a', 'r')\n",
        "def load(path):\n    return path\n",
    ),
    (  # What the object holds is of a class of the file.
        "typescript",
        "class Budget {\n»\n  died(id) {\n    return id;\n  }\n«\n}\n"
        "class Runner {\n  #budget = new Budget();\n  end(id) {\n"
        "    return this.#budget.died(id);\n  }\n}\n",
        "  died(id, when) {\n    return id - when;\n  }\n",
    ),
]

FITTING = [
    (  # The new parameter has a default.
        "python",
        "»\ndef total(items):\n    return sum(items)\n«\n\ntotal([1, 2])\n",
        "def total(items, rate=1):\n    return rate * sum(items)\n",
    ),
    (  # The call was wrong before, so it is one of something else.
        "java",
        "class A {\n»\n  void put(int a, int b) { }\n«\n"
        "  void go() { names.put(1); }\n}\n",
        "  void put(int a, int b, int c) { }\n",
    ),
    (  # A member of the standard library has this name.
        "java",
        "class A {\n»\n  void add(int a) { }\n«\n  void go() { names.add(1); }\n}\n",
        "  void add(int a, int b) { }\n",
    ),
    (  # JavaScript fills in `undefined`, which the function expects.
        "javascript",
        "»\nfunction price(item) {\n  return item.price;\n}\n«\nprice(a);\n",
        "function price(item, tax) {\n  return tax ? item.price * tax.rate : 0;\n}\n",
    ),
    (  # Two functions of the name.
        "python",
        "class A:\n»\n    def f(self, a):\n        return a\n«\n"
        "class B:\n    def f(self, a):\n        return a\nB().f(1)\n",
        "    def f(self, a, b):\n        return a\n",
    ),
    (  # The arguments are not known.
        "python",
        "»\ndef f(a, b):\n    return a\n«\nf(*x)\n",
        "def f(a, b, c):\n    return a\n",
    ),
    (  # A string and a comment call nothing.
        "python",
        "»\ndef f(a):\n    return a\n«\n# f(1)\nx = 'f(1)'\n",
        "def f(a, b):\n    return a\n",
    ),
    (
        "kotlin",
        "»\nfun f(a: Map<String, Int>) = a\n«\nf(b)\n",
        "fun f(a: Map<String, Long>) = a\n",
    ),
    (  # The call waits.
        "typescript",
        "»\nfunction load(path: string): string {\n  return read(path);\n}\n«\n"
        "const text = await load('a');\n",
        "async function load(path: string): Promise<string> {\n"
        "  return read(path);\n}\n",
    ),
    (  # Another object has a method of the name.
        "typescript",
        "class Runner {\n  #budget;\n»\n  died(id) {\n    return id;\n  }\n«\n"
        "  end(id) {\n    return this.#budget.died(id);\n  }\n}\n",
        "  died(id, when) {\n    return id - when;\n  }\n",
    ),
]


@pytest.mark.parametrize(("language", "before", "after"), CALLED)
def test_a_call_that_no_longer_fits_is_reported(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    found = list(check_callers(make_candidate(before, after, language=language)))
    assert [one.rule for one in found] == ["phantom-parameter"]


@pytest.mark.parametrize(("language", "before", "after"), FITTING)
def test_a_call_that_fits_is_not(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    assert not list(check_callers(make_candidate(before, after, language=language)))
