"""Second opinions: how hard and dangerous an edit is, asked while it is written.

The score that routes knows words. The fast tier's model reads the code, and says in a
few tokens, beside the edit, which tier should have it. It is weighed as evidence, by
how often such opinions are right. An edit of the fast or standard tier is not offered
before; an opinion that is late is not waited for. A lower tier takes over only while
nothing has been written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakKeyDictionary

from msgspec import Struct

from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.running.live_budget import LiveBudget
from redline.assist.edit.session.account import OpinionNote
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.services import EditorServices
from redline.assist.tiers.text_answer import TextAnswer
from redline.assist.tiers.tier_choice import has_other_model, higher_tier
from redline.errors import ModelError
from redline.keys_in_use import without_known_keys
from redline.models.interface import GenerationRequest, Model
from redline.prompts.second_opinion import Opinion, read_opinion
from redline.routing.route import Route, revised
from redline.supervisor import Supervisor

MAX_WAIT_S = 0.3
"""How long a checked edit waits for its opinion."""

_MAX_N_CHARS = 400
_MAX_N_LATE = 3
"""After so many late opinions in a row the server is too busy for them ..."""
_REST_S = 600.0
"""... and is not asked for this long."""


class Verdict(Struct, frozen=True, kw_only=True):
    """A second opinion, and what follows from it."""

    opinion: Opinion
    route: Route
    """The route of the task with the opinion as evidence."""


class _Question(Struct, eq=False, kw_only=True):
    """What was asked about one instruction of a session."""

    instruction: str
    route: Route
    """The route that the score alone chose."""
    task: asyncio.Task[Opinion | None]


class SecondOpinions:
    """Asks for opinions on the sessions of one editor."""

    def __init__(
        self,
        services: EditorServices,
        *,
        writer: PromptWriter,
        supervisor: Supervisor,
    ) -> None:
        self._tiers = services.tiers
        self._settings = services.settings
        self._experience = services.experience
        self._writer = writer
        self._supervisor = supervisor
        self._budget = LiveBudget()
        self._asked: WeakKeyDictionary[EditSession, _Question] = WeakKeyDictionary()
        self._n_late = 0
        self._rests_until = 0.0

    def begun(
        self, session: EditSession, on_answer: Callable[[EditSession], None]
    ) -> None:
        """Ask about an instruction whose edit has just been requested, if it is wanted.

        An opinion on an earlier instruction of the session is given up.

        Args:
            session: The session.
            on_answer: Called with it when the answer is there, unless it is given up.
        """
        current = session.attempts.current
        if current is None or current.turn.purpose != "write":
            return
        given = session.account.opinion
        if given is not None and given.verdict == "lowered":
            return
        self.drop(session)
        route = session.chosen.route
        if route is None or not self._is_wanted(session, route):
            return
        now = asyncio.get_running_loop().time()
        per_minute = self._settings().routing.second_opinions
        if now < self._rests_until or self._budget.take(per_minute=per_minute, now=now):
            return
        model = self._tiers.choose("fast").model
        request = self._writer.write_second_opinion(session, model.describe())
        task = self._supervisor.start(
            _ask(session, request, model), name=f"second opinion on {session.id}"
        )
        question = _Question(instruction=session.instruction, route=route, task=task)
        self._asked[session] = question

        def answered(_: object) -> None:
            if self._asked.get(session) is question:
                on_answer(session)

        task.add_done_callback(answered)

    def drop(self, session: EditSession) -> None:
        """Give up what was asked about a session; its cost so far is counted."""
        if (question := self._asked.pop(session, None)) is not None:
            question.task.cancel()

    def is_waiting(self, session: EditSession) -> bool:
        """Whether an opinion that may raise a session's edit is still to come."""
        question = self._asked.get(session)
        return (
            question is not None
            and question.instruction == session.instruction
            and not question.task.done()
            and higher_tier(self._tiers, session.chosen.tier) is not None
        )

    def arrived(self, session: EditSession) -> Verdict | None:
        """Return the opinion if it is there, with what follows; None otherwise."""
        question = self._asked.get(session)
        if (
            question is None
            or question.instruction != session.instruction
            or not question.task.done()
        ):
            return None
        self._n_late = 0
        opinion = _result(question.task)
        if session.account.opinion is None:
            session.account.opinion_given(_noted(opinion, question.route))
        if opinion is None:
            return None
        route = revised(
            question.route,
            opinion.tier,
            is_guarded=opinion.is_guarded,
            reliability=self._experience().reliability,
            settings=self._settings().routing,
        )
        return Verdict(opinion=opinion, route=route)

    async def wait(self, session: EditSession) -> None:
        """Wait for an opinion that is still to come, for a short time; then drop it."""
        question = self._asked[session]
        await asyncio.wait({question.task}, timeout=MAX_WAIT_S)
        if question.task.done():
            return
        self.drop(session)
        session.account.opinion_given(OpinionNote("late"))
        self._n_late += 1
        if self._n_late >= _MAX_N_LATE:
            self._n_late = 0
            self._rests_until = asyncio.get_running_loop().time() + _REST_S

    def _is_wanted(self, session: EditSession, route: Route) -> bool:
        """Whether the score alone chose the tier, and another one has another model."""
        request = session.request
        return (
            route.tier == session.chosen.tier
            and request.kind == "edit"
            and not request.has_writer
            and not request.attachments
            and not session.is_draft
            # Steps change the document while they are written.
            and session.mode != "stream"
            and has_other_model(self._tiers, route.tier)
        )


def _noted(opinion: Opinion | None, route: Route) -> OpinionNote:
    """Note an opinion that leaves the edit to its tier; others are noted later."""
    if opinion is None:
        return OpinionNote("unread")
    agrees = opinion.tier == route.tier
    return OpinionNote("agreed" if agrees else "overruled")


async def _ask(
    session: EditSession, request: GenerationRequest, model: Model
) -> Opinion | None:
    """Return the opinion of a model; None if it gives none that can be read."""
    answer = TextAnswer(_MAX_N_CHARS)
    try:
        with suppress(ModelError):
            async with model.start(request) as generation:
                await answer.read(generation)
    finally:
        session.account.asked_beside(answer.cost(model, request))
    return read_opinion(without_known_keys(answer.text))


def _result(task: asyncio.Task[Opinion | None]) -> Opinion | None:
    """Return what a finished task found; a failure has been logged."""
    if task.cancelled() or task.exception() is not None:
        return None
    return task.result()
