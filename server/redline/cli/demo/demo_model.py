"""Chooses the model of the demo: the paced rules engine, or one of the user's."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from msgspec import Struct, field

from redline.errors import InvalidArgumentsError
from redline.models.embedded import COMMAND, GatewayProcess
from redline.models.local_servers import find_local_server
from redline.owner_only_files import let_owner_in, write_private_file
from redline.settings.load import load

TOKENS_PER_S = 1_000
"""The pace of the fastest hosted coding models (GPT-5.3-Codex-Spark, February 2026)."""

_TOKEN_VARIABLE = "REDLINE_DEMO_TOKEN"

_LOCAL = "local"

_CONFIG = """\
[models.demo]
api = "responses-socket"
url = "{url}"
name = "rules"
task_data = true
key = {{ env = "{variable}" }}
steer = false

[tiers]
fast = "demo"
standard = "demo"
deep = "demo"

[review]
scouts = 0
refute = false

[store]
enabled = false
"""


class DemoModel(Struct, frozen=True, kw_only=True):
    """The model of the demo, and the options that start its server."""

    engine: str
    """The model, as a phrase for display."""
    arguments: tuple[str, ...]
    """Further arguments of `redline serve`."""
    is_rules: bool = False
    """Whether it is the rules engine."""
    options: Mapping[str, object] = field(default_factory=dict)
    """`initializationOptions`."""
    environment: Mapping[str, str] = field(default_factory=dict)


@asynccontextmanager
async def demo_model(
    config: Path | None, model: str | None
) -> AsyncIterator[DemoModel]:
    """Choose the model; the paced gateway runs until the block ends.

    Args:
        config: The user's choice of a settings file, if any.
        model: The label of a model in the settings to use, if any.

    Raises:
        InvalidArgumentsError: If the settings have no such model.
        ModelUnavailableError: If the gateway does not start.
    """
    if model is not None:
        _check_model(config, model)
    if config is not None or model is not None:
        yield DemoModel(
            engine=f"the model {model!r}" if model else "your fast tier",
            arguments=() if config is None else ("--config", str(config)),
            options={"tiers": {"fast": model}} if model else {},
        )
        return
    if (found := await find_local_server()) is not None:
        name, server = found.model.name, found.server
        yield DemoModel(
            engine=f"{name} of {server.name} on {server.address}",
            arguments=(),
            options={
                "models": {_LOCAL: msgspec.to_builtins(found.settings())},
                "tiers": dict.fromkeys(("fast", "standard", "deep"), _LOCAL),
                "store": {"enabled": False},
            },
        )
        return
    gateway = GatewayProcess(command=(*COMMAND, "--tokens-per-s", str(TOKENS_PER_S)))
    try:
        address = await gateway.address()
        with tempfile.TemporaryDirectory(prefix="redline-demo-") as folder:
            let_owner_in(folder)
            path = Path(folder) / "config.toml"
            write_private_file(
                path, _CONFIG.format(url=address.url, variable=_TOKEN_VARIABLE)
            )
            yield DemoModel(
                engine="the built-in rules engine (no model), paced at "
                f"{TOKENS_PER_S:,} tokens a second",
                arguments=("--config", str(path)),
                is_rules=True,
                environment={_TOKEN_VARIABLE: address.token.reveal()},
            )
    finally:
        await gateway.aclose()


def _check_model(config: Path | None, model: str) -> None:
    """Raise if the settings lack the model: the rules engine would be used instead."""
    known = load(config=config).settings.models
    if model not in known:
        names = ", ".join(known) or "none"
        raise InvalidArgumentsError(
            f"No model of the settings is called {model!r}; there are: {names}."
        )
