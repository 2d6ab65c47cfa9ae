"""`workspace/executeCommand`: Redline's commands, each a row of one table."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from redline.assist.edit.definition_at import target_at
from redline.assist.edit.document.rejected_offers import RejectedOffer, stored_offer
from redline.assist.edit.edits import Edits, PendingOutcome
from redline.assist.edit.precompute import PrecomputedFixes
from redline.assist.edit.session.result import EditRequest, EditResult
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.workspace import Workspace
from redline.checks.problem import Problem
from redline.errors import InvalidArgumentsError, RedlineError
from redline.lsp.client import status_messages
from redline.lsp.edit import edit_messages
from redline.lsp.edit.connected_editor import wire_hunks
from redline.lsp.edit.edited_ranges import edit_work
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.request_context import NOT_SERVED, DeferredAnswer
from redline.lsp.jsonrpc.rpc_errors import rpc_error
from redline.lsp.protocol import names
from redline.lsp.protocol.message_bases import NoArguments
from redline.lsp.protocol.messages import (
    ExecuteCommand,
    optional_text_range,
    our_position,
    our_range,
    wire_range,
)
from redline.lsp.rooms.command_row import CommandRow, command
from redline.models.interface import Usage
from redline.parsing.work import WorkRunner
from redline.settings.edit_settings import ApplyMode
from redline.text.markdown import plain_message
from redline.text.position import Range, from_client

_N_VARIATIONS = 3
"""As many as fit in a picker."""


class Commands:
    """Decodes commands and calls the use cases."""

    def __init__(
        self,
        *,
        edits: Edits,
        precomputed: PrecomputedFixes,
        workspace: Workspace,
        parser: WorkRunner,
        status: Callable[[], status_messages.Status],
        take_back_plan: Callable[[str], Awaitable[object]],
        store_fixes: Callable[[str], Awaitable[None]],
        more: Mapping[str, CommandRow],
    ) -> None:
        self._edits = edits
        self._precomputed = precomputed
        self._workspace = workspace
        self._parser = parser
        self._status = status
        self._take_back_plan = take_back_plan
        self._store_fixes = store_fixes
        self._table = {
            names.EDIT: command(edit_messages.EditArguments, self._edit),
            names.VARIATIONS: command(edit_messages.EditArguments, self._variations),
            names.REDIRECT: command(edit_messages.RedirectArguments, self._redirect),
            names.STOP: command(edit_messages.StopArguments, self._stop),
            names.ACCEPT: command(edit_messages.HunkArguments, self._accept),
            names.REJECT: command(edit_messages.HunkArguments, self._reject),
            names.NEXT_CANDIDATE: command(
                edit_messages.SessionArguments, self._next_candidate
            ),
            names.EDIT_STATE: command(edit_messages.SessionArguments, self._edit_state),
            names.TAKE_BACK: command(edit_messages.TakeBackArguments, self._take_back),
            names.BRING_BACK: command(
                edit_messages.BringBackArguments, self._bring_back
            ),
            names.EDIT_TARGET: command(
                edit_messages.EditTargetArguments, self._edit_target
            ),
            names.STATUS: command(NoArguments, self._tell_status),
            **more,
        }

    def serve(self, endpoint: Endpoint) -> None:
        """Register the request, and the notification that announces one."""
        endpoint.on_request_now(
            "workspace/executeCommand", ExecuteCommand, self._execute
        )
        endpoint.on_notification(
            names.PREPARE, edit_messages.PrepareArguments, self._prepare
        )

    def _execute(self, params: ExecuteCommand) -> object:
        if params.command in names.FEATURE_COMMANDS:
            return NOT_SERVED
        row = self._table.get(params.command)
        if row is None:
            raise InvalidArgumentsError(
                f"Redline has no command {params.command!r}. "
                f"It has {', '.join(names.COMMANDS)}."
            )
        arguments = _decode(params, row.decoder)
        return row.handler(arguments, params)

    def _prepare(self, arguments: edit_messages.PrepareArguments) -> None:
        if self._workspace.has(arguments.uri):
            snapshot = self._workspace.document(arguments.uri).snapshot()
            selection = snapshot.range_from_client(our_range(arguments.range))
            self._edits.prepare(arguments.uri, selection)

    def _edit(
        self, arguments: edit_messages.EditArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        return self._open(arguments, params, arguments.candidates, arguments.apply)

    def _variations(
        self, arguments: edit_messages.EditArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        n_candidates = arguments.candidates or _N_VARIATIONS
        return self._open(arguments, params, n_candidates, "preview")

    def _open(
        self,
        arguments: edit_messages.EditArguments,
        params: ExecuteCommand,
        n_candidates: int | None,
        apply: ApplyMode | None,
    ) -> DeferredAnswer:
        snapshot = self._workspace.document(arguments.uri).snapshot()
        work = edit_work(arguments, snapshot)
        request = EditRequest(
            session_id=arguments.session_id or secrets.token_hex(8),
            uri=arguments.uri,
            range=work.range,
            ranges=work.ranges,
            instruction=work.instruction,
            kind=work.kind,
            tier=work.tier,
            model=work.model,
            from_comment=work.from_comment,
            apply=apply,
            progress_token=params.work_done_token,
            n_candidates=n_candidates,
            is_draft=arguments.draft,
            attachments=arguments.attachments,
            title=arguments.title,
        )
        try:
            # Inside the reader, so that a stop or a change that was read together with
            # this request finds the session.
            finish = self._precomputed.writing(request.uri, snapshot.version, work)
            asked = self._edits.open(request, finish=finish)
        except RedlineError as exc:
            raise rpc_error(exc, sessionId=request.session_id) from exc
        return DeferredAnswer(
            lambda context: run_edit(asked),
            # Before the task's own cancellation, so that nothing is sent in between.
            on_cancel=asked.cancel,
        )

    def _bring_back(
        self, arguments: edit_messages.BringBackArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        asked = self._edits.bring_back(
            arguments.uri,
            session_id=arguments.session_id or secrets.token_hex(8),
            progress_token=params.work_done_token,
            stored=self._stored_offer(arguments),
        )
        return DeferredAnswer(lambda context: run_edit(asked), on_cancel=asked.cancel)

    def _stored_offer(
        self, arguments: edit_messages.BringBackArguments
    ) -> tuple[RejectedOffer, Range] | None:
        if (offer := arguments.offer) is None:
            return None
        snapshot = self._workspace.document(arguments.uri).snapshot()
        place = snapshot.range_from_client(our_range(offer.range))
        return stored_offer(snapshot, place, offer.new_text, offer.instruction), place

    def _edit_target(
        self, arguments: edit_messages.EditTargetArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        snapshot = self._workspace.document(arguments.uri).snapshot()
        position = our_position(arguments.position)
        cursor = from_client(snapshot.lines, position, snapshot.encoding)

        async def run() -> edit_messages.EditTargetResult:
            target = await target_at(snapshot, cursor, self._parser)
            return edit_messages.EditTargetResult(
                range=wire_range(snapshot, target.range),
                name=target.name,
                version=snapshot.version,
            )

        return DeferredAnswer(lambda context: run())

    def _redirect(
        self, arguments: edit_messages.RedirectArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        # Look up the session inside the reader: a later message may end it, and the
        # answer then says so.
        if arguments.session_id is not None:
            session = self._edits.session(arguments.session_id)
        else:
            if arguments.uri is None or arguments.position is None:
                raise InvalidArgumentsError(
                    "redline.redirect takes a sessionId, or a uri and a position."
                )
            lines = self._workspace.document(arguments.uri).snapshot().lines
            place = from_client(
                lines, our_position(arguments.position), self._workspace.encoding
            )
            session = self._edits.session_at(arguments.uri, place)
        snapshot = session.edit_target.document.snapshot()
        comment = optional_text_range(snapshot, arguments.from_comment)
        return DeferredAnswer(
            lambda context: self._run_redirect(session, arguments.instruction, comment)
        )

    async def _run_redirect(
        self, session: EditSession, instruction: str, from_comment: Range | None
    ) -> edit_messages.RedirectResult:
        done = await self._edits.redirects.redirect(
            session, instruction, from_comment=from_comment
        )
        return edit_messages.RedirectResult(
            accepted=done.is_accepted, how=done.how, session_id=done.session_id
        )

    def _stop(
        self, arguments: edit_messages.StopArguments, params: ExecuteCommand
    ) -> edit_messages.StopResult:
        stopped = self._edits.stop(session_id=arguments.session_id, uri=arguments.uri)
        return edit_messages.StopResult(stopped=stopped)

    def _accept(
        self, arguments: edit_messages.HunkArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        session = self._edits.session(arguments.session_id)
        return DeferredAnswer(
            lambda context: self._run_accept(session, arguments.hunks)
        )

    async def _run_accept(
        self, session: EditSession, hunk_ids: Sequence[int] | None
    ) -> edit_messages.AcceptResult:
        done = await self._edits.accept(session, hunk_ids)
        if session.request.kind == "fix":
            # It may be the fix of a finding, which is stored before the answer.
            await self._store_fixes(session.edit_target.document.uri)
        return edit_messages.AcceptResult(outcome=done.state, remaining=done.remaining)

    def _reject(
        self, arguments: edit_messages.HunkArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        done = self._edits.reject(arguments.session_id, arguments.hunks)

        async def run() -> edit_messages.AcceptResult:
            return edit_messages.AcceptResult(
                outcome=done.state, remaining=done.remaining
            )

        # It has taken effect; only its answer waits, until it is stored.
        return DeferredAnswer(lambda context: run())

    def _next_candidate(
        self, arguments: edit_messages.SessionArguments, params: ExecuteCommand
    ) -> edit_messages.EditState:
        return _state(self._edits.next_candidate(arguments.session_id))

    def _edit_state(
        self, arguments: edit_messages.SessionArguments, params: ExecuteCommand
    ) -> edit_messages.EditState:
        return _state(self._edits.session(arguments.session_id))

    def _take_back(
        self, arguments: edit_messages.TakeBackArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        session_id, plan_id = arguments.session_id, arguments.plan_id
        if (session_id is None) == (plan_id is None):
            raise InvalidArgumentsError(
                f"{names.TAKE_BACK} takes a sessionId or a planId."
            )
        if plan_id is not None:
            return DeferredAnswer(lambda context: self._run_plan_take_back(plan_id))
        return DeferredAnswer(lambda context: self._run_take_back(session_id or ""))

    async def _run_take_back(self, session_id: str) -> edit_messages.TakeBackResult:
        await self._edits.take_back(session_id)
        return edit_messages.TakeBackResult(session_id=session_id)

    async def _run_plan_take_back(self, plan_id: str) -> edit_messages.TakeBackResult:
        await self._take_back_plan(plan_id)
        return edit_messages.TakeBackResult(session_id=plan_id)

    def _tell_status(
        self, arguments: NoArguments, params: ExecuteCommand
    ) -> status_messages.Status:
        return self._status()


def _decode(
    params: ExecuteCommand,
    decoder: msgspec.json.Decoder[Any],  # Any: see `CommandRow`.
) -> object:
    if len(params.arguments) > 1:
        raise InvalidArgumentsError(f"{params.command} takes one object.")
    raw = params.arguments[0] if params.arguments else msgspec.Raw(b"{}")
    try:
        return decoder.decode(raw)
    except msgspec.DecodeError as exc:
        what = str(exc).replace(" - at ", " at ").replace("`$.", "`")
        raise InvalidArgumentsError(
            f"Wrong arguments for {params.command}: {what}."
        ) from exc


async def run_edit(asked: PendingOutcome) -> edit_messages.EditOutcome:
    """Wait for the outcome of an edit; an error names its session."""
    try:
        return _outcome(await asked.outcome())
    except RedlineError as exc:
        raise rpc_error(exc, sessionId=asked.session.id) from exc


def _state(session: EditSession) -> edit_messages.EditState:
    painter = session.offer.painter
    preview = None if painter is None else wire_hunks(painter.state())
    return edit_messages.EditState(
        session_id=session.id,
        seq=0 if preview is None else preview.seq,
        version=session.edit_target.document.version,
        full=True,
        hunks=() if preview is None else preview.hunks,
        removed=(),
        state=session.state.value,
        instruction=session.instruction,
        assumes=session.assumes,
        candidates=tuple(
            edit_messages.CandidateSummary(
                number=number,
                shown=candidate is session.offer.shown,
                problems=_checks(candidate.problems),
                hunks=len(candidate.proposal.hunks),
            )
            for number, candidate in enumerate(session.attempts.finished)
        ),
    )


def _checks(problems: Sequence[Problem]) -> tuple[edit_messages.Check, ...]:
    return tuple(
        edit_messages.Check(
            rule=problem.rule,
            message=plain_message(problem.message),
            line=UNSET if problem.line is None else problem.line,
        )
        for problem in problems
    )


def _outcome(result: EditResult) -> edit_messages.EditOutcome:
    assert result.outcome != "computed", "no command asks for that"
    return edit_messages.EditOutcome(
        session_id=result.session_id,
        outcome=result.outcome,
        tier=result.tier,
        reasons=result.reasons,
        assumes=result.assumes,
        checks=_checks(result.checks),
        timing=edit_messages.EditTimes(
            sent_s=_or_unset(result.timing.sent_s),
            first_delta_s=_or_unset(result.timing.first_delta_s),
            last_delta_s=_or_unset(result.timing.last_delta_s),
            ended_s=_or_unset(result.timing.ended_s),
        ),
        message=plain_message(result.message or "") or UNSET,
        superseded_by=result.superseded_by or UNSET,
        usage=_usage(result),
    )


def _usage(result: EditResult) -> edit_messages.TokenUsage | msgspec.UnsetType:
    usage = result.usage
    if usage is None and not result.wasted_n_tokens:
        return UNSET
    usage = usage or Usage()
    return edit_messages.TokenUsage(
        input_tokens=usage.input_n_tokens,
        cached_tokens=usage.cached_n_tokens,
        output_tokens=usage.output_n_tokens,
        reasoning_tokens=usage.reasoning_n_tokens,
        wasted_tokens=result.wasted_n_tokens,
    )


def _or_unset(seconds: float | None) -> float | msgspec.UnsetType:
    return UNSET if seconds is None else round(seconds, 6)
