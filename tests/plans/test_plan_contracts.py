"""The checks that join steps: contracts, and names that are gone."""

from __future__ import annotations

import pytest

from redline.plans.contracts import (
    JoinQuestion,
    RemovedName,
    check_joined,
    contract_problems,
    dangling,
)
from redline.plans.overlay import Overlay, PlannedChange
from redline.plans.plan import Contract

PRICE = """\
class Price:
    LIMIT = 3

    def in_currency(self, code: str, *, at: date | None = None) -> "Price":
        return self

    async def load(self, *args, **options): ...


try:
    import fast
except ImportError:
    def slow(a, b=1): ...
"""

GO = "package p\n\nfunc (p Price) In(code string) (Price, error) {\n\treturn p\n}\n"
TS = "export function total(a: number, b = 2): number {\n  return a + b;\n}\n"
DECORATED = """\
@Injectable()
@Doc("to export", { scope: tag("a") })
export class Store extends Base {
  get(): number { return 1; }
}

@Hidden()
class Inner {}
"""
DEFAULT = "function App() {\n  return null;\n}\n\nexport default App;\n"
TYPES = """\
export type Name = string | null;
export type Level =
  | 'low'
  | 'high';
export type Size = {
  /** In pixels; never "auto". */
  width: number;
  height: number;
};
export interface Box extends Base { size: Size, name: string }
"""
JAVA = """\
@Service
public class Shop {
  @Override
  public int of(int a) { return a; }
}
"""
NEW_PYTHON = "def first[T](all: list[T]) -> T:\n    return all[0]\n\ntype A = int\n"
RUST = "pub struct P;\nimpl P {\n    pub fn of(a: &str) -> P { P }\n}\n"


@pytest.mark.parametrize(
    ("name", "signature", "fault"),
    [
        ("Price", "class Price", ""),
        ("Price.LIMIT", "LIMIT: int", ""),
        (
            "Price.in_currency",
            "def in_currency(self, code: str, *, at: date|None = None) -> Price:",
            "",
        ),
        ("Price.in_currency", "def in_currency(self, code, *, at=None)", ""),
        ("Price.load", "async def load(self, *args, **options)", ""),
        ("slow", "def slow(a, b=1)", ""),
        ("Price.convert", "def convert(self)", "is not defined"),
        ("in_currency", "def in_currency(self, code)", "is not defined"),
        ("Price", "def Price(x)", "is not a function"),
        ("slow", "class slow", "is not a class"),
        ("Price.load", "def load(self, *args, **options)", "is async"),
        ("slow", "async def slow(a, b=1)", "is not async"),
        ("slow", "def slow(b, a=1)", "has the parameters (a, b=1)"),
        ("slow", "def slow(a, b=2)", "has the parameters"),
        ("slow", "def slow(a, *, b=1)", "has the parameters"),
        ("slow", "def slow(a: int, b=1)", "another type of `a`"),
        ("slow", "def slow(a, b=1) -> int", "returns"),
    ],
)
def test_a_python_contract(name: str, signature: str, fault: str) -> None:
    """Names, order, defaults, stars, and the annotations that the contract has."""
    contract = Contract(name=name, file="price.py", signature=signature)
    found = [one.message for one in contract_problems(contract, PRICE)]
    assert [fault in one for one in found] == ([True] if fault else [])


@pytest.mark.parametrize(
    ("path", "text", "name", "signature", "fault"),
    [
        ("p.go", GO, "Price.In", "func (p Price) In(code string) (Price, error)", ""),
        ("p.go", GO, "Price.In", "func (p Price) In(code int) (Price, error)", "is"),
        ("t.ts", TS, "total", "function total(a: number, b = 2): number", ""),
        ("t.ts", TS, "total", "function total(a: string): number", "contract is"),
        ("t.ts", TS, "sum", "function sum()", "not defined"),
        ("t.ts", TS, "total", "export function total(a: number, b = 2): number", ""),
        ("t.ts", "function a() {}\n", "a", "export function a()", "not exported"),
        ("t.ts", "function a() {}\nexport { a };\n", "a", "export function a()", ""),
        ("t.ts", "export default class A {}\n", "A", "export default class A", ""),
        ("t.ts", DECORATED, "Store", "export class Store extends Base", ""),
        ("t.ts", DECORATED, "Store", "@Injectable()\nexport class Store", ""),
        ("t.ts", DECORATED, "Store", "class Store extends Other", "contract is"),
        ("t.ts", DECORATED, "Inner", "@Hidden()\nexport class Inner", "not exported"),
        ("t.tsx", DEFAULT, "App", "export default function App()", ""),
        ("t.tsx", DEFAULT, "App", "export default App;", ""),
        ("t.ts", TS, "total", f"{TS.strip()}", ""),
        ("t.ts", TYPES, "Name", "export type Name = string | null", ""),
        ("t.ts", TYPES, "Name", "export type Name = null|string;", "contract is"),
        ("t.ts", TYPES, "Name", "type Name = string", "contract is"),
        ("t.ts", TYPES, "Name", "type Name", ""),
        ("t.ts", TYPES, "Level", 'export type Level = "low" | "high"', ""),
        ("t.ts", TYPES, "Level", 'export type Level = "low" | "top"', "contract is"),
        ("t.ts", TYPES, "Size", "type Size = { width: number, height: number }", ""),
        ("t.ts", TYPES, "Size", "type Size = { height: number }", ""),
        ("t.ts", TYPES, "Size", "type Size = { height: string }", "contract is"),
        ("t.ts", TYPES, "Box", "interface Box {\n  size: Size\n}", ""),
        ("t.ts", TYPES, "Box", "interface Box { size: Name }", "contract is"),
        (
            "p.go",
            "package p\n\ntype S struct {\n\tn int\n}\n",
            "S",
            "type S struct { n int }",
            "",
        ),
        ("A.java", JAVA, "Shop.of", "@Override public int of(int a)", ""),
        ("A.java", JAVA, "Shop.of", "public int of(long a)", "contract is"),
        ("a.py", NEW_PYTHON, "first", "def first[T](all: list[T]) -> T", ""),
        ("a.py", NEW_PYTHON, "A", "type A = int", ""),
        ("p.rs", RUST, "P::of", "fn of(a: &str) -> P", ""),
        ("a.toml", "limit = 3", "limit", "limit", ""),
        ("a.toml", "limit = 3", "limits", "limits", "not defined"),
    ],
)
def test_a_contract_of_another_language(
    path: str, text: str, name: str, signature: str, fault: str
) -> None:
    """The header of the definition, without blanks."""
    contract = Contract(name=name, file=path, signature=signature)
    found = [one.message for one in contract_problems(contract, text)]
    assert [fault in one for one in found] == ([True] if fault else [])


