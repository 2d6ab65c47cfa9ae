"""`gateway.toml`: what it may say, and that every error is found at once."""

from __future__ import annotations

import gc
import resource
from pathlib import Path

import pytest
import trustme

from redline.cli.main import main
from redline.gateway.config_file import GatewayFile, load_gateway_file
from redline.gateway.configured import ConfiguredGateway
from redline.gateway.limits.accounts import Accounts, key_sha256

KEY = "rlg_secret"

UPSTREAM = """
[upstreams.coder]
api = "chat-completions"
url = "http://127.0.0.1:8000/v1/chat/completions"
name = "qwen3-coder"
"""

USER = f"""
[[users]]
name = "ada"
key_sha256 = "{key_sha256(KEY)}"
"""


def load(folder: Path, text: str) -> GatewayFile:
    """Write a configuration and read it."""
    path = folder / "gateway.toml"
    path.write_text(text)
    return load_gateway_file(path, environ={})


def test_a_whole_configuration(tmp_path: Path) -> None:
    file = load(
        tmp_path,
        """
        [listen]
        host = "0.0.0.0"
        behind_proxy = ["10.0.0.0/8", "::1/128"]

        [limits]
        stall_s = 5.0
        queue_s = 9

        [upstreams.coder]
        api = "chat-completions"
        url = "http://127.0.0.1:8000/v1/chat/completions"
        name = "qwen3-coder"
        key = { env = "CODER_KEY" }
        fallback = "second"
        running = 32

        [upstreams.second]
        provider = "anthropic"
        name = "claude-haiku-4-5"
        """
        + USER
        + """
        running = 2
        queued = 3
        requests_per_minute = 120
        tokens_per_day = 5_000_000
        """,
    )
    assert file.problems == ()
    assert (file.listen.host, file.listen.port) == ("0.0.0.0", 7788)
    assert file.limits.stall_s == 5.0
    assert file.limits.first_delta_s == 300.0
    assert file.queue_s == 9.0
    coder = file.upstreams["coder"]
    assert (coder.fallback, coder.running) == ("second", 32)
    assert file.upstreams["second"].model.api == "anthropic"
    (user,) = file.users
    assert (user.name, user.running, user.queued) == ("ada", 2, 3)
    assert (user.requests_per_minute, user.tokens_per_day) == (120, 5_000_000)


