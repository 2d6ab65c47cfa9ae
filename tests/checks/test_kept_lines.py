"""Lines that an edit leaves out which should only add something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.kept_lines import check_kept_lines

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

PYTHON = "def f(x):\n    return x\n"
DOCUMENTED = 'def f(x):\n    """Return x."""\n    return x\n'
C = "int f(int x) {\n  return x;\n}\n"


@pytest.mark.parametrize(
    ("language", "before", "after", "instruction"),
    [
        (
            "python",
            f"# Licensed under X\n# second line\n\n\n{PYTHON}",
            DOCUMENTED,
            "add a docstring to f",
        ),
        ("c", f'#include "a.h"\n\n{C}', f"// f\n{C}", "add a comment to f"),
        ("c", f"#pragma once\n\n{C}", f"// f\n{C}", "add a comment to f"),
        (
            "css",
            ".a { color: red; }\n\n.f { color: blue; }\n",
            "/* f */\n.f { color: blue; }\n",
            "add a comment to .f",
        ),
        (
            "markdown",
            "# Title\n\nText of the user.\n\n## Use\n\nMore.\n",
            "# Title\n\n## Use\n\nMore.\n\n- One\n",
            "add a list",
        ),
        (
            "rust",
            "#![deny(warnings)]\n\nfn f() {}\n",
            "// f\nfn f() {}\n",
            "add a comment to f",
        ),
        (
            "go",
            "//go:generate stringer\n\nfunc f() {}\n",
            "// f is f.\nfunc f() {}\n",
            "add a comment to f",
        ),
        (  # Another comment stands in its place.
            "go",
            "// Retries three times.\nfunc get() {\n\tfetch()\n}\n",
            'func get() {\n\tlog.Println("get")\n\tfetch()\n}\n',
            "log the call",
        ),
    ],
)
def test_a_line_that_is_left_out(
    make_candidate: MakeCandidate,
    language: str,
    before: str,
    after: str,
    instruction: str,
) -> None:
    edit = make_candidate(before, after, language=language, instruction=instruction)
    assert [one.rule for one in check_kept_lines(edit)] == ["lost-definition"]


@pytest.mark.parametrize(
    ("before", "after", "instruction"),
    [
        ("# Returns x.\n" + PYTHON, DOCUMENTED, "add a docstring to f"),
        ("# TODO: validate\n" + PYTHON, "check(x)\n" + PYTHON, "add a check"),
        ("# one two\n" + PYTHON, PYTHON + "# one two\n", "add a docstring to f"),
        ("# one two\n" + PYTHON, PYTHON, "throw out the comment"),
        ("# one two\n" + PYTHON, PYTHON, "simplify f"),
        ("pass\n" + PYTHON, PYTHON, "add a docstring to f"),
    ],
)
def test_a_line_that_may_go(
    make_candidate: MakeCandidate, before: str, after: str, instruction: str
) -> None:
    assert not list(
        check_kept_lines(make_candidate(before, after, instruction=instruction))
    )
