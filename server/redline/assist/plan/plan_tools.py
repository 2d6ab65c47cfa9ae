"""What the plans of one editor work with."""

from __future__ import annotations

from msgspec import Struct

from redline.assist.editor.services import EditorServices
from redline.assist.review.job.job_tools import JobTools
from redline.assist.tiers.cost import Cost
from redline.assist.usage.recorder import Ledger
from redline.plans.record import TierUse
from redline.prompts.tokens import TokenCounter


class PlanTools(Struct, frozen=True, kw_only=True):
    """The services of the editor, and what a job works with."""

    services: EditorServices
    job: JobTools
    counter: TokenCounter
    ledger: Ledger
    """Records the usage of each step, and of the planning."""


def tier_use(tier: str, spent: Cost) -> TierUse:
    tokens = spent.tokens
    return TierUse(
        tier=tier,
        input_n_tokens=tokens.input_n_tokens,
        cached_n_tokens=tokens.cached_n_tokens,
        output_n_tokens=tokens.output_n_tokens,
        wasted_n_tokens=tokens.wasted_n_tokens,
        cost=spent.cost,
    )
