"""What a file defines, imports, calls and breaks, in each language."""

from __future__ import annotations

import gc
import tracemalloc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.syntax.language import Language
from redline.syntax.tree import Tree, parse

_DEFINED = {
    Language.PYTHON: "function f 4-6, class A 7-8, method A.m 8-8",
    Language.JAVASCRIPT: (
        "function f 2-4, class A 5-8, method A.m 6-6, method A.s 7-7,"
        " function h 9-9, function z 10-10"
    ),
    Language.TYPESCRIPT: (
        "interface I 1-1, type T 2-2, enum E 3-3, class A 4-7, method A.m 5-5,"
        " method A.q 6-6, namespace N 8-8, function N.f 8-8, function z 9-9"
    ),
    Language.TSX: "function App 0-0",
    Language.JAVA: (
        "class A 1-8, method A.A 3-3, method A.m 4-4, enum A.E 5-5, interface A.I 6-6,"
        " method A.I.q 6-6, class A.R 7-7"
    ),
    Language.C: "macro F 1-1, struct A 2-2, type B 3-3, function f 4-6, function h 7-7",
    Language.CPP: (
        "namespace n 0-7, class n.A 1-6, method n.A.A 4-4, method n.A.m 5-5,"
        " method n.A.q 8-8"
    ),
    Language.CSHARP: (
        "namespace N 1-8, class N.A 2-7, property N.A.P 3-3, method N.A.A 4-4,"
        " method N.A.M 5-5, struct N.A.S 6-6"
    ),
    Language.GO: "struct A 4-4, interface I 5-5, method A.M 6-6, function G 7-7",
    Language.RUST: (
        "struct A 1-1, trait T 2-2, method T.q 2-2, impl A 3-5, method A.m 4-4,"
        " macro z 6-6"
    ),
    Language.RUBY: (
        "namespace M 1-9, class M.A 2-8, method M.A.m 3-6, method M.A.s 7-7"
    ),
    Language.PHP: "function f 3-3, trait T 4-4, method T.m 4-4",
    Language.BASH: "function g 1-3",
}
_IMPORTED = {
    Language.PYTHON: ["import a", "from b import (\n    c,\n)"],
    Language.JAVASCRIPT: ["import a from 'b';", "const q = require('z');"],
    Language.TYPESCRIPT: ["import a from 'b';"],
    Language.TSX: [],
    Language.JAVA: ["import b.c;"],
    Language.C: ["#include <a.h>"],
    Language.CPP: [],
    Language.CSHARP: ["using System;"],
    Language.GO: ['import (\n  "c"\n)'],
    Language.RUST: ["use a::b;"],
    Language.RUBY: ["require 'a'"],
    Language.PHP: ["use A\\B;", "require 'x.php';"],
    Language.BASH: ["source a.sh"],
}
_CALLED = {
    Language.PYTHON: "g h",
    Language.JAVASCRIPT: "require g b C",
    Language.TYPESCRIPT: "",
    Language.TSX: "go",
    Language.JAVA: "foo c D",
    Language.C: "g q",
    Language.CPP: "f b y",
    Language.CSHARP: "F B C",
    Language.GO: "f b",
    Language.RUST: "f b y println",
    Language.RUBY: "require foo b",
    Language.PHP: "g b y Z",
    Language.BASH: "source x",
}


def test_right_code_has_no_errors(language: Language, sample: str) -> None:
    """In any language."""
    assert parse(sample, language).errors == ()


def test_definitions(language: Language, sample: str) -> None:
    """With kind, parents and lines, decorators and `export` included."""
    found = [
        f"{d.kind} {d.qualified_name} {d.first_line}-{d.last_line}"
        for d in parse(sample, language).definitions
    ]
    assert ", ".join(found) == _DEFINED[language]


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        (Language.C, "int f(void) {\n  int g(a);\n}\n", "f"),
        (Language.C, "#ifdef X\nint **f(void);\n#else\nint g(void);\n#endif", "f g"),
        (Language.C, "struct a x;\nenum b y;\nint z = 1;\n", ""),
        (Language.C, "typedef int (*f)(int);\ntypedef int t;\n", "t"),
        (Language.CPP, "A& f() { }\nclass C;\nusing T = int;\n", "f T"),
        (Language.CPP, "class C { A& f(); int* g(); int x; };", "C C.f C.g"),
        (Language.CPP, "template <class T> T f(T x) { return x; }", "f"),
        (
            Language.JAVASCRIPT,
            "let /* x */ a = 1, f = () => 2, g = function () {};",
            "f g",
        ),
        (Language.JAVASCRIPT, "var f = function* () {}; x = () => 1; a.b = 2;", "f"),
        (
            Language.TYPESCRIPT,
            "class A { f = () => 1; x = 2; g(): void; }",
            "A A.f A.g",
        ),
        (Language.CSHARP, "class A { int P => 1; record R(int X); }", "A A.P A.R"),
    ],
)
def test_what_is_and_is_not_defined(language: Language, text: str, names: str) -> None:
    """Variables that look like prototypes are none, values that are functions are."""
    found = [one.qualified_name for one in parse(text, language).definitions]
    assert " ".join(found) == names