def test_the_example_of_the_page(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "team-gateway.md"
    example = page.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    assert load(tmp_path, example).problems == ()


PROBLEMS = [
    ("", "add one as `[upstreams.NAME]`"),
    (UPSTREAM, "add one by `redline gateway add-user`"),
    ("users = 3" + UPSTREAM, "expected tables, each as `[[users]]`"),
    ("upstreams = 3" + USER, "expected tables, each as `[upstreams.NAME]`"),
    ("limits = 3" + UPSTREAM + USER, "limits: expected a table"),
    ("listen = 3" + UPSTREAM + USER, "listen: Expected `object`"),
    ("[upstreams]\ncoder = 3" + USER, "upstreams.coder: expected a table"),
    ("port = 1" + UPSTREAM + USER, "port: expected one of listen"),
    ("[listen]\nport = 70000" + UPSTREAM + USER, "gateway.toml:2: listen.port:"),
    ("[listen]\nhots = 'x'" + UPSTREAM + USER, "unknown field `hots`"),
    ("[listen]\nhost = '0.0.0.0'" + UPSTREAM + USER, "listen.host: other machines"),
    ("[listen]\nbehind_proxy = ['x']" + UPSTREAM + USER, "expected networks"),
    (
        "[store]\nurl = 'valkey://store.example.com'" + UPSTREAM + USER,
        "store.url: another machine needs TLS",
    ),
    (
        "[store]\nurl = 'redis://:secret@127.0.0.1'" + UPSTREAM + USER,
        "store.url: it holds a password",
    ),
    (
        "[store]\nurl = 'http://127.0.0.1'" + UPSTREAM + USER,
        "store.url: expected one of valkey://",
    ),
    (
        "[store]\nurl = 'unix:///run/valkey.sock'\npassword_env = 'NO'"
        + UPSTREAM
        + USER,
        "store.password_env: the variable NO is not set",
    ),
    (
        "[listen]\ntls = { cert = 'a.pem', key = 'b.pem' }" + UPSTREAM + USER,
        "listen.tls.cert: there is no such file",
    ),
    ("[limits]\nlanding_s = 1.0" + UPSTREAM + USER, "limits.landing_s: expected one"),
    ("[limits]\nstall_s = -1.0" + UPSTREAM + USER, "limits.stall_s: expected `float`"),
    (UPSTREAM + "fallback = 'x'" + USER, "`fallback` must name another upstream"),
    (UPSTREAM + "fallback = 'coder'" + USER, "`fallback` must name another upstream"),
    (UPSTREAM + "fallback = 3" + USER, "upstreams.coder.fallback: Expected `str"),
    (UPSTREAM + "running = 0" + USER, "upstreams.coder.running: Expected `int` >= 1"),
    ("[limits]\ndrain_s = '1'" + UPSTREAM + USER, "limits.drain_s: expected a number"),
    ("[metrics]\nport = -1" + UPSTREAM + USER, "metrics.port: Expected `int` >= 0"),
    ("[metrics]" + UPSTREAM + USER, "missing required field `port`"),
    ("[limits]\nqueue_s = 0" + UPSTREAM + USER, "limits.queue_s: expected a number"),
    (UPSTREAM + USER + "queued = -1", "users[1].queued: Expected `int` >= 0"),
    (UPSTREAM + USER + "requests_per_minute = 0", "users[1].requests_per_minute"),
    (UPSTREAM + USER + "tokens_per_day = '5'", "users[1].tokens_per_day"),
    (UPSTREAM + "nam = 'x'" + USER, "did you mean `name`?"),
    (UPSTREAM.replace("name", "#") + USER, "left out: it needs `name`"),
    (UPSTREAM.replace("chat-completions", "fim", 1) + USER, "`fim` fills gaps"),
    (UPSTREAM.replace("127.0.0.1", "10.0.0.1") + USER, "plain text to 10.0.0.1"),
    (UPSTREAM + USER + USER, "two users have the same `name`"),
    (UPSTREAM + USER.replace("ada", "a b"), "expected letters"),
    (UPSTREAM + USER.replace('key_sha256 = "', 'key_sha256 = "x'), "users[1].key"),
    (UPSTREAM + USER + "[", "this settings file is not used"),
]


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_a_problem_is_reported(tmp_path: Path, text: str, problem: str) -> None:
    file = load(tmp_path, text)
    assert problem in "\n".join(map(str, file.problems))


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    (problem,) = load_gateway_file(tmp_path / "gateway.toml").problems[:1]
    assert "does not exist" in str(problem)


def test_no_value_is_quoted(tmp_path: Path) -> None:
    """A key in the wrong place must not get into a log."""
    secret = "sk-1234567890"
    text = UPSTREAM + f'key = "{secret}"\n' + USER.replace("key_sha256", "key")
    file = load(tmp_path, text)
    assert file.problems
    assert secret not in "".join(map(str, file.problems))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_user_is_added_and_the_key_shown_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str
) -> None:
    """Comments and what else is in the file stay as they are."""
    path = tmp_path / "gateway.toml"
    before = (UPSTREAM + "# the end").encode(encoding)
    path.write_bytes(before)
    command = ["gateway", "add-user"]
    assert main([*command, "ada", "--config", str(path)]) == 0
    key = capsys.readouterr().out.strip()
    assert main([*command, "bob@example.com", "--config", str(path)]) == 0
    assert capsys.readouterr().out.strip() != key
    assert main(["gateway", "check", str(path)]) == 0
    assert "users: 2, upstreams: 1" in capsys.readouterr().out
    content = path.read_bytes()
    assert content.startswith(before + b"\n")
    assert key.encode() not in content
    file = load_gateway_file(path)
    assert file.users[0].key_sha256 == key_sha256(key)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        (UPSTREAM + USER, "ada", "has a user ada already"),
        (UPSTREAM, "a b", "up to 64 letters"),
        ("users = []\n", "ada", "The file is unchanged"),
        ("users = 3\n", "ada", "The file is unchanged"),
        ("[", "ada", "The file is unchanged"),
        ("a" * 4 + " = " + "[" * 5_000, "ada", "nested too deeply"),
    ],
)
def test_a_user_that_cannot_be_added(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    name: str,
    words: str,
) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(text)
    assert main(["gateway", "add-user", name, "--config", str(path)]) != 0
    output = capsys.readouterr()
    assert words in output.err
    assert output.out == ""
    assert path.read_text() == text


