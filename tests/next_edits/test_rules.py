"""The six rules, as tables: what the user did, and what follows from it."""

from __future__ import annotations

import pytest
from tests.next_edits.marked_text import check

RENAMES = {
    "local variable": """
def cost(items):
    «total|grand_total» = 0
    for item in items:
        ⟪total|grand_total⟫ += item.total
    log("total", total=⟪total|grand_total⟫)  # total
    return f"{⟪total|grand_total⟫:>9} total {{total}}"
""",
    "parameter": """
def cost(«items|rows»):
    return sum(price(one) for one in ⟪items|rows⟫)
""",
    "shadowed by a comprehension, a lambda and a function": """
def cost(rows):
    «total|whole» = 0
    a = [total for total in rows]
    b = lambda total: total
    def inner(total):
        return total
    return ⟪total|whole⟫ + 1
""",
    "read in an inner function": """
def cost(rows):
    «total|whole» = 0
    def inner():
        return ⟪total|whole⟫
    return inner
""",
    "bound twice": """
def cost(flag):
    if flag:
        «total|whole» = 0
    else:
        total = 1
    return total
""",
    "the new name exists": """
def cost(rows):
    whole = 1
    «total|whole» = 0
    return total + whole
""",
    "the variable goes on": """
def cost(rows):
    «total|whole» = 0
    ⟪total|whole⟫ = ⟪total|whole⟫ + rows
    return ⟪total|whole⟫
""",
    "a use is no definition": """
def cost(total):
    print(«total|whole»)
    return total
""",
    "a name of the module": """
«LIMIT|MAXIMUM» = 3

def f(x):
    return x > ⟪LIMIT|MAXIMUM⟫

def g(LIMIT):
    return LIMIT

class A:
    limit = ⟪LIMIT|MAXIMUM⟫
    def h(self):
        return self.LIMIT
""",
    "a function": """
def «cost|price»(a):
    return a

def f():
    return ⟪cost|price⟫(1) + x.cost(2)
""",
    "a global declaration": """
«n|count» = 0

def f():
    global n
    n += 1
""",
    "an attribute": """
class A:
    def __init__(self):
        self.«total|whole» = 0

    def add(self, n, other):
        self.⟪total|whole⟫ += n
        return self.⟪total|whole⟫ + other.total
""",
    "an attribute of a class with a base": """
class A(B):
    def __init__(self):
        self.«total|whole» = 0

    def add(self):
        return self.total
""",
    "a method": """
class A:
    def «total|whole»(self):
        return 1

    def add(self, total):
        return self.⟪total|whole⟫() + total
""",
    "a loop variable": """
for «x|item» in range(3):
    print(⟪x|item⟫)
""",
    "an import alias": """
import numpy as «np|numeric»

a = ⟪np|numeric⟫.zeros(3)
""",
    "brackets that are still open": """
def f(a):
    «b|c» = 1
    print(⟪b|c⟫, [1,

def g():
    b = 3
    return b
""",
    "a string over lines": '''
TEXT = """
total = 1
"""

def f():
    «total|whole» = 1
    return ⟪total|whole⟫
''',
}

BRACES = {
    "let": (
        "javascript",
        """
function f(items) {
  let «total|sum» = 0;
  for (const x of items) { ⟪total|sum⟫ += x.total; }
  const o = {total: ⟪total|sum⟫};
  return `${⟪total|sum⟫} total`; // total
}
function g() { return total; }
""",
    ),
    "shadowed": (
        "javascript",
        """
function f(items) {
  const «total|sum» = 0;
  items.map((total) => total + 1);
  return total;
}
""",
    ),
    "shorthand": (
        "typescript",
        """
function f() {
  const «total|sum» = 0;
  return { total, n: ⟪total|sum⟫ + 1 };
}
""",
    ),
    "go": (
        "go",
        """
func f(items []int) int {
	«total|sum» := 0
	for _, x := range items { ⟪total|sum⟫ += x }
	return ⟪total|sum⟫
}
""",
    ),
    "rust": (
        "rust",
        """
fn f<'a>(x: &'a str) -> usize {
    let mut «n|count» = 0;
    ⟪n|count⟫ += x.len();
    ⟪n|count⟫
}
""",
    ),
    "java": (
        "java",
        """
class A {
  int f(int a) {
    int «total|sum» = a;
    return ⟪total|sum⟫ + this.total;
  }
}
""",
    ),
    "c, declared twice": (
        "c",
        """
int f(int a) {
  int «n|count» = a;
  { int n = 2; use(n); }
  return n;
}
""",
    ),
    "a function of the file": (
        "javascript",
        """
function «cost|price»(a) { return a; }
const x = ⟪cost|price⟫(1) + o.cost(2);
""",
    ),
    "fields of a struct": (
        "go",
        """
var «name|title» = 1

type T struct { name int }

type U struct {
	id   int
	old, name string
}

type V interface { name() int }

func f(t T) int { return t.name + ⟪name|title⟫ }
""",
    ),
    "members of a class": (
        "typescript",
        """
const «name|title» = 1;
class C { name = 2; get() { return this.name + ⟪name|title⟫; } }
class D { id = ⟪name|title⟫
  name() { ⟪name|title⟫ = 2; }
  get name() { return 3; }
  async name() {}
}
""",
    ),
    "a type of TypeScript": (
        "typescript",
        """
const «string|text» = get();
function f(a: string) { return a + string; }
""",
    ),
    "named like a type elsewhere": (
        "javascript",
        """
const «string|text» = get();
function f(a) { return a + ⟪string|text⟫; }
""",
    ),
    "before a colon": (
        "javascript",
        """
const «name|title» = 1;
const a = b ? () => ⟪name|title⟫
  : { name: 2, id: 3 };
const c = b ? 2 + ⟪name|title⟫ : 3;
switch (b) { case ⟪name|title⟫: f(); }
""",
    ),
    "a loop head": (
        "javascript",
        """
for (let «i|k» = 0; i < 3; i++) { use(i); }
""",
    ),
}

