"""Applies the fix of a finding where its lines are now, if it still passes.

The text may have changed since the fix was made, so the fix is checked again with the
current text; if it does not pass, the fast tier is asked for another one. The result is
one versioned edit, or an offer that the user accepts.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from redline.assist.edit.document.applier import Applier
from redline.assist.edit.edits import Edits, PendingOutcome
from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.result import EditRequest, WrittenEdit
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.review.change.reading import (
    MAX_FILE_BYTES,
    path_of,
    with_line_feeds,
)
from redline.assist.review.job.job_tools import JobTools
from redline.assist.review.shown.shown_findings import ShownFindings
from redline.errors import (
    CallerError,
    EditNotLandedError,
    OutdatedError,
    RedlineError,
    UnreadableFileError,
)
from redline.files import read_file
from redline.findings.finding import Claim, Finding
from redline.findings.fixes import with_fix
from redline.findings.following import SearchedText, Sighting
from redline.findings.scope import ReviewedFile
from redline.prompts.redaction import hide
from redline.syntax.language import language_of
from redline.text.document import Document
from redline.text.indentation import indent_of
from redline.text.line_diff import diff_lines
from redline.text.lines import split_lines, strip_end
from redline.text.position import Position, Range
from redline.text.region import TextEdit, range_of_lines, whole_lines

if TYPE_CHECKING:
    from redline.assist.review.job.fixing import Fixer, ToFix

_MAX_TRIES = 5
"""Plans that typing may invalidate before the fix is given up."""

ApplyToFile = Callable[[str, Sequence[str], TextEdit], Awaitable[bool]]
"""Asks the editor to change a file that is not open: its URI, its lines, the edit."""


class _Planned(msgspec.Struct, frozen=True):
    """The replacement for some lines of a text."""

    span: range
    new_text: str
    """LF line ends, without the last one."""


class FixApplier:
    """Applies fixes to open documents and to files."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        edits: Edits,
        shown: ShownFindings,
        tools: JobTools,
        applier: Applier,
        apply_to_file: ApplyToFile,
    ) -> None:
        self._workspace = workspace
        self._edits = edits
        self._shown = shown
        self._tools = tools
        self._applier = applier
        self._apply_to_file = apply_to_file
        self._ignore_rules = TimelyRules()
        self._lock = asyncio.Lock()

    async def apply(self, finding_id: str) -> None:
        """Apply a finding's fix.

        Raises:
            UnknownReviewError: If there is no such finding.
            CallerError: If it has no fix.
            OutdatedError: If its lines are gone, or no fix passes any longer.
            EditNotLandedError: If the editor rejects it.
            StoreError: If it is applied, and that cannot be stored now.
        """
        # One at a time: the second fix is planned on a text that has the first.
        async with self._lock:
            uri = self._shown.uri_of(finding_id)
            await self._shown.settle(uri)
            finding = self._fixable(finding_id)
            if self._workspace.has(uri):
                document = self._workspace.document(uri)
                new_text = await self._fix_document(finding, document)
            else:
                new_text = await self._fix_file(finding, uri)
            self._shown.fix_applied(finding_id, new_text)
            # The state is stored before the request is answered.
            await self._shown.store_fixes(uri)

    async def offer(self, finding_id: str) -> PendingOutcome:
        """Offer a finding's fix in the preview; it is fixed once that is accepted.

        Its session runs from the beginning: checking the fix can be stopped.

        Raises:
            UnknownReviewError: If there is no such finding.
            UnknownDocumentError: If its file is not open.
            CallerError: If it has no fix.
            OutdatedError: If its lines are gone.
        """
        uri = self._shown.uri_of(finding_id)
        await self._shown.settle(uri)
        finding = self._fixable(finding_id)
        document = self._workspace.document(uri)
        span = self._shown.shown(finding_id).quote.span
        if span is None:
            raise _lines_are_gone(finding)
        lines = document.snapshot().lines
        request = EditRequest(
            session_id=secrets.token_hex(8),
            uri=document.uri,
            range=range_of_lines(lines, span.start, len(span)),
            instruction=f"Fix this: {finding.title}. {finding.explanation}",
            kind="fix",
            apply="preview",
            title=f"Fix: {finding.title}",
        )
        return self._edits.open(
            request, finish=lambda: self._written(finding, document)
        )

    async def _written(self, finding: Finding, document: Document) -> WrittenEdit:
        planned, lines = await self._planned(finding, document)
        self._shown.fix_offered(finding.id, planned.new_text)
        return WrittenEdit(
            old_lines=tuple(lines[planned.span.start : planned.span.stop]),
            lines=tuple(_new_lines(lines, planned)),
        )

    def _fixable(self, finding_id: str) -> Finding:
        finding = self._shown.shown(finding_id).finding
        if finding.fix is None:
            raise CallerError(
                "The finding has no fix that has passed the checks.",
                remedy="Change its lines yourself, or by an instruction.",
            )
        return finding

    async def _fix_document(self, finding: Finding, document: Document) -> str:
        planned, _ = await self._planned(finding, document)
        await self._land(document, planned, finding)
        return planned.new_text

    async def _planned(
        self, finding: Finding, document: Document
    ) -> tuple[_Planned, Sequence[str]]:
        """Plan a fix, and return it with the current lines that it is for."""
        for _ in range(_MAX_TRIES):
            snapshot = document.snapshot()
            span = self._shown.shown(finding.id).quote.span
            planned = await self._plan(
                finding, snapshot.lines, span, document.language_id, document.uri
            )
            if not self._workspace.is_open(document):
                raise OutdatedError("The document was closed.")
            if document.version == snapshot.version:
                return planned, snapshot.lines
        raise OutdatedError("The document kept changing while the fix was checked.")

    async def _fix_file(self, finding: Finding, uri: str) -> str:
        lines = await asyncio.to_thread(_lines_on_disk, uri, self._workspace.roots)
        hint = self._shown.shown(finding.id).quote.hint
        found = await asyncio.to_thread(_sighting, lines, finding.quote, hint)
        language = language_of(finding.file) or ""
        planned = await self._plan(finding, lines, found.span, language, uri)
        edit = _edit(lines, planned)
        if not await self._apply_to_file(uri, lines, edit):
            raise EditNotLandedError("The editor refused the fix.")
        return planned.new_text

    async def _plan(
        self,
        finding: Finding,
        lines: Sequence[str],
        span: range | None,
        language: str,
        uri: str,
    ) -> _Planned:
        if span is None:
            raise _lines_are_gone(finding)
        task = await asyncio.to_thread(_task, finding, lines, span, language, uri)
        fixer = await asyncio.to_thread(self._new_fixer)
        roots = self._workspace.roots
        may_ask = await self._ignore_rules.awaited_reason(uri, roots) is None
        done = await fixer.fix(task, may_ask=lambda: may_ask)
        if done.fix is None and done.unchecked:
            raise OutdatedError(
                f"The fix of “{finding.title}” could not be checked: {done.unchecked}.",
                remedy="Nothing was changed; change its lines yourself.",
            )
        if done.fix is None:
            raise OutdatedError(
                f"The fix of “{finding.title}” no longer passes the checks: "
                "the text around it has changed.",
                remedy="Nothing was changed; review it again.",
            )
        return _Planned(span, done.fix.new_text)

    def _new_fixer(self) -> Fixer:
        """Create a fixer for the Python environment; slow, so call it in a thread."""
        # Imported here: it loads the checks, which showing findings does not need.
        from redline.assist.review.job.fixing import Fixer

        return Fixer(self._tools, roots=self._workspace.roots)

    async def _land(
        self, document: Document, planned: _Planned, finding: Finding
    ) -> None:
        lines = document.snapshot().lines
        span = planned.span
        edit_target = EditTarget(
            document, whole_lines(lines, span.start, span.stop - 1)
        )
        watcher = _Watcher(edit_target)
        self._workspace.watch(document.uri, watcher)
        try:
            landed = await self._applier.land(
                edit_target,
                diff_lines(edit_target.region.lines, _new_lines(lines, planned)),
                label=f"Redline: fix {finding.title}",
            )
        finally:
            self._workspace.unwatch(document.uri, watcher)
            edit_target.release()
        if landed != "landed":
            raise OutdatedError("The lines were changed while the fix was applied.")

    async def fix_all(
        self, finding_ids: Sequence[str]
    ) -> tuple[list[str], dict[str, str]]:
        """Apply several fixes, each to the text that contains the earlier ones.

        Returns:
            The ids of the fixed findings, and why the others are not fixed, by id.
        """
        fixed: list[str] = []
        refused: dict[str, str] = {}
        for finding_id in finding_ids:
            try:
                await self.apply(finding_id)
            except RedlineError as exc:
                refused[finding_id] = f"{exc} {exc.remedy}".strip()
            else:
                fixed.append(finding_id)
        return fixed, refused


