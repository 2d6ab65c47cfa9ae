"""Instructions, in many wordings, and what is not to be understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.instructions.read import MAX_CHARS, read_instruction
from redline.instructions.request import (
    ChangeCase,
    ExtractConstant,
    LineRequest,
    LintFix,
    PythonRequest,
    Rename,
    Request,
    SortLines,
)

DOCSTRINGS = PythonRequest(rule="docstrings")
HINTS = PythonRequest(rule="type-hints")
F_STRINGS = PythonRequest(rule="f-strings")
IMPORTS = PythonRequest(rule="sort-imports")
UNUSED = PythonRequest(rule="unused-imports")
LINT = PythonRequest(rule="lint")
UNIQUE = LineRequest(rule="unique-lines")
COMMENT = LineRequest(rule="comment")
UNCOMMENT = LineRequest(rule="uncomment")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add docstrings", [DOCSTRINGS]),
        ("Add Google-style docstrings to all functions.", [DOCSTRINGS]),
        ("Can you add missing doc strings here?", [DOCSTRINGS]),
        ("document this function", [DOCSTRINGS]),
        ("please write a docstring for each class and each method", None),
        (
            "please add a docstring to parse_args",
            [PythonRequest(rule="docstrings", names=("parse_args",))],
        ),
        (
            "add docstrings to `A` and `b`",
            [PythonRequest(rule="docstrings", names=("A", "b"))],
        ),
        ("add type hints", [HINTS]),
        ("annotate", [HINTS]),
        ("add type annotations to the parameters", [HINTS]),
        ("use f-strings", [F_STRINGS]),
        ("convert %-formatting to f-strings", [F_STRINGS]),
        ("use fstrings instead of .format()", [F_STRINGS]),
        ("sort imports", [IMPORTS]),
        ("Organize the imports", [IMPORTS]),
        ("remove unused imports", [UNUSED]),
        ("fix lint", [LINT]),
        ("fix what ruff can fix safely", [LINT]),
        ("run ruff --fix", [LINT]),
        ("sort lines", [SortLines()]),
        ("sort these lines alphabetically", [SortLines()]),
        ("sort the lines in reverse order", [SortLines(is_reversed=True)]),
        ("sort lines case-insensitively", [SortLines(ignores_case=True)]),
        ("sort lines ignoring case", [SortLines(ignores_case=True)]),
        ("deduplicate", [UNIQUE]),
        ("remove duplicate lines", [UNIQUE]),
        ("comment out", [COMMENT]),
        ("comment this out", [COMMENT]),
        ("comment out these lines", [COMMENT]),
        ("uncomment", [UNCOMMENT]),
        (
            "add docstrings and type hints, then sort imports",
            [DOCSTRINGS, HINTS, IMPORTS],
        ),
        ("sort and deduplicate lines", [SortLines(), UNIQUE]),
    ],
)
def test_rules_are_asked_for_in_many_ways(
    text: str, expected: list[Request] | None
) -> None:
    assert read_instruction(text) == expected


@pytest.mark.parametrize(
    ("text", "codes", "line"),
    [
        ("Fix lint problem `F401` on line 3", ("F401",), 3),
        ("fix F401", ("F401",), None),
        ("Fix lint problems `F401` `UP015`", ("F401", "UP015"), None),
    ],
)
def test_lint_fixes(text: str, codes: tuple[str, ...], line: int | None) -> None:
    assert read_instruction(text) == [LintFix(codes=codes, line=line)]


@pytest.mark.parametrize(
    "text", ["fix it on line 3", "F401", "ignore `F401` on line 3", "fix F401 by hand"]
)
def test_no_lint_fixes(text: str) -> None:
    assert read_instruction(text) is None


@pytest.mark.parametrize(
    ("text", "old", "new", "kind"),
    [
        ("rename foo to bar", "foo", "bar", "any"),
        ("Rename `foo` -> `bar`", "foo", "bar", "any"),
        ("rename 'foo' into \"bar\"", "foo", "bar", "any"),
        ("please rename the variable foo to bar here", "foo", "bar", "variable"),
        ("rename method value to amount", "value", "amount", "definition"),
        ("rename the parameter `to` to `target`", "to", "target", "variable"),
        ("rename self.x to self.y", "x", "y", "attribute"),
        ("rename attribute x to y", "x", "y", "attribute"),
        ("rename foo => bar.", "foo", "bar", "any"),
        ("rename file to path", "file", "path", "any"),
    ],
)
def test_renames(text: str, old: str, new: str, kind: str) -> None:
    requests = read_instruction(text)
    assert requests is not None
    (request,) = requests
    assert isinstance(request, Rename)
    assert (request.old, request.new, request.kind) == (old, new, kind)


def test_a_second_rename_needs_no_verb() -> None:
    """`and c to d` goes on with the renaming before it."""
    assert read_instruction("rename a to b, c to d and e to f") == [
        Rename(old="a", new="b"),
        Rename(old="c", new="d"),
        Rename(old="e", new="f"),
    ]
    assert read_instruction("sort lines and c to d") is None


@pytest.mark.parametrize(
    ("text", "literal", "is_quoted", "name"),
    [
        ("extract constant 42 as TIMEOUT_S", "42", False, "TIMEOUT_S"),
        ("extract 42 into a constant TIMEOUT", "42", False, "TIMEOUT"),
        ('extract `"abc"` as NAME', '"abc"', False, "NAME"),
        ("extract 'a b' into a constant called `GREETING`", "a b", True, "GREETING"),
        ("extract constant -1.5e3", "-1.5e3", False, None),
        ("introduce a constant for the magic number", None, False, None),
        ("extract constant", None, False, None),
    ],
)
def test_constants(
    text: str, literal: str | None, is_quoted: bool, name: str | None
) -> None:
    expected = ExtractConstant(literal=literal, is_quoted=is_quoted, name=name)
    assert read_instruction(text) == [expected]


@pytest.mark.parametrize(
    ("text", "style", "names"),
    [
        ("upper case", "upper", ()),
        ("make these lines lowercase", "lower", ()),
        ("Title Case", "title", ()),
        ("change `fooBar` to snake_case", "snake", ("fooBar",)),
        ("convert foo_bar to camelCase", "camel", ("foo_bar",)),
        ("convert foo_bar to Pascal case", "pascal", ("foo_bar",)),
        ("rename fooBar to kebab-case", "kebab", ("fooBar",)),
        ("convert the names to UPPER_CASE", "constant", ()),
        ("screaming snake case", "constant", ()),
    ],
)
def test_cases(text: str, style: str, names: tuple[str, ...]) -> None:
    requests = read_instruction(text)
    assert requests is not None
    (request,) = requests
    assert isinstance(request, ChangeCase)
    assert (request.style, request.names) == (style, names)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        ".",
        "make it faster",
        "write a poem about imports",
        "don't add docstrings",
        "remove docstrings",
        "add docstrings, but not to tests",
        "add docstrings explaining the algorithm",
        "sort imports by length",
        "fix the bug",
        "fix lint and make it faster",
        "rename foo",
        "rename foo to",
        "rename foo to bar or baz",
        "rename `foo` `to` `bar`",
        "comment the code",
        "extract method 42 as f",
        "extract constant 42 43",
        "convert to snake case and not camel case",
        "upper case lower case",
        "foo to snake case",
        "sort imports" + " " * MAX_CHARS,
    ],
)
def test_what_is_not_understood_to_the_last_word_is_not_done(text: str) -> None:
    assert read_instruction(text) is None


WORDS = st.from_regex(
    r"add|docstrings|rename|to|`a`|'b'|extract|constant|42|as|X|sort|lines|imports|and|,"
    r"|snake|case|upper|->|comment|out|self\.x|\.|\"|`|'",
    fullmatch=True,
)


@given(st.one_of(st.text(max_size=80), st.lists(WORDS).map(" ".join)))
def test_reading_never_fails(text: str) -> None:
    """Any text is either understood, as at least one request, or not."""
    assert read_instruction(text) != []
