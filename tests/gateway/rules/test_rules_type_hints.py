"""Type hints that are certain."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("def f(a=1, b='', c=1.5, d=-2, e=b'', g=True, h=1j):",
         "def f(a: int = 1, b: str = '', c: float = 1.5, d: int = -2,"
         " e: bytes = b'', g: bool = True, h: complex = 1j):"),
        ("def f(a, b: int = 1, *, c=2, d=None, e=[], g={}, h=(), i=X):",
         "def f(a, b: int = 1, *, c: int = 2, d=None, e=[], g={}, h=(), i=X):"),
        ("def f(a = 1, b= 2):", "def f(a: int = 1, b: int = 2):"),
        ("def f(\n    a  # one\n    = 1,\n):",
         "def f(\n    a: int  # one\n    = 1,\n):"),
    ],
)  # fmt: skip
def test_defaults(edit: Callable[..., str], header: str, expected: str) -> None:
    """A literal's type, and no hint if other types are possible."""
    body = "\n    yield a\n"
    assert edit("add type hints", header + body) == expected + body


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("print(1)", "None"),
        ("return", "None"),
        ("if a:\n        return\n    print()", "None"),
        ("return 1", "int"),
        ("return f'{a}'", "str"),
        ("return 'a' % b", "str"),
        ("return ' '.join(a).strip()", "str"),
        ("return not a", "bool"),
        ("return a > 1", "bool"),
        ("return a in b", "bool"),
        ("return len(a) if a else 0", "int"),
        ("return isinstance(a, b) and a is c", "bool"),
        ("return 1, 'a'", "tuple[int, str]"),
        ("return [1, 2]", "list[int]"),
        ("return [str(i) for i in a]", "list[str]"),
        ("return {'a': 1}", "dict[str, int]"),
        ("return {'a'}", "set[str]"),
        ("if a:\n        return 1\n    else:\n        raise X", "int"),
        ("while True:\n        if a:\n            return 1", "int"),
        ("try:\n        return 1\n    except X:\n        return 2", "int"),
        ("try:\n        a()\n    finally:\n        return 1", "int"),
        ("match a:\n        case 1: return 1\n        case _: return 2", "int"),
        ("return a", None),
        ("return 1 if a else 's'", None),
        ("return []", None),
        ("return a and 1", None),
        ("if a:\n        return 1", None),
        ("with a:\n        return 1", None),
        ("if a:\n        return 1\n    exit()", None),
        ("match a:\n        case 1: return 1\n        case b: return a", None),
        ("raise X", None),
        ("raise NotImplementedError", None),
        ("while True:\n        pass", None),
        ("pass", None),
        ("...", None),
        ("'''Doc.'''", None),
        ("yield 1", None),
        ("return undefined()", None),
    ],
)
def test_returns(edit: Callable[..., str], body: str, hint: str | None) -> None:
    """Only what every way out of the function agrees on."""
    result = edit("add type hints", f"def f(a, b):\n    {body}\n")
    if hint is None:
        assert "nothing to do" in result
    else:
        assert result == f"def f(a, b) -> {hint}:\n    {body}\n"


@pytest.mark.parametrize(
    ("head", "form"),
    [
        ("from __future__ import annotations", "int | None"),
        ("from typing import Any, Optional", "Optional[int]"),
        ("x: int | None = 1", "int | None"),
        ("import typing", None),
    ],
)
def test_none_is_written_as_the_file_can(
    edit: Callable[..., str], head: str, form: str | None
) -> None:
    body = "    if n is None:\n        n = 1\n    if a: return 1\n    x = 2\n"
    result = edit("add type hints", f"{head}\ndef f(a, n=None):\n{body}")
    if form is None:
        assert "nothing to do" in result
    else:
        assert result == f"{head}\ndef f(a, n: {form} = None) -> {form}:\n{body}"


def test_checks_in_the_body(check: Callable[..., None]) -> None:
    """A required type counts; a default of uncertain type does not."""
    check(
        "add type hints",
        """
        def f(a, b, c, d=1, e=2, g="x"):
            '''Doc.'''
            assert isinstance(a, int)
            if not isinstance(b, str):
                raise TypeError
            if isinstance(c, int): ...
            if d is None or isinstance(e, float): ...
            yield
        """,
        """
        def f(a: int, b: str, c, d=1, e=2, g: str = "x"):
            '''Doc.'''
            assert isinstance(a, int)
            if not isinstance(b, str):
                raise TypeError
            if isinstance(c, int): ...
            if d is None or isinstance(e, float): ...
            yield
        """,
    )


def test_methods_and_other_forms(check: Callable[..., None]) -> None:
    """Methods, async, abstract, overloads, lambdas, type comments."""
    check(
        "add type hints",
        """
        class A:
            def __init__(self, n=1): self.n = n
            @abstractmethod
            def b(self): self.x()
            @overload
            def c(self): self.x()
            async def d(self):
                def inner(): return 1
                return (
                    "x"
                )
            def e(self):  # type: () -> str
                return 1
            g = lambda x=1: x
        """,
        """
        class A:
            def __init__(self, n: int = 1) -> None: self.n = n
            @abstractmethod
            def b(self): self.x()
            @overload
            def c(self): self.x()
            async def d(self) -> str:
                def inner() -> int: return 1
                return (
                    "x"
                )
            def e(self):  # type: () -> str
                return 1
            g = lambda x=1: x
        """,
    )


def test_a_builtin_that_the_file_names_anew_is_not_used(
    check: Callable[..., None],
) -> None:
    check(
        "add type hints",
        """
        class A:
            def int(self, a=1, b="x"): yield
        def f(len): return len("x"), len("y") > 3
        """,
        """
        class A:
            def int(self, a=1, b: str = "x"): yield
        def f(len): return len("x"), len("y") > 3
        """,
    )


def test_comparisons_of_arrays_are_not_truth_values(
    check: Callable[..., None],
) -> None:
    check(
        "add type hints",
        """
        import numpy as np
        def f(a): return a == 1
        def g(a): return a is None
        """,
        """
        import numpy as np
        def f(a): return a == 1
        def g(a) -> bool: return a is None
        """,
    )


def test_only_what_is_named_or_in_the_range(check: Callable[..., None]) -> None:
    check(
        "add type hints to `b`",
        "def a(x=1): ...\n«\ndef b(x=1): ...\ndef c(x=1): ...\n»\n",
        "def a(x=1): ...\ndef b(x: int = 1): ...\ndef c(x=1): ...\n",
    )
