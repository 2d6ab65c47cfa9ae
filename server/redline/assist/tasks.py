"""From a session's turn to what a model is sent, and the ground its answer is for.

What a model is told goes through here, all of it: its secrets are taken out of the
whole, and put back into the answer before anything reads that.
"""

from __future__ import annotations

from collections.abc import Callable

from redline.assist.candidate import Ground
from redline.assist.context.budget import ContextBudget
from redline.assist.context.gatherer import ContextGatherer
from redline.assist.context.secret_warmer import load_detectors
from redline.assist.reply_reader import ReplyReader
from redline.assist.round import Turn
from redline.assist.secrecy import Secrecy
from redline.assist.sent import SentPrompt, SentPrompts
from redline.assist.session import EditSession
from redline.assist.workspace import Workspace
from redline.models.interface import GenerationRequest, ModelDescription
from redline.prompts.edit import EditTask, edit_instructions, edit_prompt, steer_text
from redline.prompts.secret_search import is_warm
from redline.prompts.surroundings import with_line_feeds
from redline.prompts.tokens import TokenCounter
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
        gatherer: ContextGatherer,
        counter: TokenCounter,
        sent: SentPrompts,
    ) -> None:
        """Prepare.

        Args:
            workspace: The open documents.
            settings: Returns the settings in force.
            cache_key: Routes to a provider's prompt cache.
            gatherer: Knows what might help.
            counter: Counts it.
            sent: Keeps what was sent.
        """
        self._workspace = workspace
        self._settings = settings
        self._cache_key = cache_key
        self._gatherer = gatherer
        self._budget = ContextBudget(
            gatherer=gatherer,
            counter=counter,
            n_tokens=lambda: settings().edit.context_tokens,
        )
        self._sent = sent
        self._secrecy = Secrecy()

    @property
    def is_ready(self) -> bool:
        """Whether a prompt can be written at once."""
        return is_warm()

    async def ready(self) -> None:
        """Wait for what no prompt can be written without: what looks for secrets."""
        await load_detectors()

    def write(
        self, session: EditSession, turn: Turn, model: ModelDescription
    ) -> GenerationRequest:
        """Write the prompt of a turn for a model, for the text as it is now."""
        paints_per_s = self._settings().edit.paints_per_s
        task = self._task(session, turn, model)
        left_out = task.context.left_out
        if model.is_model:
            task = self._secrecy.hide_task(session, task).task
        prompt = edit_prompt(task)
        if model.is_model:
            sent = SentPrompt(
                session_id=session.id, model=model, prompt=prompt, left_out=left_out
            )
            self._sent.note(sent)
        return GenerationRequest(
            prompt=prompt,
            cache_key=self._cache_key,
            # More often than it is painted nothing needs to be read.
            gap_s=1 / paints_per_s if paints_per_s else 0.0,
        )

    def steer(self, session: EditSession, instruction: str) -> str:
        """Write what a generation that runs is told instead."""
        text = steer_text(self._secrecy.hide(session, instruction))
        self._sent.note_steer(session.id, text)
        return text

    def ground(self, session: EditSession, turn: Turn) -> Ground:
        """Describe what the answer will be about."""
        region, document = session.site.region, session.site.document
        lines, first_line = document.snapshot().lines, session.site.first_line
        reply_format = self._reply_format(session)

        def make_parser() -> ReplyReader:
            parser = ReplyParser(
                format=reply_format,
                target_lines=region.lines,
                line_end=end_of_new_lines(lines, first_line),
                language=document.language_id,
            )
            return self._secrecy.reader(session, parser)

        return Ground(
            make_parser=make_parser,
            old_lines=region.lines,
            instruction=turn.instruction,
            carried=turn.carried,
            new_id=session.new_id,
        )

    def _task(
        self, session: EditSession, turn: Turn, model: ModelDescription
    ) -> EditTask:
        site = session.site
        target = with_line_feeds(site.region.lines)
        reply_format = self._reply_format(session)
        told = (edit_instructions(reply_format), target, turn.draft, turn.instruction)
        shown = self._budget.choose(
            site,
            told="\n".join(text for text in told if text),
            wish=turn.instruction,
            tier="fast" if session.route is None else session.route.tier,
            model=model,
        )
        return EditTask(
            instruction=turn.instruction,
            path=self._workspace.relative_path(site.document.uri),
            language=site.document.language_id,
            before=shown.around.before,
            target=target,
            after=shown.around.after,
            draft=turn.draft,
            earlier=turn.earlier,
            reply_format=reply_format,
            is_whole_file=shown.around.is_whole_file,
            context=shown.context,
        )

    def _reply_format(self, session: EditSession) -> ReplyFormat:
        n_lines = len(session.site.region.lines)
        is_long = n_lines > self._settings().edit.rewrite_lines
        return "search-replace" if is_long else "rewrite"