def test_imports(language: Language, sample: str) -> None:
    """As they are written."""
    tree = parse(sample, language)
    assert [one.text for one in tree.imports] == _IMPORTED[language]
    for one in tree.imports:
        lines = sample.split("\n")[one.first_line : one.last_line + 1]
        assert one.text in "\n".join(lines)


def test_calls(language: Language, sample: str) -> None:
    """The last name of each callee."""
    names = dict.fromkeys(one.name for one in parse(sample, language).called)
    assert " ".join(names) == _CALLED[language]


def test_line_ends_change_nothing(language: Language, sample: str) -> None:
    """The same lines are found whatever they end with."""
    unix = parse(sample, language)
    for end in ("\r\n", "\r"):
        other = parse(sample.replace("\n", end), language)
        assert other.definitions == unix.definitions
        assert other.errors == unix.errors


@pytest.mark.parametrize(
    ("language", "text", "signature"),
    [
        (Language.PYTHON, "@d\ndef f(x):  # why\n    # how\n    pass\n", "def f(x):"),
        (Language.JAVA, "class A extends B {}", "class A extends B"),
        (Language.C, "static int *f(int a)\n{\n}\n", "static int *f(int a)"),
        (Language.GO, "package a\nfunc f(x int) error { g() }", "func f(x int) error"),
        (Language.RUBY, "def m(x)\n  y\nend", "def m(x)"),
        (Language.JAVASCRIPT, "const h = (x) => x;", "const h = (x) =>"),
        (Language.JAVASCRIPT, "export function f(x) {}", "function f(x)"),
        (Language.TYPESCRIPT, "declare function z(): void;", "function z(): void;"),
        (Language.RUST, "trait T { fn q(&self); }", "trait T"),
    ],
)
def test_signatures(language: Language, text: str, signature: str) -> None:
    """The text up to the body, without what is around it."""
    assert parse(text, language).definitions[0].signature == signature


@pytest.mark.parametrize(
    ("language", "text", "line", "words"),
    [
        (Language.PYTHON, "x = 1\ny = (\n", 1, "`(` has no other half"),
        (Language.PYTHON, "é = 1\ndef f(:\n  pass\n", 1, "`)` is missing"),
        (Language.JAVASCRIPT, "function f() {\n  g(;\n}\n", 1, ""),
        (Language.JAVA, "class A {\n  int m() { return 1 }\n}\n", 1, "`;` is missing"),
        (Language.C, "int f(void) {\n  return 0\n}\n", 1, "`;` is missing"),
        (Language.GO, "package a\nfunc f() {\n", 1, ""),
        (Language.RUST, "fn f() {\n  let x = ;\n}\n", 1, ""),
        (Language.BASH, "if x; then\n  y\n", 2, "`fi` is missing"),
        (Language.C, "int f(void) {\n  g(1;\n}\n}\n", 1, "`)` is missing"),
        (Language.JAVA, "class A {\n  int x;\n}\n}\n", 3, "`}` has no other half"),
        (Language.JAVASCRIPT, "x();\ny(]; (a) {\n", 1, "`]` has no other half"),
        (Language.BASH, "f() {\n", 0, "`{` has no other half"),
        (Language.PYTHON, "x = 1\n$ " + "no words " * 9 + "\n", 1, "no words no …"),
        (Language.C, "x = f(1) +\n{ (a) [", 1, "`[` has no other half"),
        (Language.RUST, "fn f() {\n  a.;\n}\n", 1, "a field identifier is missing"),
        (Language.CSHARP, "class A {\n  int x = 1;\n  int = 5;\n}\n", 2, ""),
        (Language.CSHARP, "void F() {\n  using System;\n}\n", 1, "an identifier is"),
        (Language.TSX, "x = <a>\n<b>y</c>\n</a>;\n", 1, "`c` closes another tag"),
        (Language.PYTHON, "<<<<<<< HEAD\nx = 1\n", 0, "<<<<<<<"),
        (Language.RUBY, "class A\n  x\nend\n  end\n", 3, "`end` closes nothing"),
        (Language.BASH, "if x; then\n  y\nfi\nfi\n", 3, "`fi` closes nothing"),
        (Language.BASH, "for x in y; do z; done\ndone\n", 1, "`done` closes"),
        (Language.PHP, "<?php\nif (a()):\nendif;\nendif;\n", 3, "`endif` closes"),
    ],
)
def test_errors(language: Language, text: str, line: int, words: str) -> None:
    """With their line and what was not understood."""
    error = parse(text, language).errors[0]
    assert error.line == line
    assert words in error.message


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (Language.RUBY, "class A\n  def end\n    r.end + x&.end\n  end\nend\n"),
        (Language.RUBY, "f(end: 1, to: :end)\nputs 'end'\n"),
        (Language.BASH, "case $x in\n  a) echo done fi ;;\nesac\necho esac\n"),
        (Language.PHP, "<?php\n$endif = endif();\n"),
    ],
)
def test_a_name_like_a_closing_word_is_no_fault(language: Language, text: str) -> None:
    assert parse(text, language).errors == ()


