"""What belongs to a reply's form and not to code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.leftover import check_leftovers

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate


@pytest.mark.parametrize(
    ("after", "language", "lines"),
    [
        ("```python\nx = 1\n```\n", "python", [0, 2]),
        ("x = 1\n```\n", "go", [1]),
        ("~~~\nx: 1\n~~~\n", "yaml", [0, 2]),
        ("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", "yaml", [0, 2, 4]),
        ("<<<<<<< HEAD\nx\n||||||| base\n", "yaml", [0, 2]),
        (">>>>>>>\n", "python", [0]),
        ("x = <|cursor|>1\n", "python", [0]),
        ("x = 1<|im_end|>\n", "haskell", [0]),
        ("<fim_middle>\n", "rust", [0]),
        ("x <\uff5cfim\u2581hole\uff5c>\n", "python", [0]),
        ("[/INST]\nx\n", "yaml", [0]),
        ("<think>\nx: 1\n</think>\n", "yaml", [0, 2]),
        ("Range to edit:\nx: 1\n", "yaml", [0]),
        ("x = 1\nCode after the range:\n", "python", [1]),
    ],
)
def test_leftovers(
    make_candidate: MakeCandidate, after: str, language: str, lines: list[int]
) -> None:
    """Each with its line."""
    found = list(check_leftovers(make_candidate("", after, language=language)))
    assert [problem.line for problem in found] == lines
    assert {problem.rule for problem in found} == {"leftover-marker"}


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ("", 'def f():\n    """Do.\n\n    ```\n    f()\n    ```\n    """\n', "python"),
        ("", "/*\n```\nf()\n```\n*/\n", "c"),
        ("", "END = '<|endoftext|>'\n", "python"),
        ("", "x = 1  # up to <|cursor|>\n", "python"),
        ("", "let y = x |> f <| z\n", "fsharp"),
        ("", "```sh\nls\n```\n", "markdown"),
        ("", "Title\n=======\n", "restructuredtext"),
        ("", "=======\n", "yaml"),
        ("", "std::cout << x;\ny >>= 7;\n", "cpp"),
        ("<<<<<<< HEAD\nx\n", "<<<<<<< HEAD\ny\n", "python"),
    ],
)
def test_left_alone(
    make_candidate: MakeCandidate, before: str, after: str, language: str
) -> None:
    """Text, other languages' own signs, and what was there before."""
    candidate = make_candidate(before, after, language=language)
    assert not list(check_leftovers(candidate))


@pytest.mark.parametrize(
    "damaged",
    [
        "REDLINE_SECRET_000077",
        "REDLINE_SECRET_00000",
        "redline_secret_000000",
        "REDLINE SECRET 000000",
        "REDLINE-SECRET-000000",
        "REDLINE\\_SECRET\\_000000",
        'REDLINE_SECRET_" "000000',
    ],
)
def test_a_placeholder_without_a_secret(
    make_candidate: MakeCandidate, damaged: str
) -> None:
    """The user's secret would be lost, in a string too; in an own text it is one."""
    after = f'password = "{damaged}"\n'
    candidate = make_candidate('password = "x"\n', after, language="python")
    assert [each.line for each in check_leftovers(candidate)] == [0]
    before = "# REDLINE_SECRET_000000 is a placeholder.\n"
    assert not list(check_leftovers(make_candidate(before, after, language="python")))
