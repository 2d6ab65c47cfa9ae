"""Shows test runs in documents: code lenses, diagnostics and code actions.

A diagnostic is at the line where a test failed. It follows the text, and goes when that
line is changed, when its test runs again, or when its run is forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec import UNSET, Struct, UnsetType

from redline.assist.actions.kinds import DEBUG, QUICK_FIX, TESTS, is_wanted
from redline.assist.editor.workspace import Workspace
from redline.assist.testing.failure_places import RunPlace
from redline.assist.testing.run_state import AT_WORK
from redline.assist.testing.test_runs import RunFailure, RunRecord, TestRuns
from redline.lsp.actions.action_messages import LspCommand
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.client.diagnostics import (
    ERROR,
    DiagnosticBoard,
    Location,
    LspDiagnostic,
    RelatedInformation,
)
from redline.lsp.plan.plan_messages import DebugArguments
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspPosition, LspRange, wire_range
from redline.lsp.review.finding_board import CodeLens
from redline.lsp.testing.test_messages import FailureData, RunTestsArguments
from redline.text.anchor import Anchor, Splice
from redline.text.document import Document
from redline.text.lines import strip_end
from redline.text.markdown import plain_message
from redline.text.position import Position, Range

SOURCE = "redline-test"

_OWNER = "tests"
_MAX_LINES_ABOVE = 400
_MAX_MOVED = 200
"""How far a line is looked for that moved while its test ran, in lines."""
_MAY_BE_TEST = re.compile(
    r"\s*(?:(?:async )?def test|func (?:Test|Fuzz)|#\[.*\btest\b|@[\w.]*Test\b"
    r"|(?:test|it)\b[\w.]*\()"
)
"""The start of a test in any language: the menu does not wait for a parser."""


class _Mark(Struct, kw_only=True):
    """A failure that is shown, at its first place."""

    run: RunRecord
    failure: RunFailure
    place: RunPlace
    anchor: Anchor | None = None
    """While the document is open."""


class TestBoard:
    """Shows the runs of one editor; follows the workspace for the places."""

    def __init__(
        self,
        runs: TestRuns,
        workspace: Workspace,
        diagnostics: DiagnosticBoard,
        *,
        shows_related: bool,
    ) -> None:
        self._runs = runs
        self._workspace = workspace
        self._diagnostics = diagnostics
        self._shows_related = shows_related
        self._marks: dict[str, list[_Mark]] = {}
        workspace.follow(self)

    async def lenses(self, uri: str) -> list[CodeLens]:
        """Return the lenses of a document: to run each test, and to debug it."""
        tests = await self._runs.tests_in(uri)
        lenses = []
        if len(tests) > 1:
            arguments = RunTestsArguments(uri=uri)
            title = f"Run all {len(tests)} tests"
            lenses.append(_lens(0, title, names.RUN_TESTS, arguments))
        failed = self._failed(uri)
        for one in tests:
            run = RunTestsArguments(uri=uri, test=one.name)
            line = one.found.line
            lenses.append(_lens(line, "Run test", names.RUN_TESTS, run))
            if one.name in failed:
                debug = DebugArguments(failure=failed[one.name])
                lenses.append(_lens(line, "Debug failure", names.DEBUG, debug))
        return lenses

    def actions(
        self, uri: str, place: LspRange, only: Collection[str] | None
    ) -> Iterator[MenuEntry]:
        """Yield the entries of the menu, also for clients without lenses."""
        lines = range(place.start.line, place.end.line + 1)
        for mark in self._marks.get(uri, ()):
            kind = DEBUG if only and not is_wanted(QUICK_FIX, only) else QUICK_FIX
            if _line(mark) in lines and is_wanted(kind, only):
                yield MenuEntry(
                    title="Debug this failure",
                    kind=kind,
                    command=names.DEBUG,
                    arguments=DebugArguments(failure=mark.failure.id),
                    failure=mark.failure.id,
                )
        if not is_wanted(TESTS, only) or not self._runs.may_run(uri):
            return
        if self._is_near_test(uri, place.end.line):
            here = RunTestsArguments(uri=uri, position=place.end)
            yield _run_action("Run this test", here)
        yield _run_action("Run the tests of this file", RunTestsArguments(uri=uri))

    def changed(self, run: RunRecord) -> None:
        """Show the failures of a run that has ended, instead of earlier ones.

        The failures of runs that are forgotten go, too: nothing can debug them.
        """
        known = {one.id for one in self._runs.records}
        has_ended = run.state not in AT_WORK and run.state != "cancelled"

        def is_gone(mark: _Mark) -> bool:
            is_replaced = has_ended and _is_replaced(mark, run)
            return is_replaced or mark.run.id not in known

        touched = set(self._marks)
        is_any_gone = self._drop(is_gone)
        if not (has_ended or is_any_gone):
            return
        for failure in run.failures:
            if failure.places:
                mark = _Mark(run=run, failure=failure, place=failure.places[0])
                self._marks.setdefault(mark.place.uri, []).append(mark)
                if self._workspace.has(mark.place.uri):
                    self._fix(mark, self._workspace.document(mark.place.uri))
        for uri in touched | set(self._marks):
            self._settle(uri)

    # As a `WorkspaceFollower`.

    def document_opened(self, document: Document) -> None:
        """Find the places again, in the text that the editor has."""
        if document.uri in self._marks:
            for mark in self._marks[document.uri]:
                self._fix(mark, document)
            self._settle(document.uri)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Do nothing: the anchors follow."""

    def document_changed(self, document: Document) -> None:
        marks = self._marks.get(document.uri, ())
        touched = [mark for mark in marks if mark.anchor and mark.anchor.is_touched]
        for mark in touched:
            self._fix(mark, document, near=mark.anchor)
        if touched:
            self._settle(document.uri)

    def document_closed(self, document: Document) -> None:
        """Keep the marks, at the lines where they are now."""
        for mark in self._marks.get(document.uri, ()):
            if mark.anchor is not None:
                mark.place = RunPlace(
                    uri=document.uri,
                    line=mark.anchor.range.start.line,
                    text=mark.place.text,
                    function=mark.place.function,
                )
                mark.anchor = None

    def _fix(
        self, mark: _Mark, document: Document, *, near: Anchor | None = None
    ) -> None:
        """Anchor a mark at its line, if the document still has that line.

        Args:
            mark: The mark.
            document: The document of its place.
            near: Where the line is now, if it has been followed; None: it may have
                moved, and the nearest line with its text is taken.
        """
        line = near.range.start.line if near else _nearest(document, mark.place)
        if mark.anchor is not None:
            document.release(mark.anchor)
            mark.anchor = None
        lines = [] if line is None else document.lines_between(line, line + 1)
        text = strip_end(lines[0]) if lines else ""
        if line is None or not lines or text.strip() != mark.place.text:
            return
        first = len(text) - len(text.lstrip())
        whole = Range(Position(line, first), Position(line, len(text.rstrip())))
        mark.anchor = document.anchor(whole)

    def _settle(self, uri: str) -> None:
        """Publish the marks of a file, without those whose line is gone."""
        marks = self._marks.get(uri, [])
        version = None
        if self._workspace.has(uri):
            marks = [mark for mark in marks if mark.anchor is not None]
            version = self._workspace.document(uri).version
        self._marks[uri] = marks
        if not marks:
            del self._marks[uri]
        shown = [self._diagnostic(mark) for mark in marks]
        self._diagnostics.put(_OWNER, uri, shown, version=version)

    def _diagnostic(self, mark: _Mark) -> LspDiagnostic:
        failure = mark.failure
        related: tuple[RelatedInformation, ...] | UnsetType = UNSET
        if self._shows_related and len(failure.places) > 1:
            related = tuple(
                RelatedInformation(
                    Location(one.uri, _whole_line(one.line, one.text)),
                    plain_message(one.function or one.text),
                )
                for one in failure.places[1:]
            )
        text = f"{failure.message}\n{failure.test}".strip()
        return LspDiagnostic(
            range=self._range(mark),
            message=plain_message(text),
            severity=ERROR,
            source=SOURCE,
            related_information=related,
            data=FailureData(failure=failure.id),
        )

    def _range(self, mark: _Mark) -> LspRange:
        if mark.anchor is None:
            return _whole_line(mark.place.line, mark.place.text)
        snapshot = self._workspace.document(mark.place.uri).snapshot()
        return wire_range(snapshot, mark.anchor.range)

    def _drop(self, is_gone: Callable[[_Mark], bool]) -> bool:
        """Remove marks, unpublished so far; return whether there were any."""
        is_any_gone = False
        for uri, marks in self._marks.items():
            for mark in filter(is_gone, marks):
                is_any_gone = True
                if mark.anchor is not None:
                    self._workspace.document(uri).release(mark.anchor)
            self._marks[uri] = [mark for mark in marks if not is_gone(mark)]
        return is_any_gone

    def _failed(self, uri: str) -> dict[str, str]:
        """Return the failures of the tests of a document that failed when run last."""
        found: dict[str, str] = {}
        for run in self._runs.records:
            if run.uri != uri or run.state in AT_WORK or run.state == "cancelled":
                continue
            for test in run.tests:
                found.pop(test, None)
            for one in run.failures:
                if one.name:
                    found.setdefault(one.name, one.id)
        return found

    def _is_near_test(self, uri: str, line: int) -> bool:
        document = self._workspace.document(uri)
        above = document.lines_between(max(0, line - _MAX_LINES_ABOVE), line + 2)
        return any(map(_MAY_BE_TEST.match, above))


