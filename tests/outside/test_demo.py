"""`redline demo` with a model that is quicker than the scene, or is not there."""

from __future__ import annotations

from tests.outside.commands import Desk
from tests.outside.conftest import Scripted


async def test_a_model_that_answers_at_once(desk: Desk, gateway: Scripted) -> None:
    """It changes nothing, and is done before the scene redirects it."""
    model = await gateway({})
    desk.use_model(model.url, tiers=("fast", "standard", "deep"))
    ran = await desk.run("demo", "--model", "m")
    assert "Traceback" not in ran.said
    if ran.code:
        assert ran.code == 1
        assert len(ran.err.splitlines()) == 1, ran.err


async def test_a_model_that_is_not_there(desk: Desk) -> None:
    """Nothing else is shown under its name."""
    ran = await desk.run("demo", "--model", "nope")
    assert ran.code in (1, 2), ran.said
    assert "nope" in ran.err
    assert len(ran.err.splitlines()) == 1, ran.err
