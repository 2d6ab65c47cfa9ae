"""`textDocument/codeAction`: answers inside the reader, from the text alone.

The edit of an action is computed once it is chosen: in `codeAction/resolve`
(`chosen_action`), or by a command for clients that do not resolve.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import TypeAlias, TypeVar, assert_never

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
from redline.assist.edit.edits import Edits
from redline.assist.edit.precompute import PrecomputedFixes
from redline.assist.edit.session.states import WAITING
from redline.assist.editor.services import EditorServices
from redline.assist.tiers.tier_choice import has_model
from redline.lsp.actions.action_messages import (
    CodeAction,
    CodeActionParams,
    GivenDiagnostic,
    LspCommand,
    read_diagnostics,
    read_only,
)
from redline.lsp.actions.menu import Menu, MenuEntry
from redline.lsp.edit import edit_messages
from redline.lsp.edit.edited_ranges import edit_arguments
from redline.lsp.initialize import LLM_GENERATED, Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import DeferredAnswer
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import LspRange as WireRange
from redline.lsp.protocol.messages import our_range, wire_range
from redline.text.document import Snapshot
from redline.text.position import Range

_T = TypeVar("_T")

_MODELS_LIMIT_S = 5.0
"""Longest wait for the models: some clients send their settings only after the menu."""

NextEditActions: TypeAlias = Callable[
    [Snapshot, Collection[str] | None], Sequence[CodeAction]
]
"""Takes an open document and the requested kinds (None: not specified)."""

_DATA = msgspec.json.Decoder(edit_messages.ActionData)


class CodeActions:
    def __init__(
        self,
        services: EditorServices,
        client: Client,
        *,
        edits: Edits,
        precomputed: PrecomputedFixes,
        note_diagnostics: Callable[[str, int, Sequence[Diagnostic]], None],
        reviews: Menu,
        next_edits: NextEditActions,
    ) -> None:
        self._workspace = services.workspace
        self._edits = edits
        self._precomputed = precomputed
        self._settings = services.settings
        self._client = client
        self._note_diagnostics = note_diagnostics
        self._reviews = reviews
        self._next_edits = next_edits
        self._tiers = services.tiers

    def serve(self, endpoint: Endpoint) -> None:
        endpoint.on_request_now(
            "textDocument/codeAction", CodeActionParams, self._offer
        )

    # The menu.

    def _offer(
        self, params: CodeActionParams
    ) -> list[CodeAction | LspCommand] | DeferredAnswer:
        if not self._tiers.is_ready:
            return DeferredAnswer(lambda context: self._offer_soon(params))
        return self._menu(params)

    async def _offer_soon(
        self, params: CodeActionParams
    ) -> list[CodeAction | LspCommand]:
        """Answer once it is known whether there is a model, during the start."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_MODELS_LIMIT_S):
                await self._tiers.ready()
        return self._menu(params)

    def _menu(self, params: CodeActionParams) -> list[CodeAction | LspCommand]:
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
        place = params.range
        if spot.selection.is_empty:
            place = WireRange(place.start, place.start)
        reviews = self._reviews(uri, place, only)
        actions: Sequence[Action] = catalogue(
            spot,
            sessions=self._sessions_at(uri, spot.selection),
            own=self._settings().actions.own,
            only=only,
            can_ask=self._client.can_ask,
            has_model=has_model(self._tiers),
        )
        if only is None and spot.selection.is_empty:
            reviews, actions = at_findings(reviews, actions, given)
        self._expect(snapshot, actions)
        next_edits = self._next_edits(snapshot, only)
        return [
            *(next_edits if self._client.takes_actions else ()),
            *(self._wire_review(action, given) for action in reviews),
            *(self._wire(action, snapshot, given) for action in actions),
        ]

    def _wire_review(
        self, action: MenuEntry, given: Sequence[GivenDiagnostic]
    ) -> CodeAction | LspCommand:
        command = LspCommand(action.title, action.command, [action.arguments])
        if not self._client.takes_actions:
            return command
        about = [
            each.raw
            for each in given
            if (action.finding_id and each.finding_id == action.finding_id)
            or (action.failure and each.failure == action.failure)
        ]
        return CodeAction(
            title=action.title,
            kind=action.kind,
            diagnostics=about or None,
            is_preferred=action.is_preferred,
            command=command,
        )

    def _tags(self, work: Work) -> Sequence[int] | None:
        """Return the tag of an action whose result a model writes."""
        is_generated = not isinstance(work, SessionWork) and has_model(self._tiers)
        return (
            [LLM_GENERATED] if is_generated and self._client.reads_action_tags else None
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
            and session.edit_target.range_place.start.line <= last
            and first <= session.edit_target.range_place.end.line
        ]

    def _expect(self, snapshot: Snapshot, actions: Sequence[Action]) -> None:
        """Compute the most likely fix in advance."""
        for action in actions:
            if isinstance(action.work, EditWork) and len(action.diagnostics) == 1:
                self._precomputed.expect(snapshot.uri, snapshot.version, action.work)
                return

    def _wire(
        self, action: Action, snapshot: Snapshot, given: Sequence[GivenDiagnostic]
    ) -> CodeAction | LspCommand:
        name, arguments = _command(action, snapshot)
        command = LspCommand(action.title, name, [arguments])
        if not self._client.takes_actions:
            return command
        is_resolved = self._client.resolves_edits and _has_edit(action.work)
        about = [given[number].raw for number in action.diagnostics]
        return CodeAction(
            title=action.title,
            kind=action.lsp_kind,
            diagnostics=about or None,
            is_preferred=action.is_preferred,
            tags=self._tags(action.work),
            command=None if is_resolved else command,
            data=_data(name, arguments, snapshot) if is_resolved else None,
        )


