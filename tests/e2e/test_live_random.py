"""Anything at any time: random users against the whole server, and what always holds.

One example is one user: it edits, accepts, redirects, stops and types, while a model
writes a few pieces at a time. See `random_user` for what is checked. More users than
usual: `REDLINE_RUNS=60`. A failure is shrunk, and printed with what the user
did and how to run it again.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from random import Random

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.e2e.conftest import Shared
from tests.e2e.random_model import RandomModel, random_author
from tests.e2e.random_user import ACTIONS, RandomUser
from tests.e2e.redline_session import KEY, settings_for
from tests.runs import n_runs

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(1800)]

N_RUNS = n_runs(40)
N_STEPS = 30

_N_LOG_CHARS = 4_000

_numbers = itertools.count()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def random_model(shared: Shared) -> AsyncIterator[RandomModel]:
    """The one model of all users; afterwards the server has its own again."""
    model = RandomModel(token=KEY)
    await model.listen()
    yield model
    await (await shared.get()).use({}, name="scripted")
    await model.hang_up()


_STEPS = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.integers(0, 2**32 - 1)),
    min_size=N_STEPS,
    max_size=N_STEPS,
)


@hypothesis_settings(max_examples=N_RUNS)
@given(steps=_STEPS, seed=st.integers(0, 2**32 - 1))
async def test_a_random_user(
    shared: Shared, random_model: RandomModel, steps: list[tuple[str, int]], seed: int
) -> None:
    """Whatever is done: nothing typed is lost, nothing unseen is applied, every request
    is answered once, both texts are the same, and nothing is left running."""
    did: list[str] = []
    try:
        await _one_user(shared, random_model, steps, seed, did)
    except BaseException as exc:
        exc.add_note("\n".join(did))
        if shared.redline is not None:
            exc.add_note(shared.redline.process.log.read_text()[-_N_LOG_CHARS:])
        # The next one starts with a server that nothing is wrong with.
        await shared.discard()
        raise


async def _one_user(
    shared: Shared,
    model: RandomModel,
    steps: list[tuple[str, int]],
    seed: int,
    did: list[str],
) -> None:
    name = f"random-{next(_numbers)}"
    # What an example is must not depend on when the server says what: so it is drawn
    # before, and the numbers of each step come from a seed of its own.
    rng = Random(seed)
    redline = await shared.get()
    model.forget()
    own = settings_for(
        model,
        name=name,
        steer=rng.random() < 0.5,
        edit={
            "on_stop": rng.choice(["drop", "keep"]),
            "on_typing": rng.choice(["stop", "stop", "replan"]),
            "live_pause_s": 0.001,
            "live_per_minute": 1_000_000,
            "paints_per_s": rng.choice([30, 240]),
        },
        limits={"landing_s": 0.2},
    )
    await redline.use(own, name=name)
    path = f"{name}.py"
    model.authors[path] = random_author(Random(seed))
    user = RandomUser(redline.editor, model, f"file:///{path}", rng, did)
    try:
        for action, step_seed in steps:
            await user.act(action, Random(step_seed))
        await user.finish()
    finally:
        redline.editor.may_read.set()
        model.set_free()
    await redline.settle()
