"""What a provider stores of a review is deleted, also if Redline ends meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.assist.review.seeded_workspace import write_workspace
from tests.e2e.conftest import Begin, Start
from tests.e2e.review_session import Reviewing, reviewing, settings_of
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import Talk

pytestmark = pytest.mark.asyncio(loop_scope="session")


def deleted(model: ScriptedModel) -> Callable[[], bool]:
    """Whether an answer was cancelled and then deleted."""

    def is_deleted() -> bool:
        for method, path in model.calls:
            cancel = ("POST", f"{path}/cancel")
            if method == "DELETE" and cancel in model.calls:
                return True
        return False

    return is_deleted


async def begun(here: Reviewing, model: ScriptedModel) -> str:
    """Start a review, and wait until the provider stores its answer."""
    hold = model.hold_model("deep", after=60)
    here.open()
    review_id = await here.review()
    await hold.reached()
    await here.published(lambda found: found)
    return review_id


async def test_a_cancelled_answer_is_deleted_by_the_next_server(
    begin: Begin, reviewers: ScriptedModel
) -> None:
    """The first one is killed before the provider has answered it."""
    here = await begin()
    review_id = await begun(here, reviewers)
    reviewers.may_call.clear()
    cancelled = await here.editor.run_now(
        "redline.cancelReview", {"reviewId": review_id}
    )
    assert cancelled == {"cancelled": True}
    here.redline.process.kill()
    await here.redline.process.gone()
    here.editor.talk = Talk()
    reviewers.may_call.set()
    await begin()
    await reviewers.until(deleted(reviewers))


@pytest.mark.parametrize("enabled", [True, False])
async def test_the_end_of_a_server_deletes_what_no_other_resumes(
    start: Start, reviewers: ScriptedModel, tmp_path: Path, enabled: bool
) -> None:
    """With a store the next server goes on with the answer."""
    folder = tmp_path / "project"
    write_workspace(folder)
    store = {"enabled": enabled, "file": str(tmp_path / "kept" / "reviews.sqlite3")}
    redline = await start(
        options={**settings_of(reviewers, tmp_path / "unused"), "store": store},
        capabilities=reviewing(),
        workspaceFolders=[{"uri": folder.as_uri(), "name": "project"}],
    )
    here = Reviewing(redline, folder)
    await begun(here, reviewers)
    await redline.end()
    assert deleted(reviewers)() is not enabled
