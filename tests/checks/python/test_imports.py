"""Which imports are called phantoms, and which are left alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.imports import check_imports

MakeEdit = Callable[..., CheckedEdit]


@pytest.fixture
def environment(workspace: Path) -> PythonEnvironment:
    """What the workspace's files can import."""
    return PythonEnvironment([workspace])


def check(candidate: CheckedEdit, environment: PythonEnvironment) -> list[str]:
    problems = list(check_imports(candidate, environment))
    assert all(problem.rule == "phantom-import" for problem in problems)
    return [problem.message for problem in problems]


def nowhere(name: str, guess: str = ".") -> str:
    """The sentence about a module that is nowhere."""
    return (
        f"no module `{name}` is in the workspace, the standard library or the"
        f" workspace's environment{guess}"
    )


CAUGHT = {
    # What is nowhere.
    "import webb": nowhere("webb", "; did you mean `web`?"),
    "import urllib2": nowhere("urllib2", "; did you mean `urllib`?"),
    "import json, quickjson": nowhere("quickjson"),
    "from quickjson.core import dumps": nowhere("quickjson"),
    "def f():\n    import wobble": nowhere("wobble"),
    "if TYPE_CHECKING:\n    import wobble": nowhere("wobble"),
    "try:\n    import wobble\nexcept ValueError:\n    pass": nowhere("wobble"),
    # A folder without Python is no module.
    "import pictures": nowhere("pictures"),
    # Parts of packages.
    "import web.apis": "`web` has no module `apis`; did you mean `api`?",
    "import json.encoding": "`json` has no module `encoding`.",
    "from cloud.sql import Client": "`cloud` has no module `sql`.",
    "import shop.sub.deeper": "`shop.sub` has no module `deeper`; did you mean `deep`?",
    # Names of modules.
    "from zoneinfo import Zone": "`zoneinfo` defines no `Zone`.",
    "from web import fetch": "`web` defines no `fetch`.",
    "from json import load_file": "`json` defines no `load_file`.",
    "from textwrap import detent": "`textwrap` defines no `detent`; did you mean"
    " `dedent`?",
    "from both import neither": "`both` defines no `neither`.",
    "from shop.prices import totals": "`shop.prices` defines no `totals`; did you mean"
    " `total`?",
    "from shop.prices import discounted": "`shop.prices` defines no `discounted`.",
    "from shop.prices import inner": "`shop.prices` defines no `inner`.",
    "from shop.starry import owns": "`shop.starry` defines no `owns`; did you mean"
    " `own`?",
    "from cloud import sql": "`cloud` defines no `sql`.",
    # Relative imports.
    "from .invoices import Invoice": "there is no module `.invoices` here.",
    "from .prices import rate": "`.prices` defines no `rate`.",
    "from . import invoices": "`.` defines no `invoices`.",
    "from .sub.deeper import depth": "there is no module `.sub.deeper` here.",
}


@pytest.mark.parametrize(("code", "message"), CAUGHT.items())
def test_phantoms_are_caught(
    code: str, message: str, edit: MakeEdit, environment: PythonEnvironment
) -> None:
    """With the closest name that there is."""
    assert check(edit(f"{code}\n"), environment) == [message]


ALONE = [
    "import os, sys, json",
    "import os.path",
    "import tomllib, imp, distutils.core",
    "import xml.etree.ElementTree",
    "from __future__ import annotations",
    "from json import loads",
    "from tkinter import anything",
    "from zoneinfo import _anything",  # Its source is not in this library.
    "import msvcrt, winreg",
    # Installed.
    "import web.api",
    "from web import get, api, build",
    "from web import __version__, __doc__",
    "from cloud.storage import Client",
    "from cloud import storage",
    "import fast",
    "from fast import anything",
    "from sixish.moves import range",
    "import typed",
    "from both import at_run_time, for_types",
    # The workspace's own, from its folder, its sources and wherever else.
    "import shop",
    "import src.shop.prices",
    "from shop import total, prices, sub",
    "from shop.prices import RATE, low, high, others, Decimal, total, step, source",
    "from shop.prices import lines, matched, found, later, Price, js",
    "from shop.starry import own, total",
    "from shop.starry import *",
    "import release_steps",
    # What cannot be known.
    "from shop.lazy import anything",
    "from shop.filled import anything",
    "from shop.unknown_star import anything",
    "from shop.broken import anything",
    "from shop import compiled, speedups",
    "from shop.compiled import anything",
    "from shop.api_pb2 import Message",
    "from . import _version",
    # Relative.
    "from . import prices, sub",
    "from .prices import total",
    "from .sub import deep",
    "from .sub.deep import depth",
    "from .. import shop",
    "from ..shop.prices import total",
    "from ........ import far_above",
    # Prepared for that it is not there.
    "try:\n    import wobble\nexcept ImportError:\n    wobble = None",
    "try:\n    import os\nexcept (OSError, ImportError):\n    import wobble",
    "try:\n    from json import wobble\nexcept Exception:\n    pass",
    "try:\n    import wobble\nexcept:\n    pass",
    "import contextlib\nwith contextlib.suppress(ImportError):\n    import wobble",
    "import sys\nif sys.version_info < (3,):\n    import urllib2",
    "import sys\nif sys.platform == 'win32':\n    import wobble\nelse:\n    import web",
    # No import.
    "text = 'import wobble'",
    "# import wobble",
    # What the project says it needs, installed or not.
    "import yaml, ruamel.yaml, sklearn",
    # Not to be parsed.
    "import wobble, (",
]


