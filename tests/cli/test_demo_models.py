"""`redline demo --model`: a model that answers at once, fails, or does not exist."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import Script, ScriptReply

_KEY = "demo-key-for-tests"
_LIMIT_S = 100.0


async def _demo(home: Path, *words: str) -> tuple[int | None, str, str]:
    """Run the demo; returns its exit code and what it wrote."""
    homes = {
        f"XDG_{name}_HOME": str(home / name.lower())
        for name in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "redline", "demo", *words),
        env=os.environ | homes | {"DEMO_KEY": _KEY, "COLUMNS": "120"},
        cwd=home,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_LIMIT_S):
            output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return process.returncode, output.decode(), errors.decode()


def _config(home: Path, url: str) -> Path:
    path = home / "config.toml"
    path.write_text(
        f'[models.mine]\napi = "responses-socket"\nurl = "{url}"\nname = "m"\n'
        'key = { env = "DEMO_KEY" }\n'
        '[tiers]\nfast = "mine"\n[review]\nscouts = 0\nrefute = false\n'
        "[store]\nenabled = false\n"
    )
    return path


@pytest.mark.parametrize(
    "text",
    ["{{target}}", "", "NO CHANGE: it is good.", "x = 1\n"],
    ids=["as it is", "empty", "declined", "another text"],
)
async def test_a_model_that_answers_at_once(tmp_path: Path, text: str) -> None:
    """Each scene reports that it could not interrupt, and the demo continues."""
    model = ScriptedModel(Script(otherwise=ScriptReply(text=text)), token=_KEY)
    await model.listen()
    try:
        config = _config(tmp_path, model.url)
        code, output, errors = await _demo(
            tmp_path, "--model", "mine", "--config", str(config)
        )
    finally:
        await model.aclose()
    assert (code, errors) == (0, "")
    assert "A review of this file, while an edit runs" in output
    assert "Traceback" not in output


async def test_a_model_that_fails(tmp_path: Path) -> None:
    """One line, which says why."""
    model = ScriptedModel(Script(otherwise=ScriptReply(text="x")), token="another key")
    await model.listen()
    try:
        config = _config(tmp_path, model.url)
        code, _, errors = await _demo(
            tmp_path, "--model", "mine", "--config", str(config)
        )
    finally:
        await model.aclose()
    assert code == 1
    (line,) = errors.splitlines()
    assert line.startswith("redline: ")


async def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    """Refused by its name, before the rules engine could write under it."""
    config = _config(tmp_path, "ws://127.0.0.1:9/v1/responses")
    code, output, errors = await _demo(
        tmp_path, "--model", "nope", "--config", str(config)
    )
    assert (code, output) == (2, "")
    assert errors == (
        "redline: No model of the settings is called 'nope'; there are: mine.\n"
    )
