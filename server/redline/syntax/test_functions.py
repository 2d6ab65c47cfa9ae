"""Finds the test functions of a file, by what the test runners of its language collect.

Only languages whose failures `traces` reads. A test that is defined inside of another
function, or whose name is computed, is not found: no runner can be asked for it alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from redline.syntax.facts import Definition
from redline.syntax.language import Language
from redline.syntax.tree import Tree, parse

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_TESTS = 2_000
"""Most tests of a file; the first ones."""

_MAX_DEPTH = 20
"""Deepest nesting of suites of JavaScript."""


class FoundTest(Struct, frozen=True, kw_only=True):
    """One test of a file."""

    name: str
    """The last part of its name; of a table of cases, what all their names begin
    with."""
    suites: tuple[str, ...] = ()
    """The classes, modules or suites around it, outermost first."""
    first_line: int
    """From 0, with decorators, attributes and annotations."""
    line: int
    """The line of its name."""
    last_line: int
    is_unittest: bool = False
    """Python: whether it is a method of a `unittest.TestCase`."""


_SCRIPTS = (Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX)

_CASE_CLASS = re.compile(r"TestCase\b")
_RUST_TEST = re.compile(r"\s*#\[\s*(?:\w+::)*(?:test|rstest|test_case)\b")
_RUST_ABOVE = re.compile(r"\s*(?:#\[|//)")
_JAVA_TEST = re.compile(
    r"@(?:[\w.]+\.)?(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b"
)
_GO_TEST = re.compile(r"(?:Test|Fuzz)(?![a-z])")
_PACKAGE = re.compile(r"\s*+package\s++([\w.]++)")
_PLACEHOLDER = re.compile(r"[%$]")


def test_functions(text: str, language: Language) -> list[FoundTest]:
    """Return the tests of a file, in order; none for a language without a finder."""
    if language in _SCRIPTS:
        found = _script_tests(parse(text, language))
    elif (finder := _FINDERS.get(language)) is not None:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        found = finder(parse(text, language).definitions, lines)
    else:
        return []
    return sorted(found, key=lambda one: (one.line, -one.last_line))[:MAX_TESTS]


def _around(definitions: Sequence[Definition], one: Definition) -> list[Definition]:
    """Return the definitions around one, outermost first."""
    return [
        each
        for each in definitions
        if each is not one
        and each.first_line <= one.first_line
        and one.last_line <= each.last_line
        and len(each.qualified_name) < len(one.qualified_name)
    ]


def _name_line(one: Definition, lines: Sequence[str]) -> int:
    name = re.compile(rf"\b{re.escape(one.name)}\b")
    last = min(one.last_line, len(lines) - 1)
    for at in range(one.first_line, last + 1):
        head = lines[at].lstrip()
        if not head.startswith(("@", "#")) and name.search(head):
            return at
    return one.first_line


def _test(
    one: Definition, lines: Sequence[str], suites: Sequence[str], *, unit: bool = False
) -> FoundTest:
    return FoundTest(
        name=one.name,
        suites=tuple(suites),
        first_line=one.first_line,
        line=_name_line(one, lines),
        last_line=one.last_line,
        is_unittest=unit,
    )


def _python_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    with_init = {one.parent for one in definitions if one.name == "__init__"}
    for one in definitions:
        if one.kind not in ("function", "method") or not one.name.startswith("test"):
            continue
        around = _around(definitions, one) if one.parent else []
        if any(each.kind != "class" for each in around):
            continue
        unit = bool(around) and _is_case_class(around[-1])
        is_plain = all(
            each.name.startswith("Test") and each.qualified_name not in with_init
            for each in around
        )
        if unit or is_plain:
            yield _test(one, lines, [each.name for each in around], unit=unit)


def _is_case_class(one: Definition) -> bool:
    """Whether a class of Python is a `unittest.TestCase`, by the names of its bases."""
    return _CASE_CLASS.search(one.signature.partition("(")[2]) is not None


def _go_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    for one in definitions:
        if one.kind == "function" and not one.parent and _GO_TEST.match(one.name):
            yield _test(one, lines, ())


def _rust_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    for one in definitions:
        if one.kind != "function":
            continue
        at = one.first_line
        while at > 0 and _RUST_ABOVE.match(lines[at - 1]):
            at -= 1
        if not any(_RUST_TEST.match(line) for line in lines[at : one.first_line]):
            continue
        around = _around(definitions, one)
        if all(each.kind == "namespace" for each in around):
            test = _test(one, lines, [each.name for each in around])
            yield replace(test, first_line=at)


def _java_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    package = next(filter(None, map(_PACKAGE.match, lines)), None)
    lead = f"{package[1]}." if package else ""
    for one in definitions:
        if one.kind == "method" and _JAVA_TEST.search(one.signature):
            classes = "$".join(each.name for each in _around(definitions, one))
            yield _test(one, lines, [lead + classes])


_FINDERS: dict[
    Language,
    Callable[[Sequence[Definition], Sequence[str]], Iterator[FoundTest]],
] = {
    Language.PYTHON: _python_tests,
    Language.GO: _go_tests,
    Language.RUST: _rust_tests,
    Language.JAVA: _java_tests,
}

_CASES = frozenset({"test", "it", "fit", "xit", "xtest"})
_SUITES = frozenset({"describe", "fdescribe", "xdescribe", "suite"})


class _ScriptCall(Struct, frozen=True):
    node: Node
    suites: tuple[str, ...]


def _script_tests(tree: Tree) -> Iterator[FoundTest]:
    """Yield the calls of `test` and `it` with a text, in those of `describe`."""
    waiting = [_ScriptCall(tree.root, ())]
    while waiting:
        one = waiting.pop()
        node, suites = one.node, one.suites
        if node.type == "call_expression":
            callee, title = _callee(node), _title(node)
            if callee in _CASES and title is not None:
                yield FoundTest(
                    name=title,
                    suites=suites,
                    first_line=node.start_point.row,
                    line=node.start_point.row,
                    last_line=node.end_point.row,
                )
                continue
            if callee in _SUITES:
                if title is None or len(suites) == _MAX_DEPTH:
                    # Its tests have names that cannot be known.
                    continue
                suites = (*suites, title)
        waiting.extend(_ScriptCall(child, suites) for child in node.named_children)


def _callee(node: Node) -> str:
    """Return the first name of what is called: `test` of `test.each(table)(...)`."""
    inner = node.child_by_field_name("function")
    while inner is not None and inner.type in ("call_expression", "member_expression"):
        field = "function" if inner.type == "call_expression" else "object"
        inner = inner.child_by_field_name(field)
    if inner is None or inner.type != "identifier" or inner.text is None:
        return ""
    return inner.text.decode("utf-8", "replace")


def _title(node: Node) -> str | None:
    """Return the text that a call begins with; None: there is none, or a computed one.

    The cases of a table have names with values in them: only what comes before the
    first value is returned.
    """
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None else None
    if first is None or first.type not in ("string", "template_string"):
        return None
    parts = []
    for part in first.named_children:
        if part.type not in ("string_fragment", "escape_sequence"):
            return None
        parts.append((part.text or b"").decode("utf-8", "replace"))
    title = "".join(parts)
    if any(part.type == "escape_sequence" for part in first.named_children):
        title = re.sub(r"\\(['\"`\\])", r"\1", title)
    function = node.child_by_field_name("function")
    is_table = function is not None and function.type == "call_expression"
    if is_table and (value := _PLACEHOLDER.search(title)) is not None:
        title = title[: value.start()]
    return title or None
