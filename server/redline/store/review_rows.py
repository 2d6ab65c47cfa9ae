"""The SQL statements that write and read reviews.

Columns hold what queries need; the values themselves are JSON in the column `body`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeVar, assert_never, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from redline.findings.finding import Dismissal, Dropped, Finding, FindingState
from redline.findings.review import Review
from redline.plans.record import PlanRecord
from redline.plans.states import PLAN_ENDS, WAITS_FOR_USER
from redline.store.database import insert, kept_since
from redline.store.plan_rows import read_all_plans, write_plan
from redline.store.review_change import (
    UNWANTED,
    GoneFinding,
    ReviewChange,
    StepForgotten,
    StepsForgotten,
    StoredDismissal,
    StoredDrop,
    StoredState,
    StoredStep,
)

_UPDATE_REVIEW = """
    ON CONFLICT (id) DO UPDATE SET
        fingerprint = :fingerprint, state = :state, ended_at = :ended_at, body = :body
"""

# Updated in place, so that rows stay in the order in which findings were made. The
# column holds the state; the one in the body is that of the first write.
_UPDATE_FINDING = """
    ON CONFLICT (review_id, id) DO UPDATE SET body = :body
"""

# The findings of a fault in one workspace that no later one has replaced.
_SET_STATE = """
    UPDATE findings SET state = :state
    WHERE fingerprint = :fingerprint AND state <> 'replaced' AND review_id IN (
        SELECT id FROM reviews WHERE workspace = :workspace
    )
"""

_WORKSPACE_OF = "SELECT workspace FROM reviews WHERE id = ?"

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

# Reviews are deleted in the order of their creation, so that one is not deleted whose
# time is wrong because the clock was set back.
_FORGET_OLD = """
    DELETE FROM reviews WHERE ended_at < :since
    AND rowid < (SELECT min(rowid) FROM reviews WHERE created_at >= :since)
"""

_DISMISSED = """
    SELECT 1 FROM dismissals WHERE fingerprint = ? AND workspace = (
        SELECT workspace FROM reviews WHERE id = ?
    )
"""

# The state of a replaced finding is that of the finding which has replaced it.
_STATE = """
    CASE state WHEN 'replaced' THEN (
        SELECT newer.state FROM findings newer
        WHERE newer.fingerprint = findings.fingerprint AND newer.state <> 'replaced'
        AND newer.review_id IN (
            SELECT id FROM reviews WHERE workspace = (
                SELECT workspace FROM reviews WHERE id = findings.review_id
            )
        )
    ) ELSE state END
