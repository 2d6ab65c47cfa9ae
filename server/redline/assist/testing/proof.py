"""Proves a fix: the failing test is red without it and green with it, in a copy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.testing.command_run import CommandEnd, run_command
from redline.assist.testing.output_failures import failures_of, frames_of
from redline.assist.testing.runners import asked_name, runner_of
from redline.assist.testing.test_command import filled_command
from redline.assist.testing.workspace_copy import (
    open_texts,
    workspace_copy,
    write_overlay,
)
from redline.assist.testing.workspace_frames import WorkspaceFrames
from redline.errors import CommandRunError
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRequest, Proof
from redline.settings.tree import Settings
from redline.settings.trusted import is_trusted
from redline.text.document import Snapshot
from redline.text.uri import uri_path
from redline.traces.failure import ProgramFailure
from redline.traces.read import read_failures

_DECIDING = (
    "conftest.py",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "pyproject.toml",
    "package.json",
    "jest.config.*",
    "vitest.config.*",
    "vite.config.*",
    ".mocharc.*",
    ".rspec",
    "spec_helper.rb",
    "rails_helper.rb",
    "phpunit.xml*",
    "phpunit.dist.xml",
    "build.rs",
)
"""Files that may skip a test, or run none."""


class Proved(Struct, frozen=True, kw_only=True):
    """What the test says of a fix."""

    proof: Proof
    message: str
    """A sentence."""
    output: str = ""
    """That of the test with the fix, if it is red."""


class FailingTest(Struct, frozen=True, kw_only=True):
    name: str
    """As its runner prints it."""
    file: str
    """Its path in the workspace; empty: not known."""
    asked: str = ""
    """The name by which the runner of the command is asked for it; empty: `name`."""


def failing_test(request: PlanRequest) -> FailingTest | None:
    """Find the test that a failure is of; None: it is of none; blocks."""
    failure = next((one for one in failures_of(request) if one.test), None)
    if failure is None or not failure.test or failure.test.startswith("-"):
        return None
    root = Path(uri_path(request.workspace))
    path, mark, _ = failure.test.partition("::")
    if mark and not path.startswith("/") and (root / path).is_file():
        return FailingTest(name=failure.test, file=path)
    # The outermost frame in the workspace is the test.
    placed = WorkspaceFrames(root).place(frames_of((failure,))[::-1])
    file = next((one.path for one in placed if one.path), "")
    return FailingTest(name=failure.test, file=file)


class Prover:
    """Runs the failing test of a debug, when it is its turn."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        documents: Callable[[], Mapping[str, Snapshot]],
        turn: asyncio.Lock,
    ) -> None:
        self._settings = settings
        self._documents = documents
        self._turn = turn

    async def prove(self, request: PlanRequest, overlay: Overlay) -> Proved:
        """Run the test without and with a fix. Cancelling is safe."""
        settings = self._settings()
        if reason := why_none_runs(settings, request.workspace):
            return _not_run(reason)
        test = await asyncio.to_thread(failing_test, request)
        if test is None:
            return _not_run("the failure names no test")
        changed = changed_paths(overlay)
        if test.file in changed:
            return _not_run(f"the fix changes {test.file}, which holds the test")
        if deciding := sorted(filter(decides_tests, changed)):
            return _not_run(f"the fix changes {deciding[0]}, which decides what is run")
        runner = runner_of(settings.test.command)
        if runner is not None:
            name = asked_name(runner, test.name, test.file)
            test = replace(test, asked="" if name.startswith("-") else name)
        if "{file}" in "".join(settings.test.command) and not test.file:
            return _not_run("the file of the test is not known")
        try:
            async with self._turn:
                return await self._prove(request, overlay, test)
        except CommandRunError as error:
            return Proved(proof="not run", message=f"The test was not run. {error}")

    async def _prove(
        self, request: PlanRequest, overlay: Overlay, test: FailingTest
    ) -> Proved:
        settings = self._settings().test
        command = filled_command(
            settings.command, test=test.asked or test.name, file=test.file
        )
        root = Path(uri_path(request.workspace))
        documents = open_texts(self._documents(), request.workspace)
        async with workspace_copy(root, documents) as folder:
            before = await run_command(command, folder, timeout_s=settings.timeout_s)
            if before.exit_code is None:
                return _not_run(
                    f"without the fix it does not end within {settings.timeout_s:g} s "
                    "(`test.timeout_s`)"
                )
            if before.exit_code == 0:
                return _not_run("it passes without the fix, too")
            if not _fails(before, test):
                last = (before.output.strip().splitlines() or ["no output"])[-1]
                return _not_run(f"the command fails in another way: {last[:200]}")
            await asyncio.to_thread(write_overlay, folder, overlay)
            after = await run_command(command, folder, timeout_s=settings.timeout_s)
        if after.exit_code == 0:
            return Proved(
                proof="green",
                message=f"The test {test.name} fails without the fix and passes with "
                "it.",
            )
        how = (
            f"was ended after {settings.timeout_s:g} s"
            if after.exit_code is None
            else "still fails"
        )
        return Proved(
            proof="red",
            message=f"The test {test.name} {how} with the fix.",
            output=after.output,
        )


def why_none_runs(settings: Settings, workspace: str) -> str:
    """Return why no test runs on a change that is not applied; empty: it may."""
    if not settings.test.command:
        return "no `test.command` is configured"
    if not is_trusted(Path(uri_path(workspace)), settings.trust.workspaces):
        return "this folder is not in `trust.workspaces`"
    if settings.test.where == "workspace":
        return (
            "tests run in the workspace (`test.where`). Apply the change, save it, and "
            "run the test"
        )
    return ""


def changed_paths(overlay: Overlay) -> set[str]:
    """Return the paths that an overlay changes, creates, renames or deletes."""
    return {
        path for one in overlay.changes() for path in (one.path, one.old_path) if path
    }


def decides_tests(path: str) -> bool:
    """Whether a file says which tests are run, and how."""
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, pattern) for pattern in _DECIDING)


def _fails(end: CommandEnd, test: FailingTest) -> bool:
    """Whether the test failed, rather than the command."""
    return any(_is_of(one, test) for one in read_failures(end.output))


def _is_of(failure: ProgramFailure, test: FailingTest) -> bool:
    last = test.name.rpartition("::")[2]
    return failure.test is not None and last in failure.test


def _not_run(reason: str) -> Proved:
    return Proved(proof="not run", message=f"The test was not run: {reason}.")
