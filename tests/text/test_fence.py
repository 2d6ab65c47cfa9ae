"""Fences are read as CommonMark has them, at any indentation."""

from __future__ import annotations

import pytest

from redline.text.fence import Fence, read_fence


@pytest.mark.parametrize(
    ("line", "indent", "run", "info"),
    [
        ("```", "", "```", ""),
        ("```python", "", "```", "python"),
        ("``` python  ", "", "```", "python"),
        ("    ````", "    ", "````", ""),
        ("\t~~~ sh -e", "\t", "~~~", "sh -e"),
    ],
)
def test_a_fence_is_read(line: str, indent: str, run: str, info: str) -> None:
    fence = read_fence(line)
    assert fence == Fence(indent=indent, run=run, info=info)
    assert fence.is_bare is (info == "")


@pytest.mark.parametrize(
    "line", ["", "``", "~~", "```a``` b", "x ```", "`` `", "# ```", "- ```"]
)
def test_other_lines_are_none(line: str) -> None:
    assert read_fence(line) is None


@pytest.mark.parametrize(
    ("opening", "closing", "fits"),
    [
        ("```", "```", True),
        ("```", "````", True),
        ("````", "```", False),
        ("```", "~~~", False),
    ],
)
def test_a_closing_fence_is_of_the_kind_and_not_shorter(
    opening: str, closing: str, fits: bool
) -> None:
    first = Fence(indent="", run=opening, info="")
    assert Fence(indent="", run=closing, info="").may_end(first) is fits
