"""Variables that no definition reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

RULE = "undefined-name"
HERE = "[[here]]"

GO = f"""\
package a

import "os"

var limit = 3

func f(xs []int) (n int, err error) {{
\tfor i, x := range xs {{
\t\tos.Exit(i + x + limit)
\t}}
\t{HERE}
\treturn n, err
}}

func g() int {{
\tinner := 1
\treturn inner
}}
"""
RUST = f"""\
use std::fmt;

const MAX_SIZE: usize = 1;

fn f(xs: &[u8]) -> Option<usize> {{
    let n = xs.len() + MAX_SIZE;
    {HERE}
    Some(n)
}}

#[cfg(test)]
mod tests {{
    use super::*;
    fn g() {{ let q = 1; f(q); }}
}}
"""
TS = f"""\
import {{ a }} from './b';

const KEY_NAME = 'k';

export function f(x: number, {{ y, z: w }}: P): number {{
  {HERE}
  return a(KEY_NAME, x, y, w);
}}

export const g = (q: number) => a(q);
"""
JAVA = f"""\
class A implements Runnable {{
  private int size = 1;

  int f(int[] xs) {{
    int n = xs.length;
    {HERE}
    return n;
  }}

  public void run() {{ int local = 2; }}
}}
"""
CS = f"""\
class A
{{
    private readonly int _size = 1;

    int F(int[] xs)
    {{
        var n = xs.Length;
        {HERE}
        return n;
    }}
}}
"""
FORMS = {
    "a.go": GO,
    "src/a.rs": RUST,
    "src/a.ts": TS,
    "src/A.java": JAVA,
    "A.cs": CS,
}
FILES = {
    "b.go": "package a\n\nvar other = 1\n",
    "src/b.ts": "export const a = 1;\n",
    "types.d.ts": "declare const ambient: number;\n",
}


@pytest.mark.parametrize(
    ("path", "code", "name"),
    [
        ("a.go", "os.Exit(code)", "code"),
        ("a.go", "os.Exit(inner)", "inner"),
        ("a.go", "if v := n; v > 1 {\n\t}\n\tos.Exit(v)", "v"),
        ("a.go", "n = count", "count"),
        ("a.go", "t := T{Code: 1, Name: title}\n\tos.Exit(t)", "title"),
        ("a.go", "os.Exit(yaml.Size(n))", "yaml"),
        ("src/a.rs", 'println!("{}", total);', "total"),
        ("src/a.rs", "assert!(n < total && n > 1);", "total"),
        ("src/a.rs", "let m = n + total;", "total"),
        ("src/a.rs", "let m = q + 1;", "q"),
        ("src/a.rs", "let s = S { n, extra };", "extra"),
        ("src/a.rs", "let m = n + MIN_SIZE;", "MIN_SIZE"),
        ("src/a.ts", "a(x, total);", "total"),
        ("src/a.ts", "a(q);", "q"),
        ("src/a.ts", "a({ x, missing });", "missing"),
        ("src/a.ts", "a(`${x}${suffix}`);", "suffix"),
        ("src/a.ts", "[1].map(e => e + offset);", "offset"),
        ("src/a.ts", "if (x) { const i = 1; a(i); }\n  a(i);", "i"),
        ("src/A.java", "n = n + count;", "count"),
        ("src/A.java", "n = local;", "local"),
        ("src/A.java", "for (int x : xs) { n += y; }", "y"),
        ("A.cs", "n += _length;", "_length"),
        ("A.cs", "var o = new B { Name = title };", "title"),
        ("A.cs", 'var s = $"{name}";', "name"),
    ],
)
def test_reported(reported: Reported, path: str, code: str, name: str) -> None:
    """With its name."""
    before, after = _filled(path, ""), _filled(path, code)
    found = reported(path, before, after, rule=RULE, files=FILES)
    assert found == [f"Undefined name `{name}`."]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.go", "os.Exit(limit + other)"),
        ("a.go", "if v, ok := xs[n]; ok {\n\t\tos.Exit(v)\n\t}"),
        ("a.go", "c := func(a int) int { return a + n }\n\tos.Exit(c(1))"),
        ("a.go", "switch t := err.(type) {\n\tcase nil:\n\t\tos.Exit(t)\n\t}"),
        ("a.go", "select {\n\tcase m := <-nil:\n\t\tos.Exit(m)\n\t}"),
        ("a.go", "for j := 0; j < n; j++ {\n\t\tos.Exit(j)\n\t}"),
        ("a.go", "const (\n\t\tA = iota\n\t\tB\n\t)\n\tos.Exit(A + B)"),
        ("src/a.rs", 'let (a, b) = (n, 1); println!("{}", a + b);'),
        ("src/a.rs", "let S { bar, .. } = n; let m = bar;"),
        ("src/a.rs", "if let Some(x) = xs.first() { let m = x; }"),
        ("src/a.rs", "let Some(v) = xs.first() else { return None };\n    let w = v;"),
        ("src/a.rs", "let m = match n { 0 => MAX_SIZE, k => k + 1 };"),
        ("src/a.rs", "let m = xs.iter().map(|(i, a)| i + a);"),
        ("src/a.rs", "assert!(xs.iter().all(|(k, v)| k == v));"),
        ("src/a.rs", "bind!(made); let m = made;"),
        ("src/a.ts", "a(y, w, window.document, undefined, ambient);"),
        ("src/a.ts", "const { b, ...rest } = x;\n  a(b, rest);"),
        ("src/a.ts", "try { a(1); } catch (err) { a(err); }"),
        ("src/a.ts", "if (typeof wibble !== 'undefined') a(wibble);"),
        ("src/a.ts", "if (x) { var hoisted = 1; }\n  a(hoisted);"),
        ("src/a.ts", "const h = function rec(n: number) { return n; };\n  h(x);"),
        ("src/a.ts", "enum E { A }\n  a(E.A);"),
        ("src/a.ts", "for (const [k, v] of x) { a(k, v); }"),
        ("src/A.java", "n = size + this.size;"),
        ("src/A.java", "if (xs instanceof Object o) { n = o; }\n    n = o;"),
        ("src/A.java", "var ys = list.map(x -> x + n); var list = 1;"),
        ("src/A.java", "Object o = new B() { int h() { return inherited; } };"),
        ("src/A.java", "Object o = java.util.List.of(n);"),
        ("A.cs", "foreach (var x in xs) { n += x; }"),
        ("A.cs", 'if (int.TryParse("1", out var v)) { n = v; }'),
        ("A.cs", "if (xs is int[] y && y.Length > 1) { n = y[0]; }"),
        ("A.cs", "F(level: n); n = xs.Sum(x => x + n);"),
        ("A.cs", "n = (from z in xs where z > n select z).Count();"),
        ("A.cs", "var (a, b) = (1, 2);\n        n = a + b;"),
    ],
)
def test_left_alone(reported: Reported, path: str, code: str) -> None:
    """What the code defines, or something else may define."""
    before, after = _filled(path, ""), _filled(path, code)
    assert reported(path, before, after, rule=RULE, files=FILES) == []


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("a.go", 'import . "fmt"\n'),
        ("src/a.rs", "use inner::*;\n"),
        ("src/a.rs", "macro_rules! m { () => {} }\n"),
        ("src/A.java", "import static p.B.*;\n"),
        ("src/A.java", "class B extends C {}\n"),
        ("A.cs", "using static P.B;\n"),
        ("A.cs", "class B : C {}\n"),
        ("src/a.ts", "declare module 'x';\n"),
    ],
)
def test_open_files(reported: Reported, path: str, head: str) -> None:
    """A file that has names from elsewhere is not judged."""
    code = "n = anything + 1;"
    before, after = (
        text.replace('import "os"', f'import "os"\n{head}')
        if path == "a.go"
        else head + text
        for text in (_filled(path, ""), _filled(path, code))
    )
    assert reported(path, before, after, rule=RULE, files=FILES) == []


@pytest.mark.parametrize(
    ("path", "definition", "name"),
    [
        ("a.go", "var limit = 3\n", "limit"),
        ("src/a.rs", "const MAX_SIZE: usize = 1;\n", "MAX_SIZE"),
        ("src/a.ts", "const KEY_NAME = 'k';\n", "KEY_NAME"),
    ],
)
def test_a_definition_that_is_removed(
    reported: Reported, path: str, definition: str, name: str
) -> None:
    """What the rest of the file uses must stay defined."""
    before = _filled(path, "")
    after = before.replace(definition, "")
    [message] = reported(path, before, after, rule=RULE, files=FILES)
    assert f"`{name}`" in message


def test_what_was_undefined_before(reported: Reported) -> None:
    """Something outside defines a name that the file used already."""
    before, after = _filled("a.go", "os.Exit(code)"), _filled("a.go", "n = code + 1")
    assert reported("a.go", before, after, rule=RULE, files=FILES) == []


def _filled(path: str, code: str) -> str:
    return FORMS[path].replace(HERE, code)
