"""The user's own type checkers and linters judge edits.

A checker runs on the original while the edit is written, and on the edit when it has
passed all other checks. It judges only in trusted workspaces, only in a copy, and an
edit waits for it no longer than its time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct

from redline.assist.edit.checkers.kept_copy import Answer, KeptCopy, Words
from redline.assist.editor.services import EditorServices
from redline.assist.testing.test_command import filled_command
from redline.assist.testing.workspace_copy import is_installed, open_texts
from redline.checks.new_errors import new_errors
from redline.checks.problem import Problem
from redline.printable import printable_line
from redline.prompts.secrets.cuts import beginning
from redline.settings.check_settings import CheckCommand
from redline.settings.trusted import is_trusted, look_up_trust
from redline.supervisor import Supervisor
from redline.syntax.language import language_of
from redline.text.line_diff import LineHunk, apply_hunks
from redline.text.uri import is_file, path_in, uri_path
from redline.traces.checkers import CheckerError

CHECKER = "checker"
"""The rule of the problems that checkers find."""

_MAX_PROBLEMS = 5
"""Most problems of one checker: the first ones often cause the others."""

_MAX_N_CHARS = 500
"""Longest message of a problem."""

_RUN = ("build.rs", "*.config.[cm][jt]s", "*.config.[jt]s", ".eslintrc.[cm]js")
"""Names of files that checkers run: of Cargo, and of ESLint and its plugins. What a
model has written there is not given to them."""


class CheckersRun(Struct, frozen=True, eq=False, kw_only=True):
    """The checkers of one edit, which read its original now."""

    copy: KeptCopy
    path: str
    text: str
    """The whole file before the edit."""
    checkers: Mapping[str, CheckCommand]
    """By name."""
    commands: Mapping[str, Words]
    task: asyncio.Task[tuple[int, dict[str, Answer]]]
    """The state of the copy, and the answers about the original."""

    @property
    def limit_s(self) -> float:
        """Longest time that an edit waits for them."""
        return max(one.timeout_s for one in self.checkers.values())


class Judgement(Struct, frozen=True, kw_only=True):
    """What checkers say of an edit."""

    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    """Which of them say nothing, and why, as sentences."""


class Checkers:
    """The checkers of one editor."""

    def __init__(self, services: EditorServices) -> None:
        self._workspace = services.workspace
        self._settings = services.settings
        self._supervisor = Supervisor()
        self._copies: dict[str, KeptCopy] = {}

    def begin(
        self, uri: str, lines: Sequence[str], known: CheckersRun | None
    ) -> CheckersRun | None:
        """Run the checkers of a file on it, because an edit of it is written.

        Args:
            uri: The file.
            lines: Its lines.
            known: What was begun for the same edit before.

        Returns:
            None if none may judge it.
        """
        checkers = self._checkers_of(uri)
        root = self._workspace.root_of(uri) if checkers else None
        path = path_in(uri, root) if root is not None else None
        if root is None or not path or is_installed(path):
            return None
        text = "".join(lines)
        if known is not None and known.text == text and known.checkers == checkers:
            return known
        folder = Path(uri_path(root))
        if not is_trusted(folder, self._settings().trust.workspaces):
            return None
        copy = self._copies.setdefault(root, KeptCopy(folder))
        documents = open_texts(self._workspace.snapshots(), root) | {path: text}
        # Else the checker would read the name as an option.
        file = f"./{path}" if path.startswith("-") else path
        commands = {
            name: tuple(filled_command(one.command, test="", file=file))
            for name, one in checkers.items()
        }
        return CheckersRun(
            copy=copy,
            path=path,
            text=text,
            checkers=checkers,
            commands=commands,
            task=self._supervisor.start(
                self._original(copy, folder / path, documents, commands),
                name=f"checkers of {path}",
            ),
        )

    async def judge(
        self,
        begun: CheckersRun,
        lines: Sequence[str],
        hunks: Sequence[LineHunk],
        *,
        since: float,
    ) -> Judgement:
        """Return what the checkers say of an edit. Cancelling is safe.

        Args:
            begun: What was begun when it was written.
            lines: The file's lines before it.
            hunks: Its changes, in order and disjoint; the last one is the range.
            since: When the edit began to wait, in the event loop's seconds.
        """
        if any(fnmatchcase(begun.path.rpartition("/")[2], one) for one in _RUN):
            return _unchecked(begun, "it may run this file")
        if "".join(lines) != begun.text:
            return _unchecked(begun, "the file has been changed meanwhile")
        text = "".join(apply_hunks(lines, hunks))
        answers: dict[str, Answer] = {}
        # A task of its own: when the time is over, nobody waits for its end.
        task = self._supervisor.start(
            _changed(begun, text, since, answers), name=f"checkers of {begun.path}"
        )
        try:
            left_s = since + begun.limit_s - asyncio.get_running_loop().time()
            await asyncio.wait({task}, timeout=max(0.0, left_s))
        finally:
            task.cancel()
        before = _before(begun)
        problems: list[Problem] = []
        notes: list[str] = []
        for name, checker in begun.checkers.items():
            late = f"no answer in {checker.timeout_s:g} s"
            old, new = before.get(name, late), answers.get(name, late)
            if isinstance(old, str) or isinstance(new, str):
                reason = old if isinstance(old, str) else new
                notes.append(f"Not checked by {name}: {reason}.")
                continue
            found = new_errors(old, new, path=begun.path, hunks=hunks)
            problems += _problems(name, found, begun.path, hunks)
        return Judgement(problems=tuple(problems), notes=tuple(notes))

    async def aclose(self) -> None:
        """Kill what runs, and delete the copies. Idempotent."""
        await self._supervisor.aclose()
        copies, self._copies = self._copies, {}
        for copy in copies.values():
            await copy.aclose()

    async def _original(
        self,
        copy: KeptCopy,
        file: Path,
        documents: Mapping[str, str],
        commands: Mapping[str, Words],
    ) -> tuple[int, dict[str, Answer]]:
        trusted = self._settings().trust.workspaces
        # A link in a trusted folder may lead to a file elsewhere.
        if not await asyncio.to_thread(look_up_trust, file, trusted):
            return 0, dict.fromkeys(commands, "it is a link out of the trusted folders")
        answers = await copy.check_original(documents, commands)
        return copy.n_updates, answers

    def _checkers_of(self, uri: str) -> dict[str, CheckCommand]:
        checks = self._settings().checks
        if not checks.commands or CHECKER in checks.off or not is_file(uri):
            return {}
        own = self._workspace.document(uri).snapshot().language_id
        language = language_of(uri, own)
        ids = {own, language.value if language else own}
        return {k: v for k, v in checks.commands.items() if ids & {*v.languages}}


async def _changed(
    begun: CheckersRun, text: str, since: float, answers: dict[str, Answer]
) -> None:
    """Run the checkers on an edit, after they have read its original."""
    await asyncio.wait({begun.task})
    before = _before(begun)
    state = begun.task.result()[0] if before else 0
    await begun.copy.check_changed(
        begun.path,
        text,
        {k: v for k, v in begun.commands.items() if isinstance(before.get(k), tuple)},
        state=state,
        until={name: since + one.timeout_s for name, one in begun.checkers.items()},
        answers=answers,
    )


def _before(begun: CheckersRun) -> dict[str, Answer]:
    """Return the answers about the original; none if they are not there."""
    task = begun.task
    if not task.done() or task.cancelled() or task.exception() is not None:
        return {}
    return task.result()[1]


def _unchecked(begun: CheckersRun, reason: str) -> Judgement:
    notes = (f"Not checked by {name}: {reason}." for name in begun.checkers)
    return Judgement(notes=tuple(notes))


def _problems(
    name: str, errors: Sequence[CheckerError], path: str, hunks: Sequence[LineHunk]
) -> list[Problem]:
    *above, edited = hunks
    first = edited.start + sum(hunk.shift for hunk in above)
    found = []
    for one in errors[:_MAX_PROBLEMS]:
        line: int | None = one.line - 1 - first
        message = f"{name}: {one.message}"
        if one.path != path:
            line, message = None, f"{message} ({one.path}, line {one.line})"
        elif not 0 <= one.line - 1 - first < len(edited.lines):
            line, message = None, f"{message} (line {one.line})"
        message = beginning(printable_line(message), _MAX_N_CHARS)
        found.append(Problem(rule=CHECKER, message=message, line=line))
    return found
