"""The SQL statements that write and read reviews."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import assert_never

from redline.store.stored_review import (
    GoneFinding,
    ReviewChange,
    StepsForgotten,
    StoredDismissal,
    StoredDrop,
    StoredFinding,
    StoredReview,
    StoredStep,
)

DAY_S = 86_400.0

_PUT_REVIEW = """
    INSERT INTO reviews (
        id, workspace, owner, fingerprint, state, created_at, ended_at, body
    ) VALUES (
        :id, :workspace, :owner, :fingerprint, :state, :created_at, :ended_at, :body
    ) ON CONFLICT (id) DO UPDATE SET
        fingerprint = :fingerprint, state = :state, ended_at = :ended_at, body = :body
"""

_PUT_STEP = """
    INSERT OR REPLACE INTO review_steps (review_id, name, is_done, body)
    VALUES (:review_id, :name, :is_done, :body)
"""

# Updated in place, so that rows stay in the order in which findings were made.
_PUT_FINDING = """
    INSERT INTO findings (review_id, id, fingerprint, state, body)
    VALUES (:review_id, :id, :fingerprint, :state, :body)
    ON CONFLICT (review_id, id) DO UPDATE SET state = :state, body = :body
"""

# A fault belongs to the newest review that found it; earlier findings are replaced.
_REPLACE_EARLIER = """
    UPDATE findings SET state = 'replaced'
    WHERE fingerprint = :fingerprint AND rowid < (
        SELECT rowid FROM findings WHERE review_id = :review_id AND id = :id
    ) AND review_id IN (
        SELECT id FROM reviews WHERE workspace = (
            SELECT workspace FROM reviews WHERE id = :review_id
        )
    ) AND review_id <> :review_id
"""

_PUT_DROP = """
    INSERT OR REPLACE INTO dropped_claims (review_id, n, body)
    VALUES (:review_id, :n, :body)
"""

_PUT_DISMISSAL = """
    INSERT OR REPLACE INTO dismissals (workspace, fingerprint, dismissed_at, body)
    VALUES (:workspace, :fingerprint, :dismissed_at, :body)
"""

_REVIEW = "id, workspace, fingerprint, state, created_at, ended_at, body"
_FINDING = "review_id, id, fingerprint, state, body"

_FORGET_OLD = """
    DELETE FROM reviews WHERE ended_at IS NOT NULL
    AND ended_at < (SELECT max(created_at) FROM reviews) - ?
"""

_OF_REVIEWS = ("review_steps", "findings", "dropped_claims")
"""The tables whose rows belong to a review."""


def write_change(
    connection: sqlite3.Connection, change: ReviewChange, *, owner: str
) -> None:
    """Write one change; a new review belongs to `owner`."""
    match change:
        case StoredReview():
            connection.execute(_PUT_REVIEW, {**asdict(change), "owner": owner})
        case StoredStep():
            connection.execute(_PUT_STEP, asdict(change))
        case StoredFinding():
            connection.execute(_PUT_FINDING, asdict(change))
            connection.execute(_REPLACE_EARLIER, asdict(change))
        case StoredDrop():
            connection.execute(_PUT_DROP, asdict(change))
        case GoneFinding():
            connection.execute(
                "DELETE FROM findings WHERE review_id = :review_id AND id = :id",
                asdict(change),
            )
        case StoredDismissal():
            connection.execute(_PUT_DISMISSAL, asdict(change))
        case StepsForgotten():
            connection.execute(
                "DELETE FROM review_steps WHERE review_id = :review_id", asdict(change)
            )
        case _:
            assert_never(change)


def forget_old_reviews(connection: sqlite3.Connection, *, keep_days: int) -> None:
    """Delete reviews that ended `keep_days` before the newest; keep dismissals."""
    if not connection.execute(_FORGET_OLD, (keep_days * DAY_S,)).rowcount:
        return
    for table in _OF_REVIEWS:
        # Safe to interpolate: the names are constants.
        connection.execute(
            f"DELETE FROM {table} WHERE review_id NOT IN (SELECT id FROM reviews)"
        )


def read_owners(
    connection: sqlite3.Connection, workspaces: Collection[str]
) -> tuple[str, ...]:
    """Return the owners of unfinished reviews of these folders."""
    rows = connection.execute(
        "SELECT DISTINCT owner FROM reviews "
        f"WHERE ended_at IS NULL AND workspace IN ({_marks(workspaces)})",
        tuple(workspaces),
    )
    return tuple(owner for (owner,) in rows)


def take_from(
    connection: sqlite3.Connection,
    owner: str,
    workspaces: Collection[str],
    *,
    new_owner: str,
) -> None:
    """Give an owner's unfinished reviews of these folders to another owner."""
    connection.execute(
        "UPDATE reviews SET owner = ? WHERE owner = ? "
        f"AND ended_at IS NULL AND workspace IN ({_marks(workspaces)})",
        (new_owner, owner, *workspaces),
    )


