"""What a review prompt holds besides the code: related places and linter messages.

Gathered once per review and stored with it, so that a review that resumes after a
restart asks the same questions.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator

import msgspec

from redline.assist.privacy.excluded_files import send_check
from redline.assist.review.job.cost import NOTHING
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.job.scouts import ScoutNote, scout
from redline.assist.tiers.cost import Cost
from redline.checks.ruff import MAX_CHARS, NEWEST_PYTHON, ask_ruff
from redline.errors import LinterError
from redline.findings.diff import old_text, read_hunks
from redline.findings.review import ReviewRequest
from redline.findings.ruff_rules import FAMILIES, SYNTAX, grade
from redline.findings.scope import ReviewedFile, ReviewScope
from redline.prompts.blocks import Block
from redline.prompts.redaction import (
    NO_SECRETS,
    SecretTable,
    hide_all,
    with_single_lines,
)
from redline.routing.route import Tier
from redline.syntax.language import Language, language_of

logger = logging.getLogger(__name__)

MAX_FACTS = 60
"""More than a reviewer would read."""


class LinterFact(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    line: int
    """From 0, in the text that is reviewed."""
    linter: str
    rule: str
    """The linter's rule id, such as `B006`."""
    message: str


def linter_facts(
    scope: ReviewScope, *, table: SecretTable = NO_SECRETS
) -> tuple[LinterFact, ...]:
    """Run the linters over the files; slow, so call it in a thread.

    A linter that is missing or fails does not raise: there are fewer facts.

    Args:
        scope: What is reviewed.
        table: The review's secrets: a message may quote the code.

    Returns:
        The messages about reviewed lines, by path and line; at most `MAX_FACTS`.
    """
    facts: list[LinterFact] = []
    try:
        for file in scope.files:
            if language_of(file.path, file.language) is Language.PYTHON:
                facts += _of_python(file)
            if len(facts) >= MAX_FACTS:
                break
    except LinterError as error:
        logger.warning("no linter facts: %s", error)
    facts = facts[:MAX_FACTS]
    hidden = hide_all([(fact.path, fact.message) for fact in facts], table)
    return tuple(
        msgspec.structs.replace(fact, path=path, message=message)
        for fact, path, message in zip(facts, hidden.paths, hidden.texts, strict=True)
    )


def _of_python(file: ReviewedFile) -> Iterator[LinterFact]:
    if len(file.text) > MAX_CHARS:
        return
    messages = ask_ruff(
        file.text, path=file.path, rules=FAMILIES, target_version=NEWEST_PYTHON
    )
    for message in messages:
        rule = message.code or SYNTAX
        line = message.location.row - 1
        is_asked = any(first <= line < end for first, end in file.spans)
        if is_asked and grade(rule) is not None:
            yield LinterFact(
                path=file.path,
                line=line,
                linter="ruff",
                rule=rule,
                message=message.message,
            )


SCOUT_LIMIT_S = 60.0
"""Time limit of one scout; a fast model takes a second or two."""


class Brief(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The context of a scope besides its text; secrets are hidden."""

    notes: tuple[ScoutNote, ...] = ()
    facts: tuple[LinterFact, ...] = ()
    table: SecretTable = NO_SECRETS
    """The placeholders for secrets in everything that is sent."""
    spent: Cost = NOTHING
    problems: tuple[str, ...] = ()
    """Why scouts failed, a sentence each."""
    n_unread: int = 0
    """Number of places that no scout read because of the cost limit."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of the notes."""
        return tuple(note.path for note in self.notes)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The notes and linter messages as blocks of a prompt."""
        notes = [
            Block(
                title=f"{note.path}, lines {note.first_line + 1} to {note.end_line}"
                + (" (notes of a scout)" if note.is_model else ""),
                text=note.text,
                path=note.path,
            )
            for note in self.notes
        ]
        if not self.facts:
            return tuple(notes)
        words = "".join(
            f"{fact.path}:{fact.line + 1}: {fact.rule} ({fact.linter}): "
            f"{fact.message}\n"
            for fact in self.facts
        )
        return (*notes, Block(title="What linters say of the lines", text=words))


def secrets_of(scope: ReviewScope) -> SecretTable:
    """Find the secrets in everything that is reviewed; slow.

    Of a change the whole text before it is searched, too: what makes a removed line a
    secret may stand outside of the diff, as the first line of a key does.
    """
    texts = [(file.path, file.text) for file in scope.files]
    for file in scope.files:
        if hunks := read_hunks(file.diff):
            texts.append((file.old_path or file.path, old_text(file.text, hunks)))
    return with_single_lines(hide_all(texts).table)


async def gather_brief(
    scope: ReviewScope,
    request: ReviewRequest,
    tools: JobTools,
    *,
    may_spend: Callable[[], bool],
    on_spent: Callable[[Cost], None],
    on_note: Callable[[int, int], None],
    tier: Tier = "deep",
) -> Brief:
    """Find related places, let scouts read them, and run the linters.

    Cancelling is safe.

    Args:
        scope: What is reviewed.
        request: Names the workspace folders.
        tools: Their fast tier reads the places.
        may_spend: Whether another scout may be sent.
        on_spent: Receives the total cost of all scouts each time it grows.
        on_note: Receives how many places are read, and how many there are.
        tier: The tier that reviews.
    """
    settings = tools.settings().review
    table = await tools.in_thread(secrets_of, scope)
    if not tools.tiers.choose(tier).model.describe().is_model:
        # Rules look at the code itself and use no context.
        return Brief(table=table)
    facts = await asyncio.to_thread(linter_facts, scope, table=table)
    places = await tools.related(scope, roots=request.roots)
    has_scouts = settings.scouts and not request.is_live
    model = tools.tiers.choose("fast").model if has_scouts else None
    report, table = await scout(
        scope,
        places,
        model=model,
        n_at_once=max(1, settings.scouts),
        limit_s=SCOUT_LIMIT_S,
        table=table,
        may_spend=may_spend,
        check_files=lambda paths: send_check(paths, request.roots)(),
        on_spent=on_spent,
        on_note=on_note,
    )
    return Brief(
        notes=report.notes,
        facts=facts,
        table=table,
        spent=report.spent,
        problems=report.problems,
        n_unread=report.n_unread,
    )
