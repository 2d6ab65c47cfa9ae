"""Names and grammar that are newer than the version that a project declares."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.checks.names.conftest import Reported

GRADLE = {"build.gradle": "sourceCompatibility = '1.8'\n"}
POM_11 = {
    "pom.xml": "<properties><maven.compiler.release>11</maven.compiler.release>"
    "</properties>"
}
GO = {"go.mod": "module example.org/a\n\ngo 1.17\n"}
CARGO = {"Cargo.toml": '[package]\nname = "a"\nrust-version = "1.60"\n'}
ES2019 = {"tsconfig.json": '{"compilerOptions": {"target": "ES2019"}}'}
CMAKE = {"CMakeLists.txt": "set(CMAKE_CXX_STANDARD 14)\n"}
NETSTANDARD = {
    "A.csproj": "<Project><PropertyGroup><TargetFramework>netstandard2.0"
    "</TargetFramework></PropertyGroup></Project>"
}
PHP = {"composer.json": '{"require": {"php": "^7.3"}}'}
RUBY = {".ruby-version": "2.6.3\n"}
PYTHON = {"pyproject.toml": '[project]\nrequires-python = ">=3.8"\n'}

RECORD = "record B(List<String> c) {}\n    "
JAVA_IN_CLASS = "import java.util.List;\n\nclass A {{\n    {}\n}}\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "files", "name"),
    [
        (
            "A.java",
            JAVA_IN_CLASS.format("boolean f(String s) { return s.isEmpty(); }"),
            JAVA_IN_CLASS.format("boolean f(String s) { return s.isBlank(); }"),
            GRADLE,
            "isBlank",
        ),
        (
            "A.java",
            JAVA_IN_CLASS.format(f"{RECORD}String f(B b) {{ return b.c().get(0); }}"),
            JAVA_IN_CLASS.format(
                f"{RECORD}String f(B b) {{ return b.c().getFirst(); }}"
            ),
            GRADLE,
            "getFirst",
        ),
        (
            "A.java",
            JAVA_IN_CLASS.format("List<A> f(List<A> x) { return x; }"),
            JAVA_IN_CLASS.format(
                "List<A> f(List<A> x) { return x.stream().toList(); }"
            ),
            POM_11,
            "toList",
        ),
        (
            "A.java",
            JAVA_IN_CLASS.format("List<A> f() { return null; }"),
            JAVA_IN_CLASS.format("List<A> f() { return List.of(); }"),
            GRADLE,
            "List.of",
        ),
        (
            "a.go",
            'package a\n\nimport "strings"\n\nvar x = strings.Index("", "")\n',
            'package a\n\nimport "strings"\n\nvar x, y, z = strings.Cut("", "")\n',
            GO,
            "strings.Cut",
        ),
        (
            "a.go",
            "package a\n\nfunc f(a, b int) int { return a }\n",
            "package a\n\nfunc f(a, b int) int { return max(a, b) }\n",
            GO,
            "max",
        ),
        (
            "a.rs",
            "fn f(n: u32) -> u32 { n }\n",
            "fn f(n: u32) -> u32 { n.div_ceil(2) }\n",
            CARGO,
            "div_ceil",
        ),
        (
            "a.rs",
            "use std::sync::Mutex;\n",
            "use std::sync::{LazyLock, Mutex};\n",
            CARGO,
            "LazyLock",
        ),
        (
            "a.ts",
            "export const f = (x: string) => x;\n",
            'export const f = (x: string) => x.replaceAll("a", "b");\n',
            ES2019,
            "replaceAll",
        ),
        (
            "a.ts",
            "export const f = (x: T) => x;\n",
            "export const f = (x: T) => x.all.getOrInsert(1, 2);\n",
            ES2019,
            "getOrInsert",
        ),
        (
            "A.java",
            JAVA_IN_CLASS.format("List<A> f(List<A> x) { return x; }"),
            JAVA_IN_CLASS.format(
                "List<A> f(List<A> x)"
                " { return x.stream().filter(A::f).toList().reversed(); }"
            ),
            {"pom.xml": "<maven.compiler.release>17</maven.compiler.release>"},
            "List.reversed",
        ),
        (
            "a.cpp",
            "#include <string>\n\nstd::string f();\n",
            "#include <optional>\n\nstd::optional<int> f();\n",
            CMAKE,
            "optional",
        ),
        (
            "A.cs",
            "using System;\nclass A { void F(object o) { } }\n",
            "using System;\nclass A { void F(object o) {"
            " ArgumentNullException.ThrowIfNull(o); } }\n",
            NETSTANDARD,
            "ThrowIfNull",
        ),
        (
            "a.php",
            "<?php\nfunction f($a) { return $a; }\n",
            "<?php\nfunction f($a) { return str_contains($a, 'x'); }\n",
            PHP,
            "str_contains",
        ),
        (
            "a.rb",
            "def f(a)\n  a.map { |x| x }\nend\n",
            "def f(a)\n  a.filter_map { |x| x }\nend\n",
            RUBY,
            "filter_map",
        ),
        (
            "a.py",
            "def f(a):\n    return a\n",
            'def f(a):\n    return a.removeprefix("x")\n',
            PYTHON,
            "removeprefix",
        ),
        (
            "a.py",
            "def f(a, b):\n    return zip(a, b)\n",
            "def f(a, b):\n    return zip(a, b, strict=True)\n",
            PYTHON,
            "strict",
        ),
        (
            "a.py",
            "import asyncio\n\n\nasync def f():\n    pass\n",
            "import asyncio\n\n\nasync def f():\n    async with asyncio.timeout(1):\n"
            "        pass\n",
            PYTHON,
            "asyncio.timeout",
        ),
    ],
)
def test_newer_names(
    reported: Reported,
    path: str,
    before: str,
    after: str,
    files: Mapping[str, str],
    name: str,
) -> None:
    """With the versions."""
    [message] = reported(path, before, after, rule="phantom-member", files=files)
    assert name in message
    assert "allows" in message


@pytest.mark.parametrize(
    ("path", "before", "after", "files"),
    [
        # The project already uses it.
        (
            "A.java",
            JAVA_IN_CLASS.format("boolean f(String s) { return s.isEmpty(); }"),
            JAVA_IN_CLASS.format("boolean f(String s) { return s.isBlank(); }"),
            {**GRADLE, "B.java": "class B { boolean x = y.isBlank(); }\n"},
        ),
        # It may be of a library that the file imports.
        (
            "A.java",
            "import com.x.Y;\nclass A { Object f(Y y) { return y; } }\n",
            "import com.x.Y;\nclass A { Object f(Y y) { return y.all().toList(); } }\n",
            POM_11,
        ),
        # A module of the standard library has it in this version.
        (
            "a.go",
            'package a\n\nimport "os"\n\nvar x = os.Args\n',
            'package a\n\nimport "os"\n\nvar x, err = os.ReadFile("a")\n',
            GO,
        ),
        # Nothing is declared.
        (
            "a.rs",
            "fn f(n: u32) -> u32 { n }\n",
            "fn f(n: u32) -> u32 { n.div_ceil(2) }\n",
            {"Cargo.toml": '[package]\nname = "a"\n'},
        ),
        # One of the targets has it.
        (
            "A.cs",
            "using System;\nclass A { void F(object o) { } }\n",
            "using System;\nclass A { void F(object o) {"
            " ArgumentNullException.ThrowIfNull(o); } }\n",
            {"A.csproj": "<TargetFrameworks>netstandard2.0;net8.0</TargetFrameworks>"},
        ),
        # The code asks for the version.
        (
            "a.py",
            "import sys\n\n\ndef f(a):\n    return a\n",
            "import sys\n\n\ndef f(a):\n    if sys.version_info >= (3, 9):\n"
            '        return a.removeprefix("x")\n    return a\n',
            PYTHON,
        ),
    ],
)
def test_allowed_names(
    reported: Reported, path: str, before: str, after: str, files: Mapping[str, str]
) -> None:
    """Without a report."""
    assert not reported(path, before, after, rule="phantom-member", files=files)


SWITCH = "class A {{ String f(int a) {{ {} }} }}\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "files", "version"),
    [
        (
            "A.java",
            SWITCH.format('return "b";'),
            SWITCH.format('return switch (a) { case 1 -> "a"; default -> "b"; };'),
            POM_11,
            "14",
        ),
        (
            "a.rs",
            "fn f(x: Option<u8>) -> u8 {\n    0\n}\n",
            "fn f(x: Option<u8>) -> u8 {\n    let Some(y) = x else { return 0 };\n"
            "    y\n}\n",
            CARGO,
            "1.65",
        ),
        (
            "a.php",
            "<?php\n$a = 1;\n",
            "<?php\n$a = match ($b) { 1 => 2, default => 3 };\n",
            PHP,
            "8.0",
        ),
        (
            "A.cs",
            "class A { int[] F() { return null; } }\n",
            "class A { int[] F() { return [1, 2]; } }\n",
            {"A.csproj": "<TargetFramework>net6.0</TargetFramework>"},
            "12",
        ),
        (
            "a.py",
            "def f(a):\n    return 1\n",
            "def f(a):\n    match a:\n        case 1:\n            return 1\n",
            PYTHON,
            "3.10",
        ),
        ("a.py", "class A: ...\n", "class A[T]: ...\n", PYTHON, "3.12"),
    ],
)
def test_newer_grammar(
    reported: Reported,
    path: str,
    before: str,
    after: str,
    files: Mapping[str, str],
    version: str,
) -> None:
    """With the version that brought it, where the project allows an older one."""
    [message] = reported(path, before, after, rule="syntax", files=files)
    assert version in message
