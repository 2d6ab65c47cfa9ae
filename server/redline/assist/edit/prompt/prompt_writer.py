"""Writes prompts: what a model is sent for an attempt, and how its reply is read.

All text for a model passes through here: its secrets are replaced before it is sent,
and put back into the reply before anything reads it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from redline.assist.context.budget import ContextBudget
from redline.assist.context.gatherer import ContextGatherer
from redline.assist.context.recent_edits import secrets_around
from redline.assist.edit.attached.named_files import (
    NamedFile,
    blocks_of,
    check_room,
)
from redline.assist.edit.attached.session_files import SessionFiles
from redline.assist.edit.attempts.attempt import AttemptSpec
from redline.assist.edit.attempts.candidate import AttemptInput
from redline.assist.edit.prompt.answer_reading import AnswerReading
from redline.assist.edit.prompt.next_prompt import NextPrompt, next_prompt
from redline.assist.edit.prompt.session_redaction import Redaction
from redline.assist.edit.session.assumptions import assumptions
from redline.assist.edit.session.edit_ranges import marked_draft, marked_text
from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.result import EditRequest
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.services import EditorServices
from redline.assist.privacy.prompt_log import SentPrompt
from redline.models.interface import GenerationRequest, ModelDescription
from redline.prompts.blocks import Block
from redline.prompts.edit import EditTask, edit_instructions, edit_prompt, steer_text
from redline.prompts.hidden_task import HiddenTask, hide_task
from redline.prompts.image_description import image_description_prompt
from redline.prompts.message import Prompt, with_images
from redline.prompts.redaction import hide_parts, text_around
from redline.prompts.repair import escalation_prompt, repair_prompt, review_draft_prompt
from redline.prompts.second_opinion import MAX_OUTPUT_TOKENS, second_opinion_prompt
from redline.prompts.tokens import TokenCounter
from redline.routing.route import Tier
from redline.text.document import Document
from redline.text.edit_parts import EditPart
from redline.text.instruction_comment import InstructionComment
from redline.text.lines import with_line_feeds
from redline.text.marked_ranges import RangeMarkers
from redline.text.region import Region
from redline.text.reply import ReplyFormat

_LEARN_S = 0.5
"""Seconds after sending until a prompt's lines are counted, for the next prompt."""


class _WrittenTask(NamedTuple):
    begun: EditTask | None
    """As it is, for a repair in the same conversation; its secrets are hidden again in
    each prompt. None: the rules engine has it."""
    given: EditTask
    """As it was sent, with its secrets replaced."""
    uris: frozenset[str] = frozenset()
    """The other files that it may show parts of."""


