"""Answers one request, and its successors after steers.

WebSocket and HTTP share it; only their outlets differ.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from msgspec.structs import replace

from redline.gateway.answers.response_writer import ResponseWriter
from redline.gateway.answers.steering import Steers
from redline.gateway.answers.task_kind import task_kind
from redline.gateway.composer import Composer
from redline.gateway.limits.accounts import UserAccount
from redline.gateway.limits.turns import Turn
from redline.gateway.outlet import Outlet, Sent
from redline.gateway.refusals import Refusal, RefusedError, unsupported
from redline.gateway.responses import Response, n_tokens, new_response
from redline.gateway.service import Service
from redline.gateway.stored.background import BackgroundResponse
from redline.gateway.stored.conversations import (
    Conversation,
    LaneCache,
    StoredResponse,
    resolve,
)
from redline.wire import events
from redline.wire.events import ResponseCreate, ResponseSteer

_USUAL_TOKENS = 1_000
"""The tokens of an answer that has no limit, for its weight in the queue."""

_MAX_TOKENS = 2**31 - 1
"""More than any model writes, and a number that all servers read."""


class Run:
    """Answers one request."""

    def __init__(
        self,
        service: Service,
        create: ResponseCreate,
        outlet: Outlet,
        cache: LaneCache,
        *,
        account: UserAccount,
        background: BackgroundResponse | None = None,
    ) -> None:
        """Begin.

        Args:
            service: What all requests share.
            create: The request.
            outlet: Where the answer goes.
            cache: The earlier responses of the same connection.
            account: Whose request it is.
            background: The outlet again, if it is a background response.
        """
        self._service = service
        self._create = create
        self._outlet = outlet
        self._cache = cache
        self._account = account
        self._background = background
        self._steers = Steers(is_supported=service.config.can_steer)
        self._composer: Composer | None = None
        """The composer of the current response, or of the last one."""
        self._steer_id = ""
        self._came = asyncio.get_running_loop().time()
        self.is_refused = False
        """Whether a refusal was sent to the outlet."""

    @property
    def response(self) -> Response | None:
        """The current response; None before it exists."""
        return self._composer.response if self._composer else None

    async def answer(self) -> None:
        """Answer the request to its end.

        Raises:
            PeerGoneError: If the client has disconnected.
        """
        outcome = "stopped"
        try:
            await self._answer()
            response = self.response
            outcome = "refused" if response is None else response.status
            if self.is_refused:
                outcome = "refused"
        finally:
            self._service.metrics.generations.add(1, *self._labels, outcome)

    async def _answer(self) -> None:
        try:
            self._check()
            conversation = await resolve(
                self._create,
                cache=self._cache,
                store=self._service.store,
                owner=self._account.owner,
            )
            self._check_length(conversation)
            await self._respond(conversation)
        except RefusedError as refused:
            self.is_refused = True
            code = refused.refusal.code or "refused"
            self._service.metrics.refused.add(1, code)
            self._cache.evict_parent(self._create)
            await self._outlet.refuse(refused.refusal)

    @property
    def _labels(self) -> tuple[str, str, str]:
        """The user, the model and the kind, for metrics."""
        # A client can name any model; only those that exist become labels.
        name = self._create.model
        model = name if name in self._service.engine.models else "other"
        return self._account.name, model, task_kind(self._create)

    def steer(self, steer: ResponseSteer) -> Sent | None:
        """Accept or refuse a steer of the running response; return the event to send.

        Must be called only while a response runs.
        """
        assert self._composer is not None
        if self._steers.manner == "ignore":
            return None
        if self._steers.manner == "error":
            return self._composer.steer_unknown()
        if (refusal := self._steers.add(steer)) is not None:
            return self._composer.steer_failed(refusal, given=steer.input)
        self._steer_id = self._service.new_id("steer")
        return self._composer.steer_accepted(self._steer_id)

    def _check(self) -> None:
        limit = self._create.max_output_tokens
        if self._create.background and self._background is None:
            raise RefusedError(
                unsupported("background", "Not supported on a WebSocket.")
            )
        if self._create.background and self._create.store is False:
            raise RefusedError(
                unsupported("store", "A background response must be stored.")
            )
        if limit is not None and not 1 <= limit <= _MAX_TOKENS:
            raise RefusedError(
                Refusal(
                    code="invalid_value",
                    message=f"'max_output_tokens' must be from 1 to {_MAX_TOKENS}.",
                    param="max_output_tokens",
                )
            )

    def _check_length(self, conversation: Conversation) -> None:
        limit = self._service.config.max_context_chars
        if conversation.size > limit:
            raise RefusedError(
                Refusal(
                    code="context_length_exceeded",
                    message=f"A conversation has at most {limit} characters and bytes"
                    " of images.",
                    param="input",
                )
            )

    async def _respond(self, conversation: Conversation) -> None:
        previous = self._create.previous_response_id
        while True:
            composer = self._composer = self._new_composer(previous)
            if self._background is not None:
                self._background.response = composer.response
            writer = ResponseWriter(
                self._service,
                composer,
                self._outlet,
                self._steers,
                before_end=partial(self._store, composer.response, conversation),
            )
            if self._background is not None:
                await self._outlet.send(composer.queue())
            if self._create.generate is False:
                await writer.warm_up()
            else:
                async with self._turn(conversation):
                    await self._tell(writer, conversation)
            if composer.response.status == "failed":
                self._cache.evict_parent(self._create)
                return
            conversation = conversation.with_output(composer.response.output_text)
            self._cache.put(self._create.stream_id, composer.response.id, conversation)
            if not self._steers.are_waiting:
                return
            conversation = conversation.with_input(self._steers.take())
            self._create = replace(self._create, redline_task=self._steers.task)
            previous = composer.response.id
            if self._steers.manner == "pending":
                # The steer's text precedes the input that the client must send now.
                self._cache.put(self._create.stream_id, previous, conversation)
                await self._outlet.send([composer.steer_pending(self._steer_id)])
                return

    @asynccontextmanager
    async def _turn(self, conversation: Conversation) -> AsyncIterator[None]:
        """Wait until the response may run."""
        create, user = self._create, self._account.settings
        asked = create.max_output_tokens or _USUAL_TOKENS
        turn = Turn(
            user=user.name,
            model=create.model,
            kind=task_kind(create),
            n_tokens=asked + n_tokens(conversation.n_chars),
            user_running=user.running,
        )
        async with AsyncExitStack() as stack:
            if self._background is not None:
                await stack.enter_async_context(self._service.background.turn)
            waiting = self._service.turns.turn(
                turn, queued=user.queued, is_patient=self._background is not None
            )
            try:
                await stack.enter_async_context(waiting)
            except RefusedError:
                self._service.count_refusal(self._account)
                raise
            waited_s = asyncio.get_running_loop().time() - self._came
            self._service.metrics.queue_seconds.observe(waited_s, *self._labels[1:])
            yield

    async def _tell(self, writer: ResponseWriter, conversation: Conversation) -> None:
        is_refused = False
        try:
            await writer.tell(
                self._create, conversation, cache_salt=self._account.cache_salt
            )
        except RefusedError:
            is_refused = True
            raise
        finally:
            # A stop is not free: the model has read and written until then.
            if not is_refused:
                self._count(writer, conversation)

    def _count(self, writer: ResponseWriter, conversation: Conversation) -> None:
        """Count the tokens of a response, and the time to its first delta."""
        metrics, (user, model, kind) = self._service.metrics, self._labels
        usage = writer.usage(conversation)
        self._account.count_tokens(usage.input_n_tokens + usage.output_n_tokens)
        metrics.tokens.add(usage.input_n_tokens, user, model, "input")
        metrics.tokens.add(usage.cached_n_tokens, user, model, "cached")
        metrics.tokens.add(usage.output_n_tokens, user, model, "output")
        if writer.first_delta_at is not None:
            seconds = writer.first_delta_at - self._came
            metrics.first_delta_seconds.observe(seconds, model, kind)

    def _new_composer(self, previous: str | None) -> Composer:
        service, create = self._service, self._create
        options = create.stream_options
        is_padded = options is None or options.include_obfuscation is not False
        return Composer(
            new_response(
                create,
                response_id=self._background.response_id
                if self._background
                else service.new_id("resp"),
                previous=previous,
                now=service.now(),
            ),
            lane=create.stream_id,
            padding=service.new_padding() if is_padded else None,
            new_id=service.new_id,
        )

    async def _store(self, response: Response, conversation: Conversation) -> None:
        """Store a complete response, if the request asks for it."""
        if response.store and response.status != "failed":
            stored = StoredResponse(
                body=events.encode(response),
                owner=self._account.owner,
                conversation=conversation.with_output(response.output_text),
                n_inputs=len(conversation.chat_messages),
            )
            await self._service.store.put(response.id, stored)
