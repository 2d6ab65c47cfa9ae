"""What a team's gateway reports to its users: itself, and through the doctor."""

from __future__ import annotations

import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.gateway.conftest import Gateway
from tests.gateway.test_limits import SLOW
from tests.gateway.test_users import bearer, upstream
from tests.models.plain_server import Act, serving

from redline.cli.doctor.diagnosis import Report, diagnose
from redline.cli.doctor.doctor_page import show
from redline.gateway.engines.upstream import UpstreamEngine
from redline.gateway.limits.accounts import Accounts, UserSettings, key_sha256
from redline.gateway.limits.turns import Turns
from redline.printable import json_page

Start = Callable[..., Awaitable[Gateway]]

LIMITS = {
    "running": 1,
    "queued": 8,
    "requests_per_minute": 120,
    "tokens_per_day": 5_000_000,
}


def accounts() -> Accounts:
    """Ada with every limit, and Bob without."""
    return Accounts(
        [
            UserSettings(name="ada", key_sha256=key_sha256("ada"), **LIMITS),
            UserSettings(name="bob", key_sha256=key_sha256("bob")),
        ]
    )


async def test_a_user_is_told_the_own_limits_and_what_is_used(start: Start) -> None:
    """Another user's work is neither counted nor named."""
    turns = Turns(lambda _: None, queue_s=600.0)
    gateway = await start(SLOW, accounts=accounts(), turns=turns)
    client = await gateway.client(**bearer("ada"))
    await client.create(stream_id="a")
    await client.until("response.output_text.delta")
    await client.create(stream_id="b")
    await gateway.saw("create", n=2)
    async with gateway.http() as http:
        ada = await http.get("/me", headers=bearer("ada"))
        bob = await http.get("/me", headers=bearer("bob"))
    assert ada.status_code == 200
    said = ada.json()
    assert (said["user"], said["limits"]) == ("ada", LIMITS)
    assert (said["used"]["running"], said["used"]["queued"]) == (1, 1)
    said = bob.json()
    assert said["limits"] == dict.fromkeys(LIMITS)
    assert (said["used"]["running"], said["used"]["queued"]) == (0, 0)
    assert "ada" not in bob.text


def test_requests_that_are_used() -> None:
    ada = accounts().find("ada")
    assert ada is not None
    for _ in range(3):
        ada.count_request(5.0)
    assert (ada.n_requests(5.0), ada.n_requests(6.0)) == (3, 1)


async def test_tokens_that_are_used(start: Start) -> None:
    ada = UserSettings(name="ada", key_sha256=key_sha256("ada"), tokens_per_day=100)
    gateway = await start(accounts=Accounts([ada]))
    client = await gateway.client(**bearer("ada"))
    ended = (await client.answer())[-1]
    n_tokens = ended["response"]["usage"]["total_tokens"]
    assert n_tokens > 0
    async with gateway.http() as http:
        said = (await http.get("/me", headers=bearer("ada"))).json()
    # The first comes back after a quarter of an hour.
    assert said["used"]["tokens_per_day"] == n_tokens


@pytest.mark.parametrize("key", [None, "Bearer eve", "Basic ada"])
async def test_without_a_key_nothing_is_told(start: Start, key: str | None) -> None:
    gateway = await start(accounts=accounts())
    async with gateway.http() as http:
        del http.headers["authorization"]
        headers = {} if key is None else {"Authorization": key}
        refused = await http.get("/me", headers=headers)
    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "invalid_api_key"


async def doctor(
    folder: Path,
    port: int,
    *,
    labels: tuple[str, ...] = ("team",),
    name: str = "coder",
    key: str = "ada",
) -> Report:
    """Check models of a gateway, as `redline doctor` does."""
    config = folder / "config.toml"
    models = "".join(
        f"""
        [models.{label}]
        provider = "redline-gateway"
        url = "http://127.0.0.1:{port}"
        name = "{name}"
        """
        for label in labels
    )
    config.write_text(
        f"""
        {models}
        [tiers]
        fast = "team"
        [store]
        enabled = false
        """
    )
    return await diagnose(
        config=config, workspace=folder, environ={"REDLINE_GATEWAY_KEY": key}
    )


