"""The rules carry out every entry that the menu offers without a model.

`‸` is the cursor; between two of them is a selection.
"""

from __future__ import annotations

import ast

import pytest

from redline.assist.actions.action import (
    Action,
    Diagnostic,
    EditWork,
    ExplainWork,
    Spot,
)
from redline.assist.actions.catalogue import catalogue
from redline.assist.actions.lint_rules import SAFE_RULES
from redline.checks.ruff import ask_ruff
from redline.gateway.rules.edit_answer import answer
from redline.prompts.edit import EditTask
from redline.settings.actions import OwnAction
from redline.text.instruction_comment import read_comment
from redline.text.lines import split_lines
from redline.text.position import Position, Range
from redline.text.reply import DECLINED

MARK = "‸"

TOTAL = """\
def total(prices, tax=1):
    result = 0
    for price in prices:
        result += ‸price
    print("%s of %s" % (result, tax))
"""

IMPORTS = "import sys\n‸import os\n\nprint(os, sys)\n"


def spot(marked: str, language: str, *diagnostics: Diagnostic) -> Spot:
    """A spot in marked text."""
    parts = marked.split(MARK)
    places = []
    for number in range(1, len(parts)):
        before = split_lines("".join(parts[:number]))
        places.append(Position(len(before) - 1, len(before[-1])))
    return Spot(
        language=language,
        lines=split_lines("".join(parts)),
        selection=Range(places[0], places[-1]),
        diagnostics=diagnostics,
    )


def done(where: Spot, work: EditWork) -> str:
    """The file after the rules have done this work."""
    first, last = work.range.start.line, work.range.end.line + 1
    lines = list(where.lines)
    comment = work.from_comment
    task = EditTask(
        instruction=work.instruction,
        path="app/thing.py",
        language=where.language,
        before="".join(lines[:first]),
        target="".join(lines[first:last]),
        after="".join(lines[last:]),
        from_comment=None if comment is None else read_comment(lines, comment),
        is_whole_file=True,
    )
    reply = answer(task)
    if reply.startswith(DECLINED):
        return reply
    return task.before + reply + task.after


def menu(where: Spot, **more: object) -> dict[str, Action]:
    """What is offered without a model, by title without the brand."""
    own = more.get("own")
    assert own is None or isinstance(own, dict)
    actions = catalogue(where, own=own, has_model=False)
    return {each.title.replace(" with Redline", ""): each for each in actions}


DOC = "Add a docstring"
CONFIGURE = "Redline: configure a model for more actions"

