"""The rules engine's review reports only certain faults."""

from __future__ import annotations

import textwrap

import msgspec
import pytest

from redline.checks.python.source import python_fault
from redline.findings.finding import Claim
from redline.findings.parts import Excerpt
from redline.findings.scope import Span
from redline.gateway.engines.rules import answer_with
from redline.gateway.rules import review_python
from redline.gateway.rules.review_answer import find_claims
from redline.syntax.facts import SyntaxFault


class _Answer(msgspec.Struct):
    findings: list[Claim]


def _excerpt(text: str, path: str, spans: tuple[Span, ...] | None = None) -> Excerpt:
    text = textwrap.dedent(text).strip("\n")
    return Excerpt(
        path=path,
        language="",
        first_line=0,
        text=text,
        is_whole=True,
        spans=((0, text.count("\n") + 1),) if spans is None else spans,
    )


def _review(*excerpts: Excerpt) -> list[Claim]:
    answer = answer_with(claim for one in excerpts for claim in find_claims(one))
    return msgspec.json.decode(answer, type=_Answer).findings


def _found(text: str, path: str = "a.py") -> list[tuple[str | None, str]]:
    return [(one.rule, one.quote) for one in _review(_excerpt(text, path))]


_PYTHON_FAULTS = {
    "B006": ("def add(item, items=[]):\n    return items", "def add(item, items=[]):"),
    "F821": ("def f():\n    return missing", "    return missing"),
    "F631": ("def f(a):\n    assert (a, 'b')", "    assert (a, 'b')"),
    "S602": (
        "import subprocess\n\n\ndef f(name):\n"
        "    return subprocess.run(name, shell=True, check=True)",
        "    return subprocess.run(name, shell=True, check=True)",
    ),
    "ASYNC251": (
        "import time\n\n\nasync def f():\n    time.sleep(1)",
        "    time.sleep(1)",
    ),
    "SIM115": (
        "def f():\n    a = open('a').read()\n    return a",
        "    a = open('a').read()",
    ),
    "PLE0704": ("def f():\n    raise", "    raise"),
    "PLW2101": (
        "import threading\n\n\ndef f():\n    with threading.Lock():\n        print()",
        "    with threading.Lock():",
    ),
}


@pytest.mark.parametrize("rule", _PYTHON_FAULTS)
def test_ruff_tells_of_faults_in_python(rule: str) -> None:
    """Each with the quote of its place, ruff's reason, and where to read more."""
    text, quote = _PYTHON_FAULTS[rule]
    (claim,) = _review(_excerpt(text, "a.py"))
    assert (claim.rule, claim.quote) == (rule, quote)
    assert f"Found by ruff, rule {rule}" in claim.explanation
    assert len(claim.explanation) > 100
    assert len(claim.title) <= 80


@pytest.mark.parametrize(
    "text",
    [
        "import os\n",
        "x = 1 \n\n\n\ny = 2\n",
        "def f(l, O):\n    assert l, 'no'\n    return l == True and O\n",
        "import random\n\nprint(random.random())\n",
        "TOKEN_VARIABLE = 'MY_TOKEN'\n",
        "match x:\n    case 1:\n        pass\n".replace("x", "[1]"),
        "",
    ],
)
def test_style_and_guesses_are_not_told(text: str) -> None:
    """Unused imports, names, assertions and the like are no faults."""
    assert _found(text) == []


def test_a_safe_fix_is_told_with_its_lines() -> None:
    """The new text replaces the quoted lines, and the file still parses."""
    text = "def f(a):\n    if a is 'x':\n        return 1\n    return 2\n"
    (claim,) = _review(_excerpt(text, "a.py"))
    assert (claim.quote, claim.fix) == ("    if a is 'x':", "    if a == 'x':")
    assert python_fault(text.replace(claim.quote, claim.fix or "")) is None


def test_a_fix_that_is_not_safe_is_not_told() -> None:
    """Ruff would move the default into the body, and marks that as unsafe."""
    (claim,) = _review(_excerpt("def f(a=[]):\n    return a", "a.py"))
    assert claim.fix is None


def test_a_quote_is_made_longer_until_it_stands_once() -> None:
    """The place is found by its text, and the same line occurs twice."""
    text = """
        def f(a):
            if a is "x":
                return 1


        def g(a):
            if a is "x":
                return 2
        """
    first, second = _review(_excerpt(text, "a.py"))
    assert first.quote == '    if a is "x":\n        return 1'
    assert second.quote == '    if a is "x":\n        return 2'
    assert second.fix == '    if a == "x":\n        return 2'


def test_only_lines_in_question_are_told() -> None:
    """The rest of the file is only context."""
    text = "def f(a=[]):\n    return a\n\n\ndef g(a=[]):\n    return a"
    (claim,) = _review(_excerpt(text, "a.py", ((4, 5),)))
    assert claim.quote == "def g(a=[]):"


def test_of_a_broken_file_only_that_is_told() -> None:
    """Other findings would be guesses."""
    (claim,) = _review(_excerpt("def f(a=[]):\n    return (a\n\n\nx = 1", "a.py"))
    assert (claim.severity, claim.rule) == ("critical", "invalid-syntax")
    assert claim.title.startswith("Syntax error: ")


def test_syntax_that_is_newer_than_this_python_is_no_fault() -> None:
    """The Python version of a file is unknown."""
    assert _found("type Pair[T] = tuple[T, T]\nprint(f'{'a' + \"b\"}')") == []


