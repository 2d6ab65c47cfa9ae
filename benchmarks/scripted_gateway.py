"""A model whose answers a script says, in a gateway process of its own.

Writing the answers takes no time of the server, and none of the editor's side.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.lines import line_process
from benchmarks.processes import REDLINE, environment

TOKEN = "bench-scripted"
"""The API key of its models."""


@asynccontextmanager
async def scripted_gateway(script: Mapping[str, object]) -> AsyncIterator[str]:
    """Run the gateway; yields the address of its models, for `responses-socket`.

    Args:
        script: As JSON, a `Script` of `redline.gateway.engines.script`.
    """
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as folder:
        home = Path(folder)
        path = home / "script.json"
        path.write_text(json.dumps(script))
        command = [
            *(*REDLINE, "gateway", "--engine", "script", "--script", str(path)),
            *("--announce", "--parent-stdin"),
        ]
        environ = environment(home) | {"REDLINE_GATEWAY_TOKEN": TOKEN}
        async with line_process(command, environ) as process:
            announced = await process.read()
            yield announced["url"]
