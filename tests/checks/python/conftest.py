"""A workspace with an environment, and candidates for files of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.python import module_files
from redline.text.lines import split_lines

SITE = ".venv/lib/python3.12/site-packages"

FILES = {
    "pyproject.toml": 'dependencies = ["PyYAML", "ruamel.yaml", "scikit-learn>=1"]\n',
    "src/shop/__init__.py": "from shop.prices import total\n",
    "src/shop/prices.py": """\
import json as js

RATE = 0.2
low, (high, *others) = 1, (2, 3)
try:
    from decimal import Decimal
except ImportError:
    Decimal = None
if RATE:
    def total(items): ...
for step in range(3):
    pass
with open(__file__) as source:
    lines = source.readlines()
match RATE:
    case float() as matched:
        pass
if (found := RATE):
    pass
def set_later():
    global later
    later = 1
    inner = 2
class Price:
    amount = 0
    def discounted(self): ...
""",
    "src/shop/lazy.py": "def __getattr__(name): ...\n",
    "src/shop/filled.py": "globals().update(a=1)\n",
    "src/shop/starry.py": "from shop.prices import *\nown = 1\n",
    "src/shop/unknown_star.py": "from elsewhere_entirely import *\n",
    "src/shop/compiled.pyx": "",
    "src/shop/speedups.c": "",
    "src/shop/broken.py": "def (\n",
    "src/shop/sub/__init__.py": "",
    "src/shop/sub/deep.py": "depth = 1\n",
    "tools/ci/release_steps.py": "",
    "assets/pictures/logo.svg": "",
    ".venv/pyvenv.cfg": "home = {base}/bin\nversion = 3.12.1\n",
    "base/lib/python3.12/os.py": "import sys\nsys.modules['os.path'] = sys\n",
    "base/lib/python3.12/json/__init__.py": "def loads(s, *, cls=None, **kw): ...\n",
    "base/lib/python3.12/posixpath.py": "sep = '/'\ndef join(a, *p): ...\n",
    "base/lib/python3.12/ntpath.py": "sep = altsep = '/'\ndef join(a, *p): ...\n",
    "base/lib/python3.12/email/__init__.py": "",
    "base/lib/python3.12/email/utils.py": "def parseaddr(text): ...\n",
    "base/lib/python3.12/textwrap.py": "def dedent(text): ...\n",
    f"{SITE}/web-2.0.dist-info/METADATA": "",
    f"{SITE}/web/__init__.py": "from .api import get\nfrom .version import *\n",
    f"{SITE}/web/api.py": "def get(url, *, timeout=None): ...\n"
    "class Session:\n    def send(self): ...\n",
    f"{SITE}/web/version.py": "__version__ = '2.0'\nbuild = 1\n",
    f"{SITE}/mail/__init__.py": "message = object()\n",
    f"{SITE}/mail/message.py": "",
    f"{SITE}/cloud/storage/__init__.py": "class Client: ...\n",
    f"{SITE}/fast.cpython-312-x86_64-linux-gnu.so": "",
    f"{SITE}/sixish.py": "import sys\nsys.modules[__name__ + '.moves'] = sys\n",
    f"{SITE}/typed-stubs/__init__.pyi": "",
    f"{SITE}/both.py": "at_run_time = 1\n",
    f"{SITE}/both.pyi": "for_types: int\n",
}


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write files, with their folders."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("{base}", str(folder / "base")), encoding="utf-8")


@pytest.fixture(autouse=True)
def patient_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the walk through the workspace end on a busy machine, too."""
    monkeypatch.setattr(module_files, "MAX_WALK_S", 60.0)


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `FILES`, for tests that change none of them."""
    folder = tmp_path_factory.mktemp("workspace")
    write_files(folder, FILES)
    return folder


class MakeEdit(Protocol):
    """Make a candidate of a Python file."""

    def __call__(
        self,
        after: str,
        before: str = "",
        *,
        head: str = "",
        tail: str = "",
        path: str = "src/shop/orders.py",
        instruction: str = "Do it.",
    ) -> CheckedEdit:
        """Replace `before`, between a head and a tail that stay."""


@pytest.fixture
def edit() -> MakeEdit:
    """Make candidates of Python files."""

    def make(
        after: str,
        before: str = "",
        *,
        head: str = "",
        tail: str = "",
        path: str = "src/shop/orders.py",
        instruction: str = "Do it.",
    ) -> CheckedEdit:
        first = head.count("\n")
        return CheckedEdit(
            before=split_lines(head + before + tail),
            after=split_lines(head + after + tail),
            region_before=range(first, first + before.count("\n")),
            region_after=range(first, first + after.count("\n")),
            language="python",
            path=path,
            instruction=instruction,
        )

    return make
