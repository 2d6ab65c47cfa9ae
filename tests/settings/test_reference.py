"""The committed reference page is what the tree generates."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from redline.settings.flatten import flatten
from redline.settings.leaves import model_leaves, sections
from redline.settings.merge import merge
from redline.settings.reference import reference_page
from redline.settings.source import Source
from redline.settings.tree import Api

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


def test_the_committed_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page(), (
        "run: python -m redline.settings.reference > docs/reference/settings.md"
    )


def test_every_setting_is_on_the_page_with_a_description() -> None:
    page = reference_page()

    for leaves in (model_leaves(), *sections().values()):
        for leaf in leaves.values():
            assert f"| `{leaf.name}` | " in page
            assert leaf.meta.description
            assert leaf.meta.description in page


@pytest.mark.parametrize("api", get_args(Api))
def test_every_wire_format_has_an_example(api: str) -> None:
    (row,) = [
        line for line in reference_page().splitlines() if line.startswith(f"| `{api}`")
    ]
    url = row.split("`")[-2]
    values = flatten({"models": {"m": {"api": api, "url": url, "name": "m"}}})
    merged = merge([Source(kind="user", name="config.toml", values=values)])
    assert merged.problems == ()
    assert merged.settings.models["m"].url == url
