"""Members that a known type does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

RULE = "phantom-member"

TS = "interface P {{ a: string }}\nclass C {{ b = 1; f(p: P, s: string) {{ {} }} }}\n"
JAVA = (
    "import java.util.*;\nclass C {{ List<String> all;\n"
    "int f(String s, Map<String, C> m) {{ {} }} }}\n"
)
PYTHON = "class C:\n    def f(self, s: str, n: int):\n        {}\n"
RUST = (
    "use std::collections::HashMap;\nstruct C {{ m: HashMap<String, u8> }}\n"
    "impl C {{ fn f(&self, s: &str) {{ {} }} }}\n"
)
GO = (
    'package a\n\nimport (\n\t"example.org/a/tax"\n)\n\ntype C struct{{ n int }}\n\n'
    "func (c *C) f(d C) {{ {} }}\n"
)
LINQ = (
    "using System.Linq;\nclass C {{ object f(IEnumerable<string> all, string s)"
    " {{ {} }} }}\n"
)
CSHARP = "class C {{ int n; void f(C c) {{ {} }} }}\n"
GO_FILES = {
    "go.mod": "module example.org/a\n",
    "tax/tax.go": "package tax\n\nfunc Of() int { return 1 }\n",
}


@pytest.mark.parametrize(
    ("path", "form", "code", "message"),
    [
        ("a.ts", TS, "return p.nick;", "`P` has no `nick`."),
        ("a.ts", TS, "return this.g();", "`C` has no `g`."),
        ("a.ts", TS, "return s.contains('a');", "`string` has no `contains`."),
        ("a.ts", TS, "return [1].isEmpty();", "`[]` has no `isEmpty`."),
        ("a.ts", TS, "return Object.merge({});", "`Object` has no `merge`."),
        ("a.ts", TS, "const c = new C(); c.g();", "`C` has no `g`."),
        ("A.java", JAVA, "return s.reverse();", "`String` has no `reverse`."),
        ("A.java", JAVA, "return this.g();", "`C` has no `g`."),
        ("A.java", JAVA, "return all.first2();", "`List` has no `first2`."),
        ("A.java", JAVA, "return Math.clampTo(1);", "`Math` has no `clampTo`."),
        ("a.py", PYTHON, "s.contains('a')", "`str` has no `contains`."),
        ("a.py", PYTHON, "self.g()", "`C` has no `g`."),
        ("a.py", PYTHON, "t = [n]; t.push(1)", "`list` has no `push`."),
        ("a.rs", RUST, "self.m.get_or(s);", "`HashMap` has no `get_or`."),
        ("a.rs", RUST, "self.g();", "`C` has no `g`."),
        ("a.rs", RUST, "s.reverse_words();", "`str` has no `reverse_words`."),
        ("a.go", GO, "d.g()", "`C` has no `g`."),
        ("a.go", GO, "h := make(chan int); h.Try()", "A channel has no `Try`."),
        (
            "a.ts",
            TS,
            "const l: C[] = []; l.map(c => c.nick);",
            "`C` has no `nick`.",
        ),
        ("a.go", GO, "tax.Rate()", "The package `tax` has no `Rate`."),
        ("A.cs", CSHARP, "c.g();", "`C` has no `g`."),
        ("A.cs", CSHARP, "c = new C { m = 1 };", "`C` has no `m`."),
        ("A.cs", LINQ, "return all.MapAll();", "`IEnumerable` has no `MapAll`."),
        ("A.cs", LINQ, "return s.IsBlank();", "`string` has no `IsBlank`."),
        ("A.cs", LINQ, "return string.IsBlank(s);", "`string` has no `IsBlank`."),
        (
            "A.cs",
            LINQ,
            "return all.Where(x => x != s).SortedBy(x => x);",
            "`IEnumerable` has no `SortedBy`.",
        ),
        ("a.go", GO, "d = C{m: 1}", "`C` has no `m`."),
        (
            "a.rs",
            "struct S {{ n: u8 }}\nfn f() {{ {} }}\n",
            "S { m: 1 }",
            "`S` has no `m`.",
        ),
        (
            "a.ts",
            "interface P {{ a: string }}\nfunction f() {{ {} }}\n",
            "const p: P = { nick: 1 };",
            "`P` has no `nick`.",
        ),
    ],
)
def test_reported(
    reported: Reported, path: str, form: str, code: str, message: str
) -> None:
    """By its owner's type, which is declared in the file or a standard one."""
    found = reported(
        path, form.format(""), form.format(code), rule=RULE, files=GO_FILES
    )
    assert found == [message]