class _Watcher:
    """Forwards changes of a document to its edit target."""

    def __init__(self, edit_target: EditTarget) -> None:
        self._edit_target = edit_target

    def document_changed(self) -> None:
        self._edit_target.has_landed()

    def document_closed(self) -> None:
        self._edit_target.release()


def _lines_are_gone(finding: Finding) -> OutdatedError:
    return OutdatedError(
        f"The lines of “{finding.title}” are gone.",
        remedy="Nothing was changed: the fix only fits those lines.",
    )


def _task(
    finding: Finding, lines: Sequence[str], span: range, language: str, uri: str
) -> ToFix:
    """Build the task of fixing a finding in the current text; slow, so call it in a
    thread."""
    from redline.assist.review.job.fixing import ToFix

    assert finding.fix is not None
    quote = "\n".join(strip_end(lines[number]) for number in span)
    text = with_line_feeds("".join(lines))
    _, table = hide(text, path=finding.file)
    return ToFix(
        finding=msgspec.structs.replace(
            finding, first_line=span.start, end_line=span.stop, quote=quote
        ),
        claim=Claim(
            file=finding.file,
            quote=quote,
            severity=finding.severity,
            category=finding.category,
            title=finding.title,
            explanation=finding.explanation,
            fix=_indented_as(quote, finding.quote, finding.fix.new_text),
        ),
        file=ReviewedFile(
            path=finding.file,
            uri=uri,
            language=language,
            text=text,
            spans=((span.start, span.stop),),
        ),
        table=table,
    )


