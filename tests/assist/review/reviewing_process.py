"""A server's reviews in a separate process that can be killed at any moment."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.assist.in_process import InThisProcess

from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.reviews import Reviews
from redline.assist.tiers.model_tiers import ModelTiers
from redline.findings.finding import Finding
from redline.findings.review import Review, ReviewRequest
from redline.findings.scope import WholeFiles
from redline.models.build import build_model
from redline.models.interface import Model
from redline.settings.review_settings import ReviewSettings
from redline.settings.tree import (
    KeySource,
    LimitSettings,
    ModelSettings,
    Settings,
    StoreSettings,
    TierSettings,
)
from redline.store.review_change import ReviewChange
from redline.store.review_store import ReviewStore

REVIEW_ID = "r1"
TOKEN = "reviewing-token"


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Instructions for a process."""

    folder: Path
    """The workspace; the store and the log of shown findings are next to it."""
    url: str
    """Of the gateway's HTTP endpoint."""
    keeps_background: bool = True
    dies_after: int | None = None
    """Kill this process after its so manieth write to the store; from 1."""
    dies_before: bool = False
    """Just before that write instead."""
    dies_after_findings: int | None = None
    """Kill it after the write with its so manieth finding; from 1."""
    retries: int = 5

    @property
    def store(self) -> Path:
        """The file where reviews are kept."""
        return self.folder.parent / "store" / "redline.sqlite3"

    @property
    def shown(self) -> Path:
        """What all processes showed, a line each."""
        return self.folder.parent / "shown.jsonl"

    @property
    def outcome(self) -> Path:
        """The result of the review, once it has ended."""
        return self.folder.parent / "outcome.json"


class MortalStore(ReviewStore):
    """A store whose process dies at one of its writes."""

    def __init__(self, orders: Orders) -> None:
        super().__init__(lambda: StoreSettings(file=str(orders.store)))
        self._orders = orders
        self.n_writes = 0
        self.n_findings = 0

    async def write(self, *changes: ReviewChange) -> None:
        self.n_writes += 1
        self.n_findings += sum(isinstance(one, Finding) for one in changes)
        orders = self._orders
        is_last = self.n_writes == orders.dies_after or (
            orders.dies_after_findings is not None
            and self.n_findings >= orders.dies_after_findings
        )
        if is_last and orders.dies_before:
            _die()
        await super().write(*changes)
        if is_last:
            _die()


class Shown:
    """Logs what a developer would see."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def review_changed(self, review: Review) -> None:
        self._note("review", review.state)

    def finding_changed(self, review: Review, finding: Finding) -> None:
        self._note("finding", finding.id)

    def finding_gone(self, review: Review, finding_id: str) -> None:
        self._note("gone", finding_id)

    def _note(self, kind: str, what: str) -> None:
        with self._file.open("a") as lines:
            lines.write(json.dumps([kind, what]) + "\n")


def work(orders: Orders) -> None:
    """Start or resume the review, and write its result."""
    # So that nothing of a killed process is left behind in the terminal's group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["REDLINE_TEST_TOKEN"] = TOKEN
    asyncio.run(_work(orders))


async def _work(orders: Orders) -> None:
    settings = _settings(orders)
    tiers = ModelTiers(build=build_model, build_embedded=_no_engine)
    tiers.configure(settings)
    tools = JobTools(
        tiers=tiers,
        settings=lambda: settings,
        documents=dict,
        cache_key="test",
        now=time.time,
        # Pauses are of the shortest kind there is.
        random=random.Random(0).random,
        parser=InThisProcess(),
    )
    store = MortalStore(orders)
    reviews = Reviews(tools, store, new_id=lambda: REVIEW_ID)
    reviews.follow(Shown(orders.shown))
    try:
        await reviews.resume([orders.folder.as_uri()])
        if not reviews.reviews():
            await reviews.start(
                ReviewRequest(
                    target=WholeFiles(uris=((orders.folder / "stock.py").as_uri(),)),
                    roots=(orders.folder.as_uri(),),
                )
            )
        await reviews.wait(REVIEW_ID)
        reviewed = await reviews.reviewed(REVIEW_ID)
        outcome = {
            "n_writes": store.n_writes,
            "reviewed": msgspec.to_builtins(reviewed),
        }
        orders.outcome.write_text(json.dumps(outcome))
    finally:
        await reviews.aclose()
        await tiers.aclose()


def _settings(orders: Orders) -> Settings:
    models = {
        name: ModelSettings(
            api="responses-http",
            url=orders.url,
            name=name,
            key=KeySource(env="REDLINE_TEST_TOKEN"),
            background=orders.keeps_background and name == "deep",
        )
        for name in ("fast", "standard", "deep")
    }
    return Settings(
        models=models,
        tiers=TierSettings(fast="fast", standard="standard", deep="deep"),
        review=ReviewSettings(retries=orders.retries),
    )


def _no_engine(limits: LimitSettings) -> Model:
    raise AssertionError("the built-in engine is not needed here")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