@pytest.mark.parametrize(
    ("path", "form", "code"),
    [
        ("a.ts", TS, "return p.a.length + s.trim().length;"),
        ("a.ts", TS, "const q: any = p; return q.anything;"),
        ("a.ts", TS, "const q: P | D = g(); return q.anything;"),
        ("a.ts", TS, "return this.b.toFixed(1) + this.toString();"),
        ("a.ts", TS.replace("b = 1;", "#b = 1;"), "return this.#b;"),
        ("a.ts", TS, "return h(function () { return this.other; });"),
        ("a.ts", TS, "{ const p = g(); return p.other; }"),
        ("A.java", JAVA, "return s.strip().length() + m.get(s).hashCode();"),
        ("A.java", JAVA, "return all.stream().count();"),
        ("A.java", JAVA, "var t = g(); return t.reverse();"),
        ("a.py", PYTHON, "self.n = 1; self.n.bit_length()"),
        ("a.py", PYTHON, "s = g(); s.anything()"),
        ("a.py", PYTHON, "for s in g(): s.anything()"),
        ("a.py", PYTHON, "self.__class__.__name__.upper()"),
        ("a.rs", RUST, "self.m.get(s).copied().unwrap_or(0);"),
        ("a.rs", RUST, "let s = g(); s.reverse();"),
        ("a.rs", RUST, "self.m.clone().into_iter();"),
        ("a.go", GO, "tax.Of(); c.n++"),
        ("a.go", GO, "tax := g(); tax.Rate()"),
        ("A.cs", CSHARP, "c.n = 1; c.ToString();"),
        ("A.cs", CSHARP, "c = new C { n = 1 }; var d = new D { m = 1 };"),
        ("A.cs", LINQ, "return all.OrderBy(x => x).ThenBy(x => x).ToList().Count;"),
        ("A.cs", "using EntityFramework;\n" + LINQ, "return all.Include(1);"),
        (
            "A.cs",
            LINQ + "static class E {{ static int Ext(this string s) => 1; }}\n",
            "return s.Ext();",
        ),
        ("a.go", GO, 'd = C{n: 1}; m := map[string]C{"k": {n: 1}}; tax.Of()'),
        ("a.rs", "enum E {{ V {{ n: u8 }} }}\nfn f() {{ {} }}\n", "E::V { n: 1 };"),
        ("a.ts", TS, "const p: Record<string, number> = { nick: 1 };"),
    ],
)
def test_left_alone(reported: Reported, path: str, form: str, code: str) -> None:
    """What exists, and what nothing is known about."""
    found = reported(
        path, form.format(""), form.format(code), rule=RULE, files=GO_FILES
    )
    assert found == []


@pytest.mark.parametrize(
    ("path", "before", "code"),
    [
        # A base, a decorator, an annotation, an index: they may have the member.
        ("a.ts", "class C extends B { f() { X } }\n", "this.g();"),
        ("a.ts", "interface P { [k: string]: 1 }\nlet f = (p: P) => { X };\n", "p.g;"),
        ("A.java", "@Data class C { int f() { X } }\n", "return this.getN();"),
        ("A.java", "class C extends B { int f() { X } }\n", "return this.g();"),
        ("a.py", "class C(B):\n    def f(self):\n        X\n", "self.g()"),
        ("a.py", "@attach\nclass C:\n    def f(self):\n        X\n", "self.g()"),
        (
            "a.py",
            "class C:\n    def __getattr__(self, n): ...\n"
            "    def f(self):\n        X\n",
            "self.g()",
        ),
        ("a.go", "package a\ntype C struct{ B }\nfunc (c C) f() { X }\n", "c.g()"),
        ("A.cs", "partial class C { void f() { X } }\n", "this.g();"),
        (
            "a.rs",
            "use other::Ext;\nfn f(s: &str) { X }\n",
            "s.reverse_words();",
        ),
    ],
)
def test_open_types_are_left_alone(
    reported: Reported, path: str, before: str, code: str
) -> None:
    """A type that gets members from elsewhere."""
    after = before.replace("X", code)
    assert reported(path, before.replace("X", ""), after, rule=RULE) == []


