"""A task as it is read from the file, for computing totals."""

from __future__ import annotations

from typing import NamedTuple


class StoredTask(NamedTuple):
    """The columns of a row, named as in the table; see `task.py` for their meaning."""

    queued_at: float
    route_tier: str
    outcome: str
    ended_s: float | None
    checked_s: float | None
    applied_s: float | None
    input_n_tokens: int
    cached_n_tokens: int
    output_n_tokens: int
    wasted_n_tokens: int
    cost: float | None
    failed_checks: str
    n_repairs: int
    n_escalations: int
    accepted_at: float | None
    rejected_at: float | None
    undone_at: float | None
    edited_at: float | None
    draft_model: str
    """Empty: nothing was drafted."""
    draft_result: str
