"""Tests that are added leave the others as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.kept_tests import check_kept_tests

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

PYTHON = "import os\n\nROOT = 1\n\n\ndef test_a():\n    assert ROOT\n"
NEW = "\n\ndef test_new():\n    assert os\n"
SCRIPT = (
    'import {\n  a,\n  b\n} from "./a";\n\n'
    'describe("a", () => {\n  it("is", () => {\n    a();\n  });\n});\n'
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", NEW),
        (PYTHON, PYTHON + NEW),
        (PYTHON, "import os\nimport re\n" + PYTHON.partition("\n")[2] + NEW),
        (PYTHON, PYTHON.replace("import os", "from os import path") + NEW),
        ("import os\n" + NEW + "ROOT = 1\n", "import os\nROOT = 1\n" + NEW),
        (SCRIPT, SCRIPT.replace("  b\n", "  b,\n  c,\n")),
        (SCRIPT, SCRIPT.replace("  });\n});", "  });\n  it('x', f);\n});")),
        ("package a\n", 'package a\n\nimport (\n\t"testing"\n)\n'),
    ],
)
def test_additions_pass(make_candidate: MakeCandidate, before: str, after: str) -> None:
    """Imports may grow, and tests go between others."""
    assert not list(check_kept_tests(make_candidate(before, after, kind="tests")))


@pytest.mark.parametrize(
    ("after", "named"),
    [
        ("import os\n" + NEW, "`ROOT = 1`, `def test_a():`, `assert ROOT`."),
        (PYTHON.replace("ROOT = 1\n", "") + NEW, "`ROOT = 1`."),
        (PYTHON.replace("assert ROOT", "assert True") + NEW, "`assert ROOT`."),
        ("", "`ROOT = 1`, `def test_a():`, `assert ROOT`."),
    ],
)
def test_losses_are_named(
    make_candidate: MakeCandidate, after: str, named: str
) -> None:
    """Whatever the instruction, which quotes code, says by chance."""
    candidate = make_candidate(
        PYTHON, after, kind="tests", instruction="Write tests: def remove(): ..."
    )
    (problem,) = check_kept_tests(candidate)
    assert problem.rule == "lost-test"
    assert problem.message.endswith(named)


def test_other_edits_may_change_tests(make_candidate: MakeCandidate) -> None:
    """They are shown before they are applied."""
    assert not list(check_kept_tests(make_candidate(PYTHON, NEW)))