TS_MAP = (
    "interface Results {{ two: [string, {{ runs: number }}] }}\n"
    "async function get<N extends keyof Results>(n: N): Promise<Results[N][1]>"
    " {{ return null as never; }}\n"
    "async function f() {{ {} }}\n"
)
PHP_CLASS = "<?php\nclass A {{ }}\nfunction f(string $name) {{ {} }}\n"
PINNED = (
    "use std::pin::Pin;\n\nstruct W {{ n: u8 }}\n\nimpl W {{\n"
    "    fn project(self: Pin<&mut Self>) -> u8 {{ 1 }}\n"
    "    fn new(n: u8, #[cfg(test)] at: u8) -> Self {{ W {{ n }} }}\n"
    "    fn f(self: Pin<&mut Self>) {{ {} }}\n}}\n"
)


@pytest.mark.parametrize(
    ("path", "form", "code"),
    [
        ("a.ts", TS_MAP, "const r = await get('two'); r.runs;"),
        ("a.php", PHP_CLASS, "return A::class;"),
        ("a.php", PHP_CLASS, "A::$name();"),
        ("a.rs", PINNED, "self.project();"),
        ("a.rs", PINNED, "W::new(1);"),
        ("a.rs", PINNED, 'b"x".to_vec();'),
        ("a.rs", PINNED, "std::slice::from_ref(&1);"),
    ],
)
def test_what_only_looks_like_another_type_or_count(
    reported: Reported, path: str, form: str, code: str
) -> None:
    before, after = form.format(""), form.format(code)
    assert reported(path, before, after, rule=RULE) == []


def test_another_file_may_define_it(reported: Reported) -> None:
    """A method of Go in another file of the package."""
    files = {"b.go": "package a\n\nfunc (c C) g() {}\n"}
    before, after = GO.format(""), GO.format("d.g()")
    assert reported("a.go", before, after, rule=RULE, files=files) == []


def test_a_base_is_looked_at_once(reported: Reported) -> None:
    """However many types have it: here there are 8 ** 11 ways to the first class."""
    text = "interface A0 { f(): void }\nfunction g(a: A11) { a.%s(); }\n"
    bases = "A0"
    for n in range(1, 12):
        names = [f"{name}{n}" for name in "ABCDEFGH"]
        text += "".join(f"interface {name} extends {bases} {{}}\n" for name in names)
        bases = ", ".join(names)
    found = reported("a.ts", text % "f", text % "missing", rule=RULE)
    assert found == ["`A11` has no `missing`."]


@pytest.mark.parametrize(
    ("path", "before", "after", "files", "message"),
    [
        (
            "src/b/a.ts",
            'import type { T } from "../t";\nconst f = (t: T) => t;\n',
            'import type { T } from "../t";\nconst f = (t: T) => t.b;\n',
            {"src/t.ts": "export interface T { a: string }\n"},
            "`T` has no `b`.",
        ),
        (
            "src/A.java",
            "class A { int f(T t) { return 1; } }\n",
            "class A { int f(T t) { return t.b(); } }\n",
            {"src/T.java": "class T { int a() { return 1; } }\n"},
            "`T` has no `b`.",
        ),
    ],
)
def test_a_type_of_another_file(
    reported: Reported,
    path: str,
    before: str,
    after: str,
    files: dict[str, str],
    message: str,
) -> None:
    """That the file imports, or that is in its package."""
    assert reported(path, before, after, rule=RULE, files=files) == [message]
    based = {name: text.replace("T {", "T extends B {") for name, text in files.items()}
    assert reported(path, before, after, rule=RULE, files=based) == []