"""

_OF_REVIEWS = ("review_steps", "findings", "dropped_claims")
"""The tables whose rows belong to a review."""

OWNER = re.compile(r"[\w-]{1,64}", re.ASCII)
"""What an owner looks like: its name becomes part of a file name."""

_STATES: tuple[FindingState, ...] = get_args(FindingState)

_T = TypeVar("_T")


class RowReader(Struct, frozen=True):
    """Reads values; leaves out rows that cannot be read, as of a damaged page."""

    connection: sqlite3.Connection
    on_unreadable: Callable[[], None]
    """Called for each row that is left out."""

    def values(
        self, type: type[_T], where: str, parameters: Sequence[object]
    ) -> tuple[_T, ...]:
        """Read the bodies of rows.

        Args:
            type: What the bodies hold.
            where: The rest of the statement, from `FROM` on.
            parameters: Of the statement.
        """
        # A damaged body may have any type, or be text that is not UTF-8.
        rows = self.connection.execute(
            f"SELECT CAST(body AS BLOB) {where}", tuple(parameters)
        )
        return tuple(self._readable(type, (body for (body,) in rows)))

    def findings(self, where: str, parameters: Sequence[object]) -> tuple[Finding, ...]:
        """Read findings with their states.

        Args:
            where: The rest of the statement, from `WHERE` on.
            parameters: Of the statement.
        """
        rows = self.connection.execute(
            f"SELECT CAST(body AS BLOB), {_STATE} FROM findings {where}",
            tuple(parameters),
        ).fetchall()
        return tuple(
            msgspec.structs.replace(finding, state=state)
            if state in _STATES
            else finding
            for body, state in rows
            for finding in self._readable(Finding, (body,))
        )

    def _readable(self, type: type[_T], bodies: Iterable[bytes]) -> Iterator[_T]:
        for body in bodies:
            try:
                yield msgspec.json.decode(body, type=type)
            except (msgspec.DecodeError, UnicodeDecodeError):
                self.on_unreadable()


def write_change(
    connection: sqlite3.Connection, change: ReviewChange, *, owner: str
) -> None:
    """Write one change; a new review belongs to `owner`."""
    match change:
        case Review():
            row = _review_row(change, owner)
            insert(connection, "reviews", row, on_conflict=_UPDATE_REVIEW)
        case StoredStep():
            insert(connection, "review_steps", asdict(change))
        case Finding():
            row = _finding_row(_unless_dismissed(connection, change))
            insert(connection, "findings", row, on_conflict=_UPDATE_FINDING)
            connection.execute(_REPLACE_EARLIER, row)
        case StoredState():
            _set_state(connection, change)
        case StoredDrop(review_id=review_id, n=n, dropped=dropped):
            body = msgspec.json.encode(dropped)
            row = {"review_id": review_id, "n": n, "body": body}
            insert(connection, "dropped_claims", row)
        case GoneFinding():
            connection.execute(
                "DELETE FROM findings WHERE review_id = :review_id AND id = :id",
                asdict(change),
            )
        case StoredDismissal(workspace=workspace, at=at, dismissal=dismissal):
            row = {
                "workspace": workspace,
                "fingerprint": dismissal.fingerprint,
                "dismissed_at": at,
                "body": msgspec.json.encode(dismissal),
            }
            insert(connection, "dismissals", row)
            connection.execute(_SET_STATE, row | {"state": "dismissed"})
        case PlanRecord():
            write_plan(connection, change, owner=owner)
        case StepsForgotten() | StepForgotten():
            _forget_steps(connection, change)
        case _:
            assert_never(change)


def _forget_steps(
    connection: sqlite3.Connection, change: StepsForgotten | StepForgotten
) -> None:
    where = "review_id = :review_id AND "
    if isinstance(change, StepForgotten):
        where += "name = :name"
    else:
        where += "substr(name, 1, length(:unwanted)) != :unwanted"
    connection.execute(
        f"DELETE FROM review_steps WHERE {where}",
        asdict(change) | {"unwanted": UNWANTED},
    )


def forget_old_reviews(connection: sqlite3.Connection, *, keep_days: int) -> None:
    """Delete reviews that ended more than `keep_days` ago; keep dismissals."""
    since = kept_since(connection, "reviews", "created_at", keep_days=keep_days)
    if not connection.execute(_FORGET_OLD, {"since": since}).rowcount:
        return
    for table in _OF_REVIEWS:
        # Safe to interpolate: the names are constants.
        connection.execute(
            f"DELETE FROM {table} WHERE review_id NOT IN (SELECT id FROM reviews) "
            "AND review_id NOT IN (SELECT id FROM plans)"
        )


def read_owners(reader: RowReader, workspaces: Collection[str]) -> tuple[str, ...]:
    """Return the owners of unfinished reviews of these folders."""
    rows = reader.connection.execute(
        "SELECT DISTINCT CAST(owner AS TEXT) FROM reviews "
        f"WHERE ended_at IS NULL AND workspace IN ({_marks(workspaces)})",
        tuple(workspaces),
    ).fetchall()
    owners = tuple(owner for (owner,) in rows if OWNER.fullmatch(owner))
    if len(owners) < len(rows):
        reader.on_unreadable()
    return owners


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


def read_unfinished(reader: RowReader, owner: str) -> tuple[Review, ...]:
    """Return an owner's unfinished reviews, the oldest first."""
    where = "FROM reviews WHERE owner = ? AND ended_at IS NULL ORDER BY rowid"
    return reader.values(Review, where, (owner,))


