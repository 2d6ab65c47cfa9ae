"""Attributes of imported modules that do not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.checks.python.conftest import MakeEdit

from redline.checks.python.attributes import check_attributes
from redline.checks.python.environment import PythonEnvironment


@pytest.mark.parametrize(
    ("head", "code", "message"),
    [
        ("import json\n", "json.load_toml(x)\n", "`json` defines no `load_toml`."),
        (
            "import web\n",
            "web.gett(x)\n",
            "`web` defines no `gett`; did you mean `get`?",
        ),
        (
            "import textwrap as t\n",
            "t.dedents(x)\n",
            "`textwrap` defines no `dedents`; did you mean `dedent`?",
        ),
    ],
)
def test_reported(
    edit: MakeEdit, workspace: Path, head: str, code: str, message: str
) -> None:
    """The module's names are all known, and it is not among them."""
    found = check_attributes(edit(code, head=head), PythonEnvironment([workspace]))
    assert [problem.message for problem in found] == [message]


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("import json\n", "json.loads(x)\n"),
        ("import web\n", "web.get(x); web.api; web.build; web.__version__\n"),
        ("import fast\n", "fast.anything()\n"),
        ("import wobble\n", "wobble.anything()\n"),
        ("import json\n", "def f(json): return json.anything\n"),
        ("import json\n", "json = g(); json.anything\n"),
        ("import json\njson.own = 1\n", "json.anything\n"),
        (
            "try:\n    import web as json\nexcept ImportError:\n    import json\n",
            "json.get(json.anything)\n",
        ),
        ("import json\n", "async def json(): ...\njson.anything\n"),
        ("import json\n", "match x:\n    case str() as json: json.anything\n"),
        ("import json\n", "match x:\n    case [*json]: json.anything\n"),
        ("import json\n", "match x:\n    case {**json}: json.anything\n"),
        ("import json\njson.load_toml(x)\n", "json.load_toml(y)\n"),
        ("import json\n", "if hasattr(json, 'any'): json.any()\n"),
    ],
)
def test_left_alone(edit: MakeEdit, workspace: Path, head: str, code: str) -> None:
    """It exists, or nobody can know, or the file asks for it."""
    candidate = edit(code, head=head)
    assert not list(check_attributes(candidate, PythonEnvironment([workspace])))
    assert not list(check_attributes(candidate, None))
