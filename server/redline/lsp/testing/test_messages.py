"""The messages of test runs; see `lsp/extensions.py` for the others."""

from __future__ import annotations

from msgspec import Struct

from redline.assist.testing.run_state import RunState
from redline.lsp.messages import LspPosition, LspRange


class _Message(Struct, frozen=True, rename="camel"):
    """What the server sends."""


class _Arguments(
    Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """What a client sends to a command."""


class RunTestsArguments(_Arguments, frozen=True):
    """Arguments of `redline.runTests`: a test, the one at a place, or all."""

    uri: str
    test: str | None = None
    """The name of a test of the document, as in its code lens."""
    position: LspPosition | None = None
    """Run the test around it; with neither, all tests of the document."""


class RunTestsResult(_Message, frozen=True):
    """The result of `redline.runTests`."""

    run_id: str


class CancelTestsArguments(_Arguments, frozen=True):
    """Arguments of `redline.cancelTests`."""

    run_id: str | None = None
    """Absent: all runs."""


class CancelTestsResult(_Message, frozen=True):
    """The result of `redline.cancelTests`."""

    cancelled: bool
    """Whether a run was at work."""


class TestFailure(_Message, frozen=True):
    """A failure of a run."""

    id: str
    test: str
    """The name of the test as it was printed; empty: it is of none."""
    message: str
    uri: str
    """The file that has the failing line; empty: none of the workspace."""
    range: LspRange


class TestRunStatus(_Message, frozen=True):
    """`redline/tests`, and a member of the result of `redline.testRuns`."""

    run_id: str
    uri: str
    title: str
    tests: tuple[str, ...]
    state: RunState
    message: str
    failed: tuple[str, ...]
    failures: tuple[TestFailure, ...]


class TestRunList(_Message, frozen=True):
    """The result of `redline.testRuns`."""

    runs: tuple[TestRunStatus, ...]


class TestOutputArguments(_Arguments, frozen=True):
    """Arguments of `redline.testOutput`."""

    run_id: str


class TestOutputResult(_Message, frozen=True):
    """The result of `redline.testOutput`."""

    output: str


class FailureData(_Message, frozen=True):
    """The `data` of a diagnostic: which failure it is."""

    failure: str
