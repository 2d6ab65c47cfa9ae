"""Only ids pass."""

from __future__ import annotations

import pytest

from redline.store.task import NO_ID, plain_id


@pytest.mark.parametrize(
    "text",
    ["edit", "phantom-import", "gpt-5.3-codex", "qwen3:30b", "a", "x" * 80, "v1@eu+2"],
)
def test_an_id_is_kept(text: str) -> None:
    assert plain_id(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Add a docstring.",
        "src/secret/plan.py",
        r"C:\Users\me",
        "x=1\n",
        "edit\n",
        "~",
        ".env",
        "naïve",
        "x" * 81,
    ],
)
def test_free_text_and_paths_are_not(text: str) -> None:
    assert plain_id(text) == NO_ID