class PromptWriter:
    """Writes the prompts of sessions."""

    def __init__(
        self,
        services: EditorServices,
        *,
        gatherer: ContextGatherer,
        counter: TokenCounter,
    ) -> None:
        self._workspace = services.workspace
        self._settings = services.settings
        self._cache_key = services.cache_key
        self._gatherer = gatherer
        self._budget = ContextBudget(
            gatherer=gatherer,
            counter=counter,
            n_tokens=lambda: services.settings().edit.context_tokens,
        )
        self._count = counter.about
        self._sent = services.sent
        self._redaction = Redaction()
        self.files = SessionFiles(services)
        self._written: WeakKeyDictionary[EditSession, _WrittenTask] = (
            WeakKeyDictionary()
        )
        """The last task of each session."""

    def prepare(
        self, document: Document, region: Region, model: ModelDescription
    ) -> None:
        """Prepare what the fast tier would be shown of a region.

        The prompt that follows then only adds what its session brings.
        """
        if not model.is_model:
            return
        turn = AttemptSpec(instruction="")
        task = self._task(
            document, region.first, region.lines, turn, tier="fast", model=model
        )
        # Fills the caches of hiding and rendering.
        around = text_around(
            document.snapshot().lines, region.first, region.first + len(region.lines)
        )
        edit_prompt(hide_task(task, document=around).task)

    def secrets(self, session: EditSession) -> tuple[str, ...]:
        """Return the secrets that a session's prompts do not show."""
        return self._redaction.secrets(session)

    def write_description(
        self, session: EditSession, model: ModelDescription
    ) -> GenerationRequest:
        prompt = image_description_prompt(
            self._redaction.hide(session, session.instruction),
            session.edit_target.document.language_id,
        )
        sent = SentPrompt(session_id=session.id, model=model, prompt=prompt)
        self._sent.note(sent)
        return GenerationRequest(
            prompt=with_images(prompt, self.files.images(session)), kind="edit"
        )

    def write_second_opinion(
        self, session: EditSession, model: ModelDescription
    ) -> GenerationRequest:
        """Write the question how hard and dangerous a session's task is.

        The task has been written for an attempt.
        """
        prompt = second_opinion_prompt(self._written[session].given)
        self._sent.note(SentPrompt(session_id=session.id, model=model, prompt=prompt))
        return GenerationRequest(
            prompt=prompt,
            kind="edit",
            max_output_tokens=MAX_OUTPUT_TOKENS,
            cache_key=self._cache_key,
        )

    async def next_prompt(
        self,
        request: EditRequest,
        edit_target: EditTarget,
        *,
        tier: Tier,
        model: ModelDescription,
        n_images: int,
    ) -> NextPrompt:
        """Describe the prompt that a request would begin with.

        Nothing is sent or recorded.

        Args:
            request: The request; its attachments are not read.
            edit_target: Its range.
            tier: The tier that would carry it out.
            model: The model of that tier.
            n_images: Images that are attached.

        Raises:
            AttachmentError: If a named file cannot be sent.
            HeldBackError: If one must not be sent.
        """
        files = await self.files.named_in(request.instruction, request.uri)
        check_room(files, context_tokens=model.context_tokens, count=self._count)
        instruction = request.instruction
        task = self._task(
            edit_target.document,
            edit_target.first_line,
            edit_target.region.lines,
            AttemptSpec(instruction=instruction),
            tier=tier,
            model=model,
            files=files,
            # Nothing typed leaves all open.
            assumes=(
                assumptions(request, edit_target, instruction) if instruction else ()
            ),
            parts=edit_target.parts,
        )
        return next_prompt(
            task,
            tier=tier,
            model=model,
            files=files,
            n_images=n_images,
            count=self._count,
        )

    def write(
        self, session: EditSession, turn: AttemptSpec, model: ModelDescription
    ) -> GenerationRequest:
        last = self._written.get(session)
        written, prompt = self._prompt(session, turn, model)
        if model.reads_images:
            prompt = with_images(prompt, self.files.images(session))
        self._written[session] = written
        # A repair continues the conversation that has the task and the answer.
        is_continued = last is not None and last.begun is written.begun
        repaired = turn.repairs if turn.purpose == "repair" and is_continued else None
        previous = repaired.response_id if repaired is not None else None
        paints_per_s = self._settings().edit.paints_per_s
        return GenerationRequest(
            prompt=prompt,
            task=written.given,
            previous=previous,
            n_previous_messages=len(prompt.chat_messages) - 1 if previous else 0,
            cache_key=self._cache_key,
            kind="edit",
            # Reading more often than painting has no effect.
            gap_s=1 / paints_per_s if paints_per_s else 0.0,
        )

    def may_go_on(self, session: EditSession) -> bool:
        """Whether a running generation may be given more: nothing that it was shown has
        become ignored. Images and named files are looked at before a request only.
        """
        written = self._written.get(session)
        if written is None or self.files.has_any(session):
            return False
        shown = (session.request.uri, *written.uris)
        return self._gatherer.may_show_all(shown)

    def steer(
        self,
        session: EditSession,
        instruction: str,
        from_comment: InstructionComment | None,
    ) -> tuple[str, EditTask]:
        """Write a new instruction for a running generation: as text and as data."""
        hidden = self._redaction.hide(session, instruction)
        assumes = tuple(
            self._redaction.hide(session, each)
            for each in assumptions(session.request, session.edit_target, instruction)
        )
        text = steer_text(hidden, assumes, is_comment=from_comment is not None)
        task = replace(
            self._written[session].given,
            instruction=hidden,
            assumes=assumes,
            from_comment=from_comment,
        )
        return text, task

    def steered(self, session: EditSession, text: str) -> None:
        """Record that the running generation was steered by this text."""
        self._sent.note_steer(session.id, text)

    def attempt_input(self, session: EditSession, turn: AttemptSpec) -> AttemptInput:
        """Describe what an answer is read against."""
        region = session.edit_target.region
        reading = AnswerReading(
            session.edit_target, turn, self._reply_format(region.lines)
        )
        return AttemptInput(
            make_parser=lambda: self._redaction.reader(session, reading.reader()),
            old_lines=region.lines,
            instruction=turn.instruction,
            carried=turn.carried,
            new_id=session.new_id,
        )

    def _prompt(
        self, session: EditSession, turn: AttemptSpec, model: ModelDescription
    ) -> tuple[_WrittenTask, Prompt]:
        if not model.is_model:
            whole = self._task_of(session, turn, model)
            texts = _repaired_texts(turn, session.edit_target)
            return _WrittenTask(None, whole), _written(whole, turn, texts)
        task, uris = self._begun(session, turn, model)
        texts = _repaired_texts(turn, session.edit_target)
        known = secrets_around(self._gatherer.recent_edits())
        private = self._redaction.hide_task(session, task, texts, known)
        prompt = _written(private.task, turn, _without_parts(private))
        sent = SentPrompt(
            session_id=session.id,
            model=model,
            prompt=prompt,
            left_out=task.context.left_out,
        )
        # After the request was sent.
        asyncio.get_running_loop().call_soon(self._note, sent)
        return _WrittenTask(task, private.task, uris), prompt

    def _begun(
        self, session: EditSession, turn: AttemptSpec, model: ModelDescription
    ) -> tuple[EditTask, frozenset[str]]:
        """Return a task with the other files that it may show parts of.

        A repair has the last task again, unless one of those has become ignored.
        """
        last = self._written.get(session) if turn.purpose == "repair" else None
        begun = last.begun if last is not None else None
        if last is None or begun is None or not self._gatherer.may_show_all(last.uris):
            return self._task_of(session, turn, model), self._budget.uris
        return begun, last.uris

    def _note(self, sent: SentPrompt) -> None:
        self._sent.note(sent)
        # After the answer has arrived; the next prompt leaves time for it.
        asyncio.get_running_loop().call_later(_LEARN_S, self._learn, sent)

    def _learn(self, sent: SentPrompt) -> None:
        self._gatherer.learn(sent.text)

    def _task_of(
        self, session: EditSession, turn: AttemptSpec, model: ModelDescription
    ) -> EditTask:
        edit_target, tier = session.edit_target, session.chosen.tier
        files = self.files.named(session)
        check_room(files, context_tokens=model.context_tokens, count=self._count)
        return self._task(
            edit_target.document,
            edit_target.first_line,
            edit_target.region.lines,
            turn,
            tier=tier,
            model=model,
            image_description=None if model.reads_images else session.image_description,
            files=files,
            notes=session.request.notes,
            assumes=session.assumes,
            parts=edit_target.parts,
        )

    def _task(
        self,
        document: Document,
        first: int,
        lines: Sequence[str],
        turn: AttemptSpec,
        *,
        tier: Tier,
        model: ModelDescription,
        image_description: str | None = None,
        files: Sequence[NamedFile] = (),
        notes: Sequence[Block] = (),
        assumes: tuple[str, ...] = (),
        parts: Sequence[EditPart] = (),
    ) -> EditTask:
        target = with_line_feeds(lines)
        reply_format = self._reply_format(lines)
        if parts:
            markers = RangeMarkers.for_text(lines)
            target = marked_text(lines, parts, markers, is_shortened=model.is_model)
            reply_format = "ranges"
        fixed_texts = (
            edit_instructions(reply_format),
            target,
            turn.draft,
            turn.instruction,
            image_description,
            *map(attrgetter("text"), (*files, *notes)),
        )
        shown = self._budget.choose(
            document,
            range(first, first + len(lines)),
            fixed="\n".join(filter(None, fixed_texts)),
            tier=tier,
            model=model,
        )
        return EditTask(
            instruction=turn.instruction,
            from_comment=turn.from_comment,
            path=self._workspace.relative_path(document.uri),
            language=document.language_id,
            before=shown.around.before,
            target=target,
            after=shown.around.after,
            draft=turn.draft,
            earlier=turn.earlier,
            image_description=image_description,
            range_comments=(
                () if model.is_model else tuple(part.comments for part in parts)
            ),
            assumes=assumes,
            reply_format=reply_format,
            is_whole_file=shown.around.is_whole_file,
            context=replace(
                shown.context, tail=(*blocks_of(files), *notes, *shown.context.tail)
            ),
        )

    def _reply_format(self, lines: Sequence[str]) -> ReplyFormat:
        is_long = len(lines) > self._settings().edit.rewrite_lines
        return "search-replace" if is_long else "rewrite"


def _repaired_texts(turn: AttemptSpec, edit_target: EditTarget) -> list[str]:
    """Return the text of the candidate to repair, then its problems."""
    repaired = turn.repairs
    if repaired is None:
        return []
    proposal = repaired.proposal
    draft = with_line_feeds(proposal.new_lines)
    if edit_target.parts:
        draft = marked_draft(edit_target, proposal.new_lines, proposal.hunks)
    return [draft, *(problem.message for problem in repaired.problems)]


def _without_parts(private: HiddenTask) -> Sequence[str]:
    """Hide the parts of secrets in the problems, which follow the draft."""
    if not private.others:
        return ()
    draft, *problems = private.others
    return [
        draft,
        *(hide_parts(each, private.table, beside=draft) for each in problems),
    ]


def _written(
    task: EditTask, turn: AttemptSpec, repaired_texts: Sequence[str]
) -> Prompt:
    if turn.repairs is None:
        return edit_prompt(task)
    draft, *problems = repaired_texts
    match turn.purpose:
        case "repair":
            # The model's own text, which has placeholders and no secrets.
            return repair_prompt(task, turn.repairs.text, problems)
        case "escalate":
            return escalation_prompt(task, draft, problems)
        case _:
            return review_draft_prompt(task, draft, problems)
