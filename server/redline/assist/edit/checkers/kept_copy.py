"""A copy of a workspace that is kept, with what checkers say of it.

A checker is fast only with its caches, so the copy and what checkers write into it stay
as long as the server runs. Before each use it is brought up to date.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from typing import ParamSpec, TypeAlias, TypeVar

from msgspec.structs import replace

from redline.assist.testing.command_run import checker_environment, run_command
from redline.assist.testing.workspace_copy import (
    Stamp,
    copy_changed,
    delete_place,
    new_place,
    with_true_paths,
    write_documents,
)
from redline.errors import CommandRunError
from redline.printable import printable_line
from redline.supervisor import Supervisor
from redline.traces.checkers import CheckerError, read_checker_errors

ORIGINAL_LIMIT_S = 60.0
"""Longest run on the original, which fills the caches of a checker; nobody waits for
it."""

_MAX_REASON_N_CHARS = 200

_T = TypeVar("_T")
_Parameters = ParamSpec("_Parameters")

Answer: TypeAlias = tuple[CheckerError, ...] | str
"""The errors that a checker printed, with paths in the workspace; or why there are
none, as the end of a sentence."""

Words: TypeAlias = tuple[str, ...]
"""A command line."""


class KeptCopy:
    """The copy of one workspace folder. One use at a time; others wait."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._turn = asyncio.Lock()
        self._is_given_up = Event()
        self._place: Path | None = None
        self._stamps: dict[str, Stamp] = {}
        self._documents: dict[str, str] = {}
        self._answers: dict[Words, Answer] = {}
        self.n_updates = 0
        """How often its files have changed: the same number is the same state."""

    async def check_original(
        self, documents: Mapping[str, str], commands: Mapping[str, Words]
    ) -> dict[str, Answer]:
        """Bring it up to date and run checkers on it. Cancelling is safe.

        Args:
            documents: The texts of open documents by path.
            commands: Command lines by the names of the checkers. An answer about the
                same files is not computed again.

        Returns:
            The answers by name; none of a checker that took too long.
        """
        async with self._turn:
            try:
                await _in_thread(self._update, dict(documents))
            except (CommandRunError, OSError) as error:
                # It may be half written.
                await _in_thread(self._delete)
                return dict.fromkeys(commands, _reason(error))
            known = self._answers
            answers = {k: known[v] for k, v in commands.items() if v in known}
            new = {k: v for k, v in commands.items() if v not in known}
            await self._run(new, dict.fromkeys(new, ORIGINAL_LIMIT_S), answers)
            # One that gave none may give one next time, when its caches are filled.
            for name, words in new.items():
                answer = answers.get(name, "")
                if not isinstance(answer, str):
                    known[words] = answer
            return answers

    async def check_changed(
        self,
        path: str,
        text: str,
        commands: Mapping[str, Words],
        *,
        state: int,
        until: Mapping[str, float],
        answers: dict[str, Answer],
    ) -> None:
        """Run checkers with another text of a file. Cancelling is safe.

        Args:
            path: The file.
            text: Its text.
            commands: Command lines by the names of the checkers.
            state: Its `n_updates` when the original was checked.
            until: When each must have answered, in the event loop's seconds.
            answers: Gets each answer as it comes.
        """
        async with self._turn:
            if self._place is None or self.n_updates != state:
                reason = "the workspace has been changed meanwhile"
                answers |= dict.fromkeys(commands, reason)
                return
            file = self._folder / path
            try:
                original = await _in_thread(file.read_bytes)
            except OSError:
                answers |= dict.fromkeys(commands, "the file is ignored")
                return
            now = asyncio.get_running_loop().time()
            limits = {name: until[name] - now for name in commands}
            content = text.encode("utf-8", "surrogatepass")
            try:
                try:
                    await _in_thread(file.write_bytes, content)
                    await self._run(commands, limits, answers)
                finally:
                    await _in_thread(file.write_bytes, original)
            except OSError as error:
                # Such as a full disk: the copy may be another than the workspace.
                await _in_thread(self._delete)
                answers |= dict.fromkeys(commands, _reason(error))

    async def aclose(self) -> None:
        """Delete it; nothing may use it afterwards."""
        self._is_given_up.set()
        async with self._turn:
            await _in_thread(self._delete)

    @property
    def _folder(self) -> Path:
        assert self._place is not None
        return self._place / self._root.name

    async def _run(
        self,
        commands: Mapping[str, Words],
        limits: Mapping[str, float],
        answers: dict[str, Answer],
    ) -> None:
        async with asyncio.TaskGroup() as group:
            for name, words in commands.items():
                group.create_task(
                    self._answer(name, words, limits[name], answers), name=name
                )

    async def _answer(
        self, name: str, words: Words, limit_s: float, answers: dict[str, Answer]
    ) -> None:
        folder = self._folder
        try:
            end = await run_command(
                words,
                folder,
                timeout_s=max(0.0, limit_s),
                environ=checker_environment(folder),
            )
        except CommandRunError as error:
            answers[name] = _reason(error)
            return
        if end.exit_code is not None:
            output = with_true_paths(end.output, folder, self._root)
            answers[name] = _read(output, end.exit_code, self._root)

    def _update(self, documents: dict[str, str]) -> None:
        """Copy what has changed; blocks."""
        if self._place is None:
            self._place = new_place()
            self._folder.mkdir()
        # What was closed without saving, or is saved now, comes from the disk again.
        closed = self._documents.keys() - documents.keys()
        known = {k: v for k, v in self._stamps.items() if k not in closed}
        stamps = copy_changed(self._root, self._folder, known, self._is_given_up)
        for path in closed - stamps.keys():
            (self._folder / path).unlink(missing_ok=True)
        written = {path for path, one in stamps.items() if known.get(path) != one}
        fresh = {
            path: text
            for path, text in documents.items()
            if path in written or self._documents.get(path) != text
        }
        write_documents(self._root, self._folder, fresh)
        if fresh or closed or stamps != self._stamps:
            self.n_updates += 1
            self._answers.clear()
        self._stamps, self._documents = stamps, documents

    def _delete(self) -> None:
        place, self._place = self._place, None
        self._stamps, self._documents = {}, {}
        self._answers.clear()
        if place is not None:
            delete_place(place)


async def _in_thread(
    work: Callable[_Parameters, _T],
    *arguments: _Parameters.args,
    **keywords: _Parameters.kwargs,
) -> _T:
    """Run what blocks to its end, also if the caller is cancelled."""
    task = asyncio.to_thread(work, *arguments, **keywords)
    return await Supervisor().complete(task, name="copy for checkers")


def _read(output: str, exit_code: int, root: Path) -> Answer:
    errors = tuple(
        replace(one, path=_path_in(one.path, root))
        for one in read_checker_errors(output)
    )
    if not errors and exit_code != 0:
        last = (output.strip().splitlines() or ["no output"])[-1]
        said = printable_line(last)[:_MAX_REASON_N_CHARS].rstrip(".")
        return f"it ended with code {exit_code}: {said}"
    return errors


def _path_in(path: str, root: Path) -> str:
    """Return a printed path as one of the workspace, if it is one."""
    if os.path.isabs(path):
        path = os.path.relpath(path, root)
    return os.path.normpath(path).replace(os.sep, "/")


def _reason(error: CommandRunError | OSError) -> str:
    if isinstance(error, OSError):
        return f"its copy cannot be written: {error.strerror}"
    said = str(error).rstrip(".")
    return said[:1].lower() + said[1:]
