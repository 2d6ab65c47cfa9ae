"""Anything at any time: seeded users against the whole server, and what always holds.

One test is one seed: a user edits, accepts, redirects, stops and types, a model writes
a few pieces at a time. See `random_user` for what is checked. More seeds than the usual
ones: `REDLINE_RANDOM_RUNS=2000 REDLINE_RANDOM_SEED=100000`.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from random import Random

import pytest
import pytest_asyncio
from tests.e2e.random_model import RandomModel, random_author
from tests.e2e.random_user import RandomUser
from tests.e2e.redline_session import KEY, Redline, settings_for

pytestmark = pytest.mark.asyncio(loop_scope="session")

N_RUNS = int(os.environ.get("REDLINE_RANDOM_RUNS", "300"))
FIRST_SEED = int(os.environ.get("REDLINE_RANDOM_SEED", "0"))
N_STEPS = 30


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def random_model() -> AsyncIterator[RandomModel]:
    """The one model of all users."""
    model = RandomModel(token=KEY)
    await model.listen()
    yield model
    await model.hang_up()


@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + N_RUNS))
async def test_a_random_user(
    redline: Redline, random_model: RandomModel, seed: int
) -> None:
    """Whatever is done: nothing typed is lost, nothing unseen is applied, every request
    is answered once, both texts are the same, and nothing is left running."""
    rng = Random(seed)
    random_model.forget()
    await redline.use(
        settings_for(
            random_model,
            name=f"random-{seed}",
            steer=rng.random() < 0.5,
            edit={
                "on_stop": rng.choice(["drop", "keep"]),
                "on_typing": rng.choice(["stop", "stop", "replan"]),
                "live_pause_s": 0.001,
                "live_per_minute": 1_000_000,
                "paints_per_s": rng.choice([30, 240]),
            },
            limits={"landing_s": 0.2},
        ),
        name=f"random-{seed}",
    )
    path = f"random-{seed}.py"
    random_model.authors[path] = random_author(Random(seed))
    user = RandomUser(redline.editor, random_model, f"file:///{path}", rng)
    try:
        for _ in range(N_STEPS):
            await user.act()
        await user.finish()
    except BaseException as exc:
        exc.add_note("\n".join([f"seed {seed}", *user.did]))
        raise
    finally:
        redline.editor.may_read.set()
        random_model.set_free()
