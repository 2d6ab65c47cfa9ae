"""Placeholders are reported, unless they are asked for or were there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.stub import check_stubs

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

PYTHON = "def f(x):\n    y = x + 1\n    y += 2\n    return y\n"
BRACES = "{\n  const y = x + 1;\n  g(y);\n  return y;\n}\n"
SCRIPT = f"function f(x) {BRACES}"


def braces(header: str, *lines: str) -> str:
    """Write a function whose body has some lines."""
    return f"{header} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


@pytest.mark.parametrize(
    ("language", "before", "after", "line"),
    [
        ("python", PYTHON, "def f(x):\n    raise NotImplementedError\n", 1),
        (
            "python",
            PYTHON,
            "def f(x):\n    return g(x)\n"
            'def g(x):\n    raise NotImplementedError("todo")\n',
            3,
        ),
        (
            "python",
            PYTHON,
            "def f(x):\n    return g(x)\n\n\n"
            'def g(x):\n    raise NotImplementedError("add the numbers")\n',
            5,
        ),
        (
            "python",
            PYTHON,
            'def f(x):\n    """Add."""\n    raise NotImplementedError("adding")\n',
            0,
        ),
        (
            "python",
            "class A:\n    def f(self):\n        return 1\n",
            "class A:\n    def f(self):\n        raise NotImplementedError('of A')\n",
            1,
        ),
        (
            "ruby",
            "def f(x)\n  x + 1\nend\n",
            "def f(x)\n  # Adds.\n  raise NotImplementedError, 'adding'\nend\n",
            0,
        ),
        ("python", PYTHON, "def f(x):\n    # TODO: implement\n    return x\n", 1),
        (
            "python",
            PYTHON,
            "def f(x):\n    # Implement me\n    return x\n",
            1,
        ),
        ("python", PYTHON, "def f(x):\n    return None\n", 0),
        ("python", PYTHON, "def f(x):\n    # simplified for now\n    return 0\n", 1),
        (
            "javascript",
            SCRIPT,
            braces("function f(x)", "throw new Error('Not implemented');"),
            1,
        ),
        ("javascript", SCRIPT, braces("function f(x)", "return [];"), 0),
        (
            "typescript",
            SCRIPT,
            braces(
                "function f(x: number)",
                "// add your code here for numbers",
                "return x;",
            ),
            1,
        ),
        (
            "typescriptreact",
            SCRIPT,
            braces("function f(x)", 'throw new Error("TODO");'),
            1,
        ),
        (
            "java",
            f"class A {{\nint f(int x) {BRACES.replace('const', 'int')}}}\n",
            "class A {\nint f(int x) {\n"
            '  throw new UnsupportedOperationException("Not yet implemented");\n}\n}\n',
            2,
        ),
        (
            "csharp",
            f"class A {{\nint f(int x) {BRACES.replace('const', 'int')}}}\n",
            "class A {\nint f(int x) {\n  throw new NotImplementedException();\n}\n}\n",
            2,
        ),
        (
            "go",
            "package a\nfunc f(x int) int {\n\ty := x\n\tg(y)\n\treturn y\n}\n",
            'package a\nfunc f(x int) int {\n\tpanic("not implemented")\n}\n',
            2,
        ),
        (
            "go",
            "package a\nfunc f(x int) error {\n\ty := x\n\tg(y)\n\treturn h(y)\n}\n",
            "package a\nfunc f(x int) error {\n\treturn nil\n}\n",
            1,
        ),
        (
            "rust",
            "fn f(x: u8) -> u8 {\n    let y = x;\n    g(y);\n    y\n}\n",
            "fn f(x: u8) -> u8 {\n    unimplemented!()\n}\n",
            1,
        ),
        (
            "rust",
            "fn f(x: u8) -> Vec<u8> {\n    let y = x;\n    g(y);\n    vec![y]\n}\n",
            "fn f(x: u8) -> Vec<u8> {\n    Vec::new()\n}\n",
            0,
        ),
        (
            "ruby",
            "def f(x)\n  y = x\n  g(y)\n  y\nend\n",
            "def f(x)\n  raise NotImplementedError, 'implement me'\nend\n",
            1,
        ),
        (
            "ruby",
            "def f(x)\n  y = x\n  g(y)\n  y\nend\n",
            "def f(x)\n  nil\nend\n",
            0,
        ),
        (
            "php",
            "<?php\nfunction f($x) {\n  $y = $x;\n  g($y);\n  return $y;\n}\n",
            "<?php\nfunction f($x) {\n  throw new \\Exception('Not implemented');\n}\n",
            2,
        ),
        (
            "c",
            "int f(int x) {\n  int y = x;\n  g(y);\n  return y;\n}\n",
            "int f(int x) {\n  /* TODO: implement */\n  return 0;\n}\n",
            1,
        ),
        (
            "cpp",
            "int f(int x) {\n  int y = x;\n  g(y);\n  return y;\n}\n",
            'int f(int x) {\n  throw std::logic_error("not implemented");\n}\n',
            1,
        ),
        (
            "shellscript",
            "f() {\n  y=$1\n  g $y\n  echo $y\n}\n",
            "f() {\n  # TODO: implement this\n  return 0\n}\n",
            1,
        ),
    ],
)
def test_stubs(
    make_candidate: MakeCandidate, language: str, before: str, after: str, line: int
) -> None:
    """Statements, comments and bodies that say that code is missing, by language."""
    candidate = make_candidate(before, after, language=language, instruction="Log it.")
    assert [(one.rule, one.line) for one in check_stubs(candidate)] == [("stub", line)]


@pytest.mark.parametrize(
    ("language", "before", "after", "instruction"),
    [
        ("python", PYTHON, PYTHON.replace("+ 1", "+ 2"), "Add two."),
        ("python", PYTHON, "def f(x):\n    raise NotImplementedError\n", "Stub it."),
        (
            "rust",
            "fn f(x: u8) -> u8 {\n    x + 1\n}\n",
            'fn f(x: u8) -> u8 {\n    todo!("moves")\n}\n',
            "only todo!(), it moves",
        ),
        (
            "scala",
            "def f(x: Int): Int = {\n  x + 1\n}\n",
            "def f(x: Int): Int = {\n  ???\n}\n",
            "??? until Monday",
        ),
        (
            "python",
            PYTHON,
            "def f(x):\n    if x:\n        return 1\n"
            '    raise NotImplementedError("x")\n',
            "",
        ),
        ("python", PYTHON, "def f(x):\n    # TODO: implement\n", "Leave f open."),
        ("python", PYTHON, "def f(x):\n    return None\n", "Always return None."),
        ("python", "def f(x):\n    return x\n", "def f(x):\n    return None\n", ""),
        ("python", PYTHON, "def f(x):\n    # TODO: handle floats\n    return x\n", ""),
        ("python", PYTHON, "x = '# TODO: implement'\n" + PYTHON, ""),
        ("python", PYTHON, 'x = "raise NotImplementedError"\n' + PYTHON, ""),
        (
            "python",
            "class A:\n    def f(self):\n        raise NotImplementedError\n",
            "class A:\n    def f(self):\n        raise NotImplementedError('of A')\n",
            "Say whose.",
        ),
        (
            "python",
            PYTHON,
            'def f(x):\n    raise NotImplementedError("Files cannot be joined.")\n',
            "Files cannot be joined.",
        ),
        ("javascript", SCRIPT, SCRIPT.replace("g(y)", "throw new Error('no y')"), ""),
        ("go", "package a\n", "package a\n\nfunc f() error {\n\treturn nil\n}\n", ""),
        ("yaml", "a: 1\n", "# Placeholder values only for tests\na: 2\n", ""),
    ],
)
def test_left_alone(
    make_candidate: MakeCandidate,
    language: str,
    before: str,
    after: str,
    instruction: str,
) -> None:
    """What is asked for, what was there, and words that only look alike."""
    candidate = make_candidate(
        before, after, language=language, instruction=instruction
    )
    assert not list(check_stubs(candidate))