def _sighting(lines: Sequence[str], quote: str, hint: int) -> Sighting:
    return SearchedText(lines).search(quote, hint=hint)


def _indented_as(now: str, then: str, new_text: str) -> str:
    """Change the indentation of new lines from that of `then` to that of `now`."""
    old, new = indent_of(then), indent_of(now)
    if old == new:
        return new_text
    return "\n".join(
        new + line.removeprefix(old) if line.startswith(old) and line.strip() else line
        for line in new_text.split("\n")
    )


def _new_lines(lines: Sequence[str], planned: _Planned) -> Sequence[str]:
    """Return the replacement of the planned lines, with the line ends of the text."""
    after = with_fix(lines, planned.span, planned.new_text)
    n_rest = len(lines) - planned.span.stop
    return after[planned.span.start : len(after) - n_rest]


def _edit(lines: Sequence[str], planned: _Planned) -> TextEdit:
    """Turn a plan into one text edit."""
    span = planned.span
    end = Position(span.stop, 0)
    if span.stop == len(lines):
        end = Position(span.stop - 1, len(lines[-1]))
    return TextEdit(
        range=Range(Position(span.start, 0), end),
        new_text="".join(_new_lines(lines, planned)),
    )


def _lines_on_disk(uri: str, roots: Sequence[str]) -> Sequence[str]:
    folders = [folder for root in roots if (folder := path_of(root)) is not None]
    path = path_of(uri)
    if path is None:
        raise OutdatedError("The document is no longer open.")
    try:
        # Line ends are kept, so that other lines stay the same.
        content = read_file(path, max_bytes=MAX_FILE_BYTES, roots=folders)
        return split_lines(content.decode("utf-8-sig"))
    except (UnreadableFileError, UnicodeDecodeError) as exc:
        raise OutdatedError("The file can no longer be read.") from exc
