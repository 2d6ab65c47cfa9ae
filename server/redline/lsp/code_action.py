"""`textDocument/codeAction` and `codeAction/resolve`.

The menu is answered inside the reader, from the text alone. What an action does is
computed once it is chosen: in `codeAction/resolve`, or by a command for clients that
do not resolve.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, assert_never

import msgspec

from redline.assist.actions.action import (
    Action,
    Diagnostic,
    EditWork,
    ExplainWork,
    LiveSession,
    SessionWork,
    Spot,
    TestsWork,
    Work,
)
from redline.assist.actions.catalogue import catalogue
from redline.assist.actions.scope import lines_of, without_block_cursor
from redline.assist.edit.edits import Asked, Edits
from redline.assist.edit.states import WAITING
from redline.assist.hand_over import handed_over
from redline.assist.precompute import Precomputed
from redline.assist.result import EditRequest
from redline.assist.workspace import Workspace
from redline.assist.write_tests import TestWriter
from redline.errors import InvalidArgumentsError, OutdatedError
from redline.lsp import extensions, names
from redline.lsp.action_messages import (
    ChosenAction,
    CodeAction,
    CodeActionParams,
    Command,
    GivenDiagnostic,
    read_diagnostics,
    read_only,
)
from redline.lsp.endpoint import Endpoint
from redline.lsp.messages import Range as WireRange
from redline.lsp.messages import optional_text_range, our_range, wire_range
from redline.lsp.request_context import Later
from redline.lsp.review_menu import ReviewAction, ReviewMenu
from redline.lsp.workspace_edits import EditForms
from redline.settings.actions import ActionSettings
from redline.text.document import Snapshot
from redline.text.position import Range

_T = TypeVar("_T")

_DATA = msgspec.json.Decoder(extensions.ActionData)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionForms:
    """How a client takes code actions."""

    takes_actions: bool
    """Whether an action may be more than a command."""
    resolves_edits: bool
    can_ask: bool
    """Whether it asks the user for the instruction of a redirect."""


class CodeActions:
    """Offers actions, and computes the edit of the one that was chosen."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        edits: Edits,
        tests: TestWriter,
        precomputed: Precomputed,
        settings: Callable[[], ActionSettings],
        forms: ActionForms,
        edit_forms: EditForms,
        note_diagnostics: Callable[[str, int, Sequence[Diagnostic]], None],
        reviews: ReviewMenu,
        has_model: Callable[[], bool],
    ) -> None:
        self._workspace = workspace
        self._edits = edits
        self._tests = tests
        self._precomputed = precomputed
        self._settings = settings
        self._forms = forms
        self._edit_forms = edit_forms
        self._note_diagnostics = note_diagnostics
        self._reviews = reviews
        self._has_model = has_model

    def serve(self, endpoint: Endpoint) -> None:
        """Register the requests."""
        endpoint.on_request_now(
            "textDocument/codeAction", CodeActionParams, self._offer
        )
        endpoint.on_request_now("codeAction/resolve", ChosenAction, self._resolve)

    # The menu.

    def _offer(self, params: CodeActionParams) -> list[CodeAction | Command]:
        uri = params.text_document.uri
        if not self._workspace.has(uri):
            return []
        snapshot = self._workspace.document(uri).snapshot()
        given = read_diagnostics(params.context.diagnostics, snapshot)
        spot = Spot(
            language=snapshot.language_id,
            lines=snapshot.lines,
            selection=without_block_cursor(
                snapshot.range_from_client(our_range(params.range))
            ),
            diagnostics=tuple(each.ours for each in given),
        )
        only = read_only(params.context.only)
        if only is None:
            # The menu at the cursor: an instruction may follow.
            self._note_diagnostics(uri, snapshot.version, spot.diagnostics)
            self._edits.prepare(uri, spot.selection)
        actions = catalogue(
            spot,
            sessions=self._sessions_at(uri, spot.selection),
            own=self._settings().own,
            only=only,
            can_ask=self._forms.can_ask,
            has_model=self._has_model(),
        )
        self._expect(snapshot, actions)
        place = params.range
        if spot.selection.is_empty:
            place = WireRange(place.start, place.start)
        return [
            *(
                self._wire_review(action, given)
                for action in self._reviews(uri, place, only)
            ),
            *(self._wire(action, snapshot, given) for action in actions),
        ]

    def _wire_review(
        self, action: ReviewAction, given: Sequence[GivenDiagnostic]
    ) -> CodeAction | Command:
        command = Command(action.title, action.command, [action.arguments])
        if not self._forms.takes_actions:
            return command
        about = [
            each.raw
            for each in given
            if action.finding_id is not None and each.finding_id == action.finding_id
        ]
        return CodeAction(
            title=action.title,
            kind=action.kind,
            diagnostics=about or None,
            is_preferred=action.is_preferred,
            command=command,
        )

    def _sessions_at(self, uri: str, selection: Range) -> list[LiveSession]:
        first, last = lines_of(selection)
        return [
            LiveSession(
                session_id=session.id,
                label=session.label,
                is_waiting=session.state in WAITING,
            )
            for session in self._edits.sessions
            if session.request.uri == uri
            and session.site.place.start.line <= last
            and first <= session.site.place.end.line
        ]

    def _expect(self, snapshot: Snapshot, actions: Sequence[Action]) -> None:
        """Have the fix computed that is most likely chosen."""
        for action in actions:
            if isinstance(action.work, EditWork) and len(action.diagnostics) == 1:
                self._precomputed.expect(snapshot.uri, snapshot.version, action.work)
                return

    def _wire(
        self, action: Action, snapshot: Snapshot, given: Sequence[GivenDiagnostic]
    ) -> CodeAction | Command:
        name, arguments = _command(action.work, snapshot)
        command = Command(action.title, name, [arguments])
        if not self._forms.takes_actions:
            return command
        is_resolved = self._forms.resolves_edits and _has_edit(action.work)
        about = [given[number].raw for number in action.diagnostics]
        return CodeAction(
            title=action.title,
            kind=action.lsp_kind,
            diagnostics=about or None,
            is_preferred=action.is_preferred,
            command=None if is_resolved else command,
            data=_data(name, arguments, snapshot) if is_resolved else None,
        )

    # The edit.

    def _resolve(self, action: ChosenAction) -> object:
        data = _read(action.data)
        if data is None or data.command not in (names.EDIT, names.WRITE_TESTS):
            return action.with_edit(None)
        if data.command == names.WRITE_TESTS:
            tests = _arguments(data, extensions.WriteTestsArguments)
            snapshot = self._snapshot(tests.uri, data.version)
            return Later(lambda _: self._run_tests(action, snapshot, tests))
        edit = _arguments(data, extensions.EditArguments)
        # Inside the reader: what is read after this request finds the session.
        asked = self._open(edit, self._snapshot(edit.uri, data.version))
        return Later(lambda _: self._run_edit(action, asked), on_cancel=asked.cancel)

    def _snapshot(self, uri: str, version: int) -> Snapshot:
        snapshot = self._workspace.document(uri).snapshot()
        if snapshot.version != version:
            raise OutdatedError("The document has changed since this was offered.")
        return snapshot

    def _open(self, edit: extensions.EditArguments, snapshot: Snapshot) -> Asked:
        work = EditWork(
            range=snapshot.range_from_client(our_range(edit.range)),
            instruction=edit.instruction,
            kind=edit.kind,
            tier=edit.tier,
            from_comment=optional_text_range(snapshot, edit.from_comment),
        )
        ready = self._precomputed.take(snapshot.uri, snapshot.version, work)
        if ready is not None:
            return ready
        return self._edits.open(
            EditRequest(
                session_id=secrets.token_hex(8),
                uri=snapshot.uri,
                range=work.range,
                instruction=work.instruction,
                kind=work.kind,
                tier=work.tier,
                from_comment=work.from_comment,
                apply="hand-over",
            )
        )

    async def _run_edit(self, action: ChosenAction, asked: Asked) -> CodeAction:
        done = await handed_over(asked)
        edit = self._edit_forms.of_edits(done.snapshot, done.edits)
        return action.with_edit(edit)

    async def _run_tests(
        self,
        action: ChosenAction,
        snapshot: Snapshot,
        arguments: extensions.WriteTestsArguments,
    ) -> CodeAction:
        selection = snapshot.range_from_client(our_range(arguments.range))
        tests = await self._tests.write(snapshot, selection, wish=arguments.wish or "")
        return action.with_edit(self._edit_forms.of_tests(tests))


