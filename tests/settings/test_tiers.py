"""An empty tier is filled by its neighbour, and says so."""

from __future__ import annotations

import pytest

from redline.settings.tiers import resolve_tiers
from redline.settings.tree import ModelSettings, Settings, TierSettings

MODEL = ModelSettings(api="responses-http", url="https://h/v1", name="m")


def labels(**tiers: str) -> dict[str, str | None]:
    resolved = resolve_tiers(Settings(tiers=TierSettings(**tiers)))
    return {tier: choice.label for tier, choice in resolved.items()}


@pytest.mark.parametrize(
    ("given", "fast", "standard", "deep", "draft", "vision"),
    [
        ({}, None, None, None, None, None),
        ({"fast": "a"}, "a", "a", "a", None, None),
        ({"standard": "b"}, "b", "b", "b", None, None),
        ({"deep": "c"}, "c", "c", "c", None, None),
        ({"fast": "a", "deep": "c"}, "a", "c", "c", None, None),
        ({"fast": "a", "standard": "b"}, "a", "b", "b", None, None),
        ({"standard": "b", "deep": "c"}, "b", "b", "c", None, None),
        (
            {"fast": "a", "standard": "b", "deep": "c", "draft": "d", "vision": "e"},
            *"abcde",
        ),
        ({"draft": "d", "vision": "e"}, None, None, None, "d", "e"),
    ],
)
def test_neighbours_stand_in(
    given: dict[str, str],
    fast: str | None,
    standard: str | None,
    deep: str | None,
    draft: str | None,
    vision: str | None,
) -> None:
    assert labels(**given) == {
        "fast": fast,
        "standard": standard,
        "deep": deep,
        "draft": draft,
        "vision": vision,
    }


def test_a_stand_in_says_so_and_a_tiers_own_model_does_not() -> None:
    resolved = resolve_tiers(Settings(tiers=TierSettings(fast="a", deep="c")))

    assert resolved["fast"].note == ""
    assert resolved["standard"].note == (
        "No standard tier is configured: `c` of the deep tier stands in."
    )


def test_without_tiers_the_first_model_fills_all_but_the_optional() -> None:
    resolved = resolve_tiers(Settings(models={"one": MODEL, "two": MODEL}))

    for tier in ("fast", "standard", "deep"):
        assert resolved[tier].label == "one"
        assert "`one`" in resolved[tier].note
    assert resolved["draft"].label is resolved["vision"].label is None
