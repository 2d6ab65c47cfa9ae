"""Rules for lines and words of any language."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.gateway.rules.language_syntax import syntax_of, text_pattern
from redline.gateway.rules.line_rules import apply_to_lines
from redline.gateway.rules.naming import change_case, split_name
from redline.gateway.rules.region import EditedLines
from redline.instructions.request import CaseStyle, LineRequest, SortLines


@pytest.mark.parametrize(
    ("instruction", "language", "code", "expected"),
    [
        ("sort lines", "go", "b\na\n\nd\nC\n", "a\nb\n\nC\nd\n"),
        ("sort lines in reverse", "go", "a\nb\n", "b\na\n"),
        ("sort lines ignoring case", "go", "b\nC\na\n", "a\nb\nC\n"),
        ("sort lines", "json", '  "b": 1,\n  "a": 2\n', '  "a": 2,\n  "b": 1\n'),
        ("sort lines", "json", '  "b",\n  "a",\n', '  "a",\n  "b",\n'),
        ("sort lines", "markdown", "- b\n  - x\n- a\n", "- a\n- b\n  - x\n"),
        ("sort lines", "python", "b = 1\na = 2\n", "a = 2\nb = 1\n"),
        ("remove duplicate lines", "go", "a\nb\na\n\n\n}\n}\n", "a\nb\n\n\n}\n}\n"),
        ("deduplicate and sort lines", "go", "b\na\nb\n", "a\nb\n"),
        ("comment out", "go", "  a\n\n    b\n", "  // a\n\n  //   b\n"),
        ("comment out", "python", "  a\n", "  # a\n"),
        ("comment out", "go", "    a\n\n  b\n", "    // a\n\n  // b\n"),
        ("comment out", "html", "<a>\n  <b>\n", "<!-- <a> -->\n  <!-- <b> -->\n"),
        ("uncomment", "sql", "-- a\n  --b\nc\n--\n", "a\n  b\nc\n\n"),
        ("uncomment", "css", "/* a */\n /* b */ /* c */\nd\n",
         "a\n /* b */ /* c */\nd\n"),
        ("upper case", "plaintext", "a b\n", "A B\n"),
        ("lower case", "go", "A B\n", "a b\n"),
        ("title case", "markdown", "it's a b-c\n", "It's A B-C\n"),
        ("snake case", "go", "fooBar, BazQux\n", "foo_bar, baz_qux\n"),
        ("convert fooBar to kebab case", "css", ".fooBar {}\n", ".foo-bar {}\n"),
        ("convert foo_bar to camel case", "javascript", "foo_bar(foo_bar_)\n",
         "fooBar(foo_bar_)\n"),
    ],
)  # fmt: skip
def test_lines(
    edit: Callable[..., str],
    instruction: str,
    language: str,
    code: str,
    expected: str,
) -> None:
    assert edit(instruction, code, language=language) == expected


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("c", 'x = "x" + \'x\'; // x\n/* x\n x */ y->y\n',
         'z = "x" + \'x\'; // x\n/* x\n x */ y->y\n'),
        ("c", "y->x = p.x;\n", "y->z = p.z;\n"),
        ("go", "f(x...)\n", "f(z...)\n"),
        ("javascript", "a = b ? x : c; f(...x)\n", "a = b ? z : c; f(...z)\n"),
        ("javascript", "x(`x ${x + y} x`, '\\'x', $x, x$)\n",
         "z(`x ${z + y} x`, '\\'x', $x, x$)\n"),
        ("shellscript", "x=1; echo \"$x ${x} x\" '$x' $# $x # x\n",
         "z=1; echo \"$z ${z} x\" '$x' $# $z # x\n"),
        ("ruby", 'x = "#{x} x"\n', 'z = "#{z} x"\n'),
        ("kotlin", 'x = "$x ${x.y} x"\n', 'z = "$z ${z.y} x"\n'),
        ("rust", "fn f<'x>(x: &'x str) { println!(\"{x} x\"); r#\"x\"x\"#; }\n", ""),
        ("csharp", 'x = $"{x} x" + @"x\\";\nx++;\n', 'z = $"{z} x" + @"x\\";\nz++;\n'),
        ("css", ".x-y .x { a: x }\n", ".x-y .z { a: z }\n"),
        ("sql", "SELECT x, 'x''x' -- x\nFROM x\n", "SELECT z, 'x''x' -- x\nFROM z\n"),
        ("lua", "x = 'x' --[[ x\n ]] .. x -- x\n", "z = 'x' --[[ x\n ]] .. z -- x\n"),
        ("markdown", "the x-ray \"x\" # x\n", "the x-ray \"z\" # z\n"),
        ("plaintext", "x 'x' xx\n", "z 'z' xx\n"),
        ("cobol", "MOVE x TO y\n", "MOVE z TO y\n"),
        ("c", "/* x\n«\nx */ x\n»\n", "/* x\nx */ z\n"),
    ],
)  # fmt: skip
def test_words_are_renamed_where_they_are_code(
    edit: Callable[..., str], language: str, code: str, expected: str
) -> None:
    """Not in comments and strings, but in the code inside strings."""
    if language == "rust":
        # A lifetime is a name of its own kind, written like the variable.
        expected = 'fn f<\'z>(z: &\'z str) { println!("{z} x"); r#"x"x"#; }\n'
    assert edit("rename x to z", code, language=language) == expected


@pytest.mark.parametrize(
    ("instruction", "language", "code", "reason"),
    [
        ("sort lines", "go", "a {\n  b\n}\n", "indented differently"),
        ("deduplicate", "go", "a {\n  b\n}\n", "indented differently"),
        ("sort lines", "yaml", "# b\n- b\n# a\n- a\n", "are comments"),
        ("rename x to z", "javascript", "const x = user.x;\n", "of a member"),
        ("rename x to z", "javascript", "return { x: x };\n", "of a member"),
        ("rename x to z", "rust", "T { x, y: x }\n", "of a member"),
        ("rename x to z", "ruby", "x = params[:x]\n", "of a member"),
        ("rename x to z", "ruby", "@x = x\n", "of a member"),
        ("rename x to z", "php", "$x = x();\n", "of a member"),
        ("rename x to z", "csharp", "var x = b.x;\n", "of a member"),
        ("sort lines", "python", "x = (\n1)\n", "could not be parsed"),
        ("uncomment", "python", "# Some words.\nx = 1\n", "could not be parsed"),
        ("comment out", "css", "/* a */\n", "none may nest"),
        ("comment out", "cobol", "a\n", "how cobol writes comments"),
        ("uncomment", "", "a\n", "how this language writes comments"),
        ("rename x to z", "go", "y\n", "does not use a name `x`"),
        ("rename x to z", "go", "x, z\n", "`z` is already there"),
        ("rename x to z", "go", "x\n«\nx\n»\nz\n", "`z` is already there"),
        ("rename x to z-y", "go", "x\n", "`z-y` is not a name"),
        ("rename x to z", "cobol", "x 'x'\n", "line 1 of the range"),
        ("snake case", "go", "var fooBar = 1\n", "which names"),
        ("add docstrings", "go", "a\n", "in Python only, not in go"),
        ("extract constant 42 as X", "", "42\n", "in Python only"),
    ],
)  # fmt: skip
def test_refused(
    refuses: Callable[..., None],
    instruction: str,
    language: str,
    code: str,
    reason: str,
) -> None:
    refuses(instruction, code, reason, language=language)


@pytest.mark.parametrize(
    ("name", "style", "expected"),
    [
        ("parseHTTPHeader", "snake", "parse_http_header"),
        ("_my_name2_", "camel", "_myName2_"),
        ("my_name", "pascal", "MyName"),
        ("my-name", "constant", "MY_NAME"),
        ("MyName", "kebab", "my-name"),
        ("MyName", "upper", "MY_NAME"),
        ("MyName", "lower", "my_name"),
        ("myName", "title", "My Name"),
        ("__", "snake", "__"),
    ],
)
def test_case_of_names(name: str, style: CaseStyle, expected: str) -> None:
    assert change_case(name, style) == expected


STARTS = st.sampled_from(ascii_letters + "_")
RESTS = st.text(st.sampled_from(ascii_letters + digits + "_"), max_size=20)


@given(st.builds(add, STARTS, RESTS))
def test_snake_case_is_final(name: str) -> None:
    """Words are never lost, and changing twice changes nothing more."""
    once = change_case(name, "snake")
    assert change_case(once, "snake") == once
    assert "".join(split_name(name)).lower() == once.replace("_", "")


LANGUAGES = st.sampled_from(["go", "css", "python", "shellscript", "markdown", "html"])
TEXTS = st.text(st.sampled_from("ab}\"'`/*#-<>! \\\n"), min_size=1).map(
    lambda t: t + "a\n"
)


def _region(text: str, language: str) -> EditedLines:
    return EditedLines(
        path="x",
        language=language,
        before="",
        target=text,
        after="",
        is_whole_file=True,
    )


@given(TEXTS, LANGUAGES)
def test_comments_come_and_go(text: str, language: str) -> None:
    """Uncommenting what was commented out gives the lines back, up to white space."""
    region = _region(text, language)
    commented = apply_to_lines(region, LineRequest(rule="comment"))
    if isinstance(commented, str):
        region = region.with_target(commented)
        back = apply_to_lines(region, LineRequest(rule="uncomment"))
        assert isinstance(back, str)
        assert back.split() == text.split()


@given(TEXTS, LANGUAGES)
def test_sorting_keeps_the_lines(text: str, language: str) -> None:
    """The same lines, in an order that sorting again does not change."""
    region = _region(text, language)
    ordered = apply_to_lines(region, SortLines())
    if isinstance(ordered, str):
        assert sorted(ordered.split("\n")) == sorted(text.split("\n"))
        again = apply_to_lines(region.with_target(ordered), SortLines())
        assert again == ordered


@given(TEXTS, LANGUAGES)
def test_texts_of_a_language_are_found_in_any_text(text: str, language: str) -> None:
    """Comments and strings never overlap and are never empty."""
    syntax = syntax_of(language)
    assert syntax is not None
    at = 0
    for found in text_pattern(syntax).finditer(text):
        assert at <= found.start() < found.end()
        at = found.end()
