"""What an edit makes a compiler refuse, and what looks like it and is right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import pytest

from redline.checks.all_checks import check
from redline.checks.candidate import CheckedEdit
from redline.checks.compile_errors import check_compile_errors
from redline.text.lines import split_lines

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

DATA = Path(__file__).parents[1] / "data" / "compiled_edits.jsonl"


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the file: an edit that is wrong, or its right counterpart."""

    id: str
    language: str
    path: str
    file: str
    first: int
    end: int
    instruction: str
    reply: str
    expect: Literal["caught", "right"]

    @property
    def candidate(self) -> CheckedEdit:
        """The edit as a candidate."""
        lines, new = split_lines(self.file), split_lines(self.reply)[:-1]
        return _candidate(lines, new, range(self.first, self.end), self)


def _candidate(
    lines: Sequence[str], new: Sequence[str], region: range, edit: Edit
) -> CheckedEdit:
    return CheckedEdit(
        before=lines,
        after=[*lines[: region.start], *new, *lines[region.stop :]],
        region_before=region,
        region_after=range(region.start, region.start + len(new)),
        language=edit.language,
        path=edit.path,
        instruction=edit.instruction,
    )


EDITS = [
    msgspec.json.decode(line, type=Edit) for line in DATA.read_bytes().splitlines()
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.id)
def test_verdicts(edit: Edit) -> None:
    """Each wrong edit has a problem, which is a sentence; its counterpart has none."""
    found = check(edit.candidate)
    assert bool(found) == (edit.expect == "caught"), found
    assert all(one.message.endswith(".") for one in found)


def test_old_faults() -> None:
    """What was refused before the edit is no problem of it."""
    lines = ["function f() {\n", "  const a = 1;\n", "  a = 2;\n", "}\n", ""]
    edit = EDITS[0]
    old = msgspec.structs.replace(edit, language="javascript", path="a.js")
    new = ["  const a = 1;\n", "  a = 2;\n", "  return a;\n"]
    assert check(_candidate(lines, new, range(1, 3), old)) == ()


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("typescript", "f() {\n»\n  g();\n«\n}\n", '  import a from "b";\n'),
        ("typescriptreact", "() => {\n»\n  g();\n«\n}\n", '  import a from "b";\n'),
        ("java", "f() {\n»\n    g();\n«\n}\n", "    import a.B;\n    g();\n"),
        ("php", "f() {\n»\n    g();\n«\n}\n", "    use A\\B;\n    g();\n"),
    ],
)
def test_an_import_in_a_function(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    heads = {
        "java": "class A {\nvoid ",
        "php": "<?php\nclass A {\nuse B\\C;\nfunction ",
        "typescriptreact": "const f = ",
    }
    tail = "}\n" if language in ("java", "php") else ""
    text = heads.get(language, "function ") + before + tail
    found = check_compile_errors(make_candidate(text, after, language=language))
    assert [one.message.partition(":")[0] for one in found] == [
        "An import is not allowed inside of code"
    ]


@pytest.mark.parametrize(
    ("language", "text", "line", "is_wrong"),
    [
        ("csharp", "class A\n{\n»\n    int a;\n«\n}\n", "using T = A.B;", True),
        ("csharp", "class A { }\n»\nclass B { }\n«\n", "using System;", True),
        ("csharp", "namespace A;\n»\nclass B { }\n«\n", "using System;", False),
        ("go", "package a\nfunc g() {}\n»\nfunc f() {}\n«\n", 'import "os"', True),
        ("go", "package a\n// a\n»\nfunc f() {}\n«\n", 'import "os"', False),
        ("java", "class A { }\n»\nclass B { }\n«\n", "import a.B;", True),
        ("java", "package a;\n»\nclass B { }\n«\n", "import a.B;", False),
        ("php", "<?php\nclass A { }\n»\nclass B { }\n«\n", "use C\\D;", False),
        ("python", "class A:\n»\n«\n    def f(self): b()\n", "from a import b", True),
        ("python", "class A:\n»\n«\n    def f(self): b.c()\n", "import b.d", True),
        ("python", "class A:\n»\n«\n    def f(self): self.b()\n", "import b", False),
        ("python", "class A:\n»\n«\n    def f(self): c(b=1)\n", "import b", False),
        ("python", "class A:\n»\n«\n    x = b()\n", "import b", False),
    ],
)
def test_an_import_beside_other_declarations(
    make_candidate: MakeCandidate,
    language: str,
    text: str,
    line: str,
    *,
    is_wrong: bool,
) -> None:
    """In a class, or below what imports must precede."""
    margin = "    " if text.startswith("class A:") else ""
    old = text.partition("»\n")[2].partition("«")[0]
    new = f"{margin}{line}\n{old}"
    candidate = make_candidate(text, new, language=language)
    assert bool(list(check_compile_errors(candidate))) is is_wrong


@pytest.mark.parametrize(
    ("start", "end", "is_wrong"),
    [
        ("<<EOF", "    EOF", True),
        ("<<EOF", "EOF", False),
        ("<<'EOF' > a", "\tEOF", True),
        ("<<-EOF", "\tEOF", False),
        ("<<-EOF", "    EOF", True),
    ],
)
def test_the_end_of_a_here_document(
    make_candidate: MakeCandidate, start: str, end: str, *, is_wrong: bool
) -> None:
    text = "if a; then\n»\n    x\n«\nfi\n"
    new = f"    cat {start}\nhello\n{end}\n"
    candidate = make_candidate(text, new, language="shellscript")
    assert bool(list(check_compile_errors(candidate))) is is_wrong


def test_the_end_of_a_here_document_of_ruby(make_candidate: MakeCandidate) -> None:
    new = "  x = <<~EOF\n    a\n  EOF\n"
    candidate = make_candidate("def f\n»\n  x\n«\nend\n", new, language="ruby")
    assert not list(check_compile_errors(candidate))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("typescript", "declare module 'a' {\n»\n«\n}\n"),
        ("php", "<?php\nnamespace A {\n»\n«\n}\n"),
        ("csharp", "namespace A\n{\n»\n«\nclass B { }\n}\n"),
        ("python", "def f():\n»\n    pass\n«\n"),
        ("rust", "fn f() {\n»\n«\n}\n"),
    ],
)
def test_an_import_where_it_is_allowed(
    make_candidate: MakeCandidate, language: str, text: str
) -> None:
    line = {
        "typescript": "import { a } from 'b';",
        "php": "use B\\C;",
        "csharp": "using System;",
        "python": "import os",
        "rust": "use a::b;",
    }[language]
    candidate = make_candidate(text, f"    {line}\n", language=language)
    assert not list(check_compile_errors(candidate))


