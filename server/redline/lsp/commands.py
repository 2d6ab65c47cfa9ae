"""`workspace/executeCommand`: Redline's commands, each a row of one table."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from redline.assist.edit import Edits
from redline.assist.result import EditRequest, EditResult
from redline.assist.session import EditSession
from redline.assist.workspace import Workspace
from redline.errors import InvalidArgumentsError, RedlineError
from redline.lsp import extensions, names
from redline.lsp.editor import wire_hunks
from redline.lsp.endpoint import Endpoint
from redline.lsp.messages import ExecuteCommand, our_range
from redline.lsp.request_context import Later
from redline.lsp.rpc_errors import rpc_error

Handler = Callable[[Any, ExecuteCommand], object]
"""Takes the decoded arguments (Any: of its row's type) and the whole request, inside
the reader; returns the result, or a `Later` that comes to one."""


@dataclass(frozen=True, slots=True)
class _Command:
    decoder: msgspec.json.Decoder[Any]  # Any: the arguments' type differs by row.
    handler: Handler


class Commands:
    """Decodes commands and hands them to the use cases."""

    def __init__(
        self,
        *,
        edits: Edits,
        workspace: Workspace,
        status: Callable[[], extensions.Status],
    ) -> None:
        self._edits = edits
        self._workspace = workspace
        self._status = status
        self._table = {
            names.EDIT: _row(extensions.EditArguments, self._edit),
            names.STOP: _row(extensions.StopArguments, self._stop),
            names.ACCEPT: _row(extensions.HunkArguments, self._accept),
            names.REJECT: _row(extensions.HunkArguments, self._reject),
            names.EDIT_STATE: _row(extensions.SessionArguments, self._edit_state),
            names.STATUS: _row(extensions.NoArguments, self._tell_status),
        }

    def serve(self, endpoint: Endpoint) -> None:
        """Register the request."""
        endpoint.on_request_now(
            "workspace/executeCommand", ExecuteCommand, self._execute
        )

    def _execute(self, params: ExecuteCommand) -> object:
        command = self._table.get(params.command)
        if command is None:
            raise InvalidArgumentsError(
                f"Redline has no command {params.command!r}. "
                f"It has {', '.join(self._table)}."
            )
        arguments = _decode(params, command.decoder)
        return command.handler(arguments, params)

    def _edit(
        self, arguments: extensions.EditArguments, params: ExecuteCommand
    ) -> Later:
        session_id = arguments.session_id or secrets.token_hex(8)
        snapshot = self._workspace.document(arguments.uri).snapshot()
        request = EditRequest(
            session_id=session_id,
            uri=arguments.uri,
            range=snapshot.range_from_client(our_range(arguments.range)),
            instruction=arguments.instruction,
            tier=arguments.tier,
            apply=arguments.apply,
            progress_token=params.work_done_token,
        )
        try:
            # Inside the reader: a stop or a change that was read together with this
            # request finds the session.
            session = self._edits.open(request)
        except RedlineError as exc:
            raise rpc_error(exc, sessionId=session_id) from exc
        return Later(
            lambda context: self._run_edit(session),
            # Ahead of the task's own cancellation: nothing is sent between the two.
            on_cancel=lambda: session.stop("cancelled"),
        )

    async def _run_edit(self, session: EditSession) -> extensions.EditOutcome:
        try:
            return _outcome(await self._edits.run(session))
        except RedlineError as exc:
            raise rpc_error(exc, sessionId=session.id) from exc

    def _stop(
        self, arguments: extensions.StopArguments, params: ExecuteCommand
    ) -> extensions.StopResult:
        stopped = self._edits.stop(session_id=arguments.session_id, uri=arguments.uri)
        return extensions.StopResult(stopped=stopped)

    def _accept(
        self, arguments: extensions.HunkArguments, params: ExecuteCommand
    ) -> Later:
        return Later(lambda context: self._run_accept(arguments))

    async def _run_accept(
        self, arguments: extensions.HunkArguments
    ) -> extensions.AcceptResult:
        done = await self._edits.accept(arguments.session_id, arguments.hunks)
        return extensions.AcceptResult(outcome=done.state, remaining=done.remaining)

    def _reject(
        self, arguments: extensions.HunkArguments, params: ExecuteCommand
    ) -> extensions.AcceptResult:
        done = self._edits.reject(arguments.session_id, arguments.hunks)
        return extensions.AcceptResult(outcome=done.state, remaining=done.remaining)

    def _edit_state(
        self, arguments: extensions.SessionArguments, params: ExecuteCommand
    ) -> extensions.EditHunks | None:
        painter = self._edits.session(arguments.session_id).painter
        return None if painter is None else wire_hunks(painter.state())

    def _tell_status(
        self, arguments: extensions.NoArguments, params: ExecuteCommand
    ) -> extensions.Status:
        return self._status()


def _row(arguments_type: type[Any], handler: Handler) -> _Command:  # Any: see _Command.
    return _Command(msgspec.json.Decoder(arguments_type), handler)


def _decode(
    params: ExecuteCommand,
    decoder: msgspec.json.Decoder[Any],  # Any: see _Command.
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


def _outcome(result: EditResult) -> extensions.EditOutcome:
    usage = result.usage
    return extensions.EditOutcome(
        session_id=result.session_id,
        outcome=result.outcome,
        tier=result.tier,
        reasons=result.reasons,
        checks=tuple(
            extensions.Check(
                rule=problem.rule,
                message=problem.message,
                line=UNSET if problem.line is None else problem.line,
            )
            for problem in result.checks
        ),
        timing=extensions.EditTimes(
            sent_s=_or_unset(result.timing.sent_s),
            first_delta_s=_or_unset(result.timing.first_delta_s),
            last_delta_s=_or_unset(result.timing.last_delta_s),
            ended_s=_or_unset(result.timing.ended_s),
        ),
        message=result.message or UNSET,
        superseded_by=result.superseded_by or UNSET,
        usage=UNSET
        if usage is None
        else extensions.TokenUsage(
            input_tokens=usage.input_n_tokens,
            cached_tokens=usage.cached_n_tokens,
            output_tokens=usage.output_n_tokens,
            reasoning_tokens=usage.reasoning_n_tokens,
        ),
    )


def _or_unset(seconds: float | None) -> float | msgspec.UnsetType:
    return UNSET if seconds is None else round(seconds, 6)
