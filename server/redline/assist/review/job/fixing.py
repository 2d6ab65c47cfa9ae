"""Fixes: new text for a finding's lines that applies and passes the checks.

The reviewer's proposal is tried first. If it fails, the fast tier receives the problems
and has two tries. A fix that does not pass is discarded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from redline.assist.privacy.excluded_files import send_check
from redline.assist.review.job.cost import NOTHING
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.job.short_answers import ask_briefly
from redline.assist.tiers.cost import Cost
from redline.checks.edit_question import CHECK, EditCheck
from redline.errors import ParserEndedError
from redline.findings.finding import Claim, Finding, Fix
from redline.findings.fixes import proposed_fix, with_fix
from redline.findings.scope import ReviewedFile
from redline.keys_in_use import repeats_key
from redline.models.interface import GenerationRequest
from redline.prompts.edit import EditTask, edit_prompt
from redline.prompts.fix import FixTask, instruction_to_fix
from redline.prompts.hidden_task import hide_task
from redline.prompts.redaction import (
    SecretTable,
    hide,
    hide_parts,
    put_back,
    withholding,
)
from redline.prompts.surrounding_lines import gather_surrounding_lines
from redline.prompts.tokens import most_tokens
from redline.syntax.language import language_of
from redline.text.lines import split_lines, strip_end, with_line_feeds
from redline.text.reply_parser import ReplyParser

N_TRIES = 2
"""Tries of the fast tier: the second one receives the problems of the first."""

CONTEXT_TOKENS = 2_200
"""Budget for the code around the lines, as for any edit."""


class Fixed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of trying to fix a finding."""

    fix: Fix | None = None
    spent: Cost = NOTHING
    is_unasked: bool = False
    """Whether a model was not asked because `may_ask` returned false."""
    unchecked: str = ""
    """Why a fix was dropped unchecked, as the end of a sentence; empty if none was."""


class ToFix(Struct, frozen=True, kw_only=True):
    """A finding, its claim and its file."""

    finding: Finding
    claim: Claim
    file: ReviewedFile
    table: SecretTable


class _Proposal(Struct, frozen=True, kw_only=True):
    """A new text, and what the checks are asked about it."""

    new_text: str
    question: EditCheck


class _UncheckedFixError(Exception):
    """The checks of a fix did not come to an end."""

    def __init__(self, reason: str, spent: Cost) -> None:
        super().__init__(reason)
        self.reason = reason
        self.spent = spent


class _Checked(Struct, frozen=True, kw_only=True):
    """A new text and the problems that the checks found."""

    new_text: str
    problems: tuple[str, ...]
    passed: tuple[str, ...]
    """Ids of the checks that passed."""


