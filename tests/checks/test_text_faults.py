"""Faults that languages without a grammar show by their separators and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.structure import check_structure

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

SQL = "CREATE TABLE a (\n    b TEXT,\n    c INTEGER\n);\n"
CSS = ".a {\n  color: red;\n  margin: 0;\n}\n"
DART = "int f() {\n  final a = g();\n  return a;\n}\n"
PROTO = "message A {\n  string b = 1;\n  int32 c = 2;\n}\n"
LUA = "local function f(a)\n  if a then\n    return 1\n  end\nend\n"
ELIXIR = "defmodule A do\n  def f(a) do\n    a\n  end\nend\n"
YAML = "jobs:\n  a:\n    steps:\n      - uses: b\n        with:\n          c: d\n"
YAML_FLAT = "a:\n  steps:\n  - uses: b\n  other: c\n"
TOML = '[a]\nb = "1"\nc = [1]\n'
SWIFT = (
    "func f(a: Int, b: [Int]) -> Int {\n"
    "  guard a > 0 else { return 0 }\n  return a\n}\n"
)
VUE = "<template>\n  <div>{{ a }}</div>\n</template>\n"

FAULTS = [
    ("sql", SQL, SQL.replace("TEXT,", "TEXT")),
    ("sql", SQL, SQL.replace("INTEGER", "INTEGER,")),
    ("css", CSS, CSS.replace("red;", "red")),
    ("scss", CSS, CSS.replace("red;", "blue")),
    ("dart", DART, DART.replace("g();", "g(1)")),
    ("dart", DART, DART.replace("return a;", "return a + 1")),
    ("proto", PROTO, PROTO.replace("= 2", "= 1")),
    ("lua", LUA, LUA.replace("  end\nend", "end")),
    ("lua", LUA, LUA.replace("return 1", "continue")),
    ("lua", LUA, LUA.replace("return 1", "let x = 1")),
    ("lua", LUA, LUA.replace("return 1", "try {}")),
    ("lua", LUA, LUA.replace("if a then", "if (a) {").replace("  end\n", "  }\n")),
    ("elixir", ELIXIR, ELIXIR.replace("  end\nend", "end")),
    ("yaml", YAML, YAML.replace("  with:", "with:")),
    ("yaml", YAML, YAML.replace("        with:", "       with:")),
    ("yaml", YAML, YAML.replace("    steps:", "     e: f\n    steps:")),
    ("yaml", YAML, YAML.replace("c: d", "c: [d, e")),
    ("yaml", YAML, YAML.replace("uses: b", "uses: {b: [c, d}")),
    ("yaml", YAML_FLAT, YAML_FLAT.replace("uses: b", "[b,\n    c")),
    ("swift", SWIFT, SWIFT.replace("a > 0 else", "a > 0, a < 9")),
    ("swift", SWIFT, SWIFT.replace("a > 0 else {", "a > 0 {\n   ")),
    ("swift", SWIFT, SWIFT.replace("return 0", 'print("return")')),
    ("swift", SWIFT, SWIFT.replace(" return 0 ", "\n    n = 0\n    log.info(a)\n  ")),
    ("toml", TOML, TOML.replace('"1"', "1.2.3")),
    ("toml", TOML, TOML.replace("]\n", "\n")),
    ("toml", TOML, f"{TOML}c = 2\n"),
    ("vue", VUE, VUE.replace("</div>", "")),
]

RIGHT = [
    ("sql", SQL, SQL.replace("c INTEGER", "c INTEGER,\n    d DATE DEFAULT now()")),
    ("css", CSS, CSS.replace("red;", "red;\n  &:hover { color: blue }")),
    ("dart", DART, DART.replace("g();", "g()\n    ..h()\n    ..i();")),
    ("dart", DART, DART.replace("g();", "g(\n    1,\n  );")),
    ("proto", PROTO, f"{PROTO}message B {{\n  string b = 1;\n}}\n"),
    ("lua", LUA, LUA.replace("  end\n", "  elseif b then\n    return 2\n  end\n")),
    ("lua", LUA, LUA.replace("return 1", 'return "end"')),
    ("lua", LUA, LUA.replace("return 1", "goto continue")),
    ("lua", LUA, LUA.replace("return 1", "do return 1 end")),
    ("lua", LUA, LUA.replace("return 1", "local var, try = 1, 2")),
    ("lua", LUA, LUA.replace("return 1", "for let in pairs(a) do b(let) end")),
    ("elixir", ELIXIR, ELIXIR.replace("    a\n", "    if a, do: 1, else: 2\n")),
    ("yaml", YAML_FLAT, YAML_FLAT.replace("other: c", "other: d")),
    ("yaml", YAML, YAML.replace("c: d", "c: |\n            d\n             e: f")),
    ("yaml", YAML_FLAT, YAML_FLAT.replace("uses: b", "- uses: b\n    - uses: c")),
    ("yaml", YAML, f"---\n  a: b\n---\n{YAML}"),
    ("yaml", YAML, YAML.replace("d\n", "d\n              e\n             f\n")),
    ("yaml", YAML, YAML.replace("  a:\n", "{{- if a }}\n    b:\n  a:\n")),
    ("yaml", YAML, YAML.replace("c: d", "c: [d,\n            e]\n          f: g")),
    ("yaml", YAML, YAML.replace("c: d", "c: [d,\n          ]\n          f: g")),
    ("yaml", YAML, YAML.replace("c: d", "c: {d: '[', # [\n           e: f}")),
    ("yaml", YAML, YAML.replace("c: d", "c: [{{ d }}\n          f: g")),
    ("swift", SWIFT, SWIFT.replace("a > 0", "b.all(where: { $0 > 0 }), a > 0")),
    ("swift", SWIFT, SWIFT.replace("a > 0", "let c = b.map { $0 }\n    ")),
    ("swift", SWIFT, SWIFT.replace("a > 0", "b.all { $0 > 0 }\n      && a > 0\n   ")),
    ("swift", SWIFT, SWIFT.replace("return a", "let guarded = { a }\n  return a")),
    ("swift", SWIFT, SWIFT.replace("return 0", "print(a); return 0")),
    ("swift", SWIFT, SWIFT.replace("return 0", "log.fatal(a)")),
    ("swift", SWIFT, SWIFT.replace("return 0", "n = stop()")),
    ("toml", TOML, TOML.replace('"1"', '"2"')),
    ("vue", VUE, VUE.replace("<div>", '<div v-if="a < 2"><My-Part />')),
]


@pytest.mark.parametrize(("language", "before", "after"), FAULTS)
def test_a_fault_is_reported(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    found = list(check_structure(make_candidate(before, after, language=language)))
    assert [one.rule for one in found] == ["syntax"]


@pytest.mark.parametrize(("language", "before", "after"), RIGHT)
def test_right_text_is_not(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    assert not list(check_structure(make_candidate(before, after, language=language)))
