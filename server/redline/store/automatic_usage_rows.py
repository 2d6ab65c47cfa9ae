"""The SQL statements that write and read the counts of completions and next edits."""

from __future__ import annotations

import sqlite3

import msgspec
from msgspec.structs import asdict

from redline.store.automatic_usage import (
    AutomaticCounts,
    AutomaticTotals,
    AutomaticUsage,
)
from redline.store.database import insert, kept_since
from redline.store.task import plain_id
from redline.store.totals import day_of

_COUNTS = AutomaticCounts.__struct_fields__
_ADD = "ON CONFLICT (day, kind, tier, model) DO UPDATE SET " + ", ".join(
    f"{name} = {name} + excluded.{name}" for name in _COUNTS
)
_SUMS = f"""
    SELECT kind, tier, model, {", ".join(f"sum({name})" for name in _COUNTS)}
    FROM unasked WHERE at >= ? GROUP BY kind, tier, model
    ORDER BY kind, sum(requests) DESC, tier, model
"""


def add_counts(connection: sqlite3.Connection, usage: AutomaticUsage) -> None:
    """Add counts to the row of their day, kind, tier and model."""
    row = {
        "day": day_of(usage.at),
        "at": usage.at,
        "kind": usage.kind,
        "tier": usage.tier or "",
        "model": "" if usage.model is None else plain_id(usage.model),
        **asdict(usage.counts),
    }
    insert(connection, "unasked", row, on_conflict=_ADD)


def read_counts(
    connection: sqlite3.Connection, *, since: float
) -> tuple[AutomaticTotals, ...]:
    """Return the sums since the begin of a local day, in Unix seconds.

    Rows are left out if another program wrote values of other types.
    """
    rows = connection.execute(_SUMS, (since,)).fetchall()
    return tuple(filter(None, (_totals(*row) for row in rows)))


def forget_old_counts(connection: sqlite3.Connection, *, keep_days: int) -> None:
    """Delete the counts of days that are more than `keep_days` ago."""
    since = kept_since(connection, "unasked", "at", keep_days=keep_days)
    connection.execute("DELETE FROM unasked WHERE at < ?", (since,))


def _totals(kind: str, tier: str, model: str, *sums: float) -> AutomaticTotals | None:
    counts = dict(zip(_COUNTS, sums, strict=True))
    is_priced = counts["cost"] > 0 or not counts["unpriced"]
    row = {
        **counts,
        "kind": kind,
        "tier": tier or None,
        "model": model or None,
        "cost": counts["cost"] if is_priced else None,
    }
    try:
        return msgspec.convert(row, AutomaticTotals)
    except msgspec.ValidationError:
        return None