def read_n_unfinished(reader: RowReader) -> dict[str, int]:
    """Return how many reviews and plans have not ended, by owner."""
    rows = reader.connection.execute(
        "SELECT CAST(owner AS TEXT), count(*) FROM ("
        "SELECT owner FROM reviews WHERE ended_at IS NULL UNION ALL "
        "SELECT owner FROM plans WHERE ended_at IS NULL) GROUP BY owner"
    )
    return dict(rows.fetchall())


def read_review(reader: RowReader, review_id: str) -> Review | None:
    found = reader.values(Review, "FROM reviews WHERE id = ?", (review_id,))
    return found[0] if found else None


def read_newest(
    reader: RowReader, workspaces: Collection[str], *, limit: int
) -> tuple[Review, ...]:
    """Return the newest reviews of these folders, in order of creation."""
    found = reader.values(
        Review,
        f"FROM reviews WHERE workspace IN ({_marks(workspaces)}) "
        "ORDER BY rowid DESC LIMIT ?",
        (*workspaces, limit),
    )
    return found[::-1]


def read_last_done(
    reader: RowReader, workspace: str, fingerprint: str
) -> Review | None:
    """Return the review that made the newest findings about the same text."""
    found = reader.values(
        Review,
        "FROM reviews WHERE workspace = ? AND fingerprint = ? AND state = 'done' "
        "ORDER BY rowid DESC LIMIT 1",
        (workspace, fingerprint),
    )
    if not found or found[0].same_as is None:
        return found[0] if found else None
    # An old review may have been deleted.
    return read_review(reader, found[0].same_as)


def read_steps(reader: RowReader, review_id: str) -> tuple[StoredStep, ...]:
    """Return the steps that a review has begun, done ones included.

    There are none if one cannot be read: later steps build on the earlier ones.
    """
    rows = reader.connection.execute(
        "SELECT CAST(name AS TEXT), is_done, CAST(body AS BLOB) FROM review_steps "
        "WHERE review_id = ?",
        (review_id,),
    )
    steps = tuple(
        StoredStep(review_id=review_id, name=name, is_done=bool(done), body=body)
        for name, done, body in rows
    )
    try:
        for step in steps:
            step.outcome(object)
    except msgspec.DecodeError:
        reader.on_unreadable()
        return ()
    return steps


def read_unwanted_answers(
    reader: RowReader, workspaces: Collection[str]
) -> tuple[StoredStep, ...]:
    """Return the steps of folders that name answers to delete.

    A plan at work may still read its answers.
    """
    folders = _marks(workspaces)
    idle = sorted(WAITS_FOR_USER | PLAN_ENDS)
    rows = reader.connection.execute(
        "SELECT CAST(review_id AS TEXT), CAST(name AS TEXT), CAST(body AS BLOB) "
        "FROM review_steps WHERE substr(name, 1, length(?)) = ? AND review_id IN "
        f"(SELECT id FROM reviews WHERE workspace IN ({folders}) UNION "
        f"SELECT id FROM plans WHERE workspace IN ({folders}) "
        f"AND state IN ({_marks(idle)}))",
        (UNWANTED, UNWANTED, *workspaces, *workspaces, *idle),
    )
    return tuple(
        StoredStep(review_id=review_id, name=name, is_done=False, body=body)
        for review_id, name, body in rows
    )


def read_findings(reader: RowReader, review_id: str) -> tuple[Finding, ...]:
    """Return the findings of a review, in the order in which they were found."""
    return reader.findings("WHERE review_id = ? ORDER BY rowid", (review_id,))


def read_findings_of(
    reader: RowReader,
    workspaces: Collection[str],
    states: Collection[str],
) -> tuple[Finding, ...]:
    """Return the findings of folders in these states, the newest of each fault."""
    return reader.findings(
        "WHERE rowid IN (SELECT max(f.rowid) FROM findings f "
        "JOIN reviews r ON r.id = f.review_id "
        f"WHERE r.workspace IN ({_marks(workspaces)}) GROUP BY f.fingerprint) "
        f"AND state IN ({_marks(states)}) ORDER BY rowid",
        (*workspaces, *states),
    )


