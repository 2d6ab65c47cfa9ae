"""Runs one review: wires the models, the store and the review itself."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.reporting import report_of
from redline.assist.review.review_followers import ReviewFollower
from redline.assist.review.reviews import Reviews
from redline.cli.command_tools import CommandTools, command_tools, load_settings
from redline.errors import StoreError
from redline.findings.report import ReviewReport
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import Target
from redline.log import logging_to
from redline.settings.load import Loaded
from redline.store.review_store import ReviewStore

_CANCEL_LIMIT_S = 5.0
"""Time limit to store that a review was cancelled and to cancel it at the provider."""


class ReviewRun(Struct, frozen=True, kw_only=True):
    target: Target
    workspace: Path
    config: Path | None = None
    is_forced: bool = False
    max_cost: float | None = None


class ReviewRunResult(Struct, frozen=True, kw_only=True):
    review: Review
    report: ReviewReport


class Watcher(ReviewFollower, Protocol):
    def warn(self, message: str) -> None:
        """Show a warning."""


async def review(order: ReviewRun, watcher: Watcher) -> ReviewRunResult:
    """Run a review. Cancelling is safe: the review is cancelled with it.

    Raises:
        StoreError: If the stored review cannot be read.
    """
    # Read the settings.
    loaded = await load_settings(order.config, order.workspace, warn=watcher.warn)
    store = ReviewStore(lambda: loaded.settings.store, on_trouble=watcher.warn)
    trouble = _UsageTrouble(watcher, store)
    async with AsyncExitStack() as stack:
        stack.enter_context(logging_to(loaded.settings.log, is_shown=False))
        stack.callback(trouble.close)
        # Open the usage log, the models and the store.
        tools = await stack.enter_async_context(
            command_tools(loaded, on_usage_trouble=trouble.note)
        )
        reviews = Reviews(_job_tools(tools, loaded), store, ledger=tools.usage)
        stack.push_async_callback(reviews.aclose)
        # Run the review.
        reviews.follow(watcher)
        review_id = await reviews.start(
            ReviewRequest(
                target=order.target,
                roots=(order.workspace.as_uri(),),
                is_forced=order.is_forced,
                max_cost=order.max_cost,
                origin="terminal",
            )
        )
        try:
            await reviews.wait(review_id)
        except asyncio.CancelledError:
            await _cancel(reviews, review_id)
            raise
        # Read the result back from the store.
        reviewed = await reviews.reviewed(review_id)
        return ReviewRunResult(review=reviewed.review, report=report_of(reviewed))


class _UsageTrouble:
    """Reports problems with storing usage, except those that reviews have as well."""

    def __init__(self, watcher: Watcher, store: ReviewStore) -> None:
        self._watcher = watcher
        self._store = store
        self._messages: list[str] = []

    def note(self, message: str) -> None:
        """Record that the review's usage is not stored, or in another file."""
        self._messages.append(message)

    def close(self) -> None:
        """Report the problems whose cause was not reported for the reviews."""
        for message in self._messages:
            if not any(cause in message for cause in self._store.causes):
                self._watcher.warn(message)


def _job_tools(tools: CommandTools, loaded: Loaded) -> JobTools:
    now: Callable[[], float] = time.time
    return JobTools(
        tiers=tools.tiers,
        settings=lambda: loaded.settings,
        documents=dict,
        cache_key=secrets.token_hex(8),
        now=now,
        random=random.random,
        parser=tools.parser,
    )


async def _cancel(reviews: Reviews, review_id: str) -> None:
    """Cancel a review, and wait until its end is stored."""
    try:
        async with asyncio.timeout(_CANCEL_LIMIT_S):
            await reviews.cancel(review_id)
            await reviews.wait(review_id)
    except (TimeoutError, StoreError):
        return
