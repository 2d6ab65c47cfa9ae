"""Reports a user's own limits and usage, never another user's."""

from __future__ import annotations

import time

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from redline.gateway.limits.accounts import UserAccount, account_of
from redline.gateway.service import Service
from redline.wire.gateway_user import GatewayUser, UserAmounts


class UserEndpoint:
    """Answers `GET /v1/me`."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def answer(self, request: Request) -> Response:
        """Describe the user whose key the request has.

        Not in a thread, which a plain function would run in: it reads what the event
        loop changes.
        """
        account = account_of(request.scope)
        settings = account.settings
        user = GatewayUser(
            user=account.name,
            limits=UserAmounts(
                running=settings.running,
                queued=settings.queued,
                requests_per_minute=settings.requests_per_minute,
                tokens_per_day=settings.tokens_per_day,
            ),
            used=self._used(account),
            models=self._service.engine.models,
        )
        return Response(msgspec.json.encode(user), media_type="application/json")

    def _used(self, account: UserAccount) -> UserAmounts:
        now, turns = time.monotonic(), self._service.turns
        return UserAmounts(
            running=turns.n_running(account.name),
            queued=turns.n_waiting(account.name),
            requests_per_minute=account.n_requests(now),
            tokens_per_day=account.n_tokens(now),
        )