def read_states(
    reader: RowReader, workspace: str, fingerprints: Collection[str]
) -> dict[str, FindingState]:
    """Return the states of the known ones of some faults, by fingerprint."""
    rows = reader.connection.execute(
        "SELECT fingerprint, state FROM findings "
        "WHERE state <> 'replaced' AND review_id IN ("
        "SELECT id FROM reviews WHERE workspace = ?) "
        f"AND fingerprint IN ({_marks(fingerprints)}) ORDER BY rowid",
        (workspace, *fingerprints),
    )
    return {fingerprint: state for fingerprint, state in rows if state in _STATES}


def read_changes(reader: RowReader, owner: str) -> tuple[ReviewChange, ...]:
    """Return the changes that write all rows again, in the order of their writing.

    What other owners have not ended is left out.
    """
    where = "FROM reviews WHERE ended_at IS NOT NULL OR owner = ? ORDER BY rowid"
    reviews = reader.values(Review, where, (owner,))
    changes: list[ReviewChange] = [*reviews]
    for review in reviews:
        changes += read_steps(reader, review.id)
        changes += read_findings(reader, review.id)
        drops = enumerate(read_drops(reader, review.id))
        changes += [StoredDrop(review_id=review.id, n=n, dropped=d) for n, d in drops]
    rows = reader.connection.execute(
        "SELECT workspace, dismissed_at, fingerprint FROM dismissals"
    ).fetchall()
    times = {(workspace, fault): at for workspace, at, fault in rows}
    for workspace in {workspace for workspace, _ in times}:
        for one in read_dismissals(reader, workspace):
            at = times[workspace, one.fingerprint]
            changes.append(StoredDismissal(workspace=workspace, at=at, dismissal=one))
    for plan in read_all_plans(reader.connection, owner):
        changes += [plan, *read_steps(reader, plan.id)]
    return tuple(changes)


def read_drops(reader: RowReader, review_id: str) -> tuple[Dropped, ...]:
    """Return the claims of a review that are not shown, in order."""
    where = "FROM dropped_claims WHERE review_id = ? ORDER BY n"
    return reader.values(Dropped, where, (review_id,))


def read_dismissals(reader: RowReader, workspace: str) -> tuple[Dismissal, ...]:
    where = "FROM dismissals WHERE workspace = ?"
    return reader.values(Dismissal, where, (workspace,))


def _set_state(connection: sqlite3.Connection, change: StoredState) -> None:
    row = connection.execute(_WORKSPACE_OF, (change.review_id,)).fetchone()
    if row is not None:
        # A state that only follows from the text gives way to what a user did.
        known = " AND state IN ('open', 'stale', :was)"
        connection.execute(_SET_STATE + known, asdict(change) | {"workspace": row[0]})


def _unless_dismissed(connection: sqlite3.Connection, finding: Finding) -> Finding:
    """Return a new finding as dismissed if its fault has been dismissed."""
    key = (finding.fingerprint, finding.review_id)
    if connection.execute(_DISMISSED, key).fetchone() is None:
        return finding
    return msgspec.structs.replace(finding, state="dismissed")


def _review_row(review: Review, owner: str) -> dict[str, object]:
    return {
        "id": review.id,
        "workspace": review.request.workspace,
        "owner": owner,
        "fingerprint": review.fingerprint,
        "state": review.state,
        "created_at": review.created_at,
        "ended_at": review.ended_at,
        "body": msgspec.json.encode(review),
    }


def _finding_row(finding: Finding) -> dict[str, object]:
    return {
        "review_id": finding.review_id,
        "id": finding.id,
        "fingerprint": finding.fingerprint,
        "state": finding.state,
        "body": msgspec.json.encode(finding),
    }


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)