TABLE = [
    ("python", TOTAL, ["Add types", "Convert to f-strings"]),
    ("python", IMPORTS, ["Sort the imports"]),
    ("python", "import ‸os\nimport sys\n", []),
    ("python", "from a import b\n‸import c\n\nb, c\n", ["Sort the imports"]),
    ("python", "x = '''\nimport b\nimport ‸a\n'''\n", []),
    ("python", "def f():\n    ‸pass\n", []),
    ("python", "def f():\n    ‸raise KeyError\n", [DOC]),
    (
        "python",
        "def f(a):\n    if a:\n        ‸raise e.Missing(a)\n",
        [DOC],
    ),
    ("python", "def f(a):\n    ‸raise a\n", []),
    ("python", "def __len__(a):\n    ‸raise KeyError\n", []),
    ("python", "def f(a):\n    '''Doc.'''\n    return ‸a\n", []),
    ("python", "def f(a) -> int:\n    return ‸a\n", []),
    ("python", "def f(:\n    return ‸a\n", []),
    (
        "python",
        "class A:\n    ‸x = 1\n\n    def __init__(self):\n        self.y = 1\n",
        ["Add types"],
    ),
    (
        "python",
        "class A:\n    @property\n    def f(self):\n        ‸return '{}'.format(a)\n",
        ["Convert to f-strings"],
    ),
    (
        "python",
        "class A:\n    @f.setter\n    def f(self, to):\n        ‸self.to = to\n",
        ["Add types"],
    ),
    (
        "python",
        "def f(a):\n    try:\n        ‸g(a)\n    except E:\n        raise KeyError\n",
        [],
    ),
    ("python", "def f(a):\n    ‸yield a\n", []),
    ("python", "‸x = '%s: %s' % (a, b)‸\n", ["Convert to f-strings"]),
    ("python", "‸x = '%d: %s' % (a, b)‸\n", []),
    ("python", "‸x = 1\ny = 2‸\n", []),
    (
        "python",
        "# redline: add docstrings‸\ndef f(a):\n    raise KeyError(a)\n",
        ["Do this: add docstrings"],
    ),
    (
        "python",
        "# redline: rename f to g,‸\n# add docstrings\ndef f():\n    raise E\n",
        ["Do this: rename f to g, add docstrings"],
    ),
    (
        "python",
        "def f(a):  # redline: rename a to b‸\n    '''Doc.'''\n    return a\n",
        ["Do this: rename a to b"],
    ),
    ("python", "# redline: make it web scale‸\nx = 1\n", []),
    ("python", "# redline: comment out these lines‸\nx = 1\ny = 2\n", None),
    ("go", "func Total(a int) int {\n\treturn ‸a\n}\n", []),
    ("go", "// a comment of code to come‸\n", []),
    (
        "go",
        "// redline: rename a to price‸\nfunc Total(a int) int {\n\treturn a\n}\n",
        ["Do this: rename a to price"],
    ),
    ("go", "// redline: add type hints‸\nfunc Total(a int) int {\n\treturn a\n}\n", []),
    ("typescript", "function f(a) {\n  ‸return a.then(b)\n}\n", []),
    ("typescript", "‸var a = 1;\nvar b = 2;‸\n", []),
    (
        "typescript",
        "const all = [\n  // redline: sort these lines‸\n  'b',\n  'a',\n];\n",
        None,
    ),
    ("markdown", "Some ‸text.\n", []),
]


@pytest.mark.parametrize(("language", "marked", "expected"), TABLE)
def test_every_offer_is_carried_out(
    language: str, marked: str, expected: list[str] | None
) -> None:
    """And nothing else is offered (None: any offer)."""
    where = spot(marked, language)
    offered = menu(where)
    before = "".join(where.lines)
    works = {
        title: action.work
        for title, action in offered.items()
        if isinstance(action.work, EditWork)
    }
    assert expected is None or list(works) == expected
    for title, work in works.items():
        after = done(where, work)
        assert not after.startswith(DECLINED), f"{title}: {after}"
        assert after != before, title
        assert "redline:" not in after or not title.startswith("Do"), title
        if language == "python":
            ast.parse(after)
    assert set(offered) - set(works) <= {CONFIGURE}


def test_what_a_rename_by_comment_leaves() -> None:
    """The comment is removed, and was not treated as code."""
    where = spot("def f(a):  # redline: rename a to b‸\n    return a\n", "python")
    work = menu(where)["Do this: rename a to b"].work
    assert isinstance(work, EditWork)
    assert done(where, work) == "def f(b):\n    return b\n"


FAULTS = {
    "B010": "setattr(a, 'b', 1)\n",
    "C413": "x = list(sorted(y))\n",
    "E401": "import os, sys\n\nprint(os, sys)\n",
    "E703": "x = 1;\n",
    "E713": "y = not x in z\n",
    "E714": "y = not x is z\n",
    "F401": "import os\n\nx = 1\n",
    "F541": "x = f'a'\n",
    "F632": "y = x is 'a'\n",
    "I001": "import sys\nimport os\n\nprint(os, sys)\n",
    "PIE790": "class A:\n    '''Doc.'''\n\n    pass\n",
    "PIE808": "x = range(0, 10)\n",
    "SIM208": "x = not (not a)\n",
    "UP004": "class A(object):\n    x = 1\n",
    "UP009": "# -*- coding: utf-8 -*-\nx = 1\n",
    "UP010": "from __future__ import print_function\n\nx = 1\n",
    "UP012": "x = 'a'.encode('utf-8')\n",
    "UP015": "x = open('a', 'r')\n",
    "UP034": "print((1))\n",
    "W605": "x = '\\d'\n",
}


