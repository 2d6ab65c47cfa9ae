"""Computes the edit of a code action from its data, once it is chosen."""

from __future__ import annotations

from typing import Protocol, TypeVar

import msgspec

from redline.assist.edit.computed_edit import computed_edit
from redline.assist.edit.edits import Edits, PendingOutcome
from redline.assist.edit.precompute import PrecomputedFixes, hand_over_request
from redline.assist.edit.write_tests import TestWriter
from redline.assist.editor.workspace import Workspace
from redline.errors import InvalidArgumentsError, OutdatedError
from redline.lsp.client.workspace_edits import EditForms
from redline.lsp.edit import edit_messages
from redline.lsp.edit.edited_ranges import edit_work
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import WorkspaceEdit, our_range
from redline.text.document import Snapshot

_T = TypeVar("_T")

_DATA = msgspec.json.Decoder(edit_messages.ActionData)


class ChosenAction(Protocol):
    """An action whose edit is being computed."""

    async def edit(self) -> WorkspaceEdit:
        """Wait for the edit."""

    def cancel(self) -> None:
        """Stop the work at once, without an answer; idempotent."""


class ActionResolver:
    """Starts the work of an action."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        edits: Edits,
        tests: TestWriter,
        precomputed: PrecomputedFixes,
        edit_forms: EditForms,
    ) -> None:
        self._workspace = workspace
        self._edits = edits
        self._tests = tests
        self._precomputed = precomputed
        self._edit_forms = edit_forms

    def choose(self, data: object) -> ChosenAction | None:
        """Start the work of an action's data; None if they are not for an edit.

        Raises:
            OutdatedError: If the document has changed since the action was offered.
            InvalidArgumentsError: If the data are invalid.
        """
        action = _read(data)
        if action is None or action.command not in (names.EDIT, names.WRITE_TESTS):
            return None
        if action.command == names.WRITE_TESTS:
            tests = _arguments(action, edit_messages.WriteTestsArguments)
            snapshot = self._snapshot(tests.uri, action.version)
            return _ChosenTests(self._tests, self._edit_forms, snapshot, tests)
        edit = _arguments(action, edit_messages.EditArguments)
        asked = self._open(edit, self._snapshot(edit.uri, action.version))
        return _ChosenEdit(asked, self._edit_forms)

    def _snapshot(self, uri: str, version: int) -> Snapshot:
        snapshot = self._workspace.document(uri).snapshot()
        if snapshot.version != version:
            raise OutdatedError("The document has changed since this was offered.")
        return snapshot

    def _open(
        self, edit: edit_messages.EditArguments, snapshot: Snapshot
    ) -> PendingOutcome:
        work = edit_work(edit, snapshot)
        ready = self._precomputed.take(snapshot.uri, snapshot.version, work)
        if ready is not None:
            return ready
        return self._edits.open(hand_over_request(snapshot.uri, work, title=edit.title))


class _ChosenEdit:
    def __init__(self, asked: PendingOutcome, forms: EditForms) -> None:
        self._asked = asked
        self._forms = forms

    async def edit(self) -> WorkspaceEdit:
        done = await computed_edit(self._asked)
        return self._forms.of_edits(done.snapshot, done.edits)

    def cancel(self) -> None:
        self._asked.cancel()


class _ChosenTests:
    def __init__(
        self,
        tests: TestWriter,
        forms: EditForms,
        snapshot: Snapshot,
        arguments: edit_messages.WriteTestsArguments,
    ) -> None:
        self._tests = tests
        self._forms = forms
        self._snapshot = snapshot
        self._arguments = arguments

    async def edit(self) -> WorkspaceEdit:
        arguments = self._arguments
        selection = self._snapshot.range_from_client(our_range(arguments.range))
        wish = arguments.wish or ""
        tests = await self._tests.write(self._snapshot, selection, wish=wish)
        return self._forms.of_tests(tests)

    def cancel(self) -> None:
        """Do nothing: the writer stops with the task that awaits `edit`."""


def _read(data: object) -> edit_messages.ActionData | None:
    """Read an action's data; None if they are not ours.

    Raises:
        InvalidArgumentsError: If they cannot be encoded.
    """
    try:
        return _DATA.decode(msgspec.json.encode(data))
    except (msgspec.DecodeError, TypeError):
        return None
    except UnicodeEncodeError as exc:
        # Half of an emoji: it cannot be answered either.
        raise InvalidArgumentsError("The action's data are not in UTF-8.") from exc


def _arguments(action: edit_messages.ActionData, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(action.arguments, type=kind)
    except msgspec.DecodeError as exc:
        raise InvalidArgumentsError("The action's data do not fit.") from exc
