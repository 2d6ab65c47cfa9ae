"""Records each edit when it is answered, and its later outcome.

An observer: it is notified of every step of every session. It passes ids, times and
counts to the store; the lines that reveal an undo stay here, for a minute. Sessions
that end without a trace in a document are recorded a moment later, after their answer
was sent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import WAITING, State
from redline.assist.editor.workspace import Workspace
from redline.assist.usage.followed_edits import EditedPlace, FollowedEdits
from redline.assist.usage.task_usage import OUTCOMES, Begun, begun_again, usage_of
from redline.store.task import LateTaskFacts, TaskUsage


class Ledger(Protocol):
    """Stores usage; no call fails, and `record` and `update` do not block."""

    def record(self, task: TaskUsage) -> None:
        """Store a task; the same id again is another task."""

    def update(self, task_id: str, later: LateTaskFacts) -> None:
        """Add later facts to the newest task with that id."""

    async def settled(self) -> None:
        """Wait until what was recorded is stored, or cannot be stored for now."""


class _Recorded(Struct):
    """A session whose task has been recorded."""

    session: EditSession
    seen: tuple[str, ...]
    """The region at the last check."""
    is_accepted: bool = False


class UsageRecorder:
    """Records the usage of one editor's sessions."""

    def __init__(
        self,
        workspace: Workspace,
        ledger: Ledger,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Start to record."""
        self._workspace = workspace
        self._ledger = ledger
        self._now = now
        self._waiting: dict[str, _Recorded] = {}
        self._resumed: dict[str, Begun] = {}
        self._ended: list[EditSession] = []
        """Sessions that are over and not recorded yet, in order."""
        self._due: asyncio.TimerHandle | None = None
        self._followed = FollowedEdits(workspace)

    def session_changed(self, session: EditSession) -> None:
        """Record a session's new state."""
        if session.id not in self._waiting:
            if session.state.is_at_work:
                # Nothing yet, and its request should not wait for the tasks before it.
                return
            if session.state in _TRACELESS:
                self._ended.append(session)
                if self._due is None:
                    loop = asyncio.get_running_loop()
                    self._due = loop.call_later(_LATE_S, self._catch_up)
                return
        self._catch_up()
        self._take(session)

    def close(self) -> None:
        """Record what is left, and stop watching edits."""
        self._catch_up()
        self._followed.clear()

    def _catch_up(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        ended, self._ended = self._ended, []
        for session in ended:
            self._take(session)

    def _take(self, session: EditSession) -> None:
        recorded = self._waiting.get(session.id)
        is_offer = session.state in WAITING and not session.is_draft
        if recorded is not None and session.state in _RESUMED:
            self._resume(session, recorded)
        elif recorded is not None:
            self._went_on(recorded)
        elif session.state.is_end or is_offer:
            self._record(session)

    def _record(self, session: EditSession) -> None:
        begun = self._resumed.pop(session.id, None)
        if begun is None:
            begun = Begun(
                at=session.lifecycle.asked_at, lines=session.edit_target.original
            )
        # From now on, outcomes of this id belong to this task.
        self._followed.forget(session.id)
        # A session stopped during its checks has counted nothing yet.
        session.account.count(session.attempts.candidates)
        elapsed_s = asyncio.get_running_loop().time() - begun.at
        self._ledger.record(
            usage_of(
                session,
                begun,
                queued_at=self._now() - elapsed_s,
                spent=session.account.cost_tally.take(),
            )
        )
        recorded = _Recorded(session, seen=begun.lines)
        if not session.state.is_end:
            self._waiting[session.id] = recorded
            self._look(recorded)
        elif session.state is State.REJECTED:
            self._ledger.update(session.id, LateTaskFacts(rejected_at=self._now()))
        elif session.state is State.COMPUTED:
            self._expect(session)
        elif session.state in _LANDED:
            self._look(recorded)

    def _resume(self, session: EditSession, recorded: _Recorded) -> None:
        """Begin another task, because the user redirected the offer."""
        del self._waiting[session.id]
        now = asyncio.get_running_loop().time()
        self._resumed[session.id] = begun_again(session, at=now)
        if not recorded.is_accepted:
            self._ledger.update(session.id, LateTaskFacts(outcome="superseded"))

    def _went_on(self, recorded: _Recorded) -> None:
        session = recorded.session
        self._look(recorded)
        if not session.state.is_end:
            return
        del self._waiting[session.id]
        spent = session.account.cost_tally.take()
        later = LateTaskFacts(
            wasted_n_tokens=spent.tokens.wasted_n_tokens, cost=spent.cost or 0.0
        )
        if session.state is State.REJECTED:
            later = replace(later, rejected_at=self._now())
        elif not recorded.is_accepted:
            later = replace(later, outcome=OUTCOMES[session.state])
        if later != LateTaskFacts():
            self._ledger.update(session.id, later)

    def _look(self, recorded: _Recorded) -> None:
        """Check which part of a session's edit is in its document now."""
        session = recorded.session
        lines = session.edit_target.region.lines
        if lines not in (recorded.seen, session.edit_target.original):
            recorded.seen = lines
            if session.state is not State.APPLIED and not recorded.is_accepted:
                recorded.is_accepted = True
                self._accepted(session.id)
            self._follow(session)

    def _follow(self, session: EditSession) -> None:
        if not self._workspace.is_open(session.edit_target.document):
            return
        self._followed.follow(
            session.id,
            _place(session, session.edit_target.region.lines),
            on_undone=partial(self._undone, session.id),
            on_edited=partial(self._edited, session.id),
        )

    def _expect(self, session: EditSession) -> None:
        self._followed.expect(
            session.id,
            _place(session, session.offer.written),
            on_landed=partial(self._accepted, session.id),
            on_undone=partial(self._undone, session.id),
            on_edited=partial(self._edited, session.id),
        )

    def _accepted(self, task_id: str) -> None:
        self._ledger.update(task_id, LateTaskFacts(accepted_at=self._now()))

    def _undone(self, task_id: str) -> None:
        self._ledger.update(task_id, LateTaskFacts(undone_at=self._now()))

    def _edited(self, task_id: str) -> None:
        self._ledger.update(task_id, LateTaskFacts(edited_at=self._now()))


def _place(session: EditSession, after: Sequence[str]) -> EditedPlace:
    edit_target = session.edit_target
    return EditedPlace(
        document=edit_target.document,
        first=edit_target.first_line,
        before=session.edit_target.original,
        after=after,
    )


_RESUMED = frozenset({State.ROUTING, State.GENERATING})
"""States of a session that is redirected after its offer."""

_TRACELESS = frozenset({State.STOPPED, State.FAILED, State.SUPERSEDED})
"""Ends that leave nothing in the document."""

_LATE_S = 0.02

_LANDED = frozenset({State.APPLIED, State.ACCEPTED})
"""Ends after which the text in the document stays."""
