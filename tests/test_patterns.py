"""Every regular expression takes time that grows with the text, not with its square.

Texts come from workspaces, models and providers: one line of them may hold an editor
for minutes. Here every pattern of the package meets strings that are made to hold it.
"""

from __future__ import annotations

import ast
import math
import pkgutil
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from tests.pump_strings import pump_strings

import redline

_N_CHARS = 4096

_NOTICED_S = 0.01
"""Of processor time. What takes less is not looked at: two times ten more characters
would take 4 s if it grew with the square."""

_LIMITED = {
    "redline.assist.actions.comment": 1_000,
    "redline.text.elision": 200,
}
"""Modules that pass no longer texts to their patterns."""

_ANCHORED = frozenset({"match", "fullmatch"})
_METHODS = _ANCHORED | {"findall", "finditer", "search", "split", "sub", "subn"}


def modules() -> list[str]:
    """List the package's modules, without those that run on import."""
    found = pkgutil.walk_packages(redline.__path__, "redline.")
    return [each.name for each in found if not each.name.endswith("__main__")]


def patterns_in(value: object, depth: int = 4) -> Iterator[re.Pattern[Any]]:
    """Find patterns in a value of a module, also those inside of tables."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from patterns_in(each, depth - 1)
    elif depth and isinstance(value, dict):
        yield from patterns_in([*value, *value.values()], depth - 1)
    elif depth and type(value).__module__.startswith("redline"):
        names = getattr(type(value), "__slots__", ())
        yield from patterns_in([getattr(value, n, None) for n in names], depth - 1)


def methods_used() -> dict[tuple[str, str], set[str]]:
    """Find the methods that are called on each name, and on others by the empty one."""
    used: dict[tuple[str, str], set[str]] = {}
    root = Path(redline.__path__[0])
    for file in root.rglob("*.py"):
        parts = file.relative_to(root.parent).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        origins = {
            each.asname or each.name: (node.module or "", each.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for each in node.names
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node.attr not in _METHODS:
                continue
            name = node.value.id if isinstance(node.value, ast.Name) else ""
            for key in (origins.get(name, (module, name)), (module, "")):
                used.setdefault(key, set()).add(node.attr)
    return used


def all_patterns() -> dict[re.Pattern[Any], tuple[str, str]]:
    """Find every pattern with the module and the name that it has first."""
    found: dict[re.Pattern[Any], tuple[str, str]] = {}
    for module in modules():
        for name, value in list(vars(import_module(module)).items()):
            for pattern in patterns_in(value):
                found.setdefault(pattern, (module, name))
    return found


def seconds(run: Callable[[Any], object], text: str | bytes) -> float:
    """Measure the processor time, the shortest of five: a busy machine adds to it."""
    shortest = math.inf
    for _ in range(5):
        start = thread_time()
        run(text)
        shortest = min(shortest, thread_time() - start)
        if not _NOTICED_S < shortest < 1:
            break
    return shortest


def is_slow(
    run: Callable[[Any], object], made: Callable[[int], str | bytes], max_chars: int
) -> bool:
    """Whether eight times the text takes more than forty times as long."""
    n_parts = 8
    while n_parts <= max_chars:
        spent = seconds(run, made(n_parts))
        if spent > _NOTICED_S:
            eighth = seconds(run, made(n_parts // 8))
            return n_parts < 64 or spent > 40 * max(eighth, 2e-5)
        # What doubles with every part is noticed before it takes minutes.
        n_parts += 2 if n_parts < 32 else n_parts
    return False


def slow_strings(
    pattern: re.Pattern[Any], methods: set[str], max_chars: int = _N_CHARS
) -> Iterator[str]:
    """Name the ways of calling a pattern that a string holds, and the string."""
    names = methods & _ANCHORED
    if methods - _ANCHORED or not methods:
        names = names | {"findall"}
    is_bytes = isinstance(pattern.pattern, bytes)
    for start, part, end in pump_strings(pattern):

        def made(
            n: int, start: str = start, part: str = part, end: str = end
        ) -> str | bytes:
            text = start + part * max(1, n // len(part)) + end
            return text.encode("latin-1", "replace") if is_bytes else text

        for name in sorted(names):
            if is_slow(getattr(pattern, name), made, max_chars):
                yield f"{name}: {start!r} + {part!r} * n + {end!r}"
                return


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:\w+\s?)+$",
        r"(?:a|a)+b",
        r"[\"']([a-z][\w-]*(?:[._-][\w-]+)+)[\"']",
        r"\s*(?:a\s*)?\s*b",
        r"\s*$",
        r"x: (.*?)\s*$",
    ],
)
def test_a_slow_pattern_is_found(pattern: str) -> None:
    """What is exponential, cubic or quadratic, also only by where a search begins."""
    assert list(slow_strings(re.compile(pattern), {"search"}))


def test_every_pattern_is_linear() -> None:
    """Possessive quantifiers, atomic groups and bounds make them so."""
    used = methods_used()
    slow = [
        f"{module}.{name}: {each}"
        for pattern, (module, name) in all_patterns().items()
        for each in slow_strings(
            pattern,
            used.get((module, name)) or used.get((module, ""), set()),
            _LIMITED.get(module, _N_CHARS),
        )
    ]
    assert not slow
