"""Marks the problems of an edit that is in the document despite them.

Growing steps enter the document before they can be checked. Their problems are marked
there until the user changes the lines or takes the edit back.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State
from redline.assist.editor.editor import Editor, ProblemMark
from redline.assist.editor.workspace import Workspace
from redline.checks.problem import Problem
from redline.text.document import Document
from redline.text.lines import strip_end
from redline.text.position import Position, Range


class ProblemMarks:
    """The marks in the documents of one editor."""

    def __init__(self, workspace: Workspace, editor: Editor) -> None:
        self._workspace = workspace
        self._editor = editor
        self._marked: list[_MarkedEdit] = []

    def session_changed(self, session: EditSession) -> None:
        """Mark the problems of an edit that has just landed."""
        document = session.edit_target.document
        is_marked = session.state is State.APPLIED and bool(session.offer.problems)
        if not is_marked or not self._workspace.is_open(document):
            return
        edit = _MarkedEdit(self, session.edit_target, session.offer.problems)
        self._marked.append(edit)
        self._workspace.watch(document.uri, edit)
        self.show(document)

    def show(self, document: Document) -> None:
        """Send all marks of a document at their current places."""
        marks = [
            mark
            for edit in self._marked
            if edit.edit_target.document is document
            for mark in edit.marks()
        ]
        self._editor.mark(document.snapshot(), marks)

    def remove(self, edit: _MarkedEdit) -> None:
        self._marked.remove(edit)
        edit.edit_target.release()
        self._workspace.unwatch(edit.edit_target.document.uri, edit)
        self.show(edit.edit_target.document)

    def close(self) -> None:
        for edit in tuple(self._marked):
            self.remove(edit)


class _MarkedEdit:
    """An edit with problems; watches its document."""

    def __init__(
        self, owner: ProblemMarks, edit_target: EditTarget, problems: Sequence[Problem]
    ) -> None:
        self.edit_target = EditTarget(
            edit_target.document,
            replace(edit_target.region, range=edit_target.place),
        )
        self._owner = owner
        self._problems = problems
        self._n_above = edit_target.n_above
        self._shown_at = self.edit_target.place

    def marks(self) -> list[ProblemMark]:
        """Return its problems at their current places."""
        self._shown_at = self.edit_target.place
        return [
            ProblemMark(
                range=self._range(problem.line),
                rule=problem.rule,
                message=problem.message,
            )
            for problem in self._problems
        ]

    def document_changed(self) -> None:
        """Move the marks with the text, or remove them once the text is changed."""
        if self.edit_target.is_touched:
            self._owner.remove(self)
        elif self.edit_target.place != self._shown_at:
            self._owner.show(self.edit_target.document)

    def document_closed(self) -> None:
        self._owner.remove(self)

    def _range(self, line: int | None) -> Range:
        lines = self.edit_target.region.lines
        if line is None or not lines:
            return self.edit_target.place
        line = min(self._n_above + line, len(lines) - 1)
        content = strip_end(lines[line])
        at = self.edit_target.first_line + line
        n_blank = len(content) - len(content.lstrip())
        return Range(Position(at, n_blank), Position(at, len(content)))
