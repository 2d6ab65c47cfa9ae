"""Finds the test functions of a file, by what the test runners of its language collect.

Only languages whose failures `traces` reads. A test that is defined inside of another
function, or whose name is computed, is not found: no runner can be asked for it alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from redline.syntax.children import nth_child
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
_PHP_TEST = re.compile(r"#\[[^\]#]*\bTest\b")
_PHP_HIDDEN = frozenset({"private", "protected", "abstract"})
_MAX_DOC_LINES = 50
_GO_TEST = re.compile(r"(?:Test|Fuzz)(?![a-z])")
_PACKAGE = re.compile(r"\s*+package\s++([\w.]++)")
_PLACEHOLDER = re.compile(r"[%$]")


def test_functions(text: str, language: Language) -> list[FoundTest]:
    """Return the tests of a file, in order; none for a language without a finder."""
    if language in _CALLS:
        found = _called_tests(parse(text, language), _CALLS[language])
    elif (finder := _FINDERS.get(language)) is not None:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        found = finder(parse(text, language).definitions, lines)
    else:
        return []
    return sorted(found, key=lambda one: (one.line, -one.last_line))[:MAX_TESTS]


def _with_outer(
    definitions: Sequence[Definition],
) -> Iterator[tuple[Definition, Sequence[Definition]]]:
    """Yield each definition with those around it, outermost first.

    The latter are valid until the next one is asked for.
    """
    around: list[Definition] = []
    for one in definitions:
        while around and not (
            around[-1].qualified_name == one.parent
            and one.last_line <= around[-1].last_line
        ):
            around.pop()
        yield one, around
        around.append(one)


def _test(one: Definition, suites: Sequence[str], *, unit: bool = False) -> FoundTest:
    return FoundTest(
        name=one.name,
        suites=tuple(suites),
        first_line=one.first_line,
        line=one.name_line,
        last_line=one.last_line,
        is_unittest=unit,
    )


def _python_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    with_init = {one.parent for one in definitions if one.name == "__init__"}
    for one, around in _with_outer(definitions):
        if one.kind not in ("function", "method") or not one.name.startswith("test"):
            continue
        if any(each.kind != "class" for each in around):
            continue
        unit = bool(around) and _is_case_class(around[-1])
        is_plain = all(
            each.name.startswith("Test") and each.qualified_name not in with_init
            for each in around
        )
        if unit or is_plain:
            yield _test(one, [each.name for each in around], unit=unit)


def _is_case_class(one: Definition) -> bool:
    """Whether a class of Python is a `unittest.TestCase`, by the names of its bases."""
    return _CASE_CLASS.search(one.signature.partition("(")[2]) is not None


def _go_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    for one in definitions:
        if one.kind == "function" and not one.parent and _GO_TEST.match(one.name):
            yield _test(one, ())


def _rust_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    attributes = _rust_attributes(lines, {one.name_line for one in definitions})
    for one, around in _with_outer(definitions):
        if one.kind != "function" or one.first_line not in attributes:
            continue
        if all(each.kind == "namespace" for each in around):
            test = _test(one, [each.name for each in around])
            yield replace(test, first_line=attributes[one.first_line])


def _rust_attributes(lines: Sequence[str], of_names: Set[int]) -> dict[int, int]:
    """Map each line that attributes make a test to the first line of these.

    Args:
        lines: The lines of the file.
        of_names: Those with the name of a definition, whose attributes end there.
    """
    found: dict[int, int] = {}
    first, is_test = 0, False
    for at, line in enumerate(lines):
        is_test = is_test or _RUST_TEST.match(line) is not None
        if is_test:
            found[at] = first
        if at in of_names or not _RUST_ABOVE.match(line):
            first, is_test = at + 1, False
    return found


def _php_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    for one in definitions:
        modifiers = one.signature.partition("function ")[0].split()
        if one.kind != "method" or not _PHP_HIDDEN.isdisjoint(modifiers):
            continue
        is_marked = _PHP_TEST.search(one.signature) or "@test" in _doc(one, lines)
        if is_marked or one.name.startswith("test"):
            yield _test(one, [one.parent])


def _doc(one: Definition, lines: Sequence[str]) -> str:
    """Return the last comment of the form `/** */` above a definition."""
    at = one.first_line - 1
    if at < 0 or not lines[at].rstrip().endswith("*/"):
        return ""
    first = at
    while first > max(0, at - _MAX_DOC_LINES) and "/**" not in lines[first]:
        first -= 1
    return "\n".join(lines[first : at + 1])


def _java_tests(
    definitions: Sequence[Definition], lines: Sequence[str]
) -> Iterator[FoundTest]:
    package = next(filter(None, map(_PACKAGE.match, lines)), None)
    lead = f"{package[1]}." if package else ""
    for one, around in _with_outer(definitions):
        if one.kind == "method" and _JAVA_TEST.search(one.signature):
            classes = "$".join(each.name for each in around)
            yield _test(one, [lead + classes])


_FINDERS: dict[
    Language,
    Callable[[Sequence[Definition], Sequence[str]], Iterator[FoundTest]],
] = {
    Language.PYTHON: _python_tests,
    Language.GO: _go_tests,
    Language.RUST: _rust_tests,
    Language.JAVA: _java_tests,
    Language.PHP: _php_tests,
}

_CASES = frozenset({"test", "it", "fit", "xit", "xtest", "specify"})
_SUITES = frozenset({"describe", "fdescribe", "xdescribe", "suite", "context"})
_EXAMPLES = frozenset({"it", "fit", "xit", "specify", "example", "scenario"})
_GROUPS = frozenset({"describe", "fdescribe", "xdescribe", "context", "feature"})
_SHARED = frozenset({"shared_examples", "shared_examples_for", "shared_context"})


class _Calls(Struct, frozen=True):
    """How a language without names for its tests calls what makes one."""

    node: str
    cases: frozenset[str]
    suites: frozenset[str]
    callee: Callable[[Node], str]
    titles: Callable[[Node], Sequence[str] | None]
    """The parts of the name; None: there is none, or a computed one."""
    is_left_out: Callable[[str], bool] = lambda name: False
    """Whether what is in a call has names that are not known here."""


class _CallAround(Struct, frozen=True):
    node: Node
    suites: tuple[str, ...]


def _called_tests(tree: Tree, calls: _Calls) -> Iterator[FoundTest]:
    """Yield the calls that make a test and have a text, in those of suites."""
    waiting = [_CallAround(tree.root, ())]
    while waiting:
        one = waiting.pop()
        node, suites = one.node, one.suites
        callee = calls.callee(node) if node.type == calls.node else ""
        if callee in calls.cases and (titles := calls.titles(node)):
            yield FoundTest(
                name=titles[-1],
                suites=(*suites, *titles[:-1]),
                first_line=node.start_point.row,
                line=node.start_point.row,
                last_line=node.end_point.row,
            )
            continue
        if callee in calls.suites:
            titles = calls.titles(node)
            if titles is None or len(suites) >= _MAX_DEPTH:
                # Its tests have names that cannot be known.
                continue
            suites = (*suites, *titles)
        elif calls.is_left_out(callee):
            continue
        waiting.extend(_CallAround(child, suites) for child in node.named_children)


def _script_callee(node: Node) -> str:
    """Return the first name of what is called: `test` of `test.each(table)(...)`."""
    inner = node.child_by_field_name("function")
    while inner is not None and inner.type in ("call_expression", "member_expression"):
        field = "function" if inner.type == "call_expression" else "object"
        inner = inner.child_by_field_name(field)
    return "" if inner is None or inner.type != "identifier" else _source(inner)


def _script_title(node: Node) -> tuple[str] | None:
    """Return the text that a call of JavaScript begins with.

    The cases of a table have names with values in them: only what comes before the
    first value is returned.
    """
    arguments = node.child_by_field_name("arguments")
    first = nth_child(arguments, 0) if arguments is not None else None
    if first is None or first.type not in ("string", "template_string"):
        return None
    parts = []
    for part in first.named_children:
        if part.type not in ("string_fragment", "escape_sequence"):
            return None
        parts.append(_source(part))
    title = "".join(parts)
    if any(part.type == "escape_sequence" for part in first.named_children):
        title = re.sub(r"\\(['\"`\\])", r"\1", title)
    function = node.child_by_field_name("function")
    is_table = function is not None and function.type == "call_expression"
    if is_table and (value := _PLACEHOLDER.search(title)) is not None:
        title = title[: value.start()]
    return (title,) if title else None


def _ruby_callee(node: Node) -> str:
    """Return the method that is called, on nothing or on `RSpec`."""
    receiver = node.child_by_field_name("receiver")
    method = node.child_by_field_name("method")
    is_own = receiver is None or receiver.text == b"RSpec"
    return _source(method) if is_own and method is not None else ""


def _ruby_titles(node: Node) -> list[str] | None:
    """Return the texts and constants that a call of RSpec begins with, up to its
    options."""
    arguments = node.child_by_field_name("arguments")
    titles: list[str] = []
    for argument in arguments.named_children if arguments is not None else ():
        if argument.type == "string":
            parts = argument.named_children
            if any(part.type != "string_content" for part in parts):
                return None
            titles.append("".join(map(_source, parts)))
        elif argument.type in ("constant", "scope_resolution"):
            titles.append(_source(argument))
        else:
            break
    return titles or None


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_SCRIPT_CALLS = _Calls(
    "call_expression", _CASES, _SUITES, _script_callee, _script_title
)
_CALLS = {
    **dict.fromkeys(_SCRIPTS, _SCRIPT_CALLS),
    Language.RUBY: _Calls(
        "call", _EXAMPLES, _GROUPS, _ruby_callee, _ruby_titles, _SHARED.__contains__
    ),
}
