"""Attributes of imported modules that do not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.checks.python.conftest import MakeEdit

from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.typed_uses import check_typed_uses


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
        (
            "import urllib.request\n",
            "urllib.request.fetch(x)\n",
            "`urllib.request` defines no `fetch`.",
        ),
        ("import os\n", "os.path.base(x)\n", "`os.path` defines no `base`."),
        ("from os import path as p\n", "p.base(x)\n", "`os.path` defines no `base`."),
        (
            "import email.utils\n",
            "email.utils.parse_mail(x)\n",
            "`email.utils` defines no `parse_mail`.",
        ),
        ("from . import prices\n", "prices.s(x)\n", "`.prices` defines no `s`."),
        ("import zoneinfo\n", "zoneinfo.Zone\n", "`zoneinfo` defines no `Zone`."),
        (
            "import web.api\n",
            "web.api.Session().close()\n",
            "`Session` has no `close`.",
        ),
        (
            "import json\nhasattr(x, 'y')\n",
            "json.load_toml(x)\n",
            "`json` defines no `load_toml`.",
        ),
    ],
)
def test_reported(
    edit: MakeEdit, workspace: Path, head: str, code: str, message: str
) -> None:
    """The module's names are all known, and it is not among them."""
    found = check_typed_uses(edit(code, head=head), PythonEnvironment([workspace]))
    assert [problem.message for problem in found] == [message]


@pytest.mark.parametrize(
    ("head", "code", "name"),
    [
        ("import math\n", "math.sumprod(x, y)\n", "math.sumprod"),
        ("import typing as t\n", "x: t.Self\n", "typing.Self"),
        ("import tomllib\n", "tomllib.loads(x)\n", "tomllib"),
        (  # The annotation sets no member of the module.
            "import asyncio\nq: asyncio.Queue = asyncio.Queue()\n",
            "asyncio.timeout(3)\n",
            "asyncio.timeout",
        ),
    ],
)
def test_newer_than_the_project(
    edit: MakeEdit, tmp_path: Path, head: str, code: str, name: str
) -> None:
    """A standard name must be in the oldest Python of the project."""
    (tmp_path / "setup.cfg").write_text("[options]\npython_requires = >=3.10\n")
    environment = PythonEnvironment([tmp_path])
    [found] = check_typed_uses(edit(code, head=head), environment)
    assert found.message.startswith(f"`{name}` is new in Python 3.1")
    asking = f"import sys\n{head}sys.version_info\n"
    assert not list(check_typed_uses(edit(code, head=asking), environment))


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("import json\n", "json.loads(x)\n"),
        ("import os\n", "os.path.join(os.path.sep); os.path.altsep\n"),
        ("import mail\n", "mail.message.own.anything\n"),
        ("from . import nothing\n", "nothing.anything(x)\n"),
        ("import web\n", "web.get(x); web.api; web.build; web.__version__\n"),
        ("import fast\n", "fast.anything()\n"),
        ("import wobble\n", "wobble.anything()\n"),
        ("import web.api\n", "web.api.Session().timeout\n"),
        ("import web.api\n", "web.api.get(1).anything()\n"),
        ("import json\n", "def f(json): return json.anything\n"),
        ("import json\n", "json = g(); json.anything\n"),
        ("import json\njson.own = 1\n", "json.anything\n"),
        (
            "try:\n    import web as json\nexcept ImportError:\n    import json\n",
            "json.get(json.anything)\n",
        ),
        ("import json\n", "async def json(): ...\njson.anything\n"),
        ("import json\n", "try: f()\nexcept E as json: json.anything\n"),
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
    assert not list(check_typed_uses(candidate, PythonEnvironment([workspace])))
    assert not list(check_typed_uses(candidate, None))
