"""Runs tests of the user by their own command, and reads what failed.

A run is in a copy of the workspace with the texts of open documents, or in the
workspace itself (`test.where`). One command runs at a time; further ones wait.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.editor.services import EditorServices
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.testing.command_run import CommandEnd, run_command
from redline.assist.testing.failure_places import FailurePlaces, RunPlace
from redline.assist.testing.found_tests import FIND_TESTS, TestsQuestion
from redline.assist.testing.output_failures import MAX_OUTPUT_CHARS
from redline.assist.testing.run_state import AT_WORK, RunState
from redline.assist.testing.runners import (
    Runner,
    collects,
    has_run_none,
    is_run_by,
    match_rank,
    names_file,
    runner_of,
    test_name,
)
from redline.assist.testing.test_command import filled_command
from redline.assist.testing.workspace_copy import (
    is_installed,
    open_texts,
    with_true_paths,
    workspace_copy,
)
from redline.errors import CommandRunError, InvalidArgumentsError, ParserEndedError
from redline.prompts.secrets.cuts import ending
from redline.settings.trusted import is_trusted, look_up_trust
from redline.supervisor import Supervisor
from redline.syntax.language import Language, language_of
from redline.syntax.test_functions import FoundTest
from redline.text.document import Snapshot
from redline.text.uri import is_file, path_in, uri_path
from redline.traces.failure import ProgramFailure
from redline.traces.read import read_failures

MAX_RUNS = 20
"""Most runs that are kept, with their outputs; also the most that may wait."""

_MAX_N_CHARS = 1_000_000
"""Longest file whose tests are looked for."""

_MAX_MESSAGE_CHARS = 2_000


class RunFailure(Struct, frozen=True, kw_only=True):
    id: str
    test: str
    """The name of the test as it was printed; empty: it is of none."""
    name: str
    """Which of the tests of the run it is of; empty: of none."""
    message: str
    places: tuple[RunPlace, ...]
    """Where it failed, and the calls that led there; may be empty."""


class RunRecord(Struct, frozen=True, kw_only=True):
    id: str
    uri: str
    title: str
    """What is run, for the user."""
    tests: tuple[str, ...]
    """The names of the tests."""
    state: RunState = "waiting"
    message: str = ""
    """A sentence."""
    failures: tuple[RunFailure, ...] = ()
    output: str = ""
    """Its end, with the paths of the workspace."""

    @property
    def failed(self) -> tuple[str, ...]:
        """Those of the tests that failed, each once."""
        names = (one.name for one in self.failures if one.name)
        return tuple(dict.fromkeys(names))


class NamedTest(Struct, frozen=True, kw_only=True):
    """A test, and the name by which it is asked for."""

    name: str
    found: FoundTest


class FailedOutput(Struct, frozen=True, kw_only=True):
    """The output that has a failure, and which of its failures it is."""

    output: str
    number: int
    uri: str


class _TestFile(Struct, frozen=True, kw_only=True):
    """A document whose tests can be run."""

    snapshot: Snapshot
    root: str
    path: str
    language: Language
    runner: Runner


RunFollower: TypeAlias = Callable[[RunRecord], None]


class TestRuns:
    """The test runs of one editor."""

    def __init__(self, services: EditorServices) -> None:
        self._services = services
        self._supervisor = Supervisor()
        self._runs: dict[str, RunRecord] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._found: dict[str, tuple[TestsQuestion, list[FoundTest]]] = {}
        self._followers: list[RunFollower] = []

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """The last runs, the oldest first."""
        return tuple(self._runs.values())

    def follow(self, follower: RunFollower) -> None:
        """Call a follower with every change of a run from now on."""
        self._followers.append(follower)

    def may_run(self, uri: str) -> bool:
        """Whether tests of a document may be run, if it has any; quick."""
        return self._test_file(uri) is not None

    async def tests_in(self, uri: str) -> list[NamedTest]:
        """Return the tests of an open document; none if they cannot be run."""
        file = self._test_file(uri)
        if file is None or await asyncio.to_thread(self._is_left_out, file):
            return []
        named = [
            NamedTest(
                name=test_name(file.runner, file.language, file.path, [one]), found=one
            )
            for one in await self._find(file)
            if is_run_by(one, file.runner)
        ]
        # A runner would read it as an option.
        return [one for one in named if not one.name.startswith("-")]

    async def start(
        self, uri: str, *, test: str | None = None, line: int | None = None
    ) -> RunRecord:
        """Start a run; returns at once.

        Args:
            uri: An open document.
            test: The name of the test; None: see `line`.
            line: Run the test around this line; None: all of the document.

        Raises:
            InvalidArgumentsError: If there is no such test, or it cannot be run.
        """
        file = self._checked(uri)
        tests = await self.tests_in(uri)
        if not tests:
            raise InvalidArgumentsError(
                f"No test was found in {file.path} that the command of "
                "`test.command` runs."
            )
        chosen = tests
        if test is not None:
            chosen = [one for one in tests if one.name == test]
        elif line is not None:
            chosen = [
                one
                for one in tests
                if one.found.first_line <= line <= one.found.last_line
            ][-1:]
        if not chosen:
            where = f"around line {(line or 0) + 1}" if test is None else repr(test)
            raise InvalidArgumentsError(
                f"There is no test {where} in {file.path}.",
                remedy="Ask for the tests of the document again; it may have changed.",
            )
        if sum(one.state in AT_WORK for one in self._runs.values()) >= MAX_RUNS:
            raise InvalidArgumentsError(
                f"{MAX_RUNS} test runs are waiting.", remedy="Cancel one of them."
            )
        one_name = chosen[0].name if len(chosen) == 1 else None
        run = RunRecord(
            id=secrets.token_hex(8),
            uri=uri,
            title=one_name or f"{len(chosen)} tests of {file.path}",
            tests=tuple(one.name for one in chosen),
        )
        self._record(run)
        work = self._run(run, file, chosen)
        task = self._tasks[run.id] = self._supervisor.start(work, name="run tests")
        task.add_done_callback(lambda ended: self._settle(run.id, ended))
        return run

    def cancel(self, run_id: str | None = None) -> bool:
        """Cancel a run, or all of them; return whether one was at work."""
        cancelled = [
            task for one, task in self._tasks.items() if one == run_id or run_id is None
        ]
        for task in cancelled:
            task.cancel()
        return bool(cancelled)

    def record(self, run_id: str) -> RunRecord:
        """Return a run.

        Raises:
            InvalidArgumentsError: If it is not known.
        """
        try:
            return self._runs[run_id]
        except KeyError:
            raise InvalidArgumentsError(
                f"There is no test run {run_id!r}.",
                remedy=f"The last {MAX_RUNS} runs are kept. Run the test again.",
            ) from None

    def failed_output(self, failure_id: str) -> FailedOutput:
        """Return the output of a failure.

        Raises:
            InvalidArgumentsError: If it is not known any more.
        """
        run_id, _, number = failure_id.partition(":")
        run = self.record(run_id)
        if failure_id not in {one.id for one in run.failures}:
            raise InvalidArgumentsError(f"There is no failure {failure_id!r}.")
        return FailedOutput(output=run.output, number=int(number), uri=run.uri)

    async def aclose(self) -> None:
        """Kill what runs. Idempotent."""
        await self._supervisor.aclose()

    # What can be run.

    def _checked(self, uri: str) -> _TestFile:
        """Return a document whose tests can be run, or say why they cannot."""
        self._services.workspace.document(uri)
        file = self._test_file(uri)
        if file is not None:
            return file
        settings = self._services.settings()
        if not settings.test.command:
            raise InvalidArgumentsError(
                "No `test.command` is configured.",
                remedy="Set it in your own config.toml: the words of the command, "
                "with {test} for the name of the test.",
            )
        root = self._root_of(uri)
        if root is None:
            raise InvalidArgumentsError(
                "The document is not a file of a workspace folder."
            )
        if not is_trusted(Path(uri_path(root)), settings.trust.workspaces):
            raise InvalidArgumentsError(
                "This folder is not in `trust.workspaces`, so its tests are not run.",
                remedy="Add it in your own config.toml.",
            )
        raise InvalidArgumentsError(
            f"The command of `test.command` collects no tests from "
            f"{path_in(uri, root)}, or Redline does not read its failures."
        )

    def _root_of(self, uri: str) -> str | None:
        return self._services.workspace.root_of(uri) if is_file(uri) else None

    def _test_file(self, uri: str) -> _TestFile | None:
        settings = self._services.settings()
        workspace = self._services.workspace
        if not settings.test.command or not workspace.has(uri):
            return None
        runner, root = runner_of(settings.test.command), self._root_of(uri)
        if runner is None or root is None:
            return None
        path = path_in(uri, root) or ""
        snapshot = workspace.document(uri).snapshot()
        language = language_of(uri, snapshot.language_id)
        if language is None or not collects(runner, language, path):
            return None
        if is_installed(path):
            return None
        if not is_trusted(Path(uri_path(root)), settings.trust.workspaces):
            return None
        return _TestFile(
            snapshot=snapshot,
            root=root,
            path=path,
            language=language,
            runner=runner,
        )

    def _is_left_out(self, file: _TestFile) -> bool:
        """Whether a link leads to it out of the trusted folders, or the copy lacks it
        since it is ignored; blocks.
        """
        settings = self._services.settings()
        place = Path(uri_path(file.snapshot.uri))
        if not look_up_trust(place, settings.trust.workspaces):
            return True
        is_in_copy = settings.test.where == "copy"
        reason = IgnoreRules().reason(file.snapshot.uri, [file.root])
        return is_in_copy and reason is not None

    async def _find(self, file: _TestFile) -> list[FoundTest]:
        snapshot = file.snapshot
        if len(snapshot.text) > _MAX_N_CHARS:
            return []
        # By the text: versions start again when a document is opened again.
        question = TestsQuestion(text=snapshot.text, language=file.language)
        known = self._found.get(snapshot.uri)
        if known is not None and known[0] == question:
            return known[1]
        try:
            found = await self._services.parser.run(FIND_TESTS, question)
        except ParserEndedError:
            found = []
        self._found = {
            uri: one
            for uri, one in self._found.items()
            if self._services.workspace.has(uri)
        }
        self._found[snapshot.uri] = (question, found)
        return found

    # Running.

    def _record(self, run: RunRecord) -> None:
        self._runs[run.id] = run
        for old in list(self._runs)[:-MAX_RUNS]:
            if self._runs[old].state not in AT_WORK:
                del self._runs[old]
        for follower in self._followers:
            follower(run)

    async def _run(
        self, run: RunRecord, file: _TestFile, tests: Sequence[NamedTest]
    ) -> None:
        try:
            self._record(await self._ended(run, file, tests))
        except CommandRunError as error:
            self._record(replace(run, state="error", message=str(error)))

    def _settle(self, run_id: str, ended: asyncio.Task[None]) -> None:
        """Record the end of a run that has not recorded it: one that was cancelled,
        perhaps before it began, or that failed inside Redline."""
        self._tasks.pop(run_id, None)
        run = self._runs.get(run_id)
        if run is None or run.state not in AT_WORK:
            return
        if ended.cancelled():
            message = f"Cancelled: {run.title}."
            self._record(replace(run, state="cancelled", message=message))
        else:
            message = f"The run failed inside Redline; see its log: {run.title}."
            self._record(replace(run, state="error", message=message))

    async def _ended(
        self, run: RunRecord, file: _TestFile, tests: Sequence[NamedTest]
    ) -> RunRecord:
        settings = self._services.settings().test
        all_tests = [one.found for one in tests]
        name = test_name(file.runner, file.language, file.path, all_tests)
        command = filled_command(settings.command, test=name, file=file.path)
        root = Path(uri_path(file.root))
        async with self._services.test_turn:
            self._record(replace(run, state="running"))
            documents = open_texts(self._services.workspace.snapshots(), file.root)
            if settings.where == "workspace":
                end = await run_command(command, root, timeout_s=settings.timeout_s)
                documents = {}
            else:
                async with workspace_copy(root, documents) as folder:
                    end = await run_command(
                        command, folder, timeout_s=settings.timeout_s
                    )
                    end = replace(end, output=with_true_paths(end.output, folder, root))
        open_uris = [one.uri for one in self._services.workspace.documents]
        return await asyncio.to_thread(
            self._read, run, end, file, tests, documents, open_uris
        )

    def _read(
        self,
        run: RunRecord,
        end: CommandEnd,
        file: _TestFile,
        tests: Sequence[NamedTest],
        documents: Mapping[str, str],
        open_uris: Sequence[str],
    ) -> RunRecord:
        """Read the output of a run; blocks."""
        run = replace(run, output=ending(end.output, MAX_OUTPUT_CHARS))
        if end.exit_code == 0:
            if has_run_none(end.output, [one.found for one in tests]):
                message = f"The command ended well, but it ran no test: {run.title}."
                return replace(run, state="error", message=message)
            return replace(run, state="passed", message=f"Passed: {run.title}.")
        if end.exit_code is None:
            limit_s = self._services.settings().test.timeout_s
            message = f"Ended after {limit_s:g} s (`test.timeout_s`): {run.title}."
            return replace(run, state="timeout", message=message)
        found = read_failures(end.output)
        uris = {path_in(uri, file.root) or "": uri for uri in open_uris}
        placing = FailurePlaces(Path(uri_path(file.root)), documents, uris)
        failures: list[RunFailure] = []
        for number, failure in enumerate(found):
            places = placing.places(failure)
            own = _test_of(failure, tests, file, places)
            if not places and own is not None:
                places = (placing.line(file.path, own.found.line),)
            failures.append(
                RunFailure(
                    id=f"{run.id}:{number}",
                    test=failure.test or "",
                    name=own.name if own is not None else "",
                    message=_message(failure),
                    places=places,
                )
            )
        run = replace(run, failures=tuple(failures))
        if run.failed:
            message = f"Failed: {', '.join(run.failed)}."
            return replace(run, state="failed", message=message)
        last = (end.output.strip().splitlines() or ["no output"])[-1][:200]
        message = f"The command failed before {run.title} did: {last}"
        return replace(run, state="error", message=message)


def _test_of(
    failure: ProgramFailure,
    tests: Sequence[NamedTest],
    file: _TestFile,
    places: Sequence[RunPlace],
) -> NamedTest | None:
    """Return the test of a file that fits the name of a failure best."""
    if not failure.test:
        # The output of one test that does not name it.
        return tests[0] if len(tests) == 1 and failure.kind == "pytest" else None
    if not names_file(failure.test, file.language) and _is_elsewhere(places, file):
        return None
    ranked = [
        (rank, one)
        for one in tests
        if (rank := match_rank(failure.test, one.found, file.language, file.path))
    ]
    best = max(ranked, key=lambda each: each[0], default=None)
    return None if best is None else best[1]


def _is_elsewhere(places: Sequence[RunPlace], file: _TestFile) -> bool:
    """Whether a failure is in another test file, and not in this one.

    Only for languages whose helpers of tests are in files without tests.
    """
    if file.language in (Language.GO, Language.RUST, Language.JAVA):
        return False
    paths = {path_in(one.uri, file.root) or "" for one in places}
    return file.path not in paths and any(
        collects(file.runner, file.language, path) for path in paths
    )


def _message(failure: ProgramFailure) -> str:
    words = ": ".join(filter(None, (failure.error, failure.message)))
    return (words or "failed")[:_MAX_MESSAGE_CHARS]
