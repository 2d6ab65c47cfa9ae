"""Work-done progress: under the client's token, or one of our own."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable

from redline.errors import EditorError
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.messages import ProgressCancel, ProgressParams, ProgressToken, WorkDone
from redline.text.markdown import plain_message

_CREATE_LIMIT_S = 5.0

logger = logging.getLogger(__name__)


class WorkDoneProgress:
    """The progress of one session or review; shows nothing until the client knows its
    token."""

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
        self._title = plain_message(title)
        self._on_end = on_end
        self._percentage = percentage
        self._message = message
        self._token: str | int | None = None
        self._has_ended = False

    def begin(self, token: str | int) -> None:
        """Show it, unless it is over already."""
        if self._has_ended:
            return
        self._token = token
        self._send(
            WorkDone(
                kind="begin",
                title=self._title,
                message=plain_message(self._message or "") or None,
                cancellable=True,
                percentage=self._percentage,
            )
        )

    def report(self, message: str, *, percentage: int | None = None) -> None:
        """Show how far it is; dropped while the client is slow to read.

        Args:
            message: What it does now.
            percentage: How much is done, if it was begun with one.
        """
        # For a client that does not know the token yet.
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
        """Close it; idempotent."""
        if not self._has_ended:
            self._has_ended = True
            self._send(WorkDone(kind="end", message=plain_message(message)))
            self._on_end()

    def _send(self, value: WorkDone) -> None:
        if self._token is not None:
            self._endpoint.notify("$/progress", ProgressParams(self._token, value))


class ProgressRegistry:
    """The progress that is open, and whom to tell when the user cancels it."""

    def __init__(self, endpoint: Endpoint, *, can_create: bool) -> None:
        """Listen for cancels.

        Args:
            endpoint: The connection.
            can_create: Whether the client takes `window/workDoneProgress/create`.
        """
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
            title: What goes on.
            token: The client's; None: one of our own.
            on_cancel: Called if the user cancels it.
            message: What it does now.
            percentage: How much is done; None: that is never told.
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
        # The edit does not wait for this round trip: what it reports before the client
        # has answered is not shown.
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
        """Tell whoever works under this token; True if it is one of ours.

        pygls would take 0.2 ms to find that it does not know the token, and the answer
        to the stopped edit would wait for that.
        """
        on_cancel = self._on_cancel.get(params.token)
        if on_cancel is None:
            return False
        on_cancel()
        return True

    def _forget(self, token: str | int) -> None:
        self._on_cancel.pop(token, None)
