"""Checks candidates, off the event loop.

Parsing and resolving take tens of milliseconds, and so does importing their libraries:
both happen in a thread, so that typing never waits for them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from redline.assist.edit.candidate import Candidate
from redline.assist.edit.session import EditSession
from redline.assist.workspace import Workspace
from redline.checks.problem import Problem
from redline.settings.tree import Settings
from redline.text.document import Snapshot
from redline.text.uri import uri_path

if TYPE_CHECKING:
    from redline.checks import candidate as checks
    from redline.checks.python.environment import PythonEnvironment


Checked = tuple[tuple[Problem, ...], float]
"""The problems, and the score."""

OffLoop = Callable[..., Awaitable[Checked]]
"""Calls a function with arguments without blocking the event loop."""


class CandidateChecks:
    """Checks the candidates of one editor's sessions."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        settings: Callable[[], Settings],
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._off_loop = off_loop
        self._environment: PythonEnvironment | None = None
        self._environment_key: tuple[object, ...] = ()
        self._open: dict[str, Snapshot] = {}
        """The open documents when the last check began."""

    async def judge(self, session: EditSession, candidate: Candidate) -> None:
        """Check a finished candidate and store its problems and score in it."""
        reply = candidate.reply
        new = candidate.proposal.new_lines
        if (
            reply is None
            or reply.lines is None
            or new == list(session.edit_target.original)
        ):
            return
        question = _Question(
            lines=_lines_before(session),
            first=session.edit_target.first_line,
            old=session.edit_target.original,
            new=new,
            path=self._workspace.relative_path(session.request.uri),
            language=session.edit_target.document.language_id,
            instruction=session.instruction,
            kind=session.request.kind,
        )
        self._open = self._workspace.snapshots()
        own = candidate.problems
        off = frozenset(self._settings().checks.off)
        problems, score = await self._off_loop(self._check, question, own, off)
        candidate.judged(problems, score)

    def _check(
        self, question: _Question, own: tuple[Problem, ...], off: frozenset[str]
    ) -> Checked:
        from redline.checks.run import RULES, check, score

        found = check(
            question.candidate(), environment=self._python(), rules=set(RULES) - off
        )
        # Problems of the whole reply, such as being cut off, are invisible to text
        # rules.
        problems = tuple(dict.fromkeys((*own, *found)))
        return problems, score(problems)

    def _python(self) -> PythonEnvironment:
        """Return the workspace's environment, which caches the files that it read."""
        from redline.checks.python.environment import PythonEnvironment

        configured = self._settings().python.environment
        key = (self._workspace.roots, configured)
        if self._environment is None or key != self._environment_key:
            self._environment_key = key
            self._environment = PythonEnvironment(
                [Path(uri_path(uri)) for uri in self._workspace.roots],
                configured=None if configured is None else Path(configured),
                variables=os.environ,
                open_text=self._open_text,
            )
        return self._environment

    def _open_text(self, path: Path) -> str | None:
        """Return the unsaved text of a file that is open in the editor."""
        snapshot = self._open.get(path.as_uri())
        return None if snapshot is None else snapshot.text


def _lines_before(session: EditSession) -> Sequence[str]:
    """Return the document's lines without what growing steps changed."""
    edit_target = session.edit_target
    lines = edit_target.document.snapshot().lines
    if edit_target.region.lines == session.edit_target.original:
        return lines
    end = edit_target.first_line + len(edit_target.region.lines)
    return [
        *lines[: edit_target.first_line],
        *session.edit_target.original,
        *lines[end:],
    ]


class _Question:
    """The input of a check, copied on the loop so that the thread sees no change."""

    def __init__(
        self,
        *,
        lines: Sequence[str],
        first: int,
        old: Sequence[str],
        new: Sequence[str],
        path: str,
        language: str,
        instruction: str,
        kind: str,
    ) -> None:
        self._lines = lines
        self._first = first
        self._n_old = len(old)
        self._new = tuple(new)
        self._path = path
        self._language = language
        self._instruction = instruction
        self._kind = kind

    def candidate(self) -> checks.CheckedEdit:
        """Return the whole file before and after the edit."""
        from redline.checks.candidate import CheckedEdit as Checked

        first, end = self._first, self._first + self._n_old
        head, tail = self._lines[:first], self._lines[end:]
        return Checked(
            before=self._lines,
            after=(*head, *self._new, *tail),
            region_before=range(first, end),
            region_after=range(first, first + len(self._new)),
            language=self._language,
            path=self._path,
            instruction=self._instruction,
            kind=self._kind,
        )
