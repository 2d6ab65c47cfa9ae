"""What is known of models and hosts."""

from __future__ import annotations

import pytest

from redline.models.describe import describe_model, is_background_host
from redline.models.local_servers import coding_model
from redline.settings.known_models import KNOWN_MODELS, known_model
from redline.settings.tree import ModelSettings


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
        ("api.x.ai", False),
        ("ai-gateway.vercel.sh", False),
        ("127.0.0.1:8080", False),
        ("", False),
    ],
)
def test_who_works_in_the_background(host: str, is_one: bool) -> None:
    """Only hosts that document it: what is asked of others is not stored anywhere."""
    assert is_background_host(host) is is_one
