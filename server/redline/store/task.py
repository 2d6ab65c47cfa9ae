"""What is remembered of a task: ids, sizes, times and counts.

Never an instruction, a path or code. The types cannot hold a text to be free in, but
ids are texts too, so `plain_id` is what every one of them passes on its way to the
file. Times and ids are the caller's: nothing here reads a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from redline.settings.tree import TierName

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
"""How a task came out. `shown` is an answer without an edit, such as an explanation;
the others are the outcomes and ends of an edit session."""

NO_ID = "other"
"""What is stored in place of a text that is no id."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+@-]{0,79}")
"""No blanks and no slashes: neither sentences nor paths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRoute:
    """Where the task was sent first, and why."""

    tier: TierName
    score: float = 0.0
    """Complexity in [0, 1]; 0: not judged."""
    reasons: tuple[str, ...] = ()
    """Ids of the reasons, not their sentences."""
    boundaries: tuple[str, ...] = ()
    """Names of the boundary rules that held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTimes:
    """When things happened; None: never."""

    queued_at: float
    """When the request was read, in Unix seconds."""
    first_delta_s: float | None = None
    """This and the others are seconds after `queued_at`."""
    ended_s: float | None = None
    """The last generation ended."""
    checked_s: float | None = None
    """The last candidate was checked: an offer is shown now."""
    applied_s: float | None = None
    """The edit landed without being offered first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTokens:
    """Token counts of all generations of the task together."""

    input_n_tokens: int = 0
    cached_n_tokens: int = 0
    """Part of the input."""
    output_n_tokens: int = 0
    """Reasoning included."""
    wasted_n_tokens: int = 0
    """Part of the output: what stopped, losing and failed generations wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskUsage:
    """One task, as far as it is known when it is answered."""

    id: str
    """The session's id; the run and it together name the task."""
    kind: str
    """Id of what was done, such as `edit`, `quickfix` or `tests`."""
    tier: TierName
    """The tier that gave the result."""
    model: str
    """The label in the settings of the model that gave it."""
    route: TaskRoute
    times: TaskTimes
    outcome: Outcome
    tokens: TaskTokens = TaskTokens()
    cost: float | None = None
    """US dollars, all generations together (`price.py`); None: price not known."""
    n_lines: int | None = None
    """Lines of the range that was asked about."""
    failed_checks: tuple[str, ...] = ()
    """Rule ids of all problems that were found on the way, mended ones included."""
    n_repairs: int = 0
    """How often problems went back to the same tier."""
    n_escalations: int = 0
    """How often the task went up a tier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LateTaskFacts:
    """What became known after a task was recorded; None: nothing new.

    Times are Unix seconds. What is undone or edited counts as rework only within a
    minute: that is judged when it is read, so any moment may be told.
    """

    outcome: Outcome | None = None
    """None: `accepted` or `rejected` if one of these times is given."""
    accepted_at: float | None = None
    """The user took the offer, or the first part of it."""
    rejected_at: float | None = None
    undone_at: float | None = None
    """The document became again as it was before the edit."""
    edited_at: float | None = None
    """Lines of the edit were changed again, by hand or by another task."""
    wasted_n_tokens: int = 0
    """More tokens of muted generations, added to output and waste."""
    cost: float = 0.0
    """More US dollars, added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskUpdate:
    """What became known later, and of which task."""

    task_id: str
    later: LateTaskFacts


Entry = TaskUsage | TaskUpdate
"""What is written: a new task, or more about one."""


def plain_id(text: str) -> str:
    """Return the text if it is an id, else `NO_ID`: the file holds no free text."""
    return text if _ID.fullmatch(text) else NO_ID
