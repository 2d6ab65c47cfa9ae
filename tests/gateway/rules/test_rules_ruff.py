"""What ruff can fix, inside the range only."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[..., None]


def test_imports_are_sorted(check: Check) -> None:
    """Standard library, others, the project's own, which its path shows."""
    check(
        "sort imports",
        """
        import app.x
        import sys, os
        import httpx
        from os import path
        é = "é"
        """,
        """
        import os
        import sys
        from os import path

        import httpx

        import app.x

        é = "é"
        """,
    )


BOM = "\ufeff"


@pytest.mark.parametrize(
    ("instruction", "code", "expected"),
    [
        ("sort imports", "import sys\nimport os\n", "import os\nimport sys\n"),
        ("remove unused imports", "import sys\nx = 1\n", "x = 1\n"),
        ("use f-strings", "x = '%s' % (y,)\n", "x = f'{y}'\n"),
        ("rename x to y", "x = 1\n", "y = 1\n"),
        ("sort imports", "«\nimport a\n»\n", None),
        ("rename x to y", "import a\n«\nx = 1\n»\n", "import a\ny = 1\n"),
    ],
)
def test_a_byte_order_mark_stays(
    check: Check,
    edit: Callable[..., str],
    instruction: str,
    code: str,
    expected: str | None,
) -> None:
    if code.startswith("«\n"):
        code = "«\n" + BOM + code.removeprefix("«\n")
    else:
        code = BOM + code
    if expected is None:
        assert "nothing to do" in edit(instruction, code)
    else:
        check(instruction, code, BOM + expected)


def test_part_of_a_file(check: Check, refuses: Callable[..., None]) -> None:
    """Imports alone can be sorted; other fixes need the whole file."""
    code = "«\nimport sys\nimport os\n»\n"
    check("sort imports", code, "import os\nimport sys\n", whole=False)
    refuses("remove unused imports", code, "whole file", whole=False)
    refuses("fix lint", code, "whole file", whole=False)


def test_only_whole_fixes_inside_the_range_are_taken(check: Check) -> None:
    check(
        "remove unused imports",
        "import os\n«\nimport sys\nimport re\nfrom a import (\n    b,\n    c,\n)\n»\n"
        "b()\n",
        "import os\nfrom a import (\n    b,\n)\nb()\n",
    )
    check(
        "fix lint",
        "x = not y in z\n«\ny = not x in z\ns = not y is z\n»\nt = not y is z\n",
        "x = not y in z\ny = x not in z\ns = y is not z\nt = not y is z\n",
    )


def test_fixes_that_do_not_fit_together_are_made_one_by_one(check: Check) -> None:
    """Removing both imports at once would leave the `try` without a body."""
    check(
        "remove unused imports",
        "try:\n    import a1\n    import b1\nfinally:\n    f()\n",
        "try:\n    pass\nfinally:\n    f()\n",
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("x = 1\n", "nothing to do"),
        ("import os  # noqa: F401\n", "nothing to do"),
        ("x = (\n", "cannot be parsed"),
        ("«\nimport os\n»\nx = (\n", "cannot be parsed"),
    ],
)
def test_refused(refuses: Callable[..., None], code: str, reason: str) -> None:
    refuses("remove unused imports", code, reason)


def test_settings_of_the_surroundings_do_not_count(
    edit: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUFF_OUTPUT_FORMAT", "concise")
    monkeypatch.setenv("RUFF_NO_CACHE", "no")
    assert edit("remove unused imports", "import os\nx = 1\n") == "x = 1\n"


def test_ruff_that_cannot_run_is_said(
    refuses: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder for temporary files, in which ruff runs, is not there."""
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    refuses("fix lint", "import os\n", "ruff could not be run")
