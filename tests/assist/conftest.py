"""A workspace, an editor and a model around the edits, all of them fakes but the first.

After each test, whatever it did, nothing may be left: no session, anchor, lane, task or
open progress.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable, Collection

import msgspec
import pytest
from tests.assist.anchors import n_anchors_of
from tests.assist.fake_editor import URI, FakeEditor
from tests.assist.fake_model import FakeModel
from tests.assist.in_process import InThisProcess

from redline.assist.actions.action import RangeWork
from redline.assist.context.gatherer import ContextGatherer
from redline.assist.edit.document.rejected_offers import RejectedOffer
from redline.assist.edit.edits import Edits
from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.session.result import (
    EditRequest,
    EditResult,
    Mode,
    OfferProgress,
)
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import WAITING, State
from redline.assist.editor.editor import EditorTraits
from redline.assist.editor.services import EditorServices
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.prompt_log import PromptLog
from redline.assist.tiers.tier_choice import TIERS, TierChoice
from redline.checks.all_checks import RULES
from redline.prompts.tokens import TokenCounter
from redline.routing.route import Tier
from redline.routing.task import Kind
from redline.settings.check_settings import ChecksSettings
from redline.settings.tree import RoutingSettings, Settings
from redline.text.position import Range


class FakeTiers:
    """One model for every tier, known at once unless a test says otherwise."""

    def __init__(self, model: FakeModel) -> None:
        self.model = model
        self.models: dict[str, FakeModel] = {}
        """The models of some tiers; the one model fills the others."""
        self.named: dict[str, FakeModel] = {}
        """The models that an instruction can name."""
        self.note: str | None = None
        self.known = asyncio.Event()
        self.known.set()

    @property
    def is_ready(self) -> bool:
        return self.known.is_set()

    async def ready(self) -> None:
        await self.known.wait()

    def choose(self, tier: Tier, named: str | None = None) -> TierChoice:
        if named in self.named:
            return TierChoice(model=self.named[named])
        return TierChoice(model=self.models.get(tier, self.model), note=self.note)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.named)

    def tier_of(self, name: str) -> Tier:
        model = self.named[name]
        filled = (tier for tier in TIERS if self.choose(tier).model is model)
        return max(filled, key=TIERS.index, default="standard")

    @property
    def has_choice(self) -> bool:
        return bool(self.models.keys() - {"vision"})

    def drafter(self) -> FakeModel | None:
        return self.models.get("draft")

    def viewer(self) -> FakeModel | None:
        return self.models.get("vision")


class RunningEdit:
    """One edit and the task that waits for its answer."""

    def __init__(self, session: EditSession, task: asyncio.Task[EditResult]) -> None:
        self.session = session
        self.task = task

    @property
    def id(self) -> str:
        """The session's."""
        return self.session.id

    async def result(self) -> EditResult:
        """Wait for the answer, but not for ever."""
        async with asyncio.timeout(5):
            return await asyncio.shield(self.task)


