"""The table of defaults fits the settings tree and itself."""

from __future__ import annotations

import pytest

from redline.models.describe import describe_model
from redline.models.known import (
    KNOWN_MODELS,
    PROVIDERS,
    ProviderDefaults,
    coding_model,
    is_background_host,
    known_model,
    provider_of_key,
)
from redline.models.model_address import parse_model_address
from redline.settings.tree import ModelSettings


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda p: p.env)
def test_a_providers_models_are_known_reachable_and_fill_its_tiers(
    provider: ProviderDefaults,
) -> None:
    models = provider.models()
    tiers = provider.tier_settings()

    assert {tiers.fast, tiers.standard, tiers.deep} == set(models)
    assert tiers.draft is None
    for label, settings in models.items():
        assert known_model(settings.name) is not None
        assert parse_model_address(label, settings, environ={}).is_tls
        assert settings.key is not None
        assert settings.key.env == provider.env


def test_only_the_gpt_6_family_is_steered() -> None:
    steered = {name for name, known in KNOWN_MODELS.items() if known.can_steer}

    assert steered == {name for name in KNOWN_MODELS if name.startswith("gpt-6")}
    assert steered


@pytest.mark.parametrize(
    ("host", "setting", "can_steer"),
    [
        ("api.openai.com", None, True),
        ("eu.api.openai.com:443", None, True),
        ("api.openai.com", False, False),
        ("localhost:4000", None, False),
        ("notapi.openai.com.example", None, False),
        ("localhost:4000", True, True),
    ],
)
def test_a_model_is_steered_where_its_provider_documents_it(
    host: str, *, setting: bool | None, can_steer: bool
) -> None:
    """Other hosts of the same model handle a steer differently."""
    settings = ModelSettings(
        api="responses-socket",
        url=f"wss://{host}/v1/responses",
        name="openai/gpt-6-luna",
        steer=setting,
    )
    assert describe_model("m", settings, host=host).can_steer is can_steer


def test_the_fast_default_does_not_reason() -> None:
    openai = provider_of_key({"OPENAI_API_KEY": "k"})

    assert openai is not None
    assert openai.models()["fast"].effort == "none"


def test_sockets_are_replaced_below_each_providers_age_limit() -> None:
    limits_s = {"OPENAI_API_KEY": 3600, "XAI_API_KEY": 1500, "AI_GATEWAY_API_KEY": 780}

    assert {provider.env for provider in PROVIDERS} == set(limits_s)
    for provider in PROVIDERS:
        assert provider.max_age_s < limits_s[provider.env]


@pytest.mark.parametrize(
    ("environ", "env"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": ""}, None),
        ({"OPENAI_API_KEY": "  "}, None),
        ({"XAI_API_KEY": "x"}, "XAI_API_KEY"),
        ({"XAI_API_KEY": "x", "OPENAI_API_KEY": "o"}, "OPENAI_API_KEY"),
    ],
)
def test_the_first_key_that_is_there_is_taken(
    environ: dict[str, str], env: str | None
) -> None:
    provider = provider_of_key(environ)

    assert (provider.env if provider else None) == env


def test_a_providers_prefix_is_cut_from_a_name() -> None:
    assert known_model("openai/gpt-6-luna") == known_model("gpt-6-luna") is not None
    assert known_model("no-such-model") is None


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ((), None),
        (("nomic-embed-text",), None),
        (("llama:8b", "qwen3-coder:30b"), "qwen3-coder:30b"),
        (("codellama:7b", "Qwen3-Coder:30b"), "Qwen3-Coder:30b"),
        (("nomic-embed-code", "llama:8b"), "llama:8b"),
        (("llama:8b", "mistral"), "llama:8b"),
    ],
)
def test_a_local_model_made_for_code_is_preferred(
    names: tuple[str, ...], chosen: str | None
) -> None:
    assert coding_model(names) == chosen


@pytest.mark.parametrize(
    ("host", "is_one"),
    [
        ("api.openai.com", True),
        ("eu.api.openai.com:443", True),
        ("mine.openai.azure.com", True),
        ("API.OpenAI.com", True),
        ("api.openai.com.example", False),
        ("evilapi.openai.com", False),
        ("ai-gateway.vercel.sh", False),
        ("127.0.0.1:8080", False),
        ("", False),
    ],
)
def test_who_works_in_the_background(host: str, is_one: bool) -> None:
    """Only hosts that document it: what is asked of others is not stored anywhere."""
    assert is_background_host(host) is is_one
