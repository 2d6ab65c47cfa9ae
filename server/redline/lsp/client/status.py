"""The status: one value, returned on request and pushed to clients that opted in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct

from redline.assist.context.gatherer import ContextGatherer
from redline.assist.edit.edits import Edits
from redline.assist.edit.session.session import EditSession
from redline.assist.privacy.prompt_log import PromptLog
from redline.assist.suggestions.complete.completions import Completions
from redline.assist.suggestions.next_edits.next_edits import NextEdits
from redline.assist.tiers.model_tiers import ModelTiers
from redline.assist.usage.usage_log import UsageLog
from redline.lsp.client import status_messages
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol import message_bases, names
from redline.text.markdown import plain_message


class Throughput(Struct, frozen=True, kw_only=True):
    """The speed of a generation."""

    model: str | None
    """The name of the model that wrote it."""

    first_delta_s: float
    """Seconds from the request to its first delta."""
    tokens_per_s: float | None
    """None: the provider counted no tokens, or all came at once."""


def throughput_of(session: EditSession) -> Throughput | None:
    """Measure a session's last generation; None if it wrote nothing."""
    account = session.account
    timing, usage, writer = account.timing, account.usage, account.writer
    if timing is None or timing.first_delta is None or timing.last_delta is None:
        return None
    writing_s = timing.last_delta - timing.first_delta
    n_tokens = usage.output_n_tokens if usage is not None else 0
    return Throughput(
        model=None if writer is None else writer.describe().name,
        first_delta_s=timing.first_delta - (timing.sent or timing.started),
        tokens_per_s=n_tokens / writing_s if n_tokens and writing_s > 0 else None,
    )


_INTERVAL_S = 0.1
"""Sessions change state several times in a millisecond; users notice 0.1 s."""


_SHARE_DIGITS = 3
_COST_DIGITS = 6


class StatusReporter:
    """Collects and pushes the status."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        tiers: ModelTiers,
        usage: UsageLog,
        problems: Callable[[], tuple[str, ...]],
        gatherer: ContextGatherer,
        sent: PromptLog,
        reviews: Callable[[], tuple[status_messages.ReviewStatus, ...]],
        completions: Callable[[], Completions],
        next_edits: Callable[[], NextEdits],
        edits: Callable[[], Edits],
        is_pushed: bool,
    ) -> None:
        self._is_pushed = is_pushed
        """Whether the client opted in to notifications."""
        self._endpoint = endpoint
        self._tiers = tiers
        self._usage = usage
        self._problems = problems
        self._gatherer = gatherer
        self._sent = sent
        self._reviews = reviews
        self._completions = completions
        self._next_edits = next_edits
        gatherer.on_change = self.changed
        self._edits = edits
        self._throughput: Throughput | None = None
        self._due: asyncio.TimerHandle | None = None
        self._last: status_messages.Status | None = None

    def session_changed(self, session: EditSession) -> None:
        """Record a session's new state and push the status soon."""
        self._throughput = throughput_of(session) or self._throughput
        self.changed()

    def changed(self) -> None:
        if self._is_pushed and self._due is None:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(_INTERVAL_S, self._push)

    def status(self) -> status_messages.Status:
        tiers = [self._tier(tier) for tier in _TIERS]
        connection = self._tiers.choose("fast").model.status()
        use = self._sent.use
        return status_messages.Status(
            connection=connection.state,
            detail=plain_message(connection.detail),
            tiers=tuple(tiers),
            last_model=self._throughput.model if self._throughput else None,
            first_delta_s=self._throughput.first_delta_s if self._throughput else None,
            tokens_per_s=self._throughput.tokens_per_s if self._throughput else None,
            cost_today=self._usage.cost_today,
            completions=_completions_of(self._completions()),
            next_edits=_next_edits_of(self._next_edits()),
            wasted_tokens=self._tiers.wasted_n_tokens,
            context_band=None if use is None else use.band,
            context_share=None if use is None else round(use.share, _SHARE_DIGITS),
            indexing=self._gatherer.is_indexing,
            sessions=tuple(map(self._session, self._edits().sessions)),
            reviews=self._reviews(),
            problems=tuple(
                map(
                    plain_message,
                    (*self._problems(), *self._usage.problems, *self._tiers.advice),
                )
            ),
        )

    def _session(self, session: EditSession) -> status_messages.RunningSession:
        chosen = session.chosen
        is_known = chosen.route is not None
        model = self._tiers.choose(chosen.tier, chosen.model).model.describe()
        return status_messages.RunningSession(
            session_id=session.id,
            uri=session.request.uri,
            state=session.state.value,
            tier=chosen.tier if is_known else None,
            model=model.name if is_known else None,
        )

    def _tier(self, tier: message_bases.Tier) -> status_messages.TierStatus:
        choice = self._tiers.choose(tier)
        description = choice.model.describe()
        return status_messages.TierStatus(
            tier=tier,
            model=description.name,
            is_model=description.is_model,
            note=choice.note,
        )

    def _push(self) -> None:
        self._due = None
        status = self.status()
        if status != self._last and not self._endpoint.is_congested:
            self._last = status
            self._endpoint.notify(names.STATUS_CHANGED, status)


def _completions_of(completions: Completions) -> status_messages.CompletionStatus:
    counts = completions.counter.total
    return status_messages.CompletionStatus(
        requests=counts.requests,
        shown=counts.shown,
        at_once=counts.at_once,
        accepted=counts.accepted,
        cost=round(completions.usd_today, _COST_DIGITS),
        pause=completions.pause,
    )


def _next_edits_of(next_edits: NextEdits) -> status_messages.NextEditStatus:
    counts, model = next_edits.counter.total, next_edits.model
    return status_messages.NextEditStatus(
        requests=counts.requests,
        shown=counts.shown,
        accepted=counts.accepted,
        cost=round(model.usd_today, _COST_DIGITS),
        pause=model.pause,
    )


_TIERS: tuple[message_bases.Tier, ...] = ("fast", "standard", "deep")
