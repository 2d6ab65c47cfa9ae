"""Rarely used commands; `lsp.commands` serves the others without pygls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from datetime import time as time_of_day

from msgspec.structs import asdict
from pygls.lsp.server import LanguageServer

from redline.assist.edit.saved_prompts import PromptFolder, read_saved_prompts
from redline.assist.privacy.prompt_log import PromptLog, SentPrompt
from redline.assist.usage.unasked_tally import UnaskedTally
from redline.assist.usage.usage_log import UsageLog
from redline.lsp import extensions, names
from redline.lsp.review.review_service import ReviewService
from redline.prompts.window import WindowUse

N_DAYS = 30
"""Number of days of statistics if the client names no first day."""


def register(
    server: LanguageServer,
    *,
    usage: UsageLog,
    unasked: UnaskedTally,
    sent: PromptLog,
    reviews: ReviewService,
    prompt_folders: Callable[[], Sequence[PromptFolder]],
) -> None:
    """Serve `names.FEATURE_COMMANDS`."""

    @server.command(names.STATS)
    async def on_stats(arguments: extensions.StatsArguments) -> extensions.Stats:
        since = arguments.since or date.today() - timedelta(days=N_DAYS - 1)
        first = datetime.combine(since, time_of_day()).timestamp()
        unasked.flush()
        totals = await usage.totals(since=first, by=arguments.by)
        of_unasked = await usage.unasked(since=first)
        return extensions.Stats(
            since=since,
            totals=tuple(extensions.UsageTotals(**asdict(each)) for each in totals),
            unasked=tuple(
                extensions.UnaskedUsageTotals(**asdict(each)) for each in of_unasked
            ),
        )

    @server.command(names.LAST_PROMPT)
    def on_last_prompt(
        arguments: extensions.LastPromptArguments,
    ) -> extensions.LastPrompt:
        prompt = sent.last(arguments.session_id)
        return _last_prompt(prompt, sent.use_of(prompt))

    @server.command(names.PROMPTS)
    async def on_prompts(_: extensions.NoArguments) -> extensions.PromptsResult:
        folders = prompt_folders()
        saved = await asyncio.to_thread(read_saved_prompts, folders)
        return extensions.PromptsResult(
            prompts=tuple(
                extensions.SavedPrompt(name=each.name, text=each.text)
                for each in saved.prompts
            ),
            folders=tuple(str(folder.path) for folder in folders),
            problems=saved.problems,
        )

    @server.command(names.REVIEWS)
    async def on_reviews(
        arguments: extensions.ReviewsArguments,
    ) -> extensions.ReviewList:
        return await (await reviews.requests()).list(arguments)

    @server.command(names.OPEN_REPORT)
    async def on_open_report(
        arguments: extensions.OpenReportArguments,
    ) -> extensions.OpenReportResult:
        return await (await reviews.requests()).open_report(arguments)


def _last_prompt(sent: SentPrompt, use: WindowUse) -> extensions.LastPrompt:
    """Write the result of `redline.lastPrompt`."""
    return extensions.LastPrompt(
        session_id=sent.session_id,
        model=sent.model.name,
        instructions=sent.prompt.instructions,
        messages=tuple(
            extensions.PromptMessage(role=message.role, text=message.text)
            for message in sent.prompt.chat_messages
        ),
        tokens=use.n_tokens,
        context_band=use.band,
        left_out=tuple(
            extensions.LeftOut(
                kind=one.item.kind, source=one.item.source, reason=one.reason
            )
            for one in sent.left_out
        ),
    )
