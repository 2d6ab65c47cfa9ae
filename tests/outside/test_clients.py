"""Clients of others against the gateway, each a program in `clients/`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.outside.commands import Desk
from tests.outside.conftest import KEY, Gateway, Scripted
from tests.outside.programs import (
    CLIENTS,
    FOLDER,
    node_program,
    program,
    run_client,
)

SCRIPT = {
    "rules": [
        {"when": {"contains": "refuse"}, "reply": {"refusal": "No."}},
        {"when": {"contains": "fail"}, "reply": {"failed": "server_error"}},
        {
            "when": {"contains": "structured"},
            "reply": {"text": '{"title": "a", "steps": ["b"]}'},
        },
    ],
    "otherwise": {"text": "hello world"},
}
MODULES = FOLDER / "node" / "node_modules"


@pytest.fixture
async def scripted(gateway: Scripted) -> Gateway:
    """A gateway that says hello."""
    return await gateway(SCRIPT)


async def run_python(
    environment: str, name: str, *words: str | Path, home: Path
) -> None:
    """Run a client in its environment; the last that it says is that it is done."""
    python = program(environment, "python")
    said = await run_client(python, CLIENTS / name, *words, home=home)
    assert said.splitlines()[-1] == "done", said


@pytest.mark.parametrize("name", ["openai_http.py", "openai_socket.py"])
async def test_openai_python(scripted: Gateway, tmp_path: Path, name: str) -> None:
    """All that Redline's own models need of it, and lanes and background work."""
    await run_python("clients", name, scripted.http_url, KEY, home=tmp_path / "home")


async def test_the_rest_of_openai_python(gateway: Scripted, tmp_path: Path) -> None:
    """Models, input tokens, input items, compaction; and typed answers of rules."""
    rules = await gateway()
    await run_python(
        *("clients", "openai_more.py", rules.http_url, KEY), home=tmp_path / "home"
    )


@pytest.mark.parametrize("transport", ["http", "websocket"])
async def test_openai_agents(scripted: Gateway, tmp_path: Path, transport: str) -> None:
    """Runs, streamed and eight at once."""
    where = (scripted.http_url, KEY, transport)
    await run_python("clients", "agents_run.py", *where, home=tmp_path / "home")


async def test_langchain(scripted: Gateway, tmp_path: Path) -> None:
    """Whole, streamed, structured."""
    where = (scripted.http_url, KEY)
    await run_python("clients", "langchain_run.py", *where, home=tmp_path / "home")


async def test_litellm(scripted: Gateway, tmp_path: Path) -> None:
    """Whole, streamed, wrong key."""
    where = (scripted.http_url, KEY)
    await run_python("litellm", "litellm_run.py", *where, home=tmp_path / "home")


async def test_llm(scripted: Gateway, tmp_path: Path) -> None:
    """An extra model of the `llm` command, streamed and continued."""
    home = tmp_path / "home"
    user = home / "llm"
    user.mkdir(parents=True)
    (user / "extra-openai-models.yaml").write_text(
        f"- model_id: m\n  model_name: m\n  api_base: {scripted.http_url}\n"
        "  api_key_name: gateway\n  responses: true\n"
    )
    (user / "keys.json").write_text(f'{{"gateway": "{KEY}"}}')
    words = (program("clients", "llm"), "-m", "m")
    environment = {"LLM_USER_PATH": str(user)}
    for more in (["hi"], ["hi", "--no-stream"], ["-c", "go on"]):
        said = await run_client(*words, *more, home=home, environment=environment)
        assert said.strip() == "hello world"


async def test_openai_for_node(scripted: Gateway, tmp_path: Path) -> None:
    """Whole, streamed, in the background, with a wrong key."""
    client = CLIENTS / "openai_node.mjs"
    words = ("node", client, MODULES, scripted.http_url, KEY)
    said = await run_client(*words, home=tmp_path / "home")
    assert said.splitlines()[-1] == "done", said


@pytest.mark.parametrize("has_sockets", ["true", "false"])
async def test_codex(gateway: Scripted, tmp_path: Path, has_sockets: str) -> None:
    """A provider of its own, over either transport."""
    model = await gateway({"otherwise": {"text": "hello world"}})
    home = tmp_path / "home"
    codex = home / ".codex"
    codex.mkdir(parents=True)
    (codex / "config.toml").write_text(
        'model = "m"\nmodel_provider = "gateway"\n[model_providers.gateway]\n'
        f'name = "gateway"\nbase_url = "{model.http_url}"\nenv_key = "GATEWAY_KEY"\n'
        f'wire_api = "responses"\nsupports_websockets = {has_sockets}\n'
    )
    options = ("--skip-git-repo-check", "--sandbox", "read-only", "hi")
    said = await run_client(
        *(node_program("codex"), "exec", *options),
        home=home,
        environment={"GATEWAY_KEY": KEY, "CODEX_HOME": str(codex)},
    )
    assert "hello world" in said


async def test_an_editor_of_node(desk: Desk) -> None:
    """`vscode-languageserver-protocol` over pipes: edit, cancel, orderly end."""
    desk.write("a.py", "")
    client = CLIENTS / "lsp_node.mjs"
    words = ("node", client, MODULES, sys.executable, desk.project)
    said = await run_client(*words, home=desk.home)
    assert said.splitlines()[-1] == "done", said


async def test_pylspclient(desk: Desk) -> None:
    """It takes no edit: the server says so, and ends in order."""
    words = (sys.executable, desk.project)
    await run_python("clients", "pylspclient_run.py", *words, home=desk.home)


async def test_multilspy(desk: Desk) -> None:
    """An open document, symbols, and an edit's command through its own loop."""
    desk.write("a.py", "import sys\nimport os\n")
    words = (sys.executable, desk.project)
    await run_python("clients", "multilspy_run.py", *words, home=desk.home)