def faults(code: str, text: str) -> list[Diagnostic]:
    """Return ruff's diagnostics of a text, as its server would."""
    said = ask_ruff(text, path="a.py", rules=code, target_version="py39")
    return [
        Diagnostic(
            range=Range(
                Position(each.location.row - 1, each.location.column - 1),
                Position(each.end_location.row - 1, each.end_location.column - 1),
            ),
            message=each.message,
            source="Ruff",
            code=each.code or "",
        )
        for each in said
    ]


@pytest.mark.parametrize("code", sorted(SAFE_RULES))
def test_a_problem_of_ruff_is_fixed(code: str) -> None:
    """On its line only; the same further down stays for "Fix every"."""
    text = f"first = 1\n{FAULTS[code]}" if code not in ("UP009", "UP010") else ""
    text = text or FAULTS[code]
    (problem,) = faults(code, text)
    where = spot(f"{MARK}{text}", "python", problem)
    (fix,) = (a for a in menu(where).values() if a.lsp_kind == "quickfix")
    assert fix.title.startswith("Fix with Redline: ")
    assert fix.diagnostics == (0,)
    assert isinstance(fix.work, EditWork)
    after = done(where, fix.work)
    assert not after.startswith(DECLINED)
    assert faults(code, after) == []


def test_one_line_or_every_line() -> None:
    text = "x = f'a'\ny = f'b'\n"
    found = faults("F541", text)
    where = spot(f"{MARK}{text}", "python", *found)
    offered = catalogue(where, has_model=False)
    fixes = [each.work for each in offered if isinstance(each.work, EditWork)]
    assert [done(where, work) for work in fixes] == [
        "x = 'a'\ny = f'b'\n",
        "x = f'a'\ny = 'b'\n",
        "x = 'a'\ny = 'b'\n",
    ]
    (every,) = catalogue(where, only=["source"], has_model=False)
    assert every.title == "Fix every F541 in the file with Redline"


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("Pyright", "F401", "`os` imported but unused"),
        ("Ruff", "E711", "Comparison to `None` should be `cond is None`"),
        (
            "Ruff",
            "F401",
            "`os` imported but unused; consider using `importlib.util.find_spec`",
        ),
        ("Ruff", "", "invalid syntax"),
    ],
)
def test_what_rules_cannot_fix_is_not_offered(
    source: str, code: str, message: str
) -> None:
    here = Range(Position(0, 0), Position(0, 9))
    problem = Diagnostic(range=here, message=message, source=source, code=code)
    offered = catalogue(spot("import os‸\n", "python", problem), has_model=False)
    assert [action.title for action in offered] == [CONFIGURE]
    assert isinstance(offered[0].work, ExplainWork)


def test_own_actions_that_rules_understand() -> None:
    own = {
        "a": OwnAction(title="Document", instruction="add docstrings"),
        "b": OwnAction(title="Improve", instruction="make it better"),
    }
    offered = menu(spot("def f(a):\n    return ‸a\n", "python"), own=own)
    assert "Document" in offered
    assert "Improve" not in offered


def test_the_way_to_a_model_is_last_and_only_in_the_whole_menu() -> None:
    where = spot(TOTAL, "python")
    assert list(menu(where))[-1] == CONFIGURE
    kinds = ["quickfix", "refactor", "source", "redline"]
    assert all(
        action.title != CONFIGURE
        for action in catalogue(where, only=kinds, has_model=False)
    )
    assert catalogue(spot("x = 1\n‸\n", "python"), has_model=False) == []
