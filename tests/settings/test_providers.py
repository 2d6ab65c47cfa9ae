"""The table of providers fits the settings, the wire formats and itself."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from redline.models.build import build_model
from redline.models.formats.chat_completions_format import CHAT_SERVERS, chat_server
from redline.models.model_address import parse_model_address
from redline.settings.flatten import flatten
from redline.settings.known_models import (
    SAFE_CONTEXT_TOKENS,
    SAFE_OUTPUT_TOKENS,
    known_model,
)
from redline.settings.merge import merge
from redline.settings.provider import Provider
from redline.settings.provider_keys import key_source, models_of_keys
from redline.settings.providers import PROVIDERS, provider_named, provider_of_host
from redline.settings.source import SettingProblem, Source
from redline.settings.tree import KeySource, ModelSettings, Settings

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "providers.md"

NAMED = {each.id: each for each in PROVIDERS}
HOSTED = [each for each in PROVIDERS if each.hosts]
FILLING = [each for each in PROVIDERS if each.tiers]


def merged(**model: object) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """The settings with one model, and the problems with it."""
    values = flatten({"models": {"m": model}})
    result = merge([Source(kind="user", name="config.toml", values=values)])
    return result.settings, result.problems


def ids(provider: Provider) -> str:
    return provider.id


def test_names_keys_and_hosts_are_each_providers_own() -> None:
    for values in (
        [each.id for each in PROVIDERS],
        [name for each in PROVIDERS for name in each.env],
        [host for each in PROVIDERS for host in each.hosts],
    ):
        assert len(values) == len(set(values))


@pytest.mark.parametrize("provider", PROVIDERS, ids=ids)
async def test_every_endpoint_can_be_used(provider: Provider) -> None:
    """A model of each wire format is built; no key leaves the provider's hosts."""
    for api, url in provider.endpoints.items():
        given = {"api": api, "name": "m"}
        filled = {**provider.defaults(given), **given}
        settings = msgspec.convert(filled, ModelSettings)
        address = parse_model_address("m", settings, environ={})
        assert address.is_tls or not provider.hosts
        assert settings.url == url
        assert settings.key == provider.key
        if provider.hosts:
            assert provider.is_own_url(url)
            assert provider_of_host(address.host) is provider
        else:
            assert address.is_loopback
            assert provider_of_host(address.host) is None
        model = build_model("m", settings, environ={})
        assert model.status().state == "cold"
        await model.aclose()


@pytest.mark.parametrize("provider", FILLING, ids=ids)
def test_a_key_fills_every_tier(provider: Provider) -> None:
    found = models_of_keys({provider.env[-1]: "k"})
    assert found is not None
    assert found.env == (provider.env[-1],)
    assert set(found.models) == {"fast", "standard", "deep"}
    for settings in found.models.values():
        assert settings.key == KeySource(env=provider.env[-1])
        assert settings.provider == provider.id
        assert known_model(settings.name) is not None


def test_the_fast_default_of_openai_does_not_reason() -> None:
    found = models_of_keys({"OPENAI_API_KEY": "k"})
    assert found is not None
    assert found.models["fast"].effort == "none"


def test_sockets_are_replaced_below_each_providers_age_limit() -> None:
    limits_s = {"openai": 3600, "xai": 1500, "vercel": 780, "redline-gateway": 3600}
    for provider in PROVIDERS:
        if provider.api == "responses-socket":
            settings = provider.settings("m", env="K")
            assert settings.max_age_s < limits_s[provider.id]


@pytest.mark.parametrize(
    ("environ", "tiers"),
    [
        ({"OPENAI_API_KEY": "", "XAI_API_KEY": " "}, None),
        ({"XAI_API_KEY": "x"}, ("xai", "xai", "xai")),
        ({"XAI_API_KEY": "x", "OPENAI_API_KEY": "o"}, ("openai", "openai", "openai")),
        (
            {"CEREBRAS_API_KEY": "c", "ANTHROPIC_API_KEY": "a"},
            ("cerebras", "anthropic", "anthropic"),
        ),
        (
            {"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a"},
            ("openai", "anthropic", "openai"),
        ),
        ({"GOOGLE_API_KEY": "g"}, ("gemini", "gemini", "gemini")),
        ({"ZAI_API_KEY": "z", "GROQ_API_KEY": "g"}, ("groq", "groq", "groq")),
        ({"CODESTRAL_API_KEY": "c"}, None),
    ],
)
def test_each_tier_gets_the_provider_that_is_best_at_it(
    environ: dict[str, str], tiers: tuple[str, str, str] | None
) -> None:
    found = models_of_keys(environ)
    assert (found is None) == (tiers is None)
    if found is not None:
        models = [found.models[tier] for tier in ("fast", "standard", "deep")]
        assert tuple(model.provider for model in models) == tiers


