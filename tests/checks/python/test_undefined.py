"""Which names are called undefined, and which are left alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.python.undefined import check_names

MakeEdit = Callable[..., CheckedEdit]


def check(candidate: CheckedEdit) -> list[tuple[str, int | None]]:
    problems = list(check_names(candidate, None))
    assert all(problem.rule == "undefined-name" for problem in problems)
    return [(problem.message, problem.line) for problem in problems]


@pytest.mark.parametrize(
    ("code", "name", "line"),
    [
        ("total = summ(items)\n", "summ", 0),
        ("def f(a):\n    return a + b\n", "b", 1),
        ("class A:\n    def f(self):\n        return np.zeros(1)\n", "np", 2),
        ("def f():\n    n = 1\n\n\nprint(n)\n", "n", 4),
        ("def f(x: Optional[int]): ...\n", "Optional", 0),
        ("def f(x: 'Optional[int]'): ...\n", "Optional", 0),
        ("print(missing)  # noqa: F821\n", "missing", 0),
        ("for i in range(3):\n    print(i, j)\n", "j", 1),
        ("text = f'{nam}'\n", "nam", 0),
        ("squares = [y * y for x in (1, 2)]\n", "y", 0),
        ("class A:\n    size = 1\n    def f(self):\n        return size\n", "size", 3),
        ("@cached\ndef f(): ...\n", "cached", 0),
        ("raise HttpError\n", "HttpError", 0),
    ],
)
def test_undefined_names_are_caught(
    code: str, name: str, line: int, edit: MakeEdit
) -> None:
    """Once each, at the line where they stand."""
    items = "items = [1]\n"
    assert check(edit(code, head=items)) == [
        (f"`{name}` is not defined anywhere.", line)
    ]


@pytest.mark.parametrize(
    "code",
    [
        "total = sum([1])\n",
        "print(__file__, __name__, __doc__)\n",
        "def f():\n    return later\n\n\nlater = 1\n",
        "from os.path import *\nprint(join('a'))\n",
        "from __future__ import annotations\ndef f(x: A): ...\nclass A: ...\n",
        "def f(x: 'A'): ...\nclass A: ...\n",
        "class A:\n    def f(self):\n        return __class__\n",
        "try:\n    text = unicode\nexcept NameError:\n    text = str\n",
        "import sys\nif sys.version_info < (3,):\n    text = unicode\n",
        "from ._versions import _PY315_PLUS\nif _PY315_PLUS:\n    kind = frozenmap\n",
        "def set_it():\n    global it\n    it = 1\n\n\nprint(it)\n",
        "if (n := 1):\n    print(n)\n",
        "match 1:\n    case [first, *rest]:\n        print(first, rest)\n",
        "print(_('hello'))\n",
        "globals().update(wobble=1)\nprint(wobble)\n",
        "exec('wobble = 1')\nprint(wobble)\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nx: a.b\n",
        # What ruff alone would call undefined.
        "if TYPE_CHECKING:\n    class A(B): ...\nclass B: ...\nTYPE_CHECKING = 0\n",
        "def f():\n    def g(n):\n        return g(n)\n    print(g)\n    del g\n",
        "def f():\n    found: int\n    def g():\n        nonlocal found\n"
        "        found = 1\n    g()\n    return found\n",
        "def f(rows):\n    for row in rows:\n        if row:\n            print(last)\n"
        "            del last\n        last = row\n",
        "from vendored.typing import Literal\ndef f(x: Literal['r', 'w']): ...\n",
        "IntEnum._convert_('Code', __name__, str)\nprint(OK)\n",
        "# print(wobble)\n'wobble'\n",
        "print(__builtin_by_some_tool__)\n",
        "print(wobble, (\n",
        "",
    ],
)
def test_what_is_defined_is_left_alone(code: str, edit: MakeEdit) -> None:
    """And so is what is uncertain, or cannot be parsed."""
    assert check(edit(code)) == []


def test_only_new_names_count(edit: MakeEdit) -> None:
    """A name that the file used before is provided by something else."""
    assert check(edit("print(wobble)\n", "wobble()\n")) == []
    assert check(edit("print(wobble)\n", head="wobble()\n")) == []
    assert check(edit("print(1)\n", head="wobble()\n")) == []


def test_a_name_is_told_once(edit: MakeEdit) -> None:
    """However often it is used."""
    assert len(check(edit("print(wobble)\nprint(wobble)\nwobble()\n"))) == 1
    assert len(check(edit("print(wobble)\nprint(wobbly)\n"))) == 2


def test_a_definition_that_others_need(edit: MakeEdit) -> None:
    """Taken out of the range, it is missed elsewhere."""
    assert check(edit("", "import json\n", tail="\n\njson.dumps(1)\n")) == [
        ("`json` in line 3 of the file is not defined any more.", None)
    ]


def test_a_broken_file_is_left_alone(edit: MakeEdit) -> None:
    """Wherever it is broken."""
    assert check(edit("print(wobble)\n", tail="def (:\n")) == []
    assert check(edit("print(wobble)\n", "print(\n", tail="1\n")) == [
        ("`wobble` is not defined anywhere.", 0)
    ]


def test_other_languages_are_left_alone() -> None:
    """Ruff is not asked about them."""
    candidate = CheckedEdit(
        before=["\n"],
        after=["wobble();\n"],
        region_before=range(1),
        region_after=range(1),
        language="javascript",
    )
    assert check(candidate) == []
