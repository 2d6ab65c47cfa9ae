"""The SQL statements that write and read tasks."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from redline.store.automatic_usage import AutomaticTotals, AutomaticUsage
from redline.store.automatic_usage_rows import (
    add_counts,
    forget_old_counts,
    read_counts,
)
from redline.store.database import (
    DAY_S,
    insert,
    kept_since,
    open_for_reading,
    translated,
)
from redline.store.task import NO_ID, Entry, TaskUpdate, TaskUsage, plain_id
from redline.store.totals import StoredTask

# The first time of each kind counts: of two changes after an edit, the earlier one
# indicates rework. An unknown cost becomes the known part once an update adds some.
_UPDATE = """
    UPDATE tasks SET
        outcome = coalesce(:outcome, outcome),
        accepted_at = coalesce(accepted_at, :accepted_at),
        rejected_at = coalesce(rejected_at, :rejected_at),
        undone_at = coalesce(undone_at, :undone_at),
        edited_at = coalesce(edited_at, :edited_at),
        output_n_tokens = output_n_tokens + :wasted_n_tokens,
        wasted_n_tokens = wasted_n_tokens + :wasted_n_tokens,
        cost = CASE WHEN :cost = 0 THEN cost ELSE coalesce(cost, 0) + :cost END
    WHERE seq = (SELECT max(seq) FROM tasks WHERE run = :run AND id = :id)
"""

_COST_BY_DAY = """
    SELECT date(queued_at, 'unixepoch', 'localtime') AS day, sum(coalesce(cost, 0))
    FROM tasks WHERE queued_at >= min((SELECT max(queued_at) FROM tasks), ?) - ?
    GROUP BY day
"""

_N_DAYS_OF_COST = 2
"""Today and, shortly after midnight, yesterday."""


_SELECT = f"""
    SELECT {", ".join(StoredTask._fields)} FROM tasks
    WHERE queued_at >= ? ORDER BY queued_at, seq
"""


def write_entry(connection: sqlite3.Connection, entry: Entry, *, run: str) -> None:
    """Write one entry; an update of an unknown task changes nothing."""
    match entry:
        case TaskUsage():
            insert(connection, "tasks", _task_values(entry, run))
        case TaskUpdate():
            connection.execute(_UPDATE, _update_values(entry, run))
        case AutomaticUsage():
            add_counts(connection, entry)


def forget_old(connection: sqlite3.Connection, *, keep_days: int) -> None:
    """Delete tasks that were queued, and counts, more than `keep_days` ago."""
    since = kept_since(connection, "tasks", "queued_at", keep_days=keep_days)
    connection.execute("DELETE FROM tasks WHERE queued_at < ?", (since,))
    forget_old_counts(connection, keep_days=keep_days)


def cost_by_day(connection: sqlite3.Connection) -> Mapping[str, float]:
    """Return the US dollars spent on the newest days, by local ISO date."""
    rows = connection.execute(_COST_BY_DAY, (time.time(), _N_DAYS_OF_COST * DAY_S))
    return dict(rows.fetchall())


def _task_values(task: TaskUsage, run: str) -> dict[str, object]:
    return {
        "run": run,
        "id": _key(task.id),
        "kind": plain_id(task.kind),
        "tier": task.tier,
        "model": plain_id(task.model),
        "route_tier": task.route.tier,
        "route_score": task.route.score,
        "route_reasons": _ids(task.route.reasons),
        "route_boundaries": _ids(task.route.boundaries),
        "cost": task.cost,
        "n_lines": task.n_lines,
        "failed_checks": _ids(task.failed_checks),
        "n_repairs": task.n_repairs,
        "n_escalations": task.n_escalations,
        "outcome": task.outcome,
        "draft_model": plain_id(task.draft.model) if task.draft else "",
        "draft_result": task.draft.result if task.draft else "",
        "opinion": task.opinion or "",
        **asdict(task.times),
        **asdict(task.tokens),
    }


def _update_values(update: TaskUpdate, run: str) -> dict[str, object]:
    later = update.later
    implied = (
        "accepted"
        if later.accepted_at is not None
        else "rejected"
        if later.rejected_at is not None
        else None
    )
    return {
        **asdict(later),
        "run": run,
        "id": _key(update.task_id),
        "outcome": later.outcome or implied,
    }


def _ids(texts: Sequence[str]) -> str:
    return " ".join(map(plain_id, texts))


def _key(task_id: str) -> str:
    """Return the id of a task, or a hash if an editor chose a text that is no id."""
    if plain_id(task_id) != NO_ID:
        return task_id
    return sha256(task_id.encode(errors="surrogatepass")).hexdigest()[:16]


class ReadFile(Struct, frozen=True, kw_only=True):
    path: Path
    """The file that was read: the first usable one in line."""
    tasks: tuple[StoredTask, ...]
    automatic: tuple[AutomaticTotals, ...] = ()
    """The sums of completions and next edits."""
    n_unreadable: int = 0
    """Rows with values that no task has, which are left out of the tasks."""
    skipped: tuple[str, ...] = ()
    """Why files before it in line were not used, a sentence each."""


def read_file(path: Path, *, since: float) -> ReadFile:
    """Read the usage since a moment, in Unix seconds, without changing the file.

    Raises:
        StoreError: If there is no file that can be read.
    """
    opened = open_for_reading(path)
    with translated(opened.path), closing(opened.connection) as connection:
        rows = connection.execute(_SELECT, (since,)).fetchall()
        automatic = read_counts(connection, since=since)
    tasks = tuple(filter(None, map(_read_task, rows)))
    return ReadFile(
        path=opened.path,
        tasks=tasks,
        automatic=automatic,
        n_unreadable=len(rows) - len(tasks),
        skipped=tuple(map(str, opened.skipped)),
    )


def _read_task(row: Sequence[object]) -> StoredTask | None:
    """Return the task of a row; None: another program wrote values of other types."""
    try:
        return msgspec.convert(row, StoredTask)
    except msgspec.ValidationError:
        return None
