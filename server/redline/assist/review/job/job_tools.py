"""What a review job works with: models, settings, open documents."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, Protocol, TypeVar

from msgspec import Struct, field

from redline.assist.editor.services import EditorServices
from redline.assist.privacy.excluded_files import SendCheck
from redline.assist.review.job.model_client import AskOptions, OnStored
from redline.assist.review.related.related_place import RelatedPlace
from redline.assist.review.related.related_places import related_places
from redline.assist.tiers.tier_choice import Tiers
from redline.checks.checked_folders import checked_folders
from redline.checks.edit_question import CheckedFolders
from redline.errors import ModelError
from redline.findings.scope import ReviewScope
from redline.parsing.work import WorkRunner
from redline.settings.tree import Settings
from redline.syntax.language import Language
from redline.text.document import Snapshot

_P = ParamSpec("_P")
_T = TypeVar("_T")


class RunInThread(Protocol):
    """Runs slow work in a thread; see `JobTools.in_thread`."""

    async def __call__(
        self, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T: ...


class RelatedSearch(Protocol):
    """Finds the places related to what is reviewed; see `related_places`."""

    async def __call__(
        self, scope: ReviewScope, *, roots: Sequence[str]
    ) -> tuple[RelatedPlace, ...]: ...


class JobTools(Struct, frozen=True, kw_only=True):
    """The models, the settings, and the open documents."""

    tiers: Tiers
    settings: Callable[[], Settings]
    documents: Callable[[], Mapping[str, Snapshot]]
    """The open documents by URI, see `Workspace.snapshots`."""
    cache_key: str
    now: Callable[[], float]
    """Unix seconds."""
    random: Callable[[], float]
    """A number in [0, 1)."""
    parser: WorkRunner
    """Checks the fixes."""
    related: RelatedSearch = related_places
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """See `in_thread`."""
    on_stored: OnStored | None = None
    """See `AskOptions`."""

    async def in_thread(
        self, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run slow work in a thread, one call at a time.

        Threads share the interpreter: with four of them working, a keystroke would wait
        for all four.
        """
        async with self.turn:
            return await asyncio.to_thread(work, *args, **kwargs)

    def asking(
        self,
        check_files: SendCheck,
        on_pause: Callable[[ModelError, float], None] = lambda error, pause_s: None,
        *,
        may_spend: Callable[[], bool] = lambda: True,
    ) -> AskOptions:
        """Return the options for asking a model, from the current settings."""
        return AskOptions(
            settings=self.settings().review,
            random=self.random,
            check_files=check_files,
            on_pause=on_pause,
            may_spend=may_spend,
            on_stored=self.on_stored,
        )

    def checked_folders(
        self, roots: Sequence[str], language: Language | None
    ) -> CheckedFolders:
        """Return what a fix in these folders is checked with."""
        return checked_folders(
            roots,
            settings=self.settings(),
            documents=self.documents(),
            language=language,
        )


def job_tools(services: EditorServices) -> JobTools:
    """Return what a job of these services works with: the clock of the system, too."""
    return JobTools(
        tiers=services.tiers,
        settings=services.settings,
        documents=services.workspace.snapshots,
        cache_key=services.cache_key,
        now=time.time,
        random=random.random,
        parser=services.parser,
    )