@pytest.mark.parametrize("n_free", [0, 1, 60, 100])
def test_a_user_for_whom_there_is_no_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], n_free: int
) -> None:
    """A part of the table would make the whole file unreadable."""
    path = tmp_path / "gateway.toml"
    text = UPSTREAM + f"# {'c' * 100_000}\n"
    path.write_text(text)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(text) + n_free, before[1]))
    try:
        code = main(["gateway", "add-user", "ada", "--config", str(path)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code != 0
    assert capsys.readouterr().out == ""
    assert path.read_text() == text


def test_a_file_with_errors_is_not_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gateway.toml"
    path.write_text(UPSTREAM)
    assert main(["gateway", "check", str(path)]) == 1
    assert main(["gateway", "--config", str(path)]) == 1
    assert "add one by `redline gateway add-user`" in capsys.readouterr().err


async def test_errors_leave_the_configuration_in_force(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gateway = ConfiguredGateway(load(tmp_path, UPSTREAM + USER))
    before = gateway.engine.get("coder")
    load(tmp_path, UPSTREAM + USER + "running = 'x'")
    gateway.reload()
    assert gateway.accounts.find(KEY) is not None
    assert "stays in force" in caplog.text
    # Without errors, an upstream that did not change is not connected again.
    other = UPSTREAM.replace("[upstreams.coder]", "[upstreams.other]")
    load(tmp_path, UPSTREAM + other + USER.replace("ada", "bob"))
    gateway.reload()
    assert gateway.engine.get("coder") is before
    assert gateway.engine.models == ("coder", "other")
    account = gateway.accounts.find(KEY)
    assert account is not None
    assert account.name == "bob"
    await gateway.engine.aclose()


async def test_what_is_loaded_is_left_out_of_garbage_collection(
    tmp_path: Path,
) -> None:
    """Else a full collection blocks the event loop for up to 50 ms."""
    listen = "[listen]\nport = 0\n"
    gateway = ConfiguredGateway(load(tmp_path, listen + UPSTREAM + USER))
    n_left_out = [gc.get_freeze_count()]

    def on_listening(port: int) -> None:
        n_left_out.append(gc.get_freeze_count())
        server.end()

    server = gateway.server(on_listening=on_listening)
    try:
        await server.run_to_end()
    finally:
        await gateway.aclose()
        gc.unfreeze()
        gc.collect()
        gc.freeze()
    assert n_left_out[1] > n_left_out[0]


def test_a_key_of_a_single_user() -> None:
    accounts = Accounts.of_token("token")
    assert accounts.find("token") is not None
    assert accounts.find("Token") is None
    assert accounts.find("") is None


@pytest.mark.parametrize("fits", [True, False])
def test_a_certificate_needs_its_key(tmp_path: Path, *, fits: bool) -> None:
    """Found here, not when the gateway starts."""
    authority = trustme.CA()
    own, other = authority.issue_cert("a.test"), authority.issue_cert("b.test")
    own.cert_chain_pems[0].write_to_path(str(tmp_path / "a.pem"))
    (own if fits else other).private_key_pem.write_to_path(str(tmp_path / "a.key"))
    tls = "[listen]\ntls = { cert = 'a.pem', key = 'a.key' }"
    problems = load(tmp_path, tls + UPSTREAM + USER).problems
    assert [each.key for each in problems] == ([] if fits else ["listen.tls"])


def test_upstreams_are_shared_by_workers(tmp_path: Path) -> None:
    file = load(tmp_path, UPSTREAM + "running = 5" + USER)
    running = [
        upstream.running
        for n in (1, 2, 8)
        if (upstream := ConfiguredGateway(file, n_workers=n).engine.get("coder"))
    ]
    assert running == [5, 3, 1]
