"""From a session's turn to what a model is sent, and the ground its answer is for."""

from __future__ import annotations

from collections.abc import Callable

from redline.assist.candidate import Ground
from redline.assist.round import Turn
from redline.assist.session import EditSession
from redline.assist.workspace import Workspace
from redline.models.interface import GenerationRequest
from redline.prompts.edit import EditTask, edit_prompt
from redline.prompts.escalation import escalation_prompt, review_draft_prompt
from redline.prompts.message import Prompt
from redline.prompts.repair import repair_prompt
from redline.prompts.surroundings import gather_surroundings, with_line_feeds
from redline.settings.tree import Settings
from redline.text.region import end_of_new_lines
from redline.text.reply import ReplyFormat
from redline.text.reply_parser import ReplyParser


class TaskWriter:
    """Writes the tasks of sessions."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        settings: Callable[[], Settings],
        cache_key: str,
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._cache_key = cache_key

    def write(self, session: EditSession, turn: Turn) -> GenerationRequest:
        """Write the prompt of a turn, for the text as it is now."""
        settings = self._settings().edit
        site = session.site
        around = gather_surroundings(
            site.document.snapshot().lines,
            site.first_line,
            site.first_line + len(site.region.lines),
            max_bytes=settings.context_bytes,
        )
        task = EditTask(
            instruction=turn.instruction,
            path=self._workspace.relative_path(site.document.uri),
            language=site.document.language_id,
            before=around.before,
            target=with_line_feeds(site.region.lines),
            after=around.after,
            draft=turn.draft,
            earlier=turn.earlier,
            reply_format=self._reply_format(session),
            is_whole_file=around.is_whole_file,
        )
        prompt = _prompt(task, turn)
        # A repair goes on in the conversation that has the task and the answer.
        is_repair = turn.purpose == "repair" and turn.mends is not None
        previous = turn.mends.response_id if is_repair and turn.mends else None
        return GenerationRequest(
            prompt=prompt,
            previous=previous,
            n_previous_messages=len(prompt.chat_messages) - 1 if previous else 0,
            cache_key=self._cache_key,
            # More often than it is painted nothing needs to be read.
            gap_s=1 / settings.paints_per_s if settings.paints_per_s else 0.0,
        )

    def ground(self, session: EditSession, turn: Turn) -> Ground:
        """Describe what the answer will be about."""
        region, document = session.site.region, session.site.document
        lines, first_line = document.snapshot().lines, session.site.first_line
        reply_format = self._reply_format(session)

        def make_parser() -> ReplyParser:
            return ReplyParser(
                format=reply_format,
                target_lines=region.lines,
                line_end=end_of_new_lines(lines, first_line),
                language=document.language_id,
            )

        return Ground(
            make_parser=make_parser,
            old_lines=region.lines,
            instruction=turn.instruction,
            carried=turn.carried,
            new_id=session.new_id,
        )

    def _reply_format(self, session: EditSession) -> ReplyFormat:
        n_lines = len(session.site.region.lines)
        is_long = n_lines > self._settings().edit.rewrite_lines
        return "search-replace" if is_long else "rewrite"


def _prompt(task: EditTask, turn: Turn) -> Prompt:
    mended = turn.mends
    if mended is None:
        return edit_prompt(task)
    problems = [problem.message for problem in mended.problems]
    if turn.purpose == "repair":
        return repair_prompt(task, mended.text, problems)
    draft = with_line_feeds(mended.proposal.new_lines)
    if turn.purpose == "escalate":
        return escalation_prompt(task, draft, problems)
    return review_draft_prompt(task, draft, problems)