def test_columns_are_code_points() -> None:
    """Not the bytes that the grammar counts."""
    tree = parse("class A {\n  void m() { é = '🦊' }\n}\n", Language.JAVA)
    assert [(error.line, error.column) for error in tree.errors] == [(1, 20)]


def test_errors_are_bounded() -> None:
    """A file that is in another language does not drown its reader."""
    assert len(parse(")\nx = 1\n" * 1000, Language.PYTHON).errors) == 100


NESTED = parse(
    "class A:\n"  # 0
    "    x = 1\n"
    "\n"
    "    def m(self):\n"  # 3
    "        def inner():\n"
    "            return 1\n"
    "        return inner\n"  # 6
    "\n"
    "y = 2\n",  # 8
    Language.PYTHON,
)


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (range(5, 6), "A.m.inner"),
        (range(5, 7), "A.m"),
        (range(6, 6), "A.m"),
        (range(3, 7), "A.m"),
        (range(1, 5), "A"),
        (range(0, 7), "A"),
        (range(0, 9), None),
        (range(8, 9), None),
        (range(90, 95), None),
    ],
)
def test_the_enclosing_definition(lines: range, name: str | None) -> None:
    """The innermost that holds all of the lines."""
    found = NESTED.enclosing(lines)
    assert (found.qualified_name if found else None) == name


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (Language.PYTHON, "x = '§a' # §b"),
        (Language.PYTHON, "x = f'§a{y}§b'"),
        (Language.PYTHON, 'x = """§a"""'),
        (Language.JAVASCRIPT, "x = `§a${y}§b` // §c"),
        (Language.JAVA, '/** §a */ class A { String s = "§b"; }'),
        (Language.C, 'char *s = "§a"; // §b'),
        (Language.CPP, 'auto s = R"(§a)"; /* §b */'),
        (Language.CSHARP, 'var s = $"§a{y}§b"; // §c'),
        (Language.GO, "package a; var s = `§a` // §b"),
        (Language.RUST, 'fn f() { g("§a") } // §b'),
        (Language.RUBY, 'x = "§a#{y}§b" # §c'),
        (Language.PHP, "<?php $x = '§a'; // §b"),
        (Language.BASH, 'x="§a${y}§b" # §c'),
    ],
)
def test_comments_and_strings(language: Language, line: str) -> None:
    """Marked places are in one; names outside, and code inside of strings, are not."""
    code = line.replace("§", "")
    tree = parse("\n" + code + "\n", language)
    marked = set()
    for at in range(line.count("§")):
        marked.add(line.replace("§", "", at).index("§"))
    for column in marked:
        assert tree.in_comment_or_string(1, column), code[column:]
    for column, character in enumerate(code):
        if character in "xys" and column not in marked:
            is_text = "char" in code[max(column - 4, 0) : column + 4]
            assert not tree.in_comment_or_string(1, column) or is_text, code[column:]


def test_lines_that_continue_a_text() -> None:
    """They begin in a comment or string that an earlier line opened."""
    tree = parse('x = """a\nb {y}\n"""\nz = """c"""\n# d\n', Language.PYTHON)
    continued = [line for line in range(7) if tree.continues_text(line)]
    assert continued == [1, 2]


def test_places_outside_of_the_text_are_no_string() -> None:
    """Nothing raises."""
    tree = parse("x = 1", Language.PYTHON)
    assert not tree.in_comment_or_string(0, 50)
    assert not tree.in_comment_or_string(7, 3)


@given(text=st.text(), language=st.sampled_from(Language))
def test_any_text_parses(text: str, language: Language) -> None:
    """Parsing never fails, and what is found lies in the text."""
    tree: Tree = parse(text, language)
    n_lines = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for error in tree.errors:
        assert 0 <= error.line < n_lines
    for definition in tree.definitions:
        assert 0 <= definition.first_line <= definition.last_line < n_lines
    assert len(tree.imports) <= len(text)
    tree.in_comment_or_string(0, 0)


def test_lone_surrogates_parse() -> None:
    """An editor can send half a character."""
    assert parse("x = '\ud800'\n", Language.PYTHON).errors == ()


def test_what_the_binding_has_read_is_freed() -> None:
    """Its version 0.26.1 leaks it; another one may need nothing, or something else."""
    text = "def f(x):\n    return x\n\n\n" + "name = 1\n" * 10_000
    leaked: list[int] = []
    for _ in range(3):
        tracemalloc.start()
        try:
            for _ in range(5):
                assert parse(text, Language.PYTHON).definitions
            leaked.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
    assert min(leaked) < len(text)


def test_a_tree_is_freed() -> None:
    """The parser's binding keeps the function that it reads by, but not the tree."""
    tree = parse("x = 1\n", Language.PYTHON)
    assert tree.definitions == ()
    alive = weakref.ref(tree)
    del tree
    gc.collect()
    assert alive() is None