def test_a_file_that_does_not_parse_breaks_its_contract() -> None:
    """It is not called checked."""
    contract = Contract(name="f", file="a.py", signature="def f()")
    (problem,) = contract_problems(contract, "def f(:\n")
    assert "does not parse" in problem.message


def test_a_name_that_moves_is_not_removed() -> None:
    """Only what no changed file defines any more."""
    answer = check_joined(
        JoinQuestion(
            before={"a.py": "def f(): ...\ndef g(): ...\n", "b.py": ""},
            after={"a.py": "", "b.py": "def f(): ...\n"},
        )
    )
    removed = [(one.name, one.is_moved) for one in answer.removed]
    assert removed == [("f", True), ("g", False)]


def test_a_use_of_a_removed_name_is_found_once_a_file() -> None:
    """Comments, and longer names, do not count."""
    texts = {
        "a.py": "import g\ng()\n",
        "b.py": "# g was here\nlong_g = 1\n",
        "c.ts": "// g\nx = g;\n",
    }
    removed = [RemovedName(name="g", file="old.py")]
    found = [(one.file, one.line, one.name) for one in dangling(removed, texts)]
    assert found == [("a.py", 0, "g"), ("c.ts", 1, "g")]


def test_a_use_of_a_namesake_does_not_dangle() -> None:
    """Of two definitions with one last name, the class or module says which is used."""
    answer = check_joined(
        JoinQuestion(
            before={"a.py": "class A:\n    def f(self): ...\ndef g(): ...\n"},
            after={"a.py": "class A: ...\nclass B:\n    def f(self): ...\n"},
        )
    )
    texts = {
        "only_b.py": "from a import B\nB().f()\n",
        "uses_a.py": "from a import A\nA().f()\n",
        "own.py": "def g(): ...\ng()\n",
        "uses_g.py": "from a import g\ng()\n",
    }
    found = [(one.file, one.name) for one in dangling(answer.removed, texts)]
    assert found == [("uses_a.py", "A.f"), ("uses_g.py", "g")]


def test_an_overlay_holds_what_steps_make_of_files() -> None:
    """And never changes: each step makes another one."""
    base = Overlay(base={"a": "1", "b": "2", "c": "3", "d": None})
    made = base.write("a", "one").delete("b").rename("c", "e").write("d", "new")
    assert base.changes() == ()
    assert (made.text("a"), made.text("b"), made.text("e")) == ("one", None, "3")
    assert made.changes() == (
        PlannedChange(path="a", before="1", after="one"),
        PlannedChange(path="b", before="2", after=None),
        PlannedChange(path="d", before=None, after="new"),
        PlannedChange(path="e", before="3", after="3", old_path="c"),
    )
    assert base.write("a", "1").changes() == ()
    assert made.rename("e", "f").changes()[-1].old_path == "c"
    assert made.delete("e").changes()[2] == PlannedChange(
        path="c", before="3", after=None
    )


def test_a_use_of_a_moved_name_names_its_old_module() -> None:
    """Files that import it from its new module, or something else from the old one, do
    not; nor do any while the old module imports it itself."""
    before = {"shop/models.py": "class A: ...\nclass B: ...\n"}
    after = {"shop/models.py": "class B: ...\n", "shop/a.py": "class A: ...\n"}
    texts = {
        "1.py": "from shop.models import A, B\n",
        "2.py": "from shop.models import (\n    B,\n    A,\n)\n",
        "3.py": "from shop import models\nmodels.A()\n",
        "4.ts": 'import { A, B } from "./models.js";\n',
        "5.rs": "use crate::models::{B, A};\n",
        "6.py": "from shop.models import B\nfrom shop.a import A\n",
        "8.ts": "export { A } from './models';\n",
        "9.rs": "use crate::models::{self, inner::{C}};\nuse crate::a::A;\n",
        "7.ts": 'import { A } from "./a";\nimport { B } from "./models";\n',
        "shop/a.py": after["shop/a.py"],
    }
    removed = check_joined(JoinQuestion(before=before, after=after)).removed
    assert [(one.name, one.is_moved) for one in removed] == [("A", True)]
    found = [one.file for one in dangling(removed, texts)]
    assert found == ["1.py", "2.py", "3.py", "4.ts", "5.rs", "8.ts"]
    after["shop/models.py"] = "from shop.a import A\n\nclass B: ...\n"
    assert check_joined(JoinQuestion(before=before, after=after)).removed == ()
