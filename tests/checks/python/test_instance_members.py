"""Methods of objects whose class is read, with its bases."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.typed_uses import check_typed_uses
from redline.text.lines import split_lines

LOG = "import logging\n\nlog = logging.getLogger(__name__)\n\n\ndef f(x):\n    {}\n"
TEST = "import unittest\n\nclass T(unittest.TestCase):\n def f(self):\n        {}\n"
CSV = "import csv\n\n\ndef f(x):\n    r = csv.DictReader(x)\n    {}\n"
ENUM = "from enum import Enum\n\n\nclass E(Enum):\n    A = 1\n\n\ndef f():\n    {}\n"
OWN = "from base import Base\n\n\nclass C(Base):\n    def f(self):\n        {}\n"


def _reported(form: str, code: str, folder: Path, base: str = "") -> list[str]:
    (folder / "base.py").write_text(base or "class Base:\n    def g(self): ...\n")
    before, after = (split_lines(form.format(one)) for one in ("pass", code))
    candidate = CheckedEdit(
        before=before,
        after=after,
        region_before=range(len(before)),
        region_after=range(len(after)),
        path=str(folder / "a.py"),
    )
    found = check_typed_uses(candidate, PythonEnvironment([folder]))
    return [problem.message for problem in found]


@pytest.mark.parametrize(
    ("form", "code", "message"),
    [
        (LOG, "log.notice('a')", "`Logger` has no `notice`."),
        (TEST, "self.assertSlug(1)", "`T` has no `assertSlug`."),
        (CSV, "r.skip_invalid()", "`DictReader` has no `skip_invalid`."),
        (OWN, "self.h()", "`C` has no `h`."),
        (ENUM, "return E.B", "`E` has no `B`."),
    ],
)
def test_reported(tmp_path: Path, form: str, code: str, message: str) -> None:
    """Neither the class nor a base has the method."""
    assert _reported(form, code, tmp_path) == [message]


@pytest.mark.parametrize(
    ("form", "code", "base"),
    [
        (LOG, "log.warning('a')", ""),
        (LOG, "if hasattr(log, 'notice'): log.notice('a')", ""),
        (LOG, "log.notice('a')", "Logger.notice = print\n"),
        (TEST, "self.assertEqual(1, 1)", ""),
        (TEST, "self.run_all = 1; self.run_all()", ""),
        (CSV, "r.__next__()", ""),
        (ENUM, "return E.A.value, E.__members__, E.mro()", ""),
        (OWN, "self.g()", ""),
        (OWN, "self.h()", "class Base:\n    def __getattr__(self, n): ...\n"),
        (OWN, "self.h()", "@add\nclass Base: ...\n"),
        (OWN, "self.h()", "class Base(metaclass=M): ...\n"),
        (OWN, "self.h()", "from elsewhere import Base\n"),
    ],
)
def test_not_reported(tmp_path: Path, form: str, code: str, base: str) -> None:
    """The class has it, or may get it."""
    assert _reported(form, code, tmp_path, base) == []