class ErrorKeeper(logging.Handler):
    """Keeps what is logged as an error: nothing here should be."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(self.format(record))


class EditHarness:
    """Everything around the edits."""

    def __init__(self) -> None:
        self._errors = ErrorKeeper()
        logging.getLogger().addHandler(self._errors)
        self.workspace = Workspace()
        self.editor = FakeEditor(self.workspace)
        self.model = FakeModel()
        self.tiers = FakeTiers(self.model)
        # The texts here are no code. Tests about checks and repairs say so.
        self.settings = Settings(
            checks=ChecksSettings(
                off=tuple(RULES.keys() - {"elision"}), repair=False, escalate=False
            ),
            routing=RoutingSettings(second_opinions=0),
        )
        self.observers: list[Callable[[EditSession], None]] = []
        """Called with every step, like the server's."""
        self.n_anchors_besides: Callable[[], int] = lambda: 0
        """How many anchors the observers hold."""
        self.states: dict[str, list[State]] = {}
        """The states of each session, as its owner was notified of them."""
        self.parser = InThisProcess()
        self.counter = TokenCounter()
        self.gatherer = ContextGatherer(self.workspace, self.counter)
        self.sent = PromptLog(self.counter.about)
        self.services = EditorServices(
            workspace=self.workspace,
            editor=self.editor,
            tiers=self.tiers,
            settings=lambda: self.settings,
            parser=self.parser,
            cache_key="key",
            sent=self.sent,
        )
        self.tasks = PromptWriter(
            self.services, gatherer=self.gatherer, counter=self.counter
        )
        self.edits = Edits(self.services, tasks=self.tasks, on_change=self._changed)
        self._numbers = itertools.count(1)
        self._tasks: list[asyncio.Task[EditResult]] = []
        self._sessions: list[EditSession] = []

    def preview(self, **edit: object) -> None:
        """Use a client with a preview, and paint at every turn of the loop."""
        self.editor.traits = EditorTraits(has_preview=True)
        self.configure(edit={"apply": "preview", "paints_per_s": 0.0, **edit})

    def configure(self, **sections: dict[str, object]) -> None:
        """Change settings."""
        tree = msgspec.to_builtins(self.settings)
        for name, values in sections.items():
            tree[name] |= values
        self.settings = msgspec.convert(tree, Settings)

    def edit(
        self,
        start: int,
        end: int,
        instruction: str = "Improve it.",
        *,
        uri: str = URI,
        tier: Tier | None = None,
        model: str | None = None,
        apply: Mode | None = None,
        session_id: str | None = None,
        from_comment: Range | None = None,
        is_draft: bool = False,
        attachments: tuple[str, ...] = (),
        kind: Kind = "edit",
        ranges: tuple[RangeWork, ...] = (),
    ) -> RunningEdit:
        """Ask for an edit of what is between two offsets."""
        document = self.editor.documents[uri]
        selection = Range(document.position(start), document.position(end))
        request = EditRequest(
            session_id=session_id or f"edit-{next(self._numbers)}",
            uri=uri,
            range=selection,
            instruction=instruction,
            tier=tier,
            model=model,
            apply=apply,
            from_comment=from_comment,
            is_draft=is_draft,
            attachments=attachments,
            kind=kind,
            ranges=ranges,
        )
        asked = self.edits.open(request)
        task = asyncio.get_running_loop().create_task(asked.outcome())
        self._tasks.append(task)
        self._sessions.append(asked.session)
        return RunningEdit(asked.session, task)

    def edit_lines(
        self,
        first: int,
        end: int,
        instruction: str = "Improve it.",
        *,
        uri: str = URI,
        apply: Mode | None = None,
        from_comment: Range | None = None,
    ) -> RunningEdit:
        """Ask for an edit of whole lines."""
        lines = self.editor.documents[uri].text.splitlines(keepends=True)
        start = len("".join(lines[:first]))
        stop = len("".join(lines[:end]))
        return self.edit(
            start, stop, instruction, uri=uri, apply=apply, from_comment=from_comment
        )

    async def offer(
        self, first: int, end: int, reply: str, instruction: str = "Improve it."
    ) -> RunningEdit:
        """Have an edit of whole lines offered."""
        running = self.edit_lines(first, end, instruction)
        generation = await self.model.generation(len(self.model.generations))
        generation.reply(reply)
        assert (await running.result()).outcome == "offered"
        return running

    async def bring_back(
        self, uri: str = URI, stored: tuple[RejectedOffer, Range] | None = None
    ) -> RunningEdit:
        """Have the last dropped offer of a document, or a stored one, offered again."""
        asked = self.edits.bring_back(
            uri,
            session_id=f"edit-{next(self._numbers)}",
            progress_token=None,
            stored=stored,
        )
        task = asyncio.get_running_loop().create_task(asked.outcome())
        self._tasks.append(task)
        self._sessions.append(asked.session)
        return RunningEdit(asked.session, task)

    async def accept(
        self, session_id: str, hunk_ids: Collection[int] | None
    ) -> OfferProgress:
        """Accept what a session offers, or some of its hunks."""
        return await self.edits.accept(self.edits.session(session_id), hunk_ids)

    async def idle(self) -> None:
        """Let everything run that can."""
        for _ in range(20):
            await asyncio.sleep(0)

    def check(self) -> None:
        """See that nothing outlives what it belongs to."""
        living = self.edits.sessions
        # A draft that is continued has one session and several tasks.
        opened = dict.fromkeys(self._sessions)
        assert living == tuple(s for s in opened if not s.state.is_end)
        for session, task in zip(self._sessions, self._tasks, strict=True):
            is_waiting = session.state in (*WAITING, State.APPLYING)
            assert not task.done() or session.state.is_end or is_waiting
        n_flights = sum(session.state is State.APPLYING for session in living)
        n_anchors = sum(
            n_anchors_of(self.workspace.document(uri)) for uri in self.editor.documents
        )
        n_anchors -= self.n_anchors_besides()
        n_applied = len(self.edits._applied)
        assert 0 <= n_anchors - len(living) - n_applied <= n_flights + n_applied
        n_open = sum(not progress.ends for progress in self.editor.progress)
        n_running = sum(session.state not in WAITING for session in living)
        assert n_open == n_running or n_flights
        for session in living:
            if (
                session.state is not State.APPLYING
                and not session.edit_target.is_queued
            ):
                self.check_region(session)
        n_asked = sum("ask for" in task.get_name() for task in asyncio.all_tasks())
        assert n_asked <= n_flights
        for name, preview in self.editor.previews.items():
            assert (preview.ended is None) == (name in {s.id for s in living})

    def check_region(self, session: EditSession) -> None:
        """Check that it is untouched, and that its offer is shown as it is."""
        edit_target = session.edit_target
        anchored, region = edit_target.place, edit_target.region
        assert self.workspace.document(session.request.uri) is edit_target.document
        snapshot = edit_target.document.snapshot()
        assert snapshot.text_in(anchored) == region.anchored_text
        if region.range.is_empty:
            assert anchored.start.character == region.range.start.character
        if session.offer.painter is None or session.offer.proposal is None:
            return
        if session.state not in WAITING or not region.lines:
            return
        lines, first = list(snapshot.lines), edit_target.first_line
        before = "".join(lines[:first]) + lines[first][: anchored.start.character]
        after = "".join(lines[first + len(region.lines) :])
        expected = before + "".join(session.offer.proposal.new_lines) + after
        assert self.editor.shown(session.id) == expected

    async def check_nothing_left(self) -> None:
        """End everything, and check that each end was reported once."""
        await self.idle()
        self.check()
        await self.edits.aclose()
        await self.gatherer.aclose()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.idle()
        assert self.edits.sessions == ()
        assert all(session.state.is_end for session in self._sessions)
        assert self.model.n_running == 0
        for uri in self.editor.documents:
            assert n_anchors_of(self.workspace.document(uri)) == 0
        for progress in self.editor.progress:
            assert progress.ends
        for preview in self.editor.previews.values():
            assert preview.ended is not None
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert {task.get_name() for task in others} == set()
        logging.getLogger().removeHandler(self._errors)
        assert self._errors.messages == []

    def _changed(self, session: EditSession) -> None:
        self.states.setdefault(session.id, []).append(session.state)
        for observe in self.observers:
            observe(session)


@pytest.fixture
async def harness() -> AsyncIterator[EditHarness]:
    """Return a rig with nothing open, and see at the end that nothing is left."""
    harness = EditHarness()
    yield harness
    await harness.check_nothing_left()
