"""What is shown in the documents of plans: lenses, code actions, and problems."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import NamedTuple

from msgspec import Struct

from redline.assist.actions.kinds import REVIEW, is_wanted
from redline.assist.editor.workspace import Workspace
from redline.assist.plan.plans import Plans
from redline.errors import UnknownPlanError
from redline.lsp.actions.action_messages import LspCommand
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.client.diagnostics import DiagnosticBoard, warning
from redline.lsp.edit import edit_messages
from redline.lsp.plan.plan_messages import (
    ApplyPlanArguments,
    PlanIdArguments,
    RunPlanArguments,
)
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspPosition, LspRange
from redline.lsp.review.finding_board import CodeLens
from redline.plans.document import PlanDocument, plan_id_of, read_document
from redline.plans.record import PlanRecord
from redline.plans.states import PLAN_ENDS, WAITS_FOR_USER
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.uri import uri_path

_FOLDER = "plans"


class _Entry(NamedTuple):
    title: str
    command: str
    arguments: Struct
    line: int = 0


class PlanBoard:
    """Shows plans in their documents; follows the workspace for their problems."""

    def __init__(
        self, plans: Plans, workspace: Workspace, diagnostics: DiagnosticBoard
    ) -> None:
        self._plans = plans
        self._workspace = workspace
        self._diagnostics = diagnostics
        for document in workspace.documents:
            self.document_opened(document)
        workspace.follow(self)

    def lenses(self, uri: str) -> list[CodeLens]:
        """Return the lenses of a plan's document; none of another one."""
        return [
            CodeLens(_at(one.line), LspCommand(one.title, one.command, [one.arguments]))
            for one in self._entries(uri)
        ]

    def actions(
        self, uri: str, place: LspRange, only: Collection[str] | None
    ) -> Sequence[MenuEntry]:
        """Return the same as entries of the menu, for clients without lenses."""
        if not is_wanted(REVIEW, only):
            return []
        return [
            MenuEntry(
                title=one.title,
                kind=REVIEW,
                command=one.command,
                arguments=one.arguments,
            )
            for one in self._entries(uri)
            if not one.line or self._is_near(uri, place.start.line, one.line)
        ]

    # As a `WorkspaceFollower`.

    def document_opened(self, document: Document) -> None:
        """Mark what cannot be read."""
        self._mark(document)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Do nothing: the whole document is read after the message."""

    def document_changed(self, document: Document) -> None:
        """Mark what cannot be read."""
        self._mark(document)

    def document_closed(self, document: Document) -> None:
        if self._record(document.uri) is not None:
            self._diagnostics.put("plans", document.uri, ())

    def _mark(self, document: Document) -> None:
        if self._record(document.uri) is None:
            return
        read = read_document(document.snapshot().text)
        problems = [
            warning(_at(one.line), one.message, code="plan") for one in read.problems
        ]
        self._diagnostics.put("plans", document.uri, problems, version=document.version)

    def _record(self, uri: str) -> PlanRecord | None:
        # Every keystroke of every document passes here.
        if not uri.endswith(".md"):
            return None
        path: PurePath = uri_path(uri)
        if path.parent.name != _FOLDER:
            return None
        try:
            return self._plans.records.plan(plan_id_of(path.name))
        except UnknownPlanError:
            return None

    def _entries(self, uri: str) -> list[_Entry]:
        record = self._record(uri)
        if record is None:
            return []
        own = PlanIdArguments(plan_id=record.id)
        back = _Entry(
            "Take back",
            names.TAKE_BACK,
            edit_messages.TakeBackArguments(plan_id=record.id),
        )
        is_applied = bool(record.landed.changes())
        if record.state in PLAN_ENDS:
            return [back] if is_applied else []
        if record.state not in WAITS_FOR_USER:
            return [_Entry(f"Cancel ({record.step})", names.CANCEL_PLAN, own)]
        run = RunPlanArguments(plan_id=record.id)
        about = ""
        if record.state == "planned" and record.estimate is not None:
            about = f" (about ${record.estimate:.4f})"
        entries = [
            _Entry(f"Run{about}", names.RUN_PLAN, run),
            _Entry("Plan again", names.PLAN_AGAIN, own),
            _Entry("Discard", names.REJECT_PLAN, own),
        ]
        if record.state in ("ready", "held") and record.overlay.changes():
            title = "Apply" if record.state == "ready" else "Apply (held)"
            arguments = ApplyPlanArguments(plan_id=record.id)
            entries.insert(0, _Entry(title, names.APPLY_PLAN, arguments))
        if is_applied:
            entries.append(back)
        for step_id, line in self._read(uri, record).step_lines:
            state = record.step_record(step_id).state
            title = f"Run this step ({state})"
            only = RunPlanArguments(plan_id=record.id, steps=(step_id,))
            entries.append(_Entry(title, names.RUN_PLAN, only, line))
        return entries

    def _read(self, uri: str, record: PlanRecord) -> PlanDocument:
        if not self._workspace.has(uri):
            return PlanDocument(plan=record.plan or read_document("").plan)
        return read_document(self._workspace.document(uri).snapshot().text)

    def _is_near(self, uri: str, line: int, heading: int) -> bool:
        record = self._record(uri)
        if record is None:
            return False
        lines = [at for _, at in self._read(uri, record).step_lines if at <= line]
        return bool(lines) and lines[-1] == heading


def _at(line: int) -> LspRange:
    place = LspPosition(line, 0)
    return LspRange(place, place)
