"""Rarely used commands; `lsp.commands` serves the others without pygls."""

from __future__ import annotations

from pygls.lsp.server import LanguageServer

from redline.assist.privacy.prompt_log import PromptLog
from redline.lsp import extensions, names
from redline.lsp.features.last_prompt import last_prompt
from redline.lsp.features.usage_stats import UsageStats
from redline.lsp.review.review_service import ReviewService


def register(
    server: LanguageServer,
    *,
    stats: UsageStats,
    sent: PromptLog,
    reviews: ReviewService,
) -> None:
    """Serve `names.FEATURE_COMMANDS`."""

    @server.command(names.STATS)
    async def on_stats(arguments: extensions.StatsArguments) -> extensions.Stats:
        return await stats.tell(arguments)

    @server.command(names.LAST_PROMPT)
    def on_last_prompt(
        arguments: extensions.LastPromptArguments,
    ) -> extensions.LastPrompt:
        prompt = sent.last(arguments.session_id)
        return last_prompt(prompt, sent.use_of(prompt))

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
