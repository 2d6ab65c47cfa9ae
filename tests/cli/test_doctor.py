"""The doctor says what is configured, what works, what does not, and never a key."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from redline.cli.doctor.diagnosis import NO_MODEL, NO_USABLE_MODEL, Report, diagnose
from redline.cli.doctor.doctor_page import show
from redline.cli.doctor.usage_check import UsageFileReport
from redline.cli.main import main
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import WholeFiles
from redline.models import local_servers
from redline.printable import json_page
from redline.settings.tree import StoreSettings
from redline.store.database import open_for_writing
from redline.store.review_store import ReviewStore

SECRET = "sk-proj-hunter2"
BEGUN = Review(
    id="r1",
    request=ReviewRequest(
        target=WholeFiles(uris=("file:///w/a.py",)), roots=("file:///w",)
    ),
    created_at=1.0,
)
CLI_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"

Configure = Callable[..., Path]


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings or local servers of the machine that runs the tests."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    nobody = replace(local_servers.SERVERS[0], port=1)
    monkeypatch.setattr(local_servers, "SERVERS", (nobody,))


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    """Write a settings file and return its path."""

    def write(text: str) -> Path:
        path = tmp_path / "config.toml"
        path.write_text(text)
        return path

    return write


def http_model(url: str, *more: str) -> str:
    lines = ("[models.m]", 'api = "responses-http"', f'url = "{url}"', 'name = "n"')
    return "\n".join((*lines, *more))


async def report(tmp_path: Path, config: Path | None = None, **environ: str) -> Report:
    return await diagnose(
        config=config, workspace=tmp_path / "w", environ={**os.environ, **environ}
    )


@asynccontextmanager
async def model_server(status: str = "200 OK") -> AsyncIterator[str]:
    """Answer every request with one status; gives the endpoint's address."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + b"{}")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1/responses"


async def test_nothing_configured_is_no_problem_and_says_what_to_do(
    tmp_path: Path,
) -> None:
    found = await report(tmp_path)

    assert found.models_from == NO_MODEL
    assert "OPENAI_API_KEY" in found.advice
    assert str(tmp_path / "home" / "redline" / "config.toml") in found.advice
    assert [file.state for file in found.files] == ["absent", "absent"]
    assert [*found.settings, *found.models, *found.problems] == []
    assert {tier.tier: tier.model for tier in found.tiers} == dict.fromkeys(
        ("fast", "standard", "deep", "draft", "vision")
    )


async def test_a_model_that_answers_has_its_handshake_time(
    tmp_path: Path, configure: Configure
) -> None:
    async with model_server() as url:
        config = configure(http_model(url, 'key = { env = "A_KEY" }'))
        found = await report(tmp_path, config, A_KEY=SECRET)

    (model,) = found.models
    assert found.problems == ()
    assert found.models_from == "from the settings"
    assert (model.label, model.name, model.reachable) == ("m", "n", True)
    assert model.handshake_s is not None
    assert model.handshake_s > 0
    assert model.key == "set (from env A_KEY)"
    assert SECRET not in repr(found)


async def test_values_come_with_their_place(
    tmp_path: Path, configure: Configure
) -> None:
    config = configure("[edit]\napply = 'preview'\n")
    (tmp_path / "w").mkdir()
    workspace = tmp_path / "w" / "redline.toml"
    workspace.write_text("edit.rewrite_lines = 9")

    found = await report(tmp_path, config)

    places = {
        setting.key: (setting.value, setting.origin) for setting in found.settings
    }
    assert places == {
        "edit.apply": ("preview", f"{config}:2"),
        "edit.rewrite_lines": (9, f"{workspace}:1"),
    }
    assert [file.trusted for file in found.files] == [True, False]


async def test_found_models_are_shown_with_where_they_are_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = b'{"models": [{"name": "some-coder", "digest": "d"}]}'

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + tags)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        here = replace(local_servers.SERVERS[0], port=port)
        monkeypatch.setattr(local_servers, "SERVERS", (here,))
        found = await report(tmp_path)

    origin = f"from Ollama on 127.0.0.1:{port}"
    assert found.models_from == origin
    assert found.advice == ""
    values = {setting.key: setting.value for setting in found.settings}
    assert values["models.local.name"] == "some-coder"
    assert values["tiers.fast"] == "local"
    assert "models.local.sockets" not in values
    assert {setting.origin for setting in found.settings} == {origin}


