"""What a review job works with: models, settings, open documents."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from redline.assist.review.model_client import AskOptions
from redline.assist.tiers.tier_choice import Tiers
from redline.errors import ModelError
from redline.settings.tree import Settings
from redline.text.document import Snapshot
from redline.text.uri import uri_path

if TYPE_CHECKING:
    from redline.checks.python.environment import PythonEnvironment

_P = ParamSpec("_P")
_T = TypeVar("_T")


class RunInThread(Protocol):
    """Runs slow work in a thread; see `JobTools.beside`."""

    async def __call__(
        self, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTools:
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
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """See `beside`."""

    async def beside(
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
        on_pause: Callable[[ModelError, float], None] = lambda error, pause_s: None,
        *,
        may_spend: Callable[[], bool] = lambda: True,
    ) -> AskOptions:
        """Return the options for asking a model, from the current settings."""
        return AskOptions(
            settings=self.settings().review,
            random=self.random,
            on_pause=on_pause,
            may_spend=may_spend,
        )

    def python(self, roots: Sequence[str]) -> PythonEnvironment:
        """Find the Python environment of these folders; slow."""
        # Imported here: it loads the Python parser.
        from redline.checks.python.environment import PythonEnvironment

        configured = self.settings().python.environment
        documents = self.documents()

        def open_text(path: Path) -> str | None:
            snapshot = documents.get(path.as_uri())
            return None if snapshot is None else snapshot.text

        return PythonEnvironment(
            [Path(uri_path(uri)) for uri in roots],
            configured=None if configured is None else Path(configured),
            variables=os.environ,
            open_text=open_text,
        )
