"""A task knows how many lines it touches."""

from __future__ import annotations

import pytest
from tests.routing.conftest import MakeTask


@pytest.mark.parametrize(
    ("code", "n_lines", "size"),
    [
        ("a\nb\n", None, 2),
        ("a\nb", None, 2),
        ("", None, 1),
        ("\n", None, 1),
        ("a\n", 500, 500),
    ],
)
def test_size(task: MakeTask, code: str, n_lines: int | None, size: int) -> None:
    assert task(code=code, n_lines=n_lines).size == size