class Fixer:
    """Makes the fixes of one review."""

    def __init__(self, tools: JobTools, *, roots: Sequence[str]) -> None:
        """Create a fixer.

        Args:
            tools: Their fast tier writes the fixes, their parser checks them.
            roots: URIs of the workspace folders, to resolve Python imports.
        """
        self._tools = tools
        self._roots = tuple(roots)

    async def fix(
        self,
        task: ToFix,
        *,
        may_ask: Callable[[], bool],
        on_spent: Callable[[Cost], None] = lambda spent: None,
    ) -> Fixed:
        """Make a fix. Cancelling is safe; a failing model does not raise.

        Args:
            task: What to fix.
            may_ask: Whether a model may be asked; called before each try.
            on_spent: Receives the total cost of all tries each time it grows.
        """
        try:
            return await self._fix(task, may_ask=may_ask, on_spent=on_spent)
        except _UncheckedFixError as error:
            return Fixed(spent=error.spent, unchecked=error.reason)

    async def _fix(
        self,
        task: ToFix,
        *,
        may_ask: Callable[[], bool],
        on_spent: Callable[[Cost], None],
    ) -> Fixed:
        # The reviewer's own proposal comes first.
        proposed = await self._tools.in_thread(self._proposed, task)
        checked = await self._checked(proposed, NOTHING)
        if checked is not None and not checked.problems:
            return _passed(checked, NOTHING)
        model = self._tools.tiers.choose("fast").model
        if not model.describe().is_model:
            return Fixed()
        # Then the fast tier, with the problems of the last try.
        spent = NOTHING
        for _ in range(N_TRIES):
            if not may_ask():
                return Fixed(spent=spent, is_unasked=True)
            request = await self._tools.in_thread(self._request, task, checked)
            check_files = send_check([task.finding.file], self._roots)
            how = self._tools.asking(check_files, may_spend=may_ask)
            answer = await ask_briefly(
                model,
                request,
                how,
                on_cancelled=partial(_add_spent, spent, on_spent),
            )
            spent += answer.spent
            on_spent(spent)
            written = await self._tools.in_thread(
                self._written, task, answer.text or ""
            )
            read = await self._checked(written, spent)
            if read is None:
                break
            checked = read
            if not checked.problems:
                return _passed(checked, spent)
        return Fixed(spent=spent)

    def _request(self, task: ToFix, tried: _Checked | None) -> GenerationRequest:
        finding = task.finding
        lines = split_lines(task.file.text)
        around = gather_surrounding_lines(
            lines,
            finding.first_line,
            finding.end_line,
            budget=CONTEXT_TOKENS,
            count=most_tokens,
        )
        instruction = instruction_to_fix(
            FixTask(
                title=finding.title,
                explanation=finding.explanation,
                proposal=None if tried is None else tried.new_text,
                problems=() if tried is None else _problems_to_send(task, tried),
            )
        )
        edit = EditTask(
            instruction=instruction,
            path=finding.file,
            language=task.file.language,
            before=around.before,
            target=with_line_feeds(_target(task)),
            after=around.after,
            is_whole_file=around.is_whole_file,
        )
        private = hide_task(edit, table=task.table)
        return GenerationRequest(
            prompt=edit_prompt(private.task),
            cache_key=self._tools.cache_key,
            kind="review",
        )

    def _proposed(self, task: ToFix) -> _Proposal | None:
        finding = task.finding
        span = range(finding.first_line, finding.end_line)
        proposal = proposed_fix(task.claim, split_lines(task.file.text), span)
        return None if proposal is None else self._question(task, proposal)

    def _written(self, task: ToFix, answer: str) -> _Proposal | None:
        table = withholding(task.table, own=(), text=task.file.text)
        new_text = _new_text(task, put_back(answer, table))
        return None if new_text is None else self._question(task, new_text)

    def _question(self, task: ToFix, new_text: str) -> _Proposal | None:
        """Return what to check; None: the text is not even sent back to a model."""
        if repeats_key(new_text, before=lambda: task.file.text):
            return None
        finding = task.finding
        before = split_lines(task.file.text)
        span = range(finding.first_line, finding.end_line)
        after = with_fix(before, span, new_text)
        n_new = len(span) + len(after) - len(before)
        language = task.file.language
        question = EditCheck(
            before=before,
            first=span.start,
            n_old=len(span),
            new=after[span.start : span.start + n_new],
            language=language,
            path=finding.file,
            instruction=finding.title,
            kind="quickfix",
            secrets=task.table.secrets,
            off=frozenset(self._tools.settings().checks.off),
            environment=self._tools.checked_folders(
                self._roots, language_of(finding.file, language)
            ),
        )
        return _Proposal(new_text=new_text, question=question)

    async def _checked(
        self, proposal: _Proposal | None, spent: Cost
    ) -> _Checked | None:
        """Check a new text; None if there is none.

        Raises:
            _UncheckedFixError: If the checks did not come to an end.
        """
        if proposal is None:
            return None
        try:
            verdict = await self._tools.parser.run(CHECK, proposal.question)
        except ParserEndedError as error:
            raise _UncheckedFixError(error.reason, spent) from error
        return _Checked(
            new_text=proposal.new_text,
            problems=tuple(problem.message for problem in verdict.problems),
            passed=verdict.passed,
        )


def _add_spent(before: Cost, on_spent: Callable[[Cost], None], more: Cost) -> None:
    on_spent(before + more)


def _problems_to_send(task: ToFix, tried: _Checked) -> tuple[str, ...]:
    """Return the problems of a text without the parts of its secrets."""
    sent, table = hide(tried.new_text, task.table, path=task.finding.file)
    return tuple(hide_parts(each, table, beside=sent) for each in tried.problems)


def _passed(checked: _Checked, spent: Cost) -> Fixed:
    fix = Fix(new_text=checked.new_text, checks=checked.passed)
    return Fixed(fix=fix, spent=spent)


def _target(task: ToFix) -> Sequence[str]:
    lines = split_lines(task.file.text)
    return lines[task.finding.first_line : task.finding.end_line]


def _new_text(task: ToFix, answer: str) -> str | None:
    """Parse the new lines from an answer; None: it has none, or changes nothing."""
    target, lines = _target(task), split_lines(task.file.text)
    parser = ReplyParser(
        format="rewrite",
        target_lines=target,
        before=lines[: task.finding.first_line],
        after=lines[task.finding.end_line :],
        language=task.file.language,
    )
    parser.feed(answer)
    reply = parser.finish()
    if reply.lines is None or not reply.is_understood or reply.lines == tuple(target):
        return None
    return "\n".join(strip_end(line) for line in reply.lines)
