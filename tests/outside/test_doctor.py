"""`redline doctor` about models that cannot be used."""

from __future__ import annotations

import pytest
from tests.outside.commands import Desk, Ran
from tests.outside.conftest import Aimock, Scripted

GOOD_KEY = "the-key-of-these-tests"


async def examined(desk: Desk, url: str, *, key: str = GOOD_KEY, **model: str) -> Ran:
    desk.use_model(url, **model)  # type: ignore[arg-type]
    return await desk.run("doctor", key=key)


@pytest.mark.parametrize("api", ["responses-socket", "responses-http"])
async def test_a_model_that_works(desk: Desk, gateway: Scripted, api: str) -> None:
    """There is no problem to find."""
    model = await gateway({})
    url = model.url if api == "responses-socket" else f"{model.http_url}/responses"
    ran = await examined(desk, url, api=api, name="script")
    assert ran.code == 0, ran.said


@pytest.mark.parametrize("api", ["responses-socket", "responses-http"])
async def test_a_wrong_key(desk: Desk, gateway: Scripted, api: str) -> None:
    """The failing edit sends its user here."""
    model = await gateway({})
    url = model.url if api == "responses-socket" else f"{model.http_url}/responses"
    ran = await examined(desk, url, api=api, key="not-the-key")
    assert ran.code == 1, ran.said
    assert "key" in ran.said


@pytest.mark.parametrize("path", ["/nope", "/responsesx", ""])
@pytest.mark.parametrize("api", ["responses-socket", "responses-http"])
async def test_a_wrong_path(desk: Desk, gateway: Scripted, api: str, path: str) -> None:
    """Also the base URL, as SDKs want it."""
    model = await gateway({})
    base = model.http_url
    if api == "responses-socket":
        base = base.replace("http", "ws", 1)
    ran = await examined(desk, f"{base}{path}", api=api)
    assert ran.code == 1, ran.said


async def test_a_wrong_key_at_aimock(desk: Desk, aimock: Aimock) -> None:
    """It checks keys where it is given some."""
    answer = {"match": {}, "response": {"content": "x"}}
    url = await aimock([answer], AIMOCK_API_KEYS="another")
    ran = await examined(desk, url.replace("ws", "http", 1), api="responses-http")
    assert ran.code == 1, ran.said
