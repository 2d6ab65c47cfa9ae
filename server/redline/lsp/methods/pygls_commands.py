"""Rarely used commands; `lsp.edit.edit_commands` serves the others without pygls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from datetime import time as time_of_day

from msgspec.structs import asdict
from pygls.lsp.server import LanguageServer

from redline.assist.edit.prompt.saved_prompts import PromptFolder, read_saved_prompts
from redline.assist.privacy.prompt_log import PromptLog, SentPrompt
from redline.assist.usage.automatic_usage_tally import AutomaticTally
from redline.assist.usage.usage_log import UsageLog
from redline.lsp.client import status_messages
from redline.lsp.edit import prompt_messages
from redline.lsp.protocol import names
from redline.lsp.protocol.message_bases import NoArguments
from redline.lsp.review import review_messages
from redline.lsp.review.review_service import ReviewService
from redline.prompts.window import WindowUse

N_DAYS = 30
"""Number of days of statistics if the client names no first day."""


def register(
    server: LanguageServer,
    *,
    usage: UsageLog,
    automatic: AutomaticTally,
    sent: PromptLog,
    reviews: ReviewService,
    prompt_folders: Callable[[], Sequence[PromptFolder]],
) -> None:
    """Serve `names.FEATURE_COMMANDS`."""

    @server.command(names.STATS)
    async def on_stats(
        arguments: status_messages.StatsArguments,
    ) -> status_messages.Stats:
        since = arguments.since or date.today() - timedelta(days=N_DAYS - 1)
        first = datetime.combine(since, time_of_day()).timestamp()
        automatic.flush()
        totals = await usage.totals(since=first, by=arguments.by)
        of_automatic = await usage.automatic(since=first)
        return status_messages.Stats(
            since=since,
            totals=tuple(
                status_messages.UsageTotals(**asdict(each)) for each in totals
            ),
            unasked=tuple(
                status_messages.UnaskedUsageTotals(**asdict(each))
                for each in of_automatic
            ),
        )

    @server.command(names.LAST_PROMPT)
    def on_last_prompt(
        arguments: prompt_messages.LastPromptArguments,
    ) -> prompt_messages.LastPrompt:
        prompt = sent.last(arguments.session_id)
        return _last_prompt(prompt, sent.use_of(prompt))

    @server.command(names.PROMPTS)
    async def on_prompts(
        _: NoArguments,
    ) -> prompt_messages.PromptsResult:
        folders = prompt_folders()
        saved = await asyncio.to_thread(read_saved_prompts, folders)
        return prompt_messages.PromptsResult(
            prompts=tuple(
                prompt_messages.SavedPrompt(name=each.name, text=each.text)
                for each in saved.prompts
            ),
            folders=tuple(str(folder.path) for folder in folders),
            problems=saved.problems,
        )

    @server.command(names.REVIEWS)
    async def on_reviews(
        arguments: review_messages.ReviewsArguments,
    ) -> review_messages.ReviewList:
        return await (await reviews.requests()).list(arguments)

    @server.command(names.OPEN_REPORT)
    async def on_open_report(
        arguments: review_messages.OpenReportArguments,
    ) -> review_messages.OpenReportResult:
        return await (await reviews.requests()).open_report(arguments)


def _last_prompt(sent: SentPrompt, use: WindowUse) -> prompt_messages.LastPrompt:
    """Write the result of `redline.lastPrompt`."""
    return prompt_messages.LastPrompt(
        session_id=sent.session_id,
        model=sent.model.name,
        instructions=sent.prompt.instructions,
        messages=tuple(
            prompt_messages.PromptMessage(role=message.role, text=message.text)
            for message in sent.prompt.chat_messages
        ),
        tokens=use.n_tokens,
        context_band=use.band,
        left_out=tuple(
            prompt_messages.LeftOut(
                kind=one.item.kind, source=one.item.source, reason=one.reason
            )
            for one in sent.left_out
        ),
    )
