"""Calls of functions that are defined nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

TS = "import {{ b }} from './b';\nexport function f(x: number) {{\n{}\n}}\n"
GO = "package a\n\nfunc f(x int) int {{\n{}\n}}\n"
RUST = "fn f(x: u8) -> u8 {{\n{}\n}}\n"
JAVA = "class A {{\n  int f(int x) {{\n{}\n  }}\n  int g() {{ return 1; }}\n}}\n"
CSHARP = "class A\n{{\n  int f(int x)\n  {{\n{}\n  }}\n}}\n"
FILES = {"other.ts": "function near() {}\n", "other.go": "package a\nfunc near() {}\n"}


@pytest.mark.parametrize(
    ("path", "form", "code"),
    [
        ("a.ts", TS, "return clampAll(x);"),
        ("a.js", TS.replace(": number", ""), "return await clampAll(x);"),
        ("a.go", GO, "return clampAll(x)"),
        ("a.rs", RUST, "clampAll(x)"),
        ("A.java", JAVA, "return clampAll(x);"),
        ("A.java", JAVA.replace("class A", "@Test class A"), "return clampAll(x);"),
        ("a.js", TS.replace(": number", ""), "return (x) => clampAll(x);"),
        ("a.js", TS.replace(": number", ""), "return x * clampAll(x);"),
        ("A.cs", CSHARP, "return clampAll(x);"),
    ],
)
def test_reported(reported: Reported, path: str, form: str, code: str) -> None:
    """With the name."""
    found = reported(
        path, form.format(""), form.format(code), rule="undefined-name", files=FILES
    )
    assert found == ["Undefined name `clampAll`."]


@pytest.mark.parametrize(
    ("path", "form", "code"),
    [
        ("a.ts", TS, "return b(f(x)) + near() + setTimeout(g, 1); function g() {}"),
        ("a.ts", TS, "const g = (y: number) => y; return g(x);"),
        ("a.ts", TS, "class K { g(y: number) { return 1; } } return new K().g(x);"),
        ("a.ts", TS, "return x.clampAll() + 'clampAll(x)'.length; // clampAll(x)"),
        ("a.go", GO, "near(); g := func() int { return len(x) }; return g()"),
        ("a.rs", RUST, "fn g(y: u8) -> u8 { y }\n g(x)"),
        ("a.rs", "use crate::b::*;\n" + RUST, "clampAll(x)"),
        ("A.java", JAVA, "return g() + Math.abs(x);"),
        ("A.java", JAVA.replace("class A", "class A extends B"), "return clampAll(x);"),
        ("A.cs", CSHARP.replace("class A", "class A : B"), "return clampAll(x);"),
    ],
)
def test_left_alone(reported: Reported, path: str, form: str, code: str) -> None:
    """What the file, the workspace or the language has, or a base may have."""
    found = reported(
        path, form.format(""), form.format(code), rule="undefined-name", files=FILES
    )
    assert found == []
