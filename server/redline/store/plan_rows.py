"""The SQL statements that write and read plans.

A plan is one row that is written again at each step: its texts are bounded, and a
reader never sees half of a step.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Iterable, Sequence

import msgspec

from redline.plans.record import PlanRecord
from redline.store.database import insert, kept_since

MAX_PLAN_BYTES = 100_000_000
"""Size of the largest plan that is read."""

_UPDATE = """
    ON CONFLICT (id) DO UPDATE SET
        owner = :owner, state = :state, ended_at = :ended_at, body = :body
"""

# As for reviews: in the order of creation, in case that the clock was set back.
_OLD = """
    FROM plans WHERE ended_at < :since
    AND rowid < (SELECT min(rowid) FROM plans WHERE created_at >= :since)
"""


def write_plan(connection: sqlite3.Connection, plan: PlanRecord, *, owner: str) -> None:
    """Write a plan, which belongs to the last server that wrote it."""
    row = {
        "id": plan.id,
        "workspace": plan.request.workspace,
        "owner": owner,
        "state": plan.state,
        "created_at": plan.created_at,
        "ended_at": plan.ended_at,
        "body": zlib.compress(msgspec.msgpack.encode(plan), 1),
    }
    insert(connection, "plans", row, on_conflict=_UPDATE)


def read_plan(connection: sqlite3.Connection, plan_id: str) -> PlanRecord | None:
    """Return a plan by its id; None: there is none, or it cannot be read."""
    found = _read(connection, "WHERE id = ?", (plan_id,))
    return found[0] if found else None


def read_newest_plans(
    connection: sqlite3.Connection, workspaces: Collection[str], *, limit: int
) -> tuple[PlanRecord, ...]:
    """Return the newest plans of folders, in order of creation."""
    where = f"WHERE workspace IN ({_marks(workspaces)}) ORDER BY rowid DESC LIMIT ?"
    return _read(connection, where, (*workspaces, limit))[::-1]


def read_all_plans(
    connection: sqlite3.Connection, owner: str
) -> tuple[PlanRecord, ...]:
    """Return all plans that have ended or are an owner's, in order of creation."""
    where = "WHERE ended_at IS NOT NULL OR owner = ? ORDER BY rowid"
    return _read(connection, where, (owner,))


def read_unfinished_plans(
    connection: sqlite3.Connection, owner: str
) -> tuple[PlanRecord, ...]:
    """Return an owner's plans that have not ended, in order of creation."""
    where = "WHERE owner = ? AND ended_at IS NULL ORDER BY rowid"
    return _read(connection, where, (owner,))


def read_plan_owners(
    connection: sqlite3.Connection, workspaces: Collection[str]
) -> tuple[str, ...]:
    """Return the owners of the plans of folders that have not ended."""
    rows = connection.execute(
        "SELECT DISTINCT CAST(owner AS TEXT) FROM plans "
        f"WHERE ended_at IS NULL AND workspace IN ({_marks(workspaces)})",
        tuple(workspaces),
    )
    return tuple(owner for (owner,) in rows)


def take_plans_from(
    connection: sqlite3.Connection,
    owner: str,
    workspaces: Collection[str],
    *,
    new_owner: str,
) -> tuple[PlanRecord, ...]:
    """Give the plans of an owner that have not ended to another owner; return them."""
    where = (
        f"WHERE owner = ? AND ended_at IS NULL AND workspace IN ({_marks(workspaces)})"
    )
    plans = _read(connection, f"{where} ORDER BY rowid", (owner, *workspaces))
    connection.execute(
        f"UPDATE plans SET owner = ? {where}", (new_owner, owner, *workspaces)
    )
    return plans


def forget_old_plans(
    connection: sqlite3.Connection, *, keep_days: int
) -> tuple[str, ...]:
    """Delete plans that ended more than `keep_days` ago; return their ids."""
    since = kept_since(connection, "plans", "created_at", keep_days=keep_days)
    values = {"since": since}
    rows = connection.execute(f"SELECT CAST(id AS TEXT) {_OLD}", values).fetchall()
    connection.execute(f"DELETE {_OLD}", values)
    connection.executemany("DELETE FROM review_steps WHERE review_id = ?", rows)
    return tuple(plan_id for (plan_id,) in rows)


def _read(
    connection: sqlite3.Connection, where: str, parameters: Sequence[object]
) -> tuple[PlanRecord, ...]:
    rows = connection.execute(
        f"SELECT CAST(body AS BLOB) FROM plans {where}", tuple(parameters)
    ).fetchall()
    found = (_plan(body) for (body,) in rows)
    return tuple(plan for plan in found if plan is not None)


def _plan(body: bytes) -> PlanRecord | None:
    unpacker = zlib.decompressobj()
    try:
        packed = unpacker.decompress(body, MAX_PLAN_BYTES)
        return msgspec.msgpack.decode(packed, type=PlanRecord)
    except (zlib.error, msgspec.DecodeError):
        return None


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
