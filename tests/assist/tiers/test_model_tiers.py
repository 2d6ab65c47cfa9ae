"""What is computed once of the settings follows each change of them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.assist.fake_model import FakeModel

from redline.assist.tiers.model_tiers import ModelTiers
from redline.models.interface import Model
from redline.settings.tree import ModelSettings, Settings, TierSettings


def _build(label: str, *_: object) -> Model:
    return FakeModel(label=label)


def _settings(**tiers: str) -> Settings:
    models = {
        label: ModelSettings(api="responses-http", url="https://a.test", name=label)
        for label in tiers.values()
    }
    return Settings(models=models, tiers=TierSettings(**tiers))


@pytest.mark.parametrize(
    ("tiers", "has_choice"),
    [
        ({}, False),
        ({"fast": "one"}, False),
        ({"fast": "one", "deep": "one"}, False),
        ({"fast": "one", "vision": "eyes"}, False),
        ({"fast": "one", "deep": "two"}, True),
        ({"fast": "one", "draft": "two"}, True),
    ],
)
async def test_there_is_a_choice_if_several_models_write(
    tiers: dict[str, str], has_choice: bool
) -> None:
    """Also after other settings were in force, and when those return."""
    model_tiers = ModelTiers(
        build=_build, build_embedded=lambda limits: FakeModel(label="rules")
    )
    for before in (_settings(fast="one", standard="two"), _settings(fast="one")):
        model_tiers.configure(before)
        assert model_tiers.has_choice == (before.tiers.standard is not None)
        model_tiers.configure(_settings(**tiers))
        assert model_tiers.has_choice == has_choice
    await model_tiers.aclose()


async def test_models_are_chosen_by_their_names() -> None:
    """As they are in the settings; each counts as of the highest tier that it fills."""
    model_tiers = ModelTiers(
        build=_build, build_embedded=lambda limits: FakeModel(label="rules")
    )
    assert model_tiers.names == ()
    settings = _settings(fast="one", deep="two", vision="deep", draft="two words")
    spare = ModelSettings(api="responses-http", url="https://a.test", name="spare")
    model_tiers.configure(replace(settings, models={**settings.models, "spare": spare}))
    assert sorted(model_tiers.names) == ["one", "spare", "two"]
    tiers = [model_tiers.tier_of(name) for name in ("one", "two", "spare")]
    assert tiers == ["fast", "deep", "standard"]
    assert model_tiers.choose("fast", "spare").model.describe().label == "spare"
    assert model_tiers.choose("fast", "gone").model.describe().label == "one"
    await model_tiers.aclose()