@pytest.mark.parametrize(
    ("given", "api", "url", "key"),
    [
        (
            {"provider": "anthropic"},
            "anthropic",
            "https://api.anthropic.com/v1/messages",
            KeySource(env="ANTHROPIC_API_KEY"),
        ),
        (
            {"provider": "minimax", "api": "anthropic"},
            "anthropic",
            "https://api.minimax.io/anthropic/v1/messages",
            KeySource(env="MINIMAX_API_KEY"),
        ),
        (
            {
                "provider": "minimax",
                "url": "https://api.minimaxi.com/v1/chat/completions",
            },
            "chat-completions",
            "https://api.minimaxi.com/v1/chat/completions",
            KeySource(env="MINIMAX_API_KEY"),
        ),
        (
            {"provider": "openai", "url": "wss://openai.example/v1/responses"},
            "responses-socket",
            "wss://openai.example/v1/responses",
            None,
        ),
        (
            {"provider": "groq", "key": {"env": "MINE"}},
            "chat-completions",
            "https://api.groq.com/openai/v1/chat/completions",
            KeySource(env="MINE"),
        ),
        ({"provider": "ollama"}, "ollama", "http://127.0.0.1:11434", None),
        (
            {"provider": "redline-gateway", "url": "https://gateway.example.com"},
            "responses-socket",
            "https://gateway.example.com",
            KeySource(env="REDLINE_GATEWAY_KEY"),
        ),
    ],
)
def test_the_settings_need_only_a_provider_and_a_name(
    given: dict[str, object], api: str, url: str, key: KeySource | None
) -> None:
    """Anything can be given nevertheless; another host gets no key that was found."""
    settings, problems = merged(name="x", **given)
    assert not problems
    model = settings.models["m"]
    assert (model.api, model.url, model.key) == (api, url, key)
    assert model.context_tokens == SAFE_CONTEXT_TOKENS
    assert model.max_output_tokens == SAFE_OUTPUT_TOKENS


def test_a_known_model_has_its_own_limits() -> None:
    settings, _ = merged(name="glm-5", provider="zai")
    assert settings.models["m"].context_tokens == 200_000


def test_a_provider_that_does_not_exist_is_reported() -> None:
    settings, problems = merged(name="x", provider="antropic")
    assert not settings.models
    assert problems[0].message == "there is no such provider: did you mean `anthropic`?"


def test_each_server_of_chat_is_a_provider() -> None:
    assert set(CHAT_SERVERS) <= set(NAMED)
    groq = NAMED["groq"].endpoints["chat-completions"]
    assert chat_server(None, groq) is CHAT_SERVERS["groq"]
    assert chat_server("vllm", groq) is CHAT_SERVERS["vllm"]
    for provider in PROVIDERS:
        if "chat-completions" in provider.endpoints and provider.tiers:
            assert provider.id in CHAT_SERVERS or provider.id == "xai"


def test_a_host_is_known_with_its_port_only() -> None:
    assert provider_of_host("api.groq.com:443") is NAMED["groq"]
    assert provider_of_host("api.groq.com.example") is None
    assert provider_of_host("") is None
    assert provider_named(None) is None
    assert urlsplit(NAMED["gemini"].endpoints["gemini"]).path == "/v1beta"


def rows() -> dict[str, str]:
    """The page's row of each provider, by its name in the settings."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    found: dict[str, str] = {}
    for line in lines:
        if line.startswith("| `"):
            found.setdefault(line.split("`")[1], line)
    return found


def test_the_page_has_one_row_for_each_provider() -> None:
    assert set(rows()) == set(NAMED)


@pytest.mark.parametrize("provider", PROVIDERS, ids=ids)
def test_the_page_says_what_the_table_says(provider: Provider) -> None:
    row = rows()[provider.id]
    assert f"| {provider.title} |" in row
    for api in provider.endpoints:
        assert f"`{api}`" in row
    for name in provider.env:
        assert f"`{name}`" in row
    for default in provider.tiers.values():
        assert f"`{default.name}`" in row


@pytest.mark.parametrize("provider", PROVIDERS, ids=ids)
def test_the_page_says_what_the_first_format_can_do(provider: Provider) -> None:
    """With the model of the fast tier, or one that is not known."""
    fast = provider.tiers.get("fast")
    settings = provider.settings(fast.name if fast else "a-model", env=None)
    can = build_model("m", settings, environ={}).describe().can
    assert f"| {', '.join(f'`{word}`' for word in can)} |" in rows()[provider.id]


@pytest.mark.parametrize("provider", PROVIDERS, ids=ids)
def test_the_page_names_tests_of_the_provider(provider: Provider) -> None:
    """Each is about the provider, its wire format, or all servers of a table."""
    files = re.findall(r"`(tests/[\w/]+\.py)`", rows()[provider.id])
    assert files
    words = {provider.id, provider.title, *provider.hosts}
    if provider.api == "chat-completions":
        words |= {"CHAT_SERVERS)"} if provider.id in CHAT_SERVERS else set()
    else:
        words |= {provider.api, provider.api.replace("-", "_"), "params=FORMATS"}
    for file in files:
        text = f"{file}\n{(ROOT / file).read_text(encoding='utf-8')}".lower()
        assert any(word.lower() in text for word in words), file


def test_a_key_is_found_in_any_variable_of_its_provider() -> None:
    """It goes to the provider's own hosts only."""
    gemini = NAMED["gemini"].settings("gemini-4-argon", env=None)
    assert key_source(gemini, {}) == KeySource(env="GEMINI_API_KEY")
    environ = {"GOOGLE_API_KEY": "g"}
    assert key_source(gemini, environ) == KeySource(env="GOOGLE_API_KEY")
    both = {**environ, "GEMINI_API_KEY": "h"}
    assert key_source(gemini, both) == KeySource(env="GEMINI_API_KEY")
    elsewhere = msgspec.structs.replace(gemini, url="https://proxy.example/v1beta")
    assert key_source(elsewhere, environ) == KeySource(env="GEMINI_API_KEY")


def test_the_keys_that_vs_code_offers_to_store() -> None:
    """They are those of the table, in its order."""
    root = Path(__file__).parents[2]
    source = (root / "editors/vscode/src/server/keys.ts").read_text(encoding="utf-8")
    listed = re.search(r"const KNOWN_NAMES = \[(.*?)\]", source, re.DOTALL)
    assert listed
    names = [name for provider in PROVIDERS for name in provider.env]
    assert re.findall(r'"(\w+)"', listed[1]) == names
