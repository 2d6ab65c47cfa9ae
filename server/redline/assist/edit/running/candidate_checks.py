"""Checks candidates in a parser process, and by the user's own checkers.

Parsing and resolving take tens of milliseconds and would hold the interpreter for as
long, and the text may be made to take minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

from redline.assist.edit.attempts.candidate import Candidate
from redline.assist.edit.checkers.checkers import Checkers, CheckersRun
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.services import EditorServices
from redline.checks.checked_folders import checked_folders
from redline.checks.edit_question import CHECK, EditCheck, unchecked
from redline.errors import ParserEndedError
from redline.syntax.language import language_of
from redline.text.line_diff import LineHunk
from redline.text.lines import line_end
from redline.text.region import end_of_new_lines

_UNCHECKED_SCORE = 0.5
"""Part of a candidate's score that is left if it could not be checked."""

_CHECKER_SCORE = 0.5
"""Part of a candidate's score that is left if a checker reports new errors."""


class CandidateChecks:
    """Checks the candidates of one editor's sessions."""

    def __init__(
        self,
        services: EditorServices,
        *,
        secrets: Callable[[EditSession], tuple[str, ...]],
    ) -> None:
        self._secrets = secrets
        self._workspace = services.workspace
        self._settings = services.settings
        self._parser = services.parser
        self._checkers = Checkers(services)
        self._begun: WeakKeyDictionary[EditSession, CheckersRun] = WeakKeyDictionary()

    def prepare(self, session: EditSession) -> None:
        """Start a parser process and the checkers, because a candidate is being
        written.
        """
        self._parser.warm(CHECK)
        if not self._settings().checks.commands:
            return
        known = self._begun.pop(session, None)
        begun = self._checkers.begin(session.request.uri, _lines_before(session), known)
        if begun is not None:
            self._begun[session] = begun

    async def aclose(self) -> None:
        """End the checkers. Idempotent."""
        await self._checkers.aclose()

    async def judge(self, session: EditSession, candidate: Candidate) -> None:
        """Check a finished candidate and store its problems and score in it."""
        reply = candidate.reply
        new = candidate.proposal.new_lines
        is_same = new == list(session.edit_target.original)
        if reply is None or reply.lines is None or (is_same and not reply.imports):
            return
        question = self._question(session, candidate, new)
        try:
            verdict = await self._parser.run(CHECK, question)
            if verdict.imports is None:
                candidate.keep_imports_inside(_line_end(session))
                new = candidate.proposal.new_lines
                question = self._question(session, candidate, new)
                verdict = await self._parser.run(CHECK, question)
        except ParserEndedError as error:
            if candidate.reply is not None and candidate.reply.imports:
                candidate.keep_imports_inside(_line_end(session))
            candidate.judged(
                (*candidate.problems, unchecked(error)),
                candidate.score * _UNCHECKED_SCORE,
            )
        else:
            candidate.judged(verdict.problems, verdict.score)
            if verdict.imports:
                candidate.change_imports(
                    question.before[: question.first], verdict.imports
                )

    def has_checkers(self, session: EditSession) -> bool:
        return session in self._begun

    async def ask_checkers(
        self, session: EditSession, candidates: Sequence[Candidate]
    ) -> None:
        """Add what the user's checkers say of checked candidates.

        Those without problems are judged until one has none, all together within the
        time limit. Cancelling is safe.

        Args:
            session: It has checkers.
            candidates: The best first.
        """
        since = asyncio.get_running_loop().time()
        for candidate in candidates:
            if candidate.problems or not _changes_lines(session, candidate):
                continue
            judgement = await self._checkers.judge(
                self._begun[session],
                _lines_before(session),
                _changes(session, candidate),
                since=since,
            )
            for note in judgement.notes:
                if note not in session.chosen.reasons:
                    session.chosen.explain(note)
            if not judgement.problems:
                return
            candidate.judged(judgement.problems, candidate.score * _CHECKER_SCORE)

    def _question(
        self, session: EditSession, candidate: Candidate, new: Sequence[str]
    ) -> EditCheck:
        edit_target, reply = session.edit_target, candidate.reply
        settings = self._settings()
        path = self._workspace.relative_path(session.request.uri)
        language = edit_target.document.language_id
        return EditCheck(
            before=_lines_before(session),
            first=edit_target.first_line,
            n_old=len(edit_target.original),
            new=tuple(new),
            lead=reply.imports if reply is not None else (),
            adds_imports=edit_target.can_widen,
            path=path,
            language=language,
            instruction=session.instruction,
            kind=session.request.kind,
            secrets=self._secrets(session),
            reply_problems=candidate.problems,
            off=frozenset(settings.checks.off),
            environment=checked_folders(
                self._workspace.roots,
                settings=settings,
                documents=self._workspace.snapshots(),
                language=language_of(path, language),
            ),
        )


def _changes_lines(session: EditSession, candidate: Candidate) -> bool:
    """Whether an edit changes its file; hunks are without what growing steps did."""
    original = list(session.edit_target.original)
    return candidate.imports is not None or candidate.proposal.new_lines != original


def _changes(session: EditSession, candidate: Candidate) -> list[LineHunk]:
    """Return what a candidate changes in its file, the range last."""
    edit_target, imports = session.edit_target, candidate.imports
    above = imports.hunks if imports is not None else ()
    changes = [LineHunk(start=one.start, end=one.end, lines=one.lines) for one in above]
    first = edit_target.first_line
    end = first + len(edit_target.original)
    new = tuple(candidate.proposal.new_lines)
    return [*changes, LineHunk(start=first, end=end, lines=new)]


def _line_end(session: EditSession) -> str:
    edit_target = session.edit_target
    lines = edit_target.document.snapshot().lines
    return end_of_new_lines(lines, edit_target.first_line)


def _lines_before(session: EditSession) -> Sequence[str]:
    """Return the document's lines without what growing steps changed.

    A last line without an end has one if the region is behind it, as in the document
    when new lines are there; without it, they would be joined to that line.
    """
    edit_target = session.edit_target
    lines, first = edit_target.document.snapshot().lines, edit_target.first_line
    if edit_target.region.lines != edit_target.original:
        end = first + len(edit_target.region.lines)
        lines = [*lines[:first], *edit_target.original, *lines[end:]]
    if edit_target.region.is_after_end and not line_end(lines[first - 1]):
        ended = lines[first - 1] + _line_end(session)
        lines = [*lines[: first - 1], ended, *lines[first:]]
    return lines
