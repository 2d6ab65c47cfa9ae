"""Runs the tests that a plan names on what its steps have made, in a copy."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from redline.assist.editor.services import EditorServices
from redline.assist.testing.command_run import CommandEnd, run_command
from redline.assist.testing.found_tests import FIND_TESTS, TestsQuestion
from redline.assist.testing.proof import (
    Proved,
    changed_paths,
    decides_tests,
    why_none_runs,
)
from redline.assist.testing.runners import (
    CARGO_CRATE,
    collects,
    has_run_none,
    is_run_by,
    runner_of,
    test_name,
)
from redline.assist.testing.test_command import filled_command
from redline.assist.testing.workspace_copy import (
    open_texts,
    with_true_paths,
    workspace_copy,
    write_overlay,
)
from redline.errors import CommandRunError, ParserEndedError
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRequest
from redline.syntax.language import language_of
from redline.syntax.test_functions import FoundTest
from redline.text.uri import uri_path
from redline.traces.read import read_failures

_MAX_MESSAGE_CHARS = 300


class _TestsOfFile(NamedTuple):
    path: str
    name: str
    """What the runner is asked for."""
    tests: Sequence[FoundTest]


_Commands: TypeAlias = Mapping[tuple[str, ...], _TestsOfFile]
"""Command lines, each with the first file whose tests it runs."""


class PlanTests:
    def __init__(self, services: EditorServices) -> None:
        self._services = services

    async def prove(
        self, request: PlanRequest, tests: Sequence[str], overlay: Overlay
    ) -> Proved:
        """Run the tests of files on a change. Cancelling is safe."""
        settings = self._services.settings()
        if reason := why_none_runs(settings, request.workspace):
            return _not_run(reason)
        moved = {old: new for new, old in overlay.renamed.items()}
        paths = tuple(dict.fromkeys(moved.get(one, one) for one in tests))
        commands: dict[tuple[str, ...], _TestsOfFile] = {}
        for path in paths:
            if found := await self._tests_of(path, overlay.text(path)):
                words = filled_command(
                    settings.test.command, test=found.name, file=path
                )
                commands.setdefault(tuple(words), found)
        if not commands:
            return _not_run(f"the command collects none from {', '.join(paths)}")
        try:
            async with self._services.test_turn:
                proved = await self._run(request, commands, overlay)
        except CommandRunError as error:
            return Proved(proof="not run", message=f"Its tests were not run. {error}")
        changed = changed_paths(overlay)
        own = [one for one in sorted(changed) if one in paths or decides_tests(one)]
        if proved.proof == "green" and own:
            why = f"This proves nothing, since the plan changes {own[0]}."
            return Proved(proof="not run", message=f"{proved.message} {why}")
        return proved

    async def _tests_of(self, path: str, text: str | None) -> _TestsOfFile | None:
        """Return the tests of a file; None: the runner runs none of it."""
        runner = runner_of(self._services.settings().test.command)
        language = language_of(path)
        if (
            runner is None
            or text is None
            or language is None
            or not collects(runner, language, path)
        ):
            return None
        question = TestsQuestion(text=text, language=language)
        try:
            found = await self._services.parser.run(FIND_TESTS, question)
        except ParserEndedError:
            return None
        if not (tests := [one for one in found if is_run_by(one, runner)]):
            return None
        name = test_name(runner, language, path, tests)
        # A runner would read it as an option.
        is_option = name.startswith("-") and not name.startswith(CARGO_CRATE)
        if is_option or path.startswith("-") or not name:
            return None
        return _TestsOfFile(path=path, name=name, tests=tests)

    async def _run(
        self, request: PlanRequest, commands: _Commands, overlay: Overlay
    ) -> Proved:
        settings = self._services.settings().test
        documents = open_texts(self._services.workspace.snapshots(), request.workspace)
        root = Path(uri_path(request.workspace))
        async with workspace_copy(root, documents) as folder:
            await asyncio.to_thread(write_overlay, folder, overlay)
            for words, (path, _, tests) in commands.items():
                end = await run_command(words, folder, timeout_s=settings.timeout_s)
                end = replace(end, output=with_true_paths(end.output, folder, root))
                if end.exit_code is None:
                    message = f"It was ended after {settings.timeout_s:g} s."
                    return _failed(path, message, end)
                if end.exit_code != 0:
                    return _failed(path, _said(end), end)
                if has_run_none(end.output, tests):
                    return _not_run(f"the command ran none of {path}")
        names = ", ".join(dict.fromkeys(one.path for one in commands.values()))
        return Proved(proof="green", message=f"The tests of {names} pass with it.")


def _said(end: CommandEnd) -> str:
    """Return what failed, in a line."""
    for failure in read_failures(end.output):
        words = ": ".join(filter(None, (failure.error, failure.message)))
        named = f"{failure.test}: {words}" if failure.test else words
        return " ".join(named.split())[:_MAX_MESSAGE_CHARS]
    last = (end.output.strip().splitlines() or ["no output"])[-1]
    return last[:_MAX_MESSAGE_CHARS]


def _failed(path: str, said: str, end: CommandEnd) -> Proved:
    message = f"The tests of {path} fail with it: {said}"
    return Proved(proof="red", message=message, output=end.output)


def _not_run(reason: str) -> Proved:
    return Proved(proof="not run", message=f"Its tests were not run: {reason}.")
