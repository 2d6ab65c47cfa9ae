"""Constants replace literals."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("instruction", "code", "expected"),
    [
        # Under the imports of the module, else at its top, else before the first use.
        ("extract constant 42 as N",
         "'''Doc.'''\nimport os  # why\ntry:\n    import a\nexcept E:\n    import b\n"
         "\n\n"
         "def f(x=42): return 42, 42.0, '42', -42\n",
         "'''Doc.'''\nimport os  # why\ntry:\n    import a\nexcept E:\n    import b\n\n"
         "N = 42\n\n\ndef f(x=N): return N, 42.0, '42', -42\n"),
        ("extract constant -42 as N", "x = -42, 42\n", "N = -42\n\nx = N, 42\n"),
        ("extract constant 42 as N", "# Licence.\n\nx = 42 + f'{42}'\n",
         "# Licence.\n\nN = 42\n\nx = N + f'{42}'\n"),
        ("extract 42 as n_max", "import os\nx = [42]\n",
         "import os\n\nN_MAX = 42\n\nx = [N_MAX]\n"),
        ("extract constant 42 as N",
         "import os\ndef f(a):\n«\n    if a:\n        # x\n        return 42\n"
         "    g(42)\n»\n",
         "import os\ndef f(a):\n    N = 42\n    if a:\n        # x\n        return N\n"
         "    g(N)\n"),
        ("extract constant 42 as N",
         "import os\ny = 1\n«\ndef f(a):\n    for i in a:\n        @x\n"
         "        def g(): return 42\n»\n",
         "import os\ny = 1\ndef f(a):\n    for i in a:\n        N = 42\n        @x\n"
         "        def g(): return N\n"),
        # Names made from where the literal stands, or from the string.
        ("extract constant", "f(timeout=42, b=42, c=0)\n".replace("b=42", "timeout=42"),
         "TIMEOUT = 42\n\nf(timeout=TIMEOUT, timeout=TIMEOUT, c=0)\n"),
        ("extract constant", "maxSize = 42\n", "MAX_SIZE = 42\n\nmaxSize = MAX_SIZE\n"),
        ("extract constant 'a/json'", "f('a/json')\n", "A_JSON = 'a/json'\n\n"
                                                       "f(A_JSON)\n"),
        ("extract `b'x'` as X", "f(b'x', 'x')\n", "X = b'x'\n\nf(X, 'x')\n"),
        ("extract the magic number", "def f(n=7): return n * 7 + 1\n",
         "N = 7\n\ndef f(n=N): return n * N + 1\n"),
        # What has to be a literal stays.
        ("extract constant 'x' as X",
         "A: Literal['x'] = g('x')\ndef f(a: 'x') -> Literal['x']:\n    'x'\n"
         "    match a:\n        case 'x': return 'x' 'x', f'{\"x\"}', TypeVar('x')\n",
         "X = 'x'\n\nA: Literal['x'] = g('x')\ndef f(a: 'x') -> Literal['x']:\n"
         "    'x'\n"
         "    match a:\n        case 'x': return 'x' 'x', f'{\"x\"}', TypeVar('x')\n"
         .replace("= g('x')", "= g(X)")),
    ],
)  # fmt: skip
def test_constants(
    edit: Callable[..., str], instruction: str, code: str, expected: str
) -> None:
    if "A: Literal" in code:
        # A constant in capitals is one already.
        code, expected = code.replace("A:", "a:"), expected.replace("A:", "a:")
    assert edit(instruction, code) == expected


@pytest.mark.parametrize(
    ("instruction", "code", "reason"),
    [
        ("extract constant 42 as N", "x = 43\n", "no literal 42"),
        ("extract constant 42 as N", "X = 42\n__v = 42\n", "no literal 42"),
        ("extract constant 42 as N", "x = 42; N = 1\n", "`N` is already used"),
        ("extract constant 42 as `a b`", "x = 42\n", "not understand"),
        ("extract constant 42", "x(42)\n", "make a name"),
        ("extract constant 42", "x(a=42, b=42)\n", "make a name"),
        ("extract constant", "x = 0, 1, 'a'\n", "no number or repeated string"),
        ("extract constant", "x = 2, 3\n", "several literals could be meant: 2, 3"),
        ("extract constant 42 as N", "import os\ny = 1\n«\nx = 42\n»\n", "no place"),
        ("extract constant 42 as N", "class A:\n    y = 1\n«\n    x = 42\n"
                                     "»\n", "no place"),
        ("extract constant 42 as N", "«\ndef f(a=42): ...\n»\n", "no place"),
    ],
)  # fmt: skip
def test_refused(
    refuses: Callable[..., None], instruction: str, code: str, reason: str
) -> None:
    whole = "def f(a=42)" not in code
    refuses(instruction, code, reason, whole=whole)