def _has_edit(work: Work) -> bool:
    return isinstance(work, EditWork | TestsWork)


def _command(work: Work, snapshot: Snapshot) -> tuple[str, msgspec.Struct]:
    """Say which of our commands does a work, with its arguments."""
    uri = snapshot.uri
    match work:
        case EditWork():
            return names.EDIT, extensions.EditArguments(
                uri=uri,
                range=wire_range(snapshot, work.range),
                instruction=work.instruction,
                kind=work.kind,
                tier=work.tier,
                from_comment=_wire_comment(snapshot, work),
            )
        case TestsWork():
            return names.WRITE_TESTS, extensions.WriteTestsArguments(
                uri=uri, range=wire_range(snapshot, work.range)
            )
        case ExplainWork():
            return names.EXPLAIN, extensions.ExplainArguments(
                uri=uri, range=wire_range(snapshot, work.range), show=True
            )
        case SessionWork():
            return _session_command(work, snapshot)
    assert_never(work)


def _wire_comment(snapshot: Snapshot, work: EditWork | SessionWork) -> WireRange | None:
    where = work.from_comment
    return None if where is None else wire_range(snapshot, where)


def _session_command(
    work: SessionWork, snapshot: Snapshot
) -> tuple[str, msgspec.Struct]:
    match work.what:
        case "stop":
            return names.STOP, extensions.StopArguments(session_id=work.session_id)
        case "accept":
            return names.ACCEPT, extensions.HunkArguments(session_id=work.session_id)
        case "reject":
            return names.REJECT, extensions.HunkArguments(session_id=work.session_id)
        case "redirect":
            return names.REDIRECT, extensions.RedirectArguments(
                session_id=work.session_id,
                instruction=work.instruction or "",
                from_comment=_wire_comment(snapshot, work),
            )
    assert_never(work.what)


def _data(name: str, arguments: msgspec.Struct, snapshot: Snapshot) -> msgspec.Struct:
    return extensions.ActionData(
        command=name,
        version=snapshot.version,
        arguments=msgspec.Raw(msgspec.json.encode(arguments)),
    )


def _read(data: msgspec.Raw) -> extensions.ActionData | None:
    """Read an action's data; None if it is not ours."""
    try:
        return _DATA.decode(data)
    except msgspec.DecodeError:
        return None


def _arguments(data: extensions.ActionData, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(data.arguments, type=kind)
    except msgspec.DecodeError as exc:
        raise InvalidArgumentsError("The action's data do not fit.") from exc
