"""The counts of completions and next edits, until they are stored."""

from __future__ import annotations

import asyncio

from tests.assist.conftest import FakeTiers
from tests.assist.fake_model import FakeModel
from tests.assist.virtual_time import VirtualTimeLoop

from redline.assist.tiers.cost import Cost
from redline.assist.usage.automatic_usage_tally import (
    FLUSH_S,
    AutomaticTally,
    counts_of,
)
from redline.store.automatic_usage import AutomaticCounts, AutomaticUsage
from redline.store.task import TaskTokens


def test_counts_are_stored_together() -> None:
    """By kind and model, after a while and at the end, and only once."""
    stored: list[AutomaticUsage] = []

    async def work() -> None:
        tiers = FakeTiers(FakeModel(label="spark"))
        tally = AutomaticTally(stored.append, tiers)
        local = FakeModel(label="local")
        tally.add("completion", tiers.model, AutomaticCounts(requests=1))
        tally.add("completion", tiers.model, AutomaticCounts(shown=1, at_once=1))
        tally.add("completion", local, AutomaticCounts(requests=1))
        tally.add("next-edit", None, AutomaticCounts(shown=1))
        assert not stored
        await asyncio.sleep(FLUSH_S + 1)
        assert len(stored) == 3
        tally.add("next-edit", None, AutomaticCounts(accepted=1))
        await tally.aclose()
        await tally.aclose()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(work())

    spark, local, rules, accepted = stored
    assert (spark.kind, spark.tier, spark.model) == ("completion", "fast", "spark")
    assert spark.counts == AutomaticCounts(requests=1, shown=1, at_once=1)
    # A model of the settings that fills no tier.
    assert (local.tier, local.model) == (None, "local")
    assert (rules.kind, rules.tier, rules.model) == ("next-edit", None, None)
    assert accepted.counts == AutomaticCounts(accepted=1)


def test_a_cost_that_is_not_known() -> None:
    """It is counted as such, and its tokens are."""
    tokens = TaskTokens(input_n_tokens=7, cached_n_tokens=2, output_n_tokens=3)

    assert counts_of(Cost(tokens=tokens, cost=None)) == AutomaticCounts(
        input_tokens=7, cached_tokens=2, output_tokens=3, unpriced=1
    )
    assert counts_of(Cost(tokens=tokens, cost=0.5)).cost == 0.5
