"""The sample file for Ray Serve with two replicas: `make test-engines`."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import starlette
from tests.gateway.conftest import Client
from tests.gateway.team_process import write_configuration
from tests.outside.conftest import KEY, Scripted, Spawn, line_with
from tests.outside.programs import ROOT, program
from tests.outside.test_proxies import IDS, LISTEN
from tests.outside.test_shared_store import SCRIPT, created
from websockets.asyncio.client import connect

import redline

pytestmark = [pytest.mark.engines, pytest.mark.timeout(600)]

URL = "127.0.0.1:8000"
"""Ray's proxy listens there."""


@pytest.fixture
async def ray(spawn: Spawn, gateway: Scripted, tmp_path: Path) -> AsyncIterator[str]:
    """Run the file; return the address."""
    behind = await gateway(SCRIPT)
    write_configuration(tmp_path / "gateway.toml", behind, LISTEN)
    shutil.copy(ROOT / "publishing" / "deploy" / "ray_serve.py", tmp_path)
    # Of this environment, and the file for the replicas, which are other processes.
    packages = [Path(each.__path__[0]).parent for each in (redline, starlette)]
    packages.append(tmp_path)
    process = await spawn(
        *(program("ray", "serve"), "run", "ray_serve:gateway"),
        REDLINE_GATEWAY_CONFIG=str(tmp_path / "gateway.toml"),
        BEHIND_KEY=KEY,
        PYTHONPATH=os.pathsep.join(map(str, packages)),
        RAY_USAGE_STATS_ENABLED="0",
    )
    await line_with(process, "is ready at")
    yield URL
    process.send_signal(signal.SIGINT)
    await process.communicate()


async def test_clients_stay_on_their_replica(ray: str) -> None:
    headers = {"Authorization": "Bearer ada"}
    socket = await connect(f"ws://{ray}/v1/responses", additional_headers=headers)
    events = await Client(socket).answer(model="coder")
    assert events[-1]["type"] == "response.completed"
    await socket.close()
    async with httpx.AsyncClient(
        base_url=f"http://{ray}/v1", headers=headers, timeout=60.0
    ) as http:
        for session_id in IDS:
            http.headers["x-session-id"] = session_id
            response = await created(http, "hi", store=True)
            found = await http.get(f"/responses/{response['id']}")
            assert found.json() == response
