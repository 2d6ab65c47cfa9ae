"""A renamed definition, and the files that import it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.next_edits.marked_text import placed, read_marks, typed

from redline.next_edits.importers import (
    ExportedRename,
    exported_rename,
    importing_uses,
)
from redline.next_edits.source import EditedSource

PYTHON = ExportedRename(
    path="shop/cart.py", language="python", old="total", new="grand_total"
)
SCRIPT = ExportedRename(
    path="src/cart.ts", language="typescript", old="total", new="grandTotal"
)
U = "⟪total|grand_total⟫"
V = "⟪total|grandTotal⟫"

PYTHON_FILES: dict[str, tuple[str, ...]] = {
    "by its name": (
        "main.py",
        f"from shop.cart import {U}\n\nprint({U}(1), 'total')\n",
    ),
    "among others": (
        "shop/main.py",
        f"from .cart import (\n    items,\n    {U},\n)\n\n\ndef f():\n    return {U}\n",
    ),
    "by another name": (
        "tests/test_cart.py",
        f"from shop.cart import {U} as t, price\n\nassert t(total=1) == 1\n",
    ),
    "by its module": (
        "main.py",
        f"import shop.cart\n\nprint(shop.cart.{U}, x.total)\n",
    ),
    "by a module's alias": ("main.py", f"import shop.cart as c\n\nprint(c.{U}())\n"),
    "by its package": ("main.py", f"from shop import cart\n\nprint(cart.{U}())\n"),
    "in a function": (
        "main.py",
        f"def f():\n    from shop.cart import {U}\n    return {U}\n",
    ),
    "in a function, and bound outside": (
        "main.py",
        "def f():\n    from shop.cart import total\n    return total\n\n\ntotal = 1\n",
    ),
    "from a folder above": ("shop/a/b.py", f"from ..cart import {U}\n"),
    "shadowed": (
        "main.py",
        f"from shop.cart import {U}\n\n\ndef f(total):\n    return total\n",
    ),
    "another module": ("main.py", "from shop.cards import total\n\ntotal()\n"),
    "another folder": ("other/main.py", "import cart\n\ncart.total()\n"),
    "the new name is taken": (
        "main.py",
        "from shop.cart import total\n\ngrand_total = total\n",
    ),
    "bound again": ("main.py", "from shop.cart import total\n\ntotal = 1\nf(total)\n"),
    "changed": ("main.py", f"from shop.cart import {U}\n\n{U} = {U} + 1\n"),
    "the module's name is bound": (
        "main.py",
        "from shop import cart\n\n\ndef f(cart):\n    return cart.total\n",
    ),
    "a folder of the same name": (
        "b/main.py",
        "from shop.cart import total\n\ntotal()\n",
        "a/shop/cart.py",
    ),
    "from the folder of the package": (
        "a/main.py",
        f"from shop.cart import {U}\n",
        "a/shop/cart.py",
    ),
    "beside the sources": (
        "a/tests/test_cart.py",
        f"from shop.cart import {U}\n",
        "a/src/shop/cart.py",
    ),
    "sources of another project": (
        "b/tests/test_cart.py",
        "from shop.cart import total\n",
        "a/src/shop/cart.py",
    ),
    "not imported": ("main.py", "total = 1\nprint(total)\n"),
}
SCRIPT_FILES = {
    "by its name": (
        "src/main.ts",
        f"import {{ items, {V} }} from './cart';\nconsole.log({V}, a.total);\n",
    ),
    "by another name": (
        "src/main.ts",
        f'import {{ {V} as t }} from "./cart.js";\nt({{total: 1}});\n',
    ),
    "all of it": (
        "src/a/b.ts",
        f"import * as cart from '../cart';\ncart.{V}(other.total);\n",
    ),
    "required": (
        "test/cart.js",
        f"const {{ {V} }} = require('../src/cart');\n{V}();\n",
    ),
    "in all forms": (
        "src/main.ts",
        f"import {{ type A, {V} }} from './cart';\n"
        f"const a = b ? {V} : c\n{V}(a)\nif ({V}(a)) {{ f([a, {V}]); }}\n"
        f"const o = {{ total: {V}, b: x.total, ...{V} }};\n"
        f"interface B {{ a: C; total?: number }}\n"
        f"export {{ {V} as sum }};\nf(`${{{V}}}`);\n",
    ),
    "another export by its name": (
        "src/main.ts",
        f"import {{ other as total, {V} as sum }} from './cart';\ntotal(sum);\n",
    ),
    "a type": ("src/main.ts", f"import {{ type {V} as T }} from './cart';\n"),
    "with a comment": (
        "src/main.ts",
        f"import {{ // total\n  {V}, /* total */\n}} from './cart';\n{V}();\n",
    ),
    "a member of another object": (
        "src/main.ts",
        f"import * as cart from './cart';\ncart.{V}(x.cart.total, {{ cart: 1 }});\n",
    ),
    "declared again": (
        "src/main.ts",
        "import { total } from './cart';\nconst f = (total: number) => total;\n",
    ),
    "another file": ("src/main.ts", "import { total } from './cards';\ntotal();\n"),
    "in a comment": ("src/main.ts", "// import { total } from './cart'\ntotal();\n"),
}


@pytest.mark.parametrize("case", PYTHON_FILES.values(), ids=PYTHON_FILES.keys())
def test_python(case: tuple[str, ...]) -> None:
    """Exactly the marked uses follow."""
    path, text, *module = case
    rename = replace(PYTHON, path=module[0]) if module else PYTHON
    marked = read_marks(text)
    source = EditedSource(marked.after.splitlines(keepends=True), "python")
    found = importing_uses(source, path, rename)
    assert placed(marked.after, found) == marked.offers


IMPORTED = "import { total } from './cart';\n"
MODULE = "import * as cart from './cart';\ncart.total();\n"
REFUSED = {
    "a short key": f"{IMPORTED}f({{ total }});\n",
    "a short key among others": f"{IMPORTED}total();\nf({{ a, total, b: 1 }});\n",
    "exported": f"{IMPORTED}total();\nexport {{ total }};\n",
    "exported again": f"{IMPORTED}total();\nexport {{ total }} from './cart';\n",
    "the exported name": f"{IMPORTED}total();\nexport {{ x as total }};\n",
    "imported again": f"{IMPORTED}import {{ total }} from './b';\n",
    "another export": "import { other as total } from './cart';\ntotal();\n",
    "with a default": "const { total = 1 } = require('./cart');\ntotal();\n",
    "a case": f"{IMPORTED}switch (x) {{ case total: f(); }}\n",
    "in a choice": f"{IMPORTED}const a = b ? 1 + total : 2;\n",
    "a decorator": f"{IMPORTED}@total class A {{}}\n",
    "a method": f"{IMPORTED}class A {{ total() {{}} }}\n",
    "a method with a type": f"{IMPORTED}class A {{ total(): number {{ f(); }} }}\n",
    "a getter": f"{IMPORTED}const a = {{ get total() {{ return 1; }} }};\n",
    "a field": f"{IMPORTED}class A {{ total = 1; }}\n",
    "text of an element": f"{IMPORTED}const a = <p>The total is</p>;\n",
    "a word of an element": f"{IMPORTED}const a = <p>total</p>;\n",
    "the module is shadowed": f"{MODULE}const f = (cart) => cart.total;\n",
    "the module is a parameter": f"{MODULE}function f(a, cart) {{ cart.total; }}\n",
    "the module is bound again": f"{MODULE}{{ let cart = x; cart.total; }}\n",
    "the module is assigned": (
        "let cart = require('./cart');\ncart = x;\ncart.total();\n"
    ),
    "the module is unpacked": f"{MODULE}const {{ total }} = cart;\n",
    "the module is passed on": f"{MODULE}f(cart);\n",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_scripts_in_which_a_use_cannot_be_renamed(text: str) -> None:
    """Renaming the others would break them."""
    source = EditedSource(text.splitlines(keepends=True), "typescript")
    assert importing_uses(source, "src/main.ts", SCRIPT) == []


@pytest.mark.parametrize(
    ("path", "text"), SCRIPT_FILES.values(), ids=SCRIPT_FILES.keys()
)
def test_scripts(path: str, text: str) -> None:
    """Exactly the marked uses follow."""
    marked = read_marks(text)
    source = EditedSource(marked.after.splitlines(keepends=True), "typescript")
    found = importing_uses(source, path, SCRIPT)
    assert placed(marked.after, found) == marked.offers


EXPORTED = [
    ("python", "def «total|sum_of»(rows):\n    return 1\n", True),
    ("python", "class «A|B»:\n    pass\n", True),
    ("python", "«LIMIT|MOST»: int = 3\n", True),
    ("python", "async def «a|b»():\n    pass\n", True),
    ("python", "def f():\n    «total|sum_of» = 1\n", False),
    ("python", "from x import «total|sum_of»\n", False),
    ("python", "def «total|sum_of»():\n    pass\n\n\ndef total():\n    pass\n", False),
    ("python", "def «total|sum_of»():\n    pass\n\n\nsum_of = 1\n", False),
    ("python", "print(«total|sum_of»)\n", False),
    ("typescript", "export function «total|sumOf»() {}\n", True),
    ("typescript", "export const «total|sumOf» = 1;\n", True),
    ("typescript", "function «total|sumOf»() {}\n", False),
    ("go", "func «Total|Sum»() {}\n", False),
]


@pytest.mark.parametrize(("language", "text", "is_exported"), EXPORTED)
def test_what_other_files_can_import(
    language: str, text: str, is_exported: bool
) -> None:
    """Definitions in the first column of a module, or exported ones."""
    desk = typed(read_marks(text), language)
    source = EditedSource(desk.document.snapshot().lines, language)
    found = exported_rename(source, desk.journal.changes[-1], "a")
    assert (found is not None) is is_exported
