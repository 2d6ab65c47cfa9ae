"""The usage record of a task: ids, sizes, times and counts.

Never an instruction, a path or code. Ids are the only texts, and every id passes
`plain_id` before it is written. Callers pass times and ids: this module reads no clock.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from redline.settings.tree import TierName
from redline.store.automatic_usage import AutomaticUsage

NAMED_TIER = "named"
"""Id of the first reason of a route whose tier the user named."""

Outcome = Literal[
    "applied",
    "offered",
    "held",
    "unchanged",
    "shown",
    "accepted",
    "rejected",
    "stopped",
    "failed",
    "superseded",
]
"""How a task ended. `shown` is an answer without an edit, such as an explanation; the
others are the outcomes and ends of an edit session."""

DraftResult = Literal["unchanged", "repaired", "escalated", "unfinished"]
"""What became of a draft of the `draft` tier: the result is the draft as it was; the
standard tier changed it; a higher tier wrote the result; there was no draft that could
be read, or no result."""

OpinionResult = Literal[
    "agreed", "overruled", "kept", "changed", "lowered", "late", "unread"
]
"""What became of a second opinion: it left the edit to its tier; a higher tier went
over the edit and kept it, or changed it; a lower tier wrote it; it was late; it could
not be read."""

NO_ID = "other"
"""Stored instead of a text that is not an id."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+@-]{0,79}")
"""Without blanks and slashes, so that sentences and paths do not match."""


class TaskRoute(Struct, frozen=True, kw_only=True):
    """The tier that the task was sent to first, and why."""

    tier: TierName
    score: float = 0.0
    """Complexity in [0, 1]; 0: not computed."""
    reasons: tuple[str, ...] = ()
    """Ids of the reasons, not their sentences."""
    boundaries: tuple[str, ...] = ()
    """Names of the boundary rules that matched."""


class TaskTimes(Struct, frozen=True, kw_only=True):
    """When each event happened; None: it did not."""

    queued_at: float
    """When the request was read, in Unix seconds."""
    first_delta_s: float | None = None
    """This and the following times are seconds after `queued_at`."""
    ended_s: float | None = None
    """When the last generation ended."""
    checked_s: float | None = None
    """When the last candidate was checked; an offer is shown at this time."""
    applied_s: float | None = None
    """When the edit was applied without an offer."""


class TaskTokens(Struct, frozen=True, kw_only=True):
    """Token counts of all generations of the task together."""

    input_n_tokens: int = 0
    cached_n_tokens: int = 0
    """Part of the input."""
    output_n_tokens: int = 0
    """Reasoning included."""
    wasted_n_tokens: int = 0
    """Part of the output: the tokens of stopped, losing and failed generations."""


class TaskDraft(Struct, frozen=True, kw_only=True):
    """The draft that the task began with."""

    model: str
    """The settings label of the model that drafted."""
    result: DraftResult


class TaskUsage(Struct, frozen=True, kw_only=True):
    """One task, as it is known when it is answered."""

    id: str
    """The session's id; unique together with the run."""
    kind: str
    """Id of the kind of task, such as `edit`, `quickfix` or `tests`."""
    tier: TierName
    """The tier that produced the result."""
    model: str
    """The settings label of the model that produced it."""
    route: TaskRoute
    times: TaskTimes
    outcome: Outcome
    tokens: TaskTokens = TaskTokens()
    cost: float | None = None
    """US dollars, all generations together (`cost_of`); None: price not known."""
    n_lines: int | None = None
    """Lines of the requested range."""
    failed_checks: tuple[str, ...] = ()
    """Rule ids of all problems in any candidate, repaired ones included."""
    n_repairs: int = 0
    """How often problems were sent back to the same tier."""
    n_escalations: int = 0
    """How often the task was handed to a higher tier."""
    draft: TaskDraft | None = None
    """None: nothing was drafted."""
    opinion: OpinionResult | None = None
    """None: no second opinion was asked for, or the task ended before it."""


class LateTaskFacts(Struct, frozen=True, kw_only=True):
    """What became known after a task was recorded; None: nothing new.

    Times are Unix seconds. Undoing or editing counts as rework only within a minute,
    but that is decided on reading, so any time may be recorded.
    """

    outcome: Outcome | None = None
    """None: `accepted` or `rejected` if one of these times is given."""
    accepted_at: float | None = None
    """When the user accepted the offer, or the first part of it."""
    rejected_at: float | None = None
    undone_at: float | None = None
    """When the document became the same as before the edit."""
    edited_at: float | None = None
    """When lines of the edit were changed, by hand or by another task."""
    wasted_n_tokens: int = 0
    """Further tokens of muted generations, added to output and waste."""
    cost: float = 0.0
    """Further cost in US dollars, added."""


class TaskUpdate(Struct, frozen=True, kw_only=True):
    """Later facts about one task."""

    task_id: str
    later: LateTaskFacts


Entry = TaskUsage | TaskUpdate | AutomaticUsage
"""An entry to write: a new task, later facts about one, or counts of what nobody asked
for."""


def plain_id(text: str) -> str:
    """Return the text if it is an id, else `NO_ID`, so that no free text is stored."""
    return text if _ID.fullmatch(text) else NO_ID


_MILLION = 1_000_000


class Price(Struct, frozen=True, kw_only=True):
    """A model's prices, in US dollars per million tokens, as providers list them."""

    input: float
    output: float
    cached: float | None = None
    """Price of input from the provider's cache; None: the same as other input."""


def cost_of(tokens: TaskTokens, price: Price) -> float:
    """Return the cost of these tokens with one model, in US dollars.

    A task of several generations costs the sum of this over its generations, each with
    its own model's price.
    """
    cached_price = price.input if price.cached is None else price.cached
    cached = min(tokens.cached_n_tokens, tokens.input_n_tokens)
    return (
        (tokens.input_n_tokens - cached) * price.input
        + cached * cached_price
        + tokens.output_n_tokens * price.output
    ) / _MILLION
