"""The tier that takes a task, and the reasons it is told with."""

from __future__ import annotations

from typing import get_args

import pytest

from redline.routing.route import Tier, route


def test_edits_go_to_the_fast_tier() -> None:
    """Unless another one was asked for; a person can read why."""
    chosen = route(asked=None)
    assert chosen.tier == "fast"
    assert chosen.reasons == ("Edits go to the fast tier.",)
    assert chosen.boundaries == ()


@pytest.mark.parametrize("tier", get_args(Tier))
def test_the_tier_that_was_asked_for_wins(tier: Tier) -> None:
    """And the reason says that it was asked for."""
    chosen = route(asked=tier)
    assert chosen.tier == tier
    assert chosen.reasons == (f"You asked for {tier}.",)
    assert 0 <= chosen.score <= 1
