"""Reviews on save: of what a save has changed, by the standard tier, within budgets.

A save begins one after a short pause, unless a key comes first. The next save of the
file, or typing in the reviewed lines, cancels it. What has been reviewed once is not
reviewed again: see `SinceReview`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from redline.assist.editor.workspace import Workspace
from redline.assist.review.reviews import Reviews
from redline.assist.tiers.tier_choice import Tiers
from redline.errors import RedlineError
from redline.settings.review_settings import ReviewSettings
from redline.supervisor import Supervisor
from redline.text.layout import is_same_code

PAUSE_S = 1.5
"""How long after a save no key may come."""

_HOUR_S = 3_600.0
_DAY_S = 86_400.0

_MAX_LINES = 5_000
"""Longest file that is reviewed on save."""


class SaveReviews:
    """The reviews on save of one editor."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        reviews: Reviews,
        tiers: Tiers,
        settings: Callable[[], ReviewSettings],
        start: Callable[[str], Awaitable[str]],
        say: Callable[[str], None],
        now: Callable[[], float],
        pause_s: float = PAUSE_S,
    ) -> None:
        """Create the reviews.

        Args:
            workspace: The open documents.
            reviews: Runs them.
            tiers: Nothing is reviewed on save without a model.
            settings: Returns the settings in force.
            start: Starts the review of a saved file; returns its id.
            say: Shows a sentence to the user.
            now: Returns Unix seconds.
            pause_s: How long after a save no key may come.
        """
        self._workspace = workspace
        self._reviews = reviews
        self._tiers = tiers
        self._settings = settings
        self._start = start
        self._say = say
        self._now = now
        self._pause_s = pause_s
        self._supervisor = Supervisor()
        self._saves: dict[str, _Save] = {}
        """The last save of each document, until its review is over."""
        self._reviewed: dict[str, str] = {}
        """The text of each document as it was reviewed on save last."""
        self._is_over_budget = False

    def saved(self, uri: str) -> None:
        """Review what a save has changed, soon; drop what the save before has begun."""
        self._drop(uri)
        is_on = self._settings().on_save != "off"
        if not (is_on and self._workspace.has(uri) and self._tiers.is_ready):
            return
        if not self._tiers.choose("standard").model.describe().is_model:
            return
        snapshot = self._workspace.document(uri).snapshot()
        if len(snapshot.lines) > _MAX_LINES:
            return
        text, last = snapshot.text, self._reviewed.get(uri)
        if last is not None and is_same_code(last, text, snapshot.language_id):
            return
        save = self._saves[uri] = _Save(self, uri)
        self._workspace.watch(uri, save)
        save.task = self._supervisor.start(
            self._review(save, text), name="review a save"
        )

    def changed(self, save: _Save) -> None:
        """Drop a save whose review has not begun, or whose lines are being typed in."""
        if save.review_id is not None:
            hunks = self._reviews.hunks(save.review_id)
            text = self._workspace.document(save.uri).snapshot().text
            text = text.replace("\r\n", "\n")
            if hunks is not None and all(hunk in text for hunk in hunks):
                return
        self._drop(save.uri)

    def closed(self, save: _Save) -> None:
        """Let the review of a closed document go on."""
        if save.review_id is None:
            self._drop(save.uri)

    async def aclose(self) -> None:
        """Begin no more; idempotent."""
        for uri in list(self._saves):
            self._forget(self._saves[uri])
        await self._supervisor.aclose()

    async def _review(self, save: _Save, text: str) -> None:
        try:
            await asyncio.sleep(self._pause_s)
            if not self._may_spend():
                return
            # It continues if the save is dropped meanwhile: then the review has an id,
            # by which it is cancelled.
            save.review_id = await self._supervisor.complete(
                self._begun(save.uri), name="begin the review of a save"
            )
            if save.review_id is None:
                return
            if self._saves.get(save.uri) is not save:
                self._cancel(save.review_id)
                return
            with suppress(RedlineError):
                review = await self._reviews.wait(save.review_id)
                if review.state == "done":
                    self._reviewed[save.uri] = text
        finally:
            self._forget(save)

    async def _begun(self, uri: str) -> str | None:
        """Start a review; None: it could not be started."""
        with suppress(RedlineError):
            return await self._start(uri)
        return None

    def _may_spend(self) -> bool:
        """Whether the budgets allow one more; a message says once if not."""
        settings, now = self._settings(), self._now()
        live = [each for each in self._reviews.reviews() if each.request.is_live]
        n_last = sum(each.created_at > now - _HOUR_S for each in live)
        cost = sum(each.cost or 0 for each in live if each.created_at > now - _DAY_S)
        reached = ""
        if n_last >= settings.live_per_hour:
            reached = f"{n_last} in the last hour (`review.live_per_hour`)"
        elif cost >= settings.live_cost_per_day:
            reached = f"${cost:.2f} in a day (`review.live_cost_per_day`)"
        if reached and not self._is_over_budget:
            self._say(
                f"Redline reviews no more saves for now: {reached}. What is saved"
                " meanwhile is reviewed later."
            )
        self._is_over_budget = bool(reached)
        return not reached

    def _drop(self, uri: str) -> None:
        """Cancel what a save has begun."""
        save = self._saves.get(uri)
        if save is None:
            return
        self._forget(save)
        if save.review_id is not None:
            self._cancel(save.review_id)
        elif save.task is not None:
            save.task.cancel()

    def _cancel(self, review_id: str) -> None:
        self._supervisor.attempt(
            self._reviews.cancel(review_id), name="cancel the review of a save"
        )

    def _forget(self, save: _Save) -> None:
        if self._saves.get(save.uri) is save:
            del self._saves[save.uri]
            self._workspace.unwatch(save.uri, save)


class _Save:
    """One save; watches its document."""

    def __init__(self, owner: SaveReviews, uri: str) -> None:
        self.uri = uri
        self.task: asyncio.Task[None] | None = None
        self.review_id: str | None = None
        """The review, once it is stored."""
        self._owner = owner

    def document_changed(self) -> None:
        self._owner.changed(self)

    def document_closed(self) -> None:
        self._owner.closed(self)