def read_unfinished(
    connection: sqlite3.Connection, owner: str
) -> tuple[StoredReview, ...]:
    """Return an owner's unfinished reviews, the oldest first."""
    return _reviews(
        connection, "WHERE owner = ? AND ended_at IS NULL ORDER BY rowid", (owner,)
    )


def read_review(connection: sqlite3.Connection, review_id: str) -> StoredReview | None:
    """Return a review by its id."""
    found = _reviews(connection, "WHERE id = ?", (review_id,))
    return found[0] if found else None


def read_reviews(
    connection: sqlite3.Connection, workspaces: Collection[str], *, limit: int
) -> tuple[StoredReview, ...]:
    """Return the newest reviews of these folders, the newest first."""
    return _reviews(
        connection,
        f"WHERE workspace IN ({_marks(workspaces)}) ORDER BY rowid DESC LIMIT ?",
        (*workspaces, limit),
    )


def read_last_done(
    connection: sqlite3.Connection, workspace: str, fingerprint: str
) -> StoredReview | None:
    """Return the newest review of the same text that was done."""
    found = _reviews(
        connection,
        "WHERE workspace = ? AND fingerprint = ? AND state = 'done' "
        "ORDER BY rowid DESC LIMIT 1",
        (workspace, fingerprint),
    )
    return found[0] if found else None


def read_steps(
    connection: sqlite3.Connection, review_id: str
) -> tuple[StoredStep, ...]:
    """Return the steps of a review."""
    rows = connection.execute(
        "SELECT name, is_done, body FROM review_steps WHERE review_id = ?",
        (review_id,),
    )
    return tuple(
        StoredStep(review_id=review_id, name=name, is_done=bool(done), body=body)
        for name, done, body in rows
    )


def read_findings(
    connection: sqlite3.Connection, review_id: str
) -> tuple[StoredFinding, ...]:
    """Return the findings of a review, in the order in which they were found."""
    return _findings(connection, "WHERE review_id = ? ORDER BY rowid", (review_id,))


def read_findings_of(
    connection: sqlite3.Connection,
    workspaces: Collection[str],
    states: Collection[str],
) -> tuple[StoredFinding, ...]:
    """Return the findings of folders in these states, the newest of each fault."""
    return _findings(
        connection,
        "WHERE rowid IN (SELECT max(f.rowid) FROM findings f JOIN reviews r "
        f"ON r.id = f.review_id WHERE r.workspace IN ({_marks(workspaces)}) "
        f"GROUP BY f.fingerprint) AND state IN ({_marks(states)}) ORDER BY rowid",
        (*workspaces, *states),
    )


def read_drops(
    connection: sqlite3.Connection, review_id: str
) -> tuple[StoredDrop, ...]:
    """Return the claims of a review that are not shown, in order."""
    rows = connection.execute(
        "SELECT n, body FROM dropped_claims WHERE review_id = ? ORDER BY n",
        (review_id,),
    )
    return tuple(StoredDrop(review_id=review_id, n=n, body=body) for n, body in rows)


def read_dismissals(
    connection: sqlite3.Connection, workspace: str
) -> tuple[StoredDismissal, ...]:
    """Return the dismissals of a folder."""
    rows = connection.execute(
        "SELECT fingerprint, dismissed_at, body FROM dismissals WHERE workspace = ?",
        (workspace,),
    )
    return tuple(
        StoredDismissal(
            workspace=workspace, fingerprint=fingerprint, dismissed_at=at, body=body
        )
        for fingerprint, at, body in rows
    )


def _reviews(
    connection: sqlite3.Connection, where: str, values: Sequence[object]
) -> tuple[StoredReview, ...]:
    rows = connection.execute(f"SELECT {_REVIEW} FROM reviews {where}", tuple(values))
    names = _REVIEW.split(", ")
    return tuple(StoredReview(**dict(zip(names, row, strict=True))) for row in rows)


def _findings(
    connection: sqlite3.Connection, where: str, values: Sequence[object]
) -> tuple[StoredFinding, ...]:
    rows = connection.execute(f"SELECT {_FINDING} FROM findings {where}", tuple(values))
    names = _FINDING.split(", ")
    return tuple(StoredFinding(**dict(zip(names, row, strict=True))) for row in rows)


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