def plain(report: Report) -> str:
    """The report as people read it."""
    page = io.StringIO()
    show(report, page)
    return page.getvalue()


async def test_the_doctor_shows_user_limits_and_offer(
    start: Start, tmp_path: Path
) -> None:
    """Once for all models of the gateway."""
    async with serving(Act(status=500)) as server:
        names = ("coder", "hosted")
        engine = UpstreamEngine([upstream(name, server) for name in names])
        gateway = await start(engine, accounts=accounts())
        report = await doctor(tmp_path, gateway.port, labels=("team", "again"))
        await engine.aclose()
        assert not any(b"input" in asked.body for asked in server.asked)
    assert report.problems == ()
    page = plain(report)
    assert page.count("Gateway at") == 1
    block = page[page.index("Gateway at") :].split("\n\n")[0].splitlines()
    assert block == [
        f"Gateway at 127.0.0.1:{gateway.port}:",
        "  user  ada",
        "  running requests  0 of 1",
        "  waiting requests  0 of 8",
        "  requests per minute  0 of 120",
        "  tokens per day  0 of 5,000,000",
        "  offers  coder, hosted",
    ]
    told = json.loads(json_page(report))["models"][0]["gateway"]
    assert (told["user"], told["limits"]) == ("ada", LIMITS)
    assert told["models"] == ["coder", "hosted"]


async def test_the_doctor_shows_that_there_is_no_limit(
    start: Start, tmp_path: Path
) -> None:
    gateway = await start(accounts=accounts())
    page = plain(await doctor(tmp_path, gateway.port, key="bob"))
    assert "  running requests  0, no limit\n" in page
    assert "  tokens per day  no limit\n" in page


async def test_the_doctor_names_what_is_offered_instead(
    start: Start, tmp_path: Path
) -> None:
    async with serving(Act(status=500)) as server:
        names = ("coder", "hosted")
        engine = UpstreamEngine([upstream(name, server) for name in names])
        gateway = await start(engine, accounts=accounts())
        report = await doctor(tmp_path, gateway.port, name="codr")
        await engine.aclose()
    (problem,) = report.problems
    assert problem.message == (
        "The server of model team (codr at Redline gateway) does not list codr;"
        " it lists coder, hosted."
    )
    assert "  offers  coder, hosted\n" in plain(report)


async def test_the_doctor_with_a_wrong_key(start: Start, tmp_path: Path) -> None:
    gateway = await start(accounts=accounts())
    report = await doctor(tmp_path, gateway.port, key="eve")
    (problem,) = report.problems
    assert "key" in problem.message
    assert "models.team.key" in problem.remedy
    assert all(model.gateway is None for model in report.models)


async def test_the_doctor_without_a_gateway(start: Start, tmp_path: Path) -> None:
    gateway = await start(accounts=accounts())
    await gateway.end()
    report = await doctor(tmp_path, gateway.port)
    (problem,) = report.problems
    assert str(gateway.port) in problem.message
    assert "models.team.url" in problem.remedy
    assert not any(model.reachable for model in report.models)


async def test_the_doctor_of_a_server_that_tells_no_limits(tmp_path: Path) -> None:
    """An earlier gateway, or another server: it is said that nothing is known."""
    acts = (
        Act(status=426),
        Act(pieces=(b'{"data":[{"id":"coder"}]}',)),
        Act(status=400, pieces=(b'{"error":{"message":"No input."}}',)),
        Act(status=404),
    )
    async with serving(*acts) as server:
        report = await doctor(tmp_path, server.port)
    assert report.problems == ()
    assert report.models[0].gateway is None
    assert "not tried: the user's limits, which this gateway does not report" in plain(
        report
    )