def test_a_function_that_waits_below_the_range(make_candidate: MakeCandidate) -> None:
    """Its header is the range, and is no longer `async`."""
    before = "»\nasync def f(x):\n«\n    y = x\n    return await y\n"
    found = check_compile_errors(make_candidate(before, "def f(x):\n"))
    assert [one.message.partition(":")[0] for one in found] == ["In line 3"]


RUST = (
    "#[derive(Debug)]\nstruct Car {\n    plate: String,\n}\n\n"
    "#[derive(Clone, Copy)]\nstruct Point;\n\n"
)


@pytest.mark.parametrize(
    ("parameter", "body", "is_wrong"),
    [
        ("car: Car", "v.push(car);\n    log(&car.plate);", True),
        ("car: Car", 'v.push(car);\n    log(format!("{}", car.plate));', True),
        ("name: String", "v.push(name);\n    log(name.len());", True),
        ("car: Car", "log(&car.plate);\n    v.push(car);", False),
        ("car: Car", "v.push(car.clone());\n    log(&car.plate);", False),
        (
            "car: Car",
            "v.push(car);\n    let car = next();\n    log(&car.plate);",
            False,
        ),
        ("car: &Car", "v.push(car);\n    log(&car.plate);", False),
        ("point: Point", "v.push(point);\n    log(point);", False),
        ("other: Other", "v.push(other);\n    log(other);", False),
        ("car: Car", "if full {\n        v.push(car);\n    }\n    log(1);", False),
    ],
)
def test_a_parameter_that_was_moved(
    make_candidate: MakeCandidate, parameter: str, body: str, *, is_wrong: bool
) -> None:
    text = f"{RUST}fn add(v: &mut List, {parameter}) {{\n»\n    done();\n«\n}}\n"
    found = check_compile_errors(make_candidate(text, f"    {body}\n", language="rust"))
    assert bool(list(found)) is is_wrong


@pytest.mark.parametrize(
    ("throws", "body", "is_wrong"),
    [
        ("", "Files.readAllLines(path);", True),
        ("", "Thread.sleep(10);", True),
        ("", "java.nio.file.Files.delete(path);", True),
        ("", "try { a(); } catch (IOException e) { Files.delete(path); }", True),
        ("", "try { Files.delete(path); } catch (RuntimeException e) { }", True),
        ("", "Files.exists(path);", False),
        (" throws IOException", "Files.readAllLines(path);", False),
        ("", "try { Files.delete(path); } catch (IOException e) { }", False),
        ("", "try { Files.delete(path); } catch (A | Exception e) { }", False),
        ("", "call(() -> Files.delete(path));", False),
        ("", "call(new B() { void c() throws A { Files.delete(path); } });", False),
        ("", "own.sleep(10);", False),
    ],
)
def test_checked_exceptions(
    make_candidate: MakeCandidate, throws: str, body: str, *, is_wrong: bool
) -> None:
    head = "import java.nio.file.Files;\n\nclass A {\n"
    text = f"{head}    void f(){throws} {{\n»\n        a();\n«\n    }}\n}}\n"
    candidate = make_candidate(text, f"        {body}\n", language="java")
    assert bool(list(check_compile_errors(candidate))) is is_wrong


@pytest.mark.parametrize(
    ("head", "method", "is_wrong"),
    [
        ("record A(int n)", "void set(int n) { this.n = n; }", True),
        ("record A(int n)", "void set(A a) { a.n = 1; }", False),
        ("record A(int n)", "static int m; void set() { m = 1; }", False),
        ("class A", "int n; void set(int n) { this.n = n; }", False),
    ],
)
def test_a_component_of_a_record(
    make_candidate: MakeCandidate, head: str, method: str, *, is_wrong: bool
) -> None:
    text = f"{head} {{\n»\n    int f() {{ return 1; }}\n«\n}}\n"
    candidate = make_candidate(text, f"    {method}\n", language="java")
    assert bool(list(check_compile_errors(candidate))) is is_wrong