@pytest.mark.parametrize("code", ALONE)
def test_what_exists_is_left_alone(
    code: str, edit: MakeEdit, environment: PythonEnvironment
) -> None:
    """And so is what is uncertain, or may fail."""
    assert check(edit(f"{code}\n"), environment) == []


def test_lines_are_the_regions(edit: MakeEdit, environment: PythonEnvironment) -> None:
    """Each name in brackets has its own line."""
    code = "from shop.prices import (\n    RATE,\n    rate,\n)\nimport wobble\n"
    found = check_imports(edit(code, head="import os\n\n"), environment)
    assert [problem.line for problem in found] == [2, 4]


def test_only_new_imports_count(edit: MakeEdit, environment: PythonEnvironment) -> None:
    """Neither those outside of the range nor those that were there."""
    phantom = "from shop.prices import gone\n"
    assert check(edit("import os\n", head=phantom), environment) == []
    assert check(edit(f"import os\n{phantom}", phantom), environment) == []
    assert check(edit(phantom, head=phantom), environment) == []
    # More of the same package, which this file can import by some way not known here.
    assert check(edit("import wobble.b\n", "import wobble.a\n"), environment) == []


def test_a_file_that_needed_more_is_in_another_environment(
    edit: MakeEdit, environment: PythonEnvironment
) -> None:
    """Its own imports show that the environment that was found is not its own."""
    head = "import wobble\n"
    assert check(edit("import webtools\n", head=head), environment) == []
    guarded = f"try:\n    {head}except ImportError:\n    pass\n"
    assert len(check(edit("import webtools\n", head=guarded), environment)) == 1
    declared = "import yaml\n"
    assert len(check(edit("import webtools\n", head=declared), environment)) == 1


def test_an_instruction_may_ask_for_a_package(
    edit: MakeEdit, environment: PythonEnvironment
) -> None:
    """It is reported until the project declares it, which the instruction may say."""
    asked = edit("import wobble\n", instruction="Use Wobble, I install it later.")
    assert check(asked, environment) == []
    other = edit("import wobble\n", instruction="Use Wobble for this.")
    assert len(check(other, environment)) == 1


def test_without_an_environment_nobody_is_accused(edit: MakeEdit) -> None:
    """Nothing is known at all."""
    assert list(check_imports(edit("import wobble\n"), None)) == []


def test_other_languages_are_left_alone(environment: PythonEnvironment) -> None:
    """Whatever their imports look like."""
    candidate = CheckedEdit(
        before=[""],
        after=["import wobble\n", ""],
        region_before=range(0),
        region_after=range(1),
        language="java",
    )
    assert check(candidate, environment) == []


def test_files_outside_of_the_workspace(
    edit: MakeEdit, environment: PythonEnvironment, tmp_path: Path
) -> None:
    """What they can import from elsewhere is not known; their neighbours are."""
    (tmp_path / "near.py").write_text("here = 1\n", encoding="utf-8")
    path = str(tmp_path / "script.py")
    assert check(edit("import wobble\n", path=path), environment) == []
    problems = check(edit("from near import there\n", path=path), environment)
    assert problems == ["`near` defines no `there`; did you mean `here`?"]


def test_a_file_without_a_path(edit: MakeEdit, environment: PythonEnvironment) -> None:
    """It is taken for one of the workspace, in no certain folder of it."""
    assert len(check(edit("import wobble\n", path=""), environment)) == 1
    assert check(edit("from .wobble import a\n", path=""), environment) == []


def test_problems_are_values(edit: MakeEdit, environment: PythonEnvironment) -> None:
    """Rule, sentence and line."""
    assert list(check_imports(edit("\nfrom . import gone\n"), environment)) == [
        Problem(rule="phantom-import", message="`.` defines no `gone`.", line=1)
    ]
