"""The messages of test runs."""

from __future__ import annotations

from redline.assist.testing.run_state import RunState
from redline.lsp.protocol.message_bases import SentMessage, SparseArguments
from redline.lsp.protocol.messages import LspPosition, LspRange


class RunTestsArguments(SparseArguments, frozen=True):
    """Arguments of `redline.runTests`: a test, the one at a place, or all."""

    uri: str
    test: str | None = None
    """The name of a test of the document, as in its code lens."""
    position: LspPosition | None = None
    """Run the test around it; with neither, all tests of the document."""


class RunTestsResult(SentMessage, frozen=True):
    run_id: str


class CancelTestsArguments(SparseArguments, frozen=True):
    run_id: str | None = None
    """Absent: all runs."""


class CancelTestsResult(SentMessage, frozen=True):
    cancelled: bool
    """Whether a run was at work."""


class TestFailure(SentMessage, frozen=True):
    id: str
    test: str
    """The name of the test as it was printed; empty: it is of none."""
    message: str
    uri: str
    """The file that has the failing line; empty: none of the workspace."""
    range: LspRange


class TestRunStatus(SentMessage, frozen=True):
    """`redline/tests`, and a member of the result of `redline.testRuns`."""

    run_id: str
    uri: str
    title: str
    tests: tuple[str, ...]
    state: RunState
    message: str
    failed: tuple[str, ...]
    failures: tuple[TestFailure, ...]


class TestRunList(SentMessage, frozen=True):
    """The result of `redline.testRuns`."""

    runs: tuple[TestRunStatus, ...]


class TestOutputArguments(SparseArguments, frozen=True):
    run_id: str


class TestOutputResult(SentMessage, frozen=True):
    output: str


class FailureData(SentMessage, frozen=True):
    """The `data` of a diagnostic: which failure it is."""

    failure: str
