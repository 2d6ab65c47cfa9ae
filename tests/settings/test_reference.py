"""The committed reference page is what the tree generates."""

from __future__ import annotations

from pathlib import Path

from redline.settings.leaves import model_leaves, sections
from redline.settings.reference import reference_page

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