@pytest.mark.parametrize(
    ("more", "key", "message"),
    [
        ('key = { env = "NO_KEY" }', "missing (from env NO_KEY)", "NO_KEY is not set"),
        (
            f'key = {{ command = ["{sys.executable}", "-c", "exit(3)", "{SECRET}"] }}',
            f"missing (from command {sys.executable})",
            "exit status 3",
        ),
    ],
)
async def test_a_missing_key_is_a_problem_with_its_remedy(
    more: str, key: str, message: str, tmp_path: Path, configure: Configure
) -> None:
    async with model_server() as url:
        found = await report(tmp_path, configure(http_model(url, more)))

    (problem,) = found.problems
    assert found.models[0].key == key
    assert problem.place == "model m"
    assert message in problem.message
    assert problem.remedy
    assert SECRET not in repr(found)


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
async def test_a_refused_key_is_a_problem(
    status: str, tmp_path: Path, configure: Configure
) -> None:
    async with model_server(status) as url:
        found = await report(tmp_path, configure(http_model(url)))

    (problem,) = found.problems
    assert found.models[0].reachable
    assert "models.m.key" in problem.remedy


async def test_a_model_that_is_not_there_is_a_problem(
    tmp_path: Path, configure: Configure
) -> None:
    async with model_server() as url:
        pass

    found = await report(tmp_path, configure(http_model(url)))

    (problem,) = found.problems
    assert not found.models[0].reachable
    assert "models.m.url" in problem.remedy
    assert "redline doctor" not in problem.remedy


async def test_one_bad_model_does_not_hide_another(
    tmp_path: Path, configure: Configure
) -> None:
    async with model_server() as url:
        good = http_model(url).replace("models.m", "models.good")
        bad = http_model("http://example.com/v1")
        found = await report(tmp_path, configure(f"{bad}\n{good}"))

    assert [model.reachable for model in found.models] == [False, True]
    assert [problem.place for problem in found.problems] == ["model m"]
    assert "plain text" in found.problems[0].message


async def test_settings_problems_are_listed_with_file_and_line(
    tmp_path: Path, configure: Configure
) -> None:
    config = configure("[edit]\naply = 1\n")

    found = await report(tmp_path, config)

    (problem,) = found.problems
    assert problem.place == f"{config}:2 edit.aply"
    assert "did you mean `apply`?" in problem.message


async def test_broken_models_are_not_replaced_by_a_key_that_is_there(
    tmp_path: Path, configure: Configure
) -> None:
    config = configure("[models.m]\nname = 'n'\n")

    found = await report(tmp_path, config, OPENAI_API_KEY=SECRET)

    assert found.models == ()
    assert found.models_from == NO_USABLE_MODEL
    assert [problem.place for problem in found.problems] == [f"{config}:1 models.m"]


async def test_what_may_be_private_is_not_shown(
    tmp_path: Path, configure: Configure
) -> None:
    config = configure(
        http_model(
            f"https://example.com/v1?sig={SECRET}#x",
            f'proxy = "http://me:{SECRET}@proxy:1"',
            f'effort = "{SECRET}"',
            f'key = {{ command = ["no-such-program", "{SECRET}"] }}',
        )
    )

    found = await report(tmp_path, config)

    for page in (repr(found), json_page(found), "\n".join(pages(found))):
        assert "hunter2" not in page


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:a/{}@example.com/v1", "https://…@example.com/v1"),
        ("https://me:a {}@example.com/v1", "https://…@example.com/v1"),
        ("https:/me:{}@example.com/v1", "…@example.com/v1"),
        ("https://me:{}/v1", "https://me:…/v1"),
        ("https://example.com/v1/token={}", "https://example.com/v1/token=[redacted]"),
        ("https://[::1]:8443/v1", "https://[::1]:8443/v1"),
        ("https://example.com:8443/v1@2", "https://…@2"),
    ],
)
async def test_a_password_that_splits_an_address_is_not_shown(
    tmp_path: Path, configure: Configure, url: str, shown: str
) -> None:
    """Nor quoted by what says that the address is wrong."""
    password = "Trombone-47-Quartz"
    config = configure(http_model(url.format(password)))
    found = await report(tmp_path, config)
    for page in (repr(found), json_page(found), "\n".join(pages(found))):
        assert password not in page
    values = {setting.key: setting.value for setting in found.settings}
    assert values["models.m.url"] == shown


