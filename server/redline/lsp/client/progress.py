"""Work-done progress, with the client's token or one of our own."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable

from redline.errors import EditorError
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol.messages import (
    ProgressCancel,
    ProgressParams,
    ProgressToken,
    WorkDone,
)
from redline.text.markdown import plain_message

_CREATE_LIMIT_S = 5.0

logger = logging.getLogger(__name__)


class WorkDoneProgress:
    """The progress of a session or review; hidden until the client knows its token."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        title: str,
        on_end: Callable[[], None],
        message: str | None,
        percentage: int | None,
    ) -> None:
        self._endpoint = endpoint
        self._title = title
        self._on_end = on_end
        self._percentage = percentage
        self._message = message
        self._token: str | int | None = None
        self._has_ended = False

    def begin(self, token: str | int) -> None:
        """Show it, unless it has ended."""
        if self._has_ended:
            return
        self._token = token
        self._send(
            WorkDone(
                kind="begin",
                title=plain_message(self._title),
                message=plain_message(self._message or "") or None,
                cancellable=True,
                percentage=self._percentage,
            )
        )

    def report(self, message: str, *, percentage: int | None = None) -> None:
        """Update it; dropped while the client is slow to read.

        Args:
            message: The current step.
            percentage: How much is done, if `begin` sent a percentage.
        """
        # Until the client knows the token.
        self._message = message
        if percentage is not None:
            self._percentage = percentage
        if not self._has_ended and not self._endpoint.is_congested:
            self._send(
                WorkDone(
                    kind="report", message=plain_message(message), percentage=percentage
                )
            )

    def end(self, message: str) -> None:
        """End it; idempotent."""
        if not self._has_ended:
            self._has_ended = True
            self._send(WorkDone(kind="end", message=plain_message(message)))
            self._on_end()

    def _send(self, value: WorkDone) -> None:
        if self._token is not None:
            self._endpoint.notify("$/progress", ProgressParams(self._token, value))


class ProgressRegistry:
    """The open progress, and the callbacks for cancels by the user."""

    def __init__(self, endpoint: Endpoint, *, can_create: bool) -> None:
        """Register the handler of cancels."""
        self._endpoint = endpoint
        self._can_create = can_create
        self._on_cancel: dict[str | int, Callable[[], object]] = {}
        self._numbers = itertools.count(1)
        endpoint.on_notification(
            "window/workDoneProgress/cancel", ProgressCancel, self._cancelled
        )

    def start(
        self,
        title: str,
        token: str | int | None,
        on_cancel: Callable[[], object],
        *,
        message: str | None = None,
        percentage: int | None = None,
    ) -> WorkDoneProgress:
        """Open progress; with neither a token nor the capability it shows nothing.

        Args:
            title: The name of the work.
            token: The client's token; None: one of our own.
            on_cancel: Called if the user cancels it.
            message: The current step.
            percentage: How much is done; None: there is no percentage.
        """
        is_ours = token is None
        key = f"redline-progress-{next(self._numbers)}" if token is None else token
        progress = WorkDoneProgress(
            endpoint=self._endpoint,
            title=title,
            on_end=lambda: self._forget(key),
            message=message,
            percentage=percentage,
        )
        self._on_cancel[key] = on_cancel
        if not is_ours:
            progress.begin(key)
        elif self._can_create:
            self._endpoint.start(self._create(progress, key), name=f"create {key}")
        return progress

    async def _create(self, progress: WorkDoneProgress, token: str | int) -> None:
        # The edit does not wait for this round trip; reports before the client's answer
        # are not shown.
        try:
            await self._endpoint.request(
                "window/workDoneProgress/create",
                ProgressToken(token),
                object,
                timeout_s=_CREATE_LIMIT_S,
            )
        except EditorError as exc:
            logger.info("no progress in this editor: %s", exc)
        else:
            progress.begin(token)

    def _cancelled(self, params: ProgressCancel) -> bool:
        """Call back for this token; return true if it is one of ours.

        pygls takes 0.2 ms to find that it does not know the token, which would delay
        the answer to the stopped edit.
        """
        on_cancel = self._on_cancel.get(params.token)
        if on_cancel is None:
            return False
        on_cancel()
        return True

    def _forget(self, token: str | int) -> None:
        self._on_cancel.pop(token, None)