def _is_replaced(mark: _Mark, run: RunRecord) -> bool:
    """Whether a run says again what a mark says: it ran the same test."""
    if mark.run.uri != run.uri:
        return False
    if mark.failure.name:
        return mark.failure.name in run.tests
    return not set(mark.run.tests).isdisjoint(run.tests)


def _nearest(document: Document, place: RunPlace) -> int | None:
    """Return the line with the text of a place that is nearest to it; None: there is
    none, or only a blank one elsewhere."""
    first = max(0, place.line - _MAX_MOVED)
    found = [
        first + number
        for number, text in enumerate(
            document.lines_between(first, place.line + _MAX_MOVED + 1)
        )
        if text.strip() == place.text
    ]
    if not place.text:
        return place.line if place.line in found else None
    return min(found, key=lambda line: abs(line - place.line), default=None)


def _line(mark: _Mark) -> int:
    return mark.place.line if mark.anchor is None else mark.anchor.range.start.line


def _whole_line(line: int, text: str) -> LspRange:
    return LspRange(LspPosition(line, 0), LspPosition(line, len(text)))


def _lens(line: int, title: str, command: str, arguments: Struct) -> CodeLens:
    at = LspPosition(line, 0)
    return CodeLens(LspRange(at, at), LspCommand(title, command, [arguments]))


def _run_action(title: str, arguments: RunTestsArguments) -> MenuEntry:
    return MenuEntry(
        title=title, kind=TESTS, command=names.RUN_TESTS, arguments=arguments
    )