async def test_a_key_in_a_wrong_place_is_not_shown(
    tmp_path: Path, configure: Configure
) -> None:
    password = "Trombone-47-Quartz"
    config = configure(
        http_model(
            f"https://example.com/v1#{password}",
            f'proxy = "me:{password}@proxy:1"',
            f'key = {{ keyring = "{SECRET}" }}',
        )
        + f"""
[models.n]
provider = "ollama"
name = "{SECRET}"

[tiers]
"{SECRET}" = "m"

[test]
command = ["env", "DB_PASSWORD={password}", "pytest", "--token", "{SECRET}"]

[checks.commands.lint]
command = ["lint", "--password", "{password}", "{{file}}"]
languages = ["python"]
timeout_s = 5

[actions.own.call]
title = "Call it"
instruction = "log in with password={password}"
"""
    )

    found = await report(tmp_path, config)

    for page in (repr(found), json_page(found), "\n".join(pages(found))):
        assert password not in page
        assert "hunter2" not in page
    values = {setting.key: setting.value for setting in found.settings}
    assert values["test.command"] == [
        *("env", "DB_PASSWORD=[redacted]", "pytest", "--token", "[redacted]")
    ]


# The pages.


class Terminal(io.StringIO):
    """A terminal, in memory."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


def pages(found: Report) -> Iterator[str]:
    """Write the report as plain text and for a terminal, without its colours."""
    for stream in (io.StringIO(), Terminal()):
        show(found, stream)
        yield re.sub(r"\x1b\[[\d;]*m", "", stream.getvalue())


async def test_both_pages_hold_the_same_facts(
    tmp_path: Path, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    async with model_server() as url:
        config = configure(http_model(url, 'effort = "[red]low"') + "\n[edit]\nx = 1")
        (tmp_path / "w").mkdir()
        (tmp_path / "w" / "redline.toml").touch()
        found = await report(tmp_path, config)

    plain, terminal = pages(found)
    assert "\x1b" not in plain
    assert "┃" in terminal
    assert found.models[0].handshake_s is not None
    for fact in (
        f"{config}:5",
        "[red]low",
        f"ready in {found.models[0].handshake_s:.3f} s",
        "fills all",
        "not trusted: may tune behaviour only",
        f"{config}:7 edit.x: there is no such setting",
        "One problem found.",
    ):
        assert fact in plain
        assert fact in terminal


def test_the_exit_code_says_whether_there_are_problems(
    configure: Configure, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--config", str(configure(""))]) == 0
    assert "No problems found." in capsys.readouterr().out

    assert main(["doctor", "--config", str(configure("[edit"))]) == 1
    assert "One problem found." in capsys.readouterr().out


def test_json_is_for_programs(
    configure: Configure, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--json", "--config", str(configure("x = 1"))]) == 1

    page = json.loads(capsys.readouterr().out)
    assert page["schema"] == 1
    assert page["problems"][0]["message"].startswith("there is no such setting")


async def test_every_field_of_the_json_is_documented(
    tmp_path: Path, configure: Configure
) -> None:
    async with model_server("401 Unauthorized") as url:
        config = configure(http_model(url))
        page = json.loads(json_page(await report(tmp_path, config)))

    documented = CLI_PAGE.read_text(encoding="utf-8")
    for name, value in page.items():
        assert f"`{name}`" in documented
        rows = value if isinstance(value, list) else []
        for row in rows[:1]:
            for field in row:
                assert f"`{field}`" in documented


def store_at(path: Path, *more: str) -> str:
    return "\n".join(("[store]", f'file = "{path}"', *more))


async def test_where_usage_is_kept(tmp_path: Path, configure: Configure) -> None:
    """The default is in the data folder; looking at it makes no file."""
    found = await report(tmp_path, configure(""))
    assert found.usage_file.state == "new"
    assert found.usage_file.path.startswith(str(tmp_path / "data"))
    assert list((tmp_path / "data").rglob("*")) == []
    assert found.problems == ()
    plain, _ = pages(found)
    assert (
        f"Usage file: {found.usage_file.path} (not there yet; can be created)" in plain
    )


async def test_usage_that_is_switched_off(tmp_path: Path, configure: Configure) -> None:
    """Its file is not opened."""
    config = configure(store_at(tmp_path / "config.toml" / "u.db", "enabled = false"))
    found = await report(tmp_path, config)
    assert found.usage_file.state == "off"
    assert found.problems == ()
    assert "(switched off: nothing is kept)" in next(pages(found))


async def test_a_usage_file_that_is_there(tmp_path: Path, configure: Configure) -> None:
    """A damaged file is not changed, and its replacement is named."""
    path = tmp_path / "u.sqlite3"
    open_for_writing(path).connection.close()
    config = configure(store_at(path))
    assert (await report(tmp_path, config)).usage_file == UsageFileReport(
        path=str(path), state="writable", note=""
    )
    path.write_bytes(b"no database" * 100)
    found = (await report(tmp_path, config)).usage_file
    assert (found.path, found.state) == (str(tmp_path / "u-2.sqlite3"), "writable")
    assert "is damaged. It is left as it is." in found.note


async def test_the_default_file_is_named_if_it_has_work_and_another_is_used(
    tmp_path: Path, configure: Configure
) -> None:
    """No server goes on with it before the settings name it again."""
    default = (await report(tmp_path, configure(""))).usage_file.path
    store = ReviewStore(StoreSettings)
    await store.write(BEGUN)
    other = configure(store_at(tmp_path / "u.sqlite3"))
    found = await report(tmp_path, other)
    assert found.usage_file.state == "new"
    note = f"{default} holds reviews or plans that have not ended (1)."
    assert found.usage_file.note.startswith(note)
    assert note in next(pages(found))
    assert found.problems == ()
    assert (await report(tmp_path, configure(""))).usage_file.note == ""
    await store.write(replace(BEGUN, state="failed", ended_at=2.0))
    other = configure(store_at(tmp_path / "u.sqlite3"))
    assert (await report(tmp_path, other)).usage_file.note == ""
    await store.aclose()


async def test_a_usage_file_that_cannot_be_written(
    tmp_path: Path, configure: Configure
) -> None:
    """No folder can be made there, another process holds it, or it is a link to itself:
    a problem."""
    nowhere = tmp_path / "config.toml" / "u.sqlite3"
    held, loop = tmp_path / "held.sqlite3", tmp_path / "loop.sqlite3"
    loop.symlink_to(loop)
    with closing(open_for_writing(held).connection) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for path in (nowhere, held, loop):
            found = await report(tmp_path, configure(store_at(path)))
            assert found.usage_file.state == "not writable"
            (problem,) = found.problems
            assert problem.place == f"usage file {path}"
            assert problem.message == found.usage_file.note != ""
            assert "store.enabled" in problem.remedy
            assert "(cannot be written)" in next(pages(found))


def test_the_settings_of_an_editor_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have the highest priority, and the report names their source."""
    given = json.dumps({"edit": {"candidates": 3}})
    words = ["doctor", "--json", "--workspace", str(tmp_path)]
    main([*words, "--editor-settings", given])
    found = json.loads(capsys.readouterr().out)["settings"]
    assert {"key": "edit.candidates", "value": 3, "origin": "editor"} in found


@pytest.mark.parametrize(
    "given", ["[]", "{", "3", pytest.param("[" * 100_000, id="deep")]
)
def test_settings_of_an_editor_that_are_none(
    given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are refused like any wrong argument."""
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--editor-settings", given])
    assert ended.value.code == 2
    assert "--editor-settings" in capsys.readouterr().err


def test_a_workspace_that_is_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistyped name is not taken for a folder without settings."""
    missing = tmp_path / "nodir"
    assert main(["doctor", "--workspace", str(missing)]) == 2
    assert capsys.readouterr().err == f"redline: {missing} is not a folder.\n"
