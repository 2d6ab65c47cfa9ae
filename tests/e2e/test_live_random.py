"""Anything at any time: random users against the whole server, and what always holds.

One example is one user: it edits, accepts, redirects, stops and types, while a model
writes a few pieces at a time. See `random_user` for what is checked, and
`random_features` for users of everything else. More users than usual:
`REDLINE_RUNS=60`. A failure is shrunk, and printed with what the user did and how to
run it again.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from random import Random

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.e2e.conftest import Shared
from tests.e2e.editor_document import Json
from tests.e2e.random_features import (
    COMPLETE,
    FEATURE_ACTIONS,
    FEATURE_CAPABILITIES,
    RandomFeatureUser,
)
from tests.e2e.random_model import RandomModel, random_author
from tests.e2e.random_user import ACTIONS, RandomUser
from tests.e2e.redline_session import KEY, Redline, settings_for
from tests.runs import n_runs

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(1800)]

N_RUNS = n_runs(30)
N_FEATURE_RUNS = n_runs(10)
N_STEPS = 30

_N_LOG_CHARS = 4_000

_numbers = itertools.count()

BeginUser = Callable[[Redline, Json, str, Random, list[str]], RandomUser]
"""Begins a user: the server, the user's settings, the document and what was done."""


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def random_model() -> AsyncIterator[RandomModel]:
    """The one model of all users."""
    model = RandomModel(token=KEY)
    await model.listen()
    yield model
    await model.hang_up()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def lent_server(
    shared: Shared, random_model: RandomModel
) -> AsyncIterator[Shared]:
    """The server that others share; afterwards it has its own model again."""
    yield shared
    # After a failed test there is none, and another one would start with that model.
    if shared.redline is not None:
        await shared.redline.use({}, name="scripted")


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def feature_server(
    random_model: RandomModel, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Shared]:
    """A server whose editor shows completions and next edits."""
    folder = tmp_path_factory.mktemp("features")
    server = Shared(random_model, folder, capabilities=FEATURE_CAPABILITIES)
    yield server
    if server.redline is not None:
        await server.redline.end()


def _steps(actions: tuple[str, ...]) -> st.SearchStrategy[list[tuple[str, int]]]:
    step = st.tuples(st.sampled_from(actions), st.integers(0, 2**32 - 1))
    return st.lists(step, min_size=N_STEPS, max_size=N_STEPS)


@hypothesis_settings(max_examples=N_RUNS)
@given(steps=_steps(ACTIONS), seed=st.integers(0, 2**32 - 1))
async def test_a_random_user(
    lent_server: Shared,
    random_model: RandomModel,
    steps: list[tuple[str, int]],
    seed: int,
) -> None:
    """Whatever is done: nothing typed is lost, nothing unseen is applied, every request
    is answered once, both texts are the same, and nothing is left running."""

    def begin(
        redline: Redline, own: Json, uri: str, rng: Random, did: list[str]
    ) -> RandomUser:
        return RandomUser(redline.editor, random_model, uri, rng, did)

    off = {"enabled": False}
    await _one_user(lent_server, random_model, begin, steps, seed, complete=off)


@hypothesis_settings(max_examples=N_FEATURE_RUNS)
@given(steps=_steps(FEATURE_ACTIONS), seed=st.integers(0, 2**32 - 1))
async def test_a_random_user_of_everything(
    feature_server: Shared,
    random_model: RandomModel,
    steps: list[tuple[str, int]],
    seed: int,
) -> None:
    """The same holds with completions, next edits, code actions, offers that are
    brought back, and settings that change."""

    def begin(
        redline: Redline, own: Json, uri: str, rng: Random, did: list[str]
    ) -> RandomUser:
        return RandomFeatureUser(redline, own, random_model, uri, rng, did)

    await _one_user(feature_server, random_model, begin, steps, seed, complete=COMPLETE)


async def _one_user(
    shared: Shared,
    model: RandomModel,
    begin: BeginUser,
    steps: list[tuple[str, int]],
    seed: int,
    *,
    complete: Json,
) -> None:
    did: list[str] = []
    try:
        redline = await shared.get()
        await _try_user(redline, model, begin, steps, seed, did, complete)
    except BaseException as exc:
        exc.add_note("\n".join(did))
        if shared.redline is not None:
            exc.add_note(shared.redline.process.log.read_text()[-_N_LOG_CHARS:])
        # The next one starts with a server that nothing is wrong with.
        await shared.discard()
        raise


async def _try_user(
    redline: Redline,
    model: RandomModel,
    begin: BeginUser,
    steps: list[tuple[str, int]],
    seed: int,
    did: list[str],
    complete: Json,
) -> None:
    name = f"random-{next(_numbers)}"
    # What an example is must not depend on when the server says what: so it is drawn
    # before, and the numbers of each step come from a seed of its own.
    rng = Random(seed)
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
    own["complete"] = complete
    if complete is COMPLETE:
        own["next_edit"] = {"per_minute": 120}
    await redline.use(own, name=name)
    path = f"{name}.py"
    model.authors[path] = random_author(Random(seed))
    user = begin(redline, own, f"file:///{path}", rng, did)
    try:
        for action, step_seed in steps:
            await user.act(action, Random(step_seed))
        await user.finish()
    finally:
        redline.editor.may_read.set()
        model.set_free()
    await redline.settle()
