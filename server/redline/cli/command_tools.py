"""Opens what a command works with: the models, the usage log, the parser processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from msgspec import Struct

from redline.assist.tiers.model_tiers import ModelTiers
from redline.assist.usage.usage_log import UsageLog
from redline.errors import InvalidArgumentsError
from redline.models.build import build_model
from redline.models.discovery import discover
from redline.models.embedded import embedded_gateway
from redline.parsing.parser_pool import ParserPool
from redline.settings.load import Loaded, load


class CommandTools(Struct, frozen=True, kw_only=True):
    """What a command works with, until it is closed."""

    tiers: ModelTiers
    usage: UsageLog
    parser: ParserPool


async def load_settings(
    config: Path | None, workspace: Path, *, warn: Callable[[str], None]
) -> Loaded:
    """Read the settings, and report their problems.

    Raises:
        InvalidArgumentsError: If `config` cannot be used: other models would be asked,
            or none.
    """
    loaded = await asyncio.to_thread(load, config=config, workspaces=[workspace])
    if config is not None and loaded.files[0].state in ("unusable", "late"):
        reasons = " ".join(map(str, loaded.problems[:1]))
        raise InvalidArgumentsError(
            f"{reasons}.", remedy="Correct --config, or leave it out."
        )
    for problem in loaded.problems:
        warn(str(problem))
    return loaded


@asynccontextmanager
async def command_tools(
    loaded: Loaded, *, on_usage_trouble: Callable[[str], None]
) -> AsyncIterator[CommandTools]:
    """Open the tools, and close them at the end.

    Args:
        loaded: The settings.
        on_usage_trouble: Called with each problem of storing usage.
    """
    async with AsyncExitStack() as stack:
        usage = UsageLog(on_trouble=on_usage_trouble)
        stack.push_async_callback(usage.aclose)
        await usage.use(loaded.settings.store)
        tiers = ModelTiers(build=build_model, build_embedded=embedded_gateway)
        stack.push_async_callback(tiers.aclose)
        found = await discover(loaded, os.environ)
        tiers.configure(found.settings, origin=found.origin)
        parser = ParserPool()
        stack.push_async_callback(parser.aclose)
        yield CommandTools(tiers=tiers, usage=usage, parser=parser)