REPEATS = {
    "once is not enough": """
a = load_json(«first|one»)
b = first
""",
    "a call, twice": """
a = «old_call|new_call»(1)
b = «old_call|new_call»(2)
c = ⟪old_call|new_call⟫(3)
d = old_call
e = x.old_call(4)
f = "old_call(5)"
""",
    "inside strings": """
a = "«http|https»://a"
b = "«http|https»://b"
c = "⟪http|https⟫://c"
d = http
""",
    "a variable, in its own function": """
def f(a, b):
    use(«aa|bb»)
    use(«aa|bb»)
    use(⟪aa|bb⟫)

def g(aa):
    return aa
""",
}

LINES = {
    "wrapped": """
row = [
    «a|str(a)»,
    «b|str(b)»,
    ⟪c|str(c)⟫,
    ⟪d|str(d)⟫,
    e + 1,
    f,
]
""",
    "an insertion": """
    a = 1«|;»
    b = 2«|;»
    c = 3⟪|;⟫
    d = 4⟪|;⟫

    e = 5
""",
    "a copied name": """
        self.one = «None|one»
        self.two = «None|two»
        self.six = ⟪None|six⟫
        self.all()
""",
    "two different changes": """
    a = «1|f(1)»
    b = «2|g(2)»
    c = 3
""",
    "lines that are not neighbours": """
    a = «1|f(1)»
    x()
    b = «2|f(2)»
    c = 3
""",
}

CALLS = {
    "a parameter renamed": """
def cost(a, «rate|factor»=1):
    return a * ⟪rate|factor⟫

x = cost(1, ⟪rate|factor⟫=2)
y = other(1, rate=2) + o.cost(rate=3)
""",
    "a parameter removed": """
def cost(a«, rate|»):
    return a

x = cost(1⟪, rate=f(2, 3)|⟫)
y = cost(⟪rate=2, |⟫a=1)
""",
    "a parameter added": """
def cost(a«|, rate»):
    return a

x = cost(1⟪|⟫)
y = cost(1, 2)
z = cost(*all)
""",
    "a parameter with a default added": """
def cost(a«|, rate=1»):
    return a

x = cost(1)
""",
    "a method": """
class A:
    def cost(self, a, «rate|factor»):
        return a

    def f(self, other):
        return self.cost(1, ⟪rate|factor⟫=2) + other.cost(1, rate=2)
""",
}

IMPORTS = {
    "a module": """\
import re
⟪|import sys
⟫
print(re, «|sys.argv»)
""",
    "the first import": '''\
"""A page."""

⟪|import os

⟫x = «|os.sep»
''',
    "a well-known name": """\
import re
from os import sep
⟪|from pathlib import Path
⟫
x = «|Path("a")»
""",
    "an import of its parts": """\
import os
from «io|collections.abc» import Sized
""",
    "bound already": """\
def f(path):
    for sys in path:
        print(«|sys.argv»)
""",
    "in a string": """\
x = "«|sys.argv»"
""",
    "the last use is gone": """\
⟪import re
|⟫import os
x = «re.compile("a")|None»
y = os.sep
""",
    "a use is left": """\
import re
x = «re.compile("a")|None»
y = re
""",
}

PAIRS = {
    "a closing tag": (
        "html",
        "<«div|section» class='a>b'><div>x</div><br/></⟪div|section⟫>\n",
    ),
    "an opening tag": ("html", "<p><⟪b|strong⟫>x</«b|strong»></p>\n"),
    "no partner": ("html", "<p><«b|strong»>x</p>\n"),
    "jsx": ("javascriptreact", "const a = <«Box|Card» n={1}><i/></⟪Box|Card⟫>;\n"),
    "await": (
        "python",
        """
«|async »def load(a):
    return a

async def f():
    x = ⟪|await ⟫load(1)
    y = await load(2)
    z = gather(load(3))

def g():
    return load(4)
""",
    ),
    "an async generator": (
        "python",
        """
«|async »def load(a):
    yield a

async def f():
    x = load(1)
""",
    ),
    "a stored parameter": (
        "python",
        """
class A:
    def __init__(self, a, b«|, c»):
        self._a = a
        self._b = b
⟪|        self._c = c
⟫        self.ready = True
""",
    ),
    "not all are stored": (
        "python",
        """
class A:
    def __init__(self, a, b«|, c»):
        self.a = a
""",
    ),
}


@pytest.mark.parametrize(
    "text",
    [
        *RENAMES.values(),
        *REPEATS.values(),
        *LINES.values(),
        *CALLS.values(),
        *IMPORTS.values(),
    ],
    ids=[*RENAMES, *REPEATS, *LINES, *CALLS, *IMPORTS],
)
def test_python(text: str) -> None:
    """Exactly the marked edits follow."""
    check(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [*BRACES.values(), *PAIRS.values()],
    ids=[*BRACES, *PAIRS],
)
def test_other_languages(language: str, text: str) -> None:
    """Exactly the marked edits follow."""
    check(text, language)
