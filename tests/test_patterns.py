"""Every regular expression takes steps that grow with the text, not with its square.

Texts come from workspaces, models and providers: one line of them may hold an editor
for minutes. Here every pattern of the package, also those that functions compile, meets
strings that are made to hold it, in a matcher that counts its steps.
"""

from __future__ import annotations

import ast
import builtins
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.pump_strings import pump_strings
from tests.runs import n_runs
from tests.step_matcher import StepMatcher, TooManyStepsError

import redline

_FEW = 16
"""Characters of the shorter of two texts, at least four parts."""

_TIMES = 8
"""How many times as many parts the longer text has."""

_MOST_TIMES = 20
"""How many times as many steps the longer text may take: a square would be 64."""

_MOST_STEPS = 20_000
"""For the shorter text; what is exponential takes more."""

_LIMITED = {
    "redline.assist.actions.comment",
    "redline.checks.callers",
    "redline.checks.lost_parts",
    "redline.checks.text_faults",
    "redline.text.elision",
    "redline.text.reply_forms.frames",
    "redline.text.reply_forms.prompts",
}
"""Modules that pass at most 1,000 characters to their patterns: a square of that is
little."""

_MOST_STRINGS = n_runs(25)
"""Strings for one pattern: the search for API keys has thousands, all much alike."""

_N_PARTS = 8
"""The patterns are divided so that several processes can share them."""

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
        slots = getattr(type(value), "__slots__", ())
        names = getattr(type(value), "__struct_fields__", slots)
        yield from patterns_in([getattr(value, n, None) for n in names], depth - 1)


@cache
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


@cache
def all_patterns() -> dict[re.Pattern[Any], tuple[str, str]]:
    """Find every pattern with the module and the name that its methods are used by."""
    found: dict[re.Pattern[Any], tuple[str, str]] = {}
    used = methods_used()
    for module in modules():
        for name, value in list(vars(import_module(module)).items()):
            for pattern in patterns_in(value):
                # Other modules import it, and may come before its own.
                if pattern not in found or (module, name) in used:
                    found[pattern] = (module, name)
    return found


class LocalNames(dict[str, Any]):
    """The names of a module; a name of a function stands for some text."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, "some")


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_of_re(node: ast.AST) -> bool:
    """Whether a node is a call such as `re.search(pattern, text)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in {*_METHODS, "compile"}
    )


def compiled_in_functions() -> Iterator[tuple[str, re.Pattern[Any], set[str]]]:
    """Find the patterns that functions pass to `re`, with place and methods.

    What a function is given itself is in a table of a module, and found there.
    """
    used = methods_used()
    for module in modules():
        loaded = import_module(module)
        file = str(loaded.__file__)
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
        functions = (each for each in ast.walk(tree) if isinstance(each, _FUNCTIONS))
        calls = {call for each in functions for call in ast.walk(each)}
        for call in filter(is_of_re, calls):
            assert isinstance(call, ast.Call)
            assert isinstance(call.func, ast.Attribute)
            code = compile(ast.Expression(call.args[0]), file, "eval")
            try:
                pattern = eval(code, {}, LocalNames(vars(loaded)))
            except (AttributeError, KeyError):
                # What a table of the module has under another name.
                continue
            if isinstance(pattern, str | bytes):
                place = f"{module}, line {call.lineno}"
                method = call.func.attr
                of_module = used.get((module, ""), set())
                methods = of_module if method == "compile" else {method}
                yield place, re.compile(pattern), methods


def slow_strings(pattern: re.Pattern[Any], methods: set[str]) -> Iterator[str]:
    """Name the ways of calling a pattern that a string holds, and the string."""
    names = methods & _ANCHORED
    if methods - _ANCHORED or not methods:
        names = names | {"findall"}
    matcher = StepMatcher(pattern)
    strings = list(pump_strings(pattern))
    step = max(1, -(-len(strings) // _MOST_STRINGS))
    for start, part, end in strings[::step]:
        for name in sorted(names):
            n_parts = max(4, _FEW // len(part))
            few, many = (start + part * n + end for n in (n_parts, n_parts * _TIMES))
            if is_slow(matcher, name, few, many):
                yield f"{name}: {start!r} + {part!r} * n + {end!r}"
                return


def is_slow(matcher: StepMatcher, method: str, few: str, many: str) -> bool:
    """Whether the longer text takes too many times the steps of the shorter one."""
    try:
        n_steps = matcher.count(method, few, _MOST_STEPS)
        matcher.count(method, many, n_steps * _MOST_TIMES)
    except TooManyStepsError:
        return True
    return False


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


@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(_N_PARTS))
def test_every_pattern_of_a_module_is_linear(part: int) -> None:
    """Possessive quantifiers, atomic groups and bounds make them so."""
    used = methods_used()
    slow = [
        f"{module}.{name}: {each}"
        for pattern, (module, name) in list(all_patterns().items())[part::_N_PARTS]
        if module not in _LIMITED
        for each in slow_strings(
            pattern, used.get((module, name)) or used.get((module, ""), set())
        )
    ]
    assert not slow


def test_every_pattern_of_a_function_is_linear() -> None:
    slow = [
        f"{place}: {each}"
        for place, pattern, methods in compiled_in_functions()
        if place.partition(",")[0] not in _LIMITED
        for each in slow_strings(pattern, methods)
    ]
    assert not slow


def test_the_modules_with_limits_need_them() -> None:
    """A module whose patterns have become linear leaves the list."""
    for module in _LIMITED:
        patterns = patterns_in(list(vars(import_module(module)).values()))
        # The strings are random, and few of them are slow.
        assert any(
            list(slow_strings(one, {"search", "match"}))
            for _ in range(5)
            for one in patterns
        )
