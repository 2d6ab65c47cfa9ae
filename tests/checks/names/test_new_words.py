"""Variables of C, C++, Kotlin, Lua, Ruby and Swift that nothing declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from redline.checks.all_checks import check
from redline.checks.python.environment import PythonEnvironment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.checks.conftest import MakeCandidate
    from tests.checks.names.conftest import Reported

C = (
    "#include <stddef.h>\n#define RING_SIZE 8\n\nint last(const int *data, int n)\n{\n"
    "    size_t idx = n - 1;\n    return data[%s];\n}\n"
)
VENDOR = C.replace("stddef", "vendor/ring")
KOTLIN = "fun last(data: List<Int>): Int {\n    val index = 3\n    return data[%s]\n}\n"
LUA = (
    "local function count(items)\n»\n  local total = 0\n  total = total + #items\n«\n"
    "  return %s\nend\n"
)
SWIFT = "func last(data: [Int]) -> Int {\n    let index = 3\n    return data[%s]\n}\n"
RUBY = "def last(data)\n  index = 3\n  data[%s]\nend\n"
CPP = "int last(int n) {\n  int index = n;\n  return 2 + %s;\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.c", C % "idx", C % "index_"),
        ("a.c", C % "idx", C % "idx & RING_MASK"),
        ("a.cpp", CPP % "index", CPP % "index2"),
        ("a.kt", KOTLIN % "index", KOTLIN % "indexes"),
        ("a.rb", RUBY % "index", RUBY % "indx"),
        ("a.swift", SWIFT % "index", SWIFT % "index_now"),
    ],
)
def test_a_name_that_nothing_declares_is_reported(
    reported: Reported, path: str, before: str, after: str
) -> None:
    files = {"Makefile": "all:\n"}
    [message] = reported(path, before, after, rule="undefined-name", files=files)
    assert message.startswith("Undefined name")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.c", C % "idx", C.replace("idx", "index_") % "index_"),
        ("a.c", VENDOR % "idx", VENDOR % "idx & RING_MASK"),
        ("a.cpp", CPP % "index", CPP % "[index2 = index] { return index2; }()"),
        ("a.kt", KOTLIN % "index", KOTLIN % "other"),
        ("a.kt", KOTLIN % "index", KOTLIN % "data.indexOf { indexes -> indexes }"),
        ("a.rb", RUBY % "index", RUBY % "data.map { |indx| indx }"),
        ("a.swift", SWIFT % "index", SWIFT % "data.map { indexs in indexs }"),
        ("a.kt", KOTLIN % "index", KOTLIN % "indices"),
    ],
)
def test_a_name_that_may_be_declared_is_not(
    reported: Reported, path: str, before: str, after: str
) -> None:
    files = {"Makefile": "all:\n", "b.kt": "val indices = 3\n"}
    assert not reported(path, before, after, rule="undefined-name", files=files)


@pytest.mark.parametrize(("returned", "n_problems"), [("total", 1), ("items", 0)])
def test_a_variable_that_lines_below_still_read_is_reported(
    make_candidate: MakeCandidate, tmp_path: Path, returned: str, n_problems: int
) -> None:
    (tmp_path / "rockspec.lua").touch()
    after = "  local sum = 0\n  sum = sum + #items\n"
    candidate = replace(
        make_candidate(LUA % returned, after, language="lua"), path="count.lua"
    )
    environment = PythonEnvironment([tmp_path])
    found = check(candidate, environment=environment, rules=["undefined-name"])
    assert len(found) == n_problems