def test_a_part_of_a_file_is_judged_without_what_needs_the_rest() -> None:
    """Names may be defined above; a part need not parse alone."""
    text = "    def f(self, a=[]):\n        return missing(a)"
    part = Excerpt(
        path="a.py",
        language="python",
        first_line=10,
        text=text,
        is_whole=False,
        spans=((10, 12),),
    )
    (claim,) = _review(part)
    assert (claim.rule, claim.quote) == ("B006", "    def f(self, a=[]):")
    assert _review(msgspec.structs.replace(part, text="    return (1,", spans=())) == []


def test_one_rule_is_told_ten_times_at_most() -> None:
    """More of the same add nothing."""
    text = "\n".join(f"def f{n}(a=[]):\n    return a\n\n" for n in range(30))
    assert len(_found(text)) == 10


def test_no_more_fixes_are_made_than_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is checked with its whole file: 300 of them took 19 s."""
    checked: list[str] = []

    def checking(text: str) -> SyntaxFault | None:
        checked.append(text)
        return python_fault(text)

    monkeypatch.setattr(review_python, "python_fault", checking)
    text = "x = 1\n" + "\n".join(f"if x is 'a{n}':\n    y = {n}" for n in range(300))
    claims = _review(_excerpt(text, "a.py"))
    assert len(claims) == len(checked) == 10
    assert all(claim.fix for claim in claims)


def test_made_up_passwords_of_tests_are_no_fault() -> None:
    """Elsewhere they are one."""
    text = "connect(password='hunter2')\n".replace("connect", "print")
    assert _found(text, "src/a.py")
    assert _found(text, "tests/a.py") == _found(text, "test_a.py") == []


@pytest.mark.parametrize(
    ("path", "text", "quote"),
    [
        ("a.js", "function f() {\n  return [1, 2;\n}\n", "  return [1, 2;"),
        ("a.go", "package a\n\nfunc f( {\n}\n", "func f( {"),
        ("A.java", "class A {\n  int f() { return 1 }\n}\n", "  int f() { return 1 }"),
        ("a.rs", "fn f() -> u8 {\n    1 +\n}\n", "    1 +"),
        ("a.ts", "const a: number = ;\n", "const a: number = ;"),
    ],
)
def test_what_no_grammar_accepts_is_told(path: str, text: str, quote: str) -> None:
    """In every language except those with unreliable grammars."""
    (claim,) = _review(_excerpt(text, path))
    assert (claim.rule, claim.category) == ("invalid-syntax", "correctness")
    assert quote in claim.quote


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.h", "BEGIN_DECLS\nint f(void) ATTRIBUTE;\nEND_DECLS\n"),
        ("a.d.ts", "export default function (): { a: 1 };\n"),
        ("a.txt", "(((\n"),
        ("a.go", "package a\n\nfunc f() {}\n"),
    ],
)
def test_where_a_grammar_cannot_tell_nothing_is_said(path: str, text: str) -> None:
    """Macros, declarations, and text that is not code."""
    assert _found(text, path) == []


_CONFLICT = "a = 1\n<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> topic\nc = 4\n"


@pytest.mark.parametrize("path", ["a.py", "a.go", "a.txt", "README.md", "Makefile"])
def test_a_conflict_is_told_once_and_alone(path: str) -> None:
    """A parser's errors about its marks are not reported."""
    (claim,) = _review(_excerpt(_CONFLICT, path))
    assert (claim.rule, claim.severity) == ("conflict-marker", "critical")
    assert claim.quote.startswith("<<<<<<< HEAD\nb = 2")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", f'EXAMPLE = """\n{_CONFLICT}"""\n'),
        ("README.md", f"An example:\n\n```\n{_CONFLICT}```\n"),
        ("README.rst", "Title\n=======\n\nText.\n"),
        ("a.txt", "<<<<<<< HEAD\nno other mark\n<<<<<<< HEAD\n"),
    ],
)
def test_what_looks_like_a_conflict_is_none(path: str, text: str) -> None:
    """Examples in strings and fences, and headings."""
    assert _found(text, path) == []


@pytest.mark.parametrize(
    ("path", "line", "rule"),
    [
        ("a.js", "debugger;", "debugger"),
        ("a.rb", "binding.pry", "debugger"),
        ("a.test.js", "it.only('works', () => {});", "exclusive-test"),
        ("a.js", "// ... rest of the code unchanged ...", "elision"),
        ("a.py", "# ... existing code ...", "elision"),
    ],
)
def test_what_is_left_behind_is_told(path: str, line: str, rule: str) -> None:
    """Breakpoints, exclusive tests, and omitted code."""
    assert _found(line, path) == [(rule, line)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/a.js", "it.only('works', () => {});"),
        ("a.py", "# The whole file before."),
        ("a.js", "const a = `\ndebugger;\n`;"),
    ],
)
def test_what_only_looks_left_behind_is_not(path: str, line: str) -> None:
    """Other code, ordinary comments, and text."""
    assert _found(line, path) == []


def test_the_worst_comes_first() -> None:
    """Over all of the files."""
    mild = _excerpt("import datetime\n\nprint(datetime.datetime.now())", "a.py")
    grave = _excerpt("def f(:\n", "b.py")
    assert [one.severity for one in _review(mild, grave)] == ["critical", "low"]