def at_findings(
    reviews: Sequence[MenuEntry],
    actions: Sequence[Action],
    given: Sequence[GivenDiagnostic],
) -> tuple[Sequence[MenuEntry], Sequence[Action]]:
    """Shorten the menu of a cursor on findings to what is about them.

    Sessions, failed tests and problems that other programs report stay too. Everything
    else is in the menu of a selection, and of a client that asks for its kind.
    """
    if all(action.finding_id is None for action in reviews):
        return reviews, actions
    about = [
        action
        for action in reviews
        if action.finding_id is not None or action.failure is not None
    ]
    fixed = {each.finding_id for each in about if each.command == names.APPLY_FIX}

    def is_wanted(action: Action) -> bool:
        found = {given[number].finding_id for number in action.diagnostics}
        if len(action.diagnostics) != 1:
            return isinstance(action.work, SessionWork)
        return not found & fixed

    return about, [action for action in actions if is_wanted(action)]


def _has_edit(work: Work) -> bool:
    return isinstance(work, EditWork | TestsWork)


def _command(action: Action, snapshot: Snapshot) -> tuple[str, msgspec.Struct]:
    """Return the command that does an action's work, with its arguments."""
    work, uri = action.work, snapshot.uri
    match work:
        case EditWork():
            # Progress names Redline beside it.
            title = action.title.replace(" with Redline", "")
            return names.EDIT, edit_arguments(work, snapshot, title=title)
        case TestsWork():
            return names.WRITE_TESTS, edit_messages.WriteTestsArguments(
                uri=uri, range=wire_range(snapshot, work.range)
            )
        case ExplainWork():
            return names.EXPLAIN, edit_messages.ExplainArguments(
                uri=uri, range=wire_range(snapshot, work.range), show=True
            )
        case SessionWork():
            return _session_command(work, snapshot)
    assert_never(work)


def _wire_comment(snapshot: Snapshot, work: SessionWork) -> WireRange | None:
    where = work.from_comment
    return None if where is None else wire_range(snapshot, where)


def _session_command(
    work: SessionWork, snapshot: Snapshot
) -> tuple[str, msgspec.Struct]:
    match work.what:
        case "stop":
            return names.STOP, edit_messages.StopArguments(session_id=work.session_id)
        case "accept":
            return names.ACCEPT, edit_messages.HunkArguments(session_id=work.session_id)
        case "reject":
            return names.REJECT, edit_messages.HunkArguments(session_id=work.session_id)
        case "redirect":
            return names.REDIRECT, edit_messages.RedirectArguments(
                session_id=work.session_id,
                instruction=work.instruction or "",
                from_comment=_wire_comment(snapshot, work),
            )
    assert_never(work.what)


def _data(name: str, arguments: msgspec.Struct, snapshot: Snapshot) -> msgspec.Struct:
    return edit_messages.ActionData(
        command=name,
        version=snapshot.version,
        arguments=msgspec.Raw(msgspec.json.encode(arguments)),
    )
