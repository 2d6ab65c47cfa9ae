"""Forms of a language's grammar, and names of C++ and Node, newer than the project."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.checks.names.conftest import Reported

Files = Mapping[str, str]

CS_10 = {"A.csproj": "<TargetFramework>net6.0</TargetFramework>"}
JAVA_11 = {"build.gradle": "sourceCompatibility = '11'\n"}


def typescript(version: str) -> Files:
    """Return a manifest that names a version of TypeScript."""
    return {"package.json": f'{{"devDependencies": {{"typescript": "{version}"}}}}'}


def node(version: str) -> Files:
    """Return a manifest that names a version of Node."""
    return {"package.json": f'{{"engines": {{"node": ">={version}"}}}}'}


def kotlin(version: str) -> Files:
    """Return a build file of Kotlin."""
    return {"build.gradle.kts": f'plugins {{ kotlin("jvm") version "{version}" }}\n'}


def swift(version: str) -> Files:
    """Return a manifest of Swift."""
    return {"Package.swift": f"// swift-tools-version:{version}\n"}


def dart(version: str) -> Files:
    """Return a manifest of Dart."""
    return {"pubspec.yaml": f"environment:\n  sdk: '>={version} <4.0.0'\n"}


def rust(edition: str) -> Files:
    """Return a manifest of Rust."""
    return {"Cargo.toml": f'[package]\nname = "a"\nedition = "{edition}"\n'}


def cpp(standard: str) -> Files:
    """Return a build file of C++."""
    return {"CMakeLists.txt": f"set(CMAKE_CXX_STANDARD {standard})\n"}


def c(standard: str) -> Files:
    """Return a build file of C."""
    return {"Makefile": f"CFLAGS = -std={standard} -Wall\n"}


@pytest.mark.parametrize(
    ("path", "line", "old", "new"),
    [
        ("a.ts", "const a = {} satisfies object;", typescript("~4.8.4"), "4.9"),
        ("a.ts", "const a = {} satisfies object;", typescript("4.8.2"), "4.9"),
        (
            "a.ts",
            "function f<const T extends number>(a: T) { return a; }",
            typescript("^4.0.0"),
            "5.0",
        ),
        ("a.ts", "class A {\n  accessor b = 1;\n}", typescript("~4.8.4"), "4.9"),
        ("a.ts", "import { type A } from './a';", typescript("~4.4.0"), "4.5"),
        ("a.js", "a ??= 1;", node("14"), "15"),
        ("a.js", "const b = a?.b;", node("12"), "14"),
        ("a.js", "class A {\n  static {\n    A.b = 1;\n  }\n}", node("14"), "16"),
        ("a.kt", "data object A", kotlin("1.8.20"), "1.9"),
        ("a.kt", "val a = 0..<n", kotlin("1.7.0"), "1.9"),
        ("a.swift", "func f() {\n    if let a {\n    }\n}", swift("5.5"), "5.7"),
        ("a.swift", "let a = if b { 1 } else { 2 }", swift("5.8"), "5.9"),
        ("a.dart", "(int, String) f() => (1, '');", dart("2.17.0"), "3.0"),
        ("a.dart", "final a = switch (b) { _ => 1 };", dart("2.19.0"), "3.0"),
        ("a.rs", "fn f() { if let Some(x) = a && x > 1 {} }", rust("2021"), "1.88"),
        ("a.c", "int *f(void) { return nullptr; }", c("c11"), "2023"),
        ("a.cs", 'class A { string B = """a"""; }', CS_10, "11"),
        ("A.java", 'class A { String b = """\n    a"""; }', JAVA_11, "15"),
    ],
)
def test_newer_grammar_is_reported(
    reported: Reported, path: str, line: str, old: Files, new: str
) -> None:
    [message] = reported(path, "\n", f"{line}\n", rule="syntax", files=old)
    assert f"version {new} of the language" in message


@pytest.mark.parametrize(
    ("path", "line", "files"),
    [
        ("a.ts", "const a = {} satisfies object;", typescript("^4.8.4")),
        ("a.ts", "const a = {} satisfies object;", typescript(">=4.0.0")),
        ("a.ts", "const satisfies = 1;", typescript("~4.8.4")),
        ("a.ts", "const a = b ? c : d;", typescript("~3.6.0")),
        ("a.js", "const b = a ? .5 : 1;", node("12")),
        (
            "a.js",
            "a ??= 1;",
            {
                "package.json": '{"engines": {"node": ">=12"},'
                ' "devDependencies": {"@babel/core": "^7.0.0"}}'
            },
        ),
        ("a.kt", "val a = 0..n", kotlin("1.7.0")),
        ("a.swift", "func f() {\n    if let a = b {\n    }\n}", swift("5.5")),
        ("a.swift", "func f() {\n    if var a = b, c {\n    }\n}", swift("5.5")),
        ("a.dart", "final a = [1, 2];", dart("2.17.0")),
        ("a.dart", "void f() { switch (b) { case 1: break; } }", dart("2.17.0")),
        ("a.rs", "fn f() { if let Some(x) = a && x > 1 {} }", rust("2024")),
        ("a.rs", "fn f() { if let Some(x) = a { b && c } }", rust("2021")),
        ("a.c", "void *f(void) { return 0; }", c("c99")),
        ("a.cs", 'class A { string B = "a"; }', CS_10),
        ("A.java", 'class A { String b = "" + "a"; }', JAVA_11),
    ],
)
def test_older_grammar_is_not(
    reported: Reported, path: str, line: str, files: Files
) -> None:
    assert reported(path, "\n", f"{line}\n", rule="syntax", files=files) == []


MAP = "#include <map>\n#include <string>\nstd::map<int, int> a;\nstd::string s;\n"
STREAM = (
    "import java.util.*;\nimport java.util.stream.Collectors;\n\nclass A {{\n"
    "    Map<String, String> a = new TreeMap<>();\n"
    "    List<String> b() {{ return a.values().stream()"
    ".collect(Collectors.toList()); }}\n    {}\n}}\n"
)
NODE = "const util = require('util');\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "files", "name"),
    [
        (
            "a.cpp",
            MAP,
            MAP + "bool f() { return a.contains(1); }\n",
            cpp("17"),
            "map.contains",
        ),
        (
            "a.cpp",
            MAP,
            MAP + "bool f() { return s.contains('a'); }\n",
            cpp("20"),
            "string.contains",
        ),
        (
            "A.java",
            STREAM.format(""),
            STREAM.format(
                "List<String> c() { return a.values().stream().distinct().toList(); }"
            ),
            JAVA_11,
            "toList",
        ),
        ("a.js", NODE, NODE + "structuredClone({});\n", node("16"), "structuredClone"),
        ("a.js", NODE, NODE + "util.parseArgs();\n", node("16"), "util.parseArgs"),
    ],
)
def test_newer_names_are_reported(
    reported: Reported, path: str, before: str, after: str, files: Files, name: str
) -> None:
    found = reported(path, before, after, rule="phantom-member", files=files)
    assert [name in one for one in found] == [True]


@pytest.mark.parametrize(
    ("path", "before", "after", "files"),
    [
        ("a.cpp", MAP, MAP + "bool f() { return a.contains(1); }\n", cpp("20")),
        (
            "a.cpp",
            MAP,
            MAP + "struct string { bool contains(); };\n"
            "bool g(string &t) { return t.contains(); }\n",
            cpp("17"),
        ),
        ("a.js", NODE, NODE + "structuredClone({});\n", node("18")),
        ("a.js", "", "structuredClone({});\n", node("16")),
        (
            "a.js",
            NODE,
            NODE + "const fetch = require('./fetch');\nfetch('');\n",
            {**node("16"), "fetch.js": "module.exports = () => 1;\n"},
        ),
    ],
)
def test_names_that_the_version_has_are_not(
    reported: Reported, path: str, before: str, after: str, files: Files
) -> None:
    found = reported(path, before, after, rule="phantom-member", files=files)
    assert found == []
