"""Variables that are gone although the edit should only add."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.lost_names import check_lost_names

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

PYTHON = "def f(x):\n    return x\n"
WITH_TEXT = 'def f(x):\n    """Return x."""\n    return x\n'
ADD = "add a docstring to f"


def found(
    make: MakeCandidate, language: str, instruction: str, old: str, new: str
) -> list[str]:
    candidate = make(
        f"»\n{old}«\nlast = 1\n", new, language=language, instruction=instruction
    )
    return [one.message for one in check_lost_names(candidate)]


@pytest.mark.parametrize(
    ("language", "old", "new", "name"),
    [
        ("python", f"HOST = 'a'\nPORT = 1\n\n\n{PYTHON}", WITH_TEXT, "`HOST` is gone"),
        ("python", f"HOST: str = 'a'\n\n\n{PYTHON}", WITH_TEXT, "`HOST`"),
        ("python", f"app = Flask(__name__)\n\n\n{PYTHON}", WITH_TEXT, "`app`"),
        ("python", f"__all__ = ['f']\n\n\n{PYTHON}", WITH_TEXT, "`__all__`"),
        (
            "typescript",
            "export const rate = 2;\nlet n = 1;\nfunction f() {}\n",
            "/** Does f. */\nfunction f() {}\n",
            "`rate` is gone, which was not asked for, and 1 more.",
        ),
        (
            "rust",
            "pub(crate) const MAX: u8 = 2;\nfn f() {}\n",
            "/// Does f.\nfn f() {}\n",
            "`MAX`",
        ),
        (
            "c",
            "#define MAX 2\nint f(void) { return 1; }\n",
            "/* Returns 1. */\nint f(void) { return 1; }\n",
            "`MAX`",
        ),
    ],
)
def test_a_lost_name_is_reported(
    make_candidate: MakeCandidate, language: str, old: str, new: str, name: str
) -> None:
    (message,) = found(make_candidate, language, ADD, old, new)
    assert message.startswith(name)


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("simplify this", f"A = 1\n{PYTHON}", PYTHON),
        ("rename A to B", f"A = 1\n{PYTHON}", f"B = 1\n{PYTHON}"),
        ("rename the constant", f"a = 1\n{PYTHON}", f"A = 1\n{PYTHON}"),
        ("add B and delete A", f"A = 1\n{PYTHON}", f"B = 1\n{PYTHON}"),
        (ADD, f"A = 1\n{PYTHON}", f"A: int = 2\n{WITH_TEXT}"),
        (ADD, "def f(x):\n    y = x\n    return y\n", WITH_TEXT),
    ],
)
def test_other_names_are_not(
    make_candidate: MakeCandidate, instruction: str, old: str, new: str
) -> None:
    assert found(make_candidate, "python", instruction, old, new) == []
