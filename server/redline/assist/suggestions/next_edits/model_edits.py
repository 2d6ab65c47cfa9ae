"""Asks a model for the next edit, one request at a time, and checks what it answers.

A request is stopped when a text that it shows changes: its answer would be for another
one. An answer that is not understood, not sure enough, or fails a check offers nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from redline.assist.editor.services import EditorServices
from redline.assist.suggestions.complete.limits import Pause, RequestLimits
from redline.assist.suggestions.complete.request_writer import invents_secret
from redline.assist.suggestions.next_edits.edited_document import EditedDocument
from redline.assist.suggestions.next_edits.request_writer import (
    NextEditRequest,
    NextEditWriter,
)
from redline.assist.tiers.cost import cost_of_generation
from redline.assist.tiers.tier_choice import NextEditModels
from redline.assist.usage.automatic_usage_tally import AutomaticCounter, counts_of
from redline.checks.checked_folders import checked_folders
from redline.checks.edit_question import CHECK, EditCheck
from redline.completion.decode import CURSOR
from redline.errors import (
    ModelError,
    ParserEndedError,
    QuotaExhaustedError,
    RateLimitedError,
)
from redline.models.interface import Delta, Finish, Generation, Model, Restart
from redline.next_edits.model_reply import read_reply
from redline.next_edits.patches import PlacedPatch, place
from redline.next_edits.rewrite import rewritten
from redline.prompts.redaction import SecretRestorer
from redline.prompts.rewrite import RewriteForm, rewrite_form
from redline.store.automatic_usage import AutomaticCounts
from redline.supervisor import Supervisor
from redline.syntax.language import language_of
from redline.text.document import Document
from redline.text.position import Position

logger = logging.getLogger(__name__)

_MAX_REPLY = 8_000
"""Characters; more is no answer in the form."""

_CHECKED = frozenset(
    [
        "syntax",
        "elision",
        "leftover-marker",
        "hidden-character",
        "phantom-import",
        "lost-secret",
    ]
)
"""The rules of edits that an answer has to pass: each patch alone, so that what a later
one adds is not missed."""

_WHY = "Suggested by the model"

Allowed = Callable[[PlacedPatch], bool]
"""Whether a patch may be offered, by what the user did and rejected in its file."""
Found = Callable[[Sequence[PlacedPatch]], None]


class _Asked(Struct, eq=False):
    """A request that is not answered yet."""

    model: Model
    written: NextEditRequest
    document: Document
    cursor: Position
    allowed: Allowed
    found: Found
    generation: Generation | None = None
    text: str = ""


class ModelEdits:
    """The requests for next edits of one editor."""

    def __init__(
        self,
        services: EditorServices,
        models: NextEditModels,
        writer: NextEditWriter,
        *,
        counter: AutomaticCounter,
    ) -> None:
        self.limits = RequestLimits()
        self._services = services
        self._models = models
        self._writer = writer
        self._counter = counter
        self._supervisor = Supervisor()
        self._asked: _Asked | None = None
        self._due: Document | None = None
        """What is asked about once the settings are known."""

    @property
    def usd_today(self) -> float:
        """The known cost of the last 24 hours."""
        return self.limits.usd_today(_now())

    @property
    def pause(self) -> Pause:
        """What prevents requests now."""
        return self.limits.pause(self._services.settings().next_edit, _now())

    async def aclose(self) -> None:
        """Stop what runs."""
        self.stop()
        await self._supervisor.aclose()

    async def answered(self) -> None:
        """Wait until nothing is asked any more."""
        await self._supervisor.wait()

    def stop(self) -> None:
        """Stop the request, whose answer is not wanted any more."""
        asked, self._asked = self._asked, None
        if asked is not None and asked.generation is not None:
            asked.generation.stop()

    def expect_settings(self) -> None:
        """Stop the request, since they may name another model."""
        if self._asked is not None:
            self._due = self._asked.document
        self.stop()

    def take_due(self) -> Document | None:
        """Return the document whose request had to wait for the settings, once."""
        due, self._due = self._due, None
        return due

    def changed(self, uri: str) -> None:
        """Stop the request if it shows a part of a document, which has changed."""
        if self._due is not None and self._due.uri == uri:
            # It is asked about once the change has settled.
            self._due = None
        asked = self._asked
        if asked is not None and any(
            sight.file.uri == uri for sight in asked.written.sights
        ):
            self.stop()

    def ask(
        self, state: EditedDocument, cursor: Position, *, allowed: Allowed, found: Found
    ) -> bool:
        """Request the next edit, if there is a model and the limits allow it.

        Args:
            state: The document, which may be sent.
            cursor: Where the user is.
            allowed: Whether a patch may be offered.
            found: Called with the patches to offer, at least one, unless `stop` was
                called before.

        Returns:
            Whether a request was sent.
        """
        document = state.document
        if not self._models.is_ready:
            self._due = document
            return False
        model = self._models.next_editor(document.language_id)
        if model is None or self.pause:
            return False
        changes, form = state.journal.changes, _form_of(model)
        written = self._writer.write(document, cursor, changes, form)
        if written is None:
            return False
        self.stop()
        self._asked = asked = _Asked(model, written, document, cursor, allowed, found)
        self.limits.note_sent(_now())
        self._counter.add(model, AutomaticCounts(requests=1))
        self._services.parser.warm(CHECK)
        self._supervisor.start(self._run(asked), name="next edit")
        return True

    async def _run(self, asked: _Asked) -> None:
        if asked is not self._asked:
            return
        finish: Finish | None = None
        try:
            async with asked.model.start(asked.written.request) as generation:
                asked.generation = generation
                if asked is not self._asked:
                    generation.stop()
                finish = await self._read(asked, generation)
        except ModelError as error:
            self._note_failure(error)
        finally:
            self._note_end(asked, finish)
        if finish is not None and asked is self._asked:
            await self._offer(asked, is_whole=finish.reason == "completed")
        if asked is self._asked:
            self._asked = None

    async def _read(self, asked: _Asked, generation: Generation) -> Finish | None:
        restorer = SecretRestorer(asked.written.secrets)
        async for event in generation:
            match event:
                case Delta(kind="text"):
                    asked.text += restorer.feed(event.text)
                    if len(asked.text) > _MAX_REPLY:
                        generation.stop()
                case Restart():
                    restorer = SecretRestorer(asked.written.secrets)
                    asked.text = restorer.feed(event.text)
                case Finish():
                    asked.text += restorer.finish()
                    return event
                case Delta():
                    pass
        return None

    async def _offer(self, asked: _Asked, *, is_whole: bool) -> None:
        """Hand over the patches up to the first that must not be offered."""
        patches: list[PlacedPatch] = []
        for placed in self._placed(asked, is_whole=is_whole):
            if self._invents_secret(asked, placed):
                break
            if not asked.allowed(placed) or not await self._passes(asked, placed):
                break
            patches.append(placed)
        if patches and asked is self._asked:
            asked.found(patches)

    def _placed(self, asked: _Asked, *, is_whole: bool) -> Iterator[PlacedPatch]:
        """Yield the patches of an answer up to the first that is nowhere."""
        eagerness = self._services.settings().next_edit.eagerness
        written, text = asked.written, asked.text.replace(CURSOR, "")
        if written.form is not None:
            lines = written.form.lines(text)
            # Such a model does not say how sure it is.
            if lines is not None and eagerness != "low":
                yield from rewritten(
                    lines,
                    written.sights[0],
                    asked.cursor.line,
                    is_whole=is_whole,
                    why=_WHY,
                )
            return
        reply = read_reply(text, is_whole=is_whole)
        if not reply.is_shown_at(eagerness):
            return
        for patch in reply.patches:
            placed = place(patch, written.sights, asked.cursor, why=_WHY)
            if placed is None:
                return
            yield placed

    def _invents_secret(self, asked: _Asked, placed: PlacedPatch) -> bool:
        path = self._services.workspace.relative_path(placed.uri)
        return any(
            invents_secret(line, path, asked.written.secrets)
            for line in placed.new
            if line not in placed.old
        )

    async def _passes(self, asked: _Asked, placed: PlacedPatch) -> bool:
        """Whether the checks of edits find no fault in a patch."""
        workspace, settings = self._services.workspace, self._services.settings()
        if not workspace.has(placed.uri):
            return False
        document = workspace.document(placed.uri)
        path, language = workspace.relative_path(placed.uri), document.language_id
        question = EditCheck(
            before=document.snapshot().lines,
            first=placed.first,
            n_old=len(placed.old),
            new=placed.new,
            language=language,
            path=path,
            instruction="",
            secrets=asked.written.secrets.secrets,
            off=frozenset(settings.checks.off),
            environment=checked_folders(
                workspace.roots,
                settings=settings,
                documents=workspace.snapshots(),
                language=language_of(path, language),
            ),
        )
        try:
            verdict = await self._services.parser.run(CHECK, question)
        except ParserEndedError as error:
            logger.info("a next edit was not checked: %s", error.reason)
            return False
        return not any(problem.rule in _CHECKED for problem in verdict.problems)

    def _note_failure(self, error: ModelError) -> None:
        logger.info("a next edit failed: %s", type(error).__name__)
        is_rate_limit = isinstance(error, RateLimitedError | QuotaExhaustedError)
        self.limits.note_failure(_now(), is_rate_limit=is_rate_limit)

    def _note_end(self, asked: _Asked, finish: Finish | None) -> None:
        if finish is not None and finish.error is not None:
            self._note_failure(finish.error)
        elif finish is not None and finish.reason != "stopped":
            self.limits.note_success()
        usage = finish.usage if finish is not None else None
        cost = cost_of_generation(
            asked.model, asked.written.request, usage, n_chars=len(asked.text)
        )
        self.limits.note_cost(cost.cost or 0.0, _now())
        self._counter.add(asked.model, counts_of(cost))


def _form_of(model: Model) -> RewriteForm | None:
    """Return the form of a model that rewrites lines; None: it takes instructions."""
    described = model.describe()
    return rewrite_form(described.name) if described.api == "fim" else None


def _now() -> float:
    return asyncio.get_running_loop().time()
