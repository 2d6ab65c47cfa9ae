"""The tables, and the migrations from older versions of them.

A migration only adds tables, and columns with a default: an older server that is still
running after an update continues to write to the migrated file. Migrations are never
changed once they are released.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from redline.errors import StoreUnusableError

APPLICATION_ID = 0x5245_444C
"""`REDL`, in the file header: distinguishes our files from those of other programs
(sqlite.org/fileformat.html, section 1.3.17)."""

Migration = tuple[str, ...]
"""The statements that lead from one version to the next."""

_USAGE: Migration = (
    # Editors may choose ids, so an id is at most unique within a run of the server.
    # Reasons, boundaries and failed checks are lists of ids separated by blanks.
    """
    CREATE TABLE tasks (
        seq INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        id TEXT NOT NULL,
        kind TEXT NOT NULL,
        tier TEXT NOT NULL,
        model TEXT NOT NULL,
        route_tier TEXT NOT NULL,
        route_score REAL NOT NULL,
        route_reasons TEXT NOT NULL,
        route_boundaries TEXT NOT NULL,
        queued_at REAL NOT NULL,
        first_delta_s REAL,
        ended_s REAL,
        checked_s REAL,
        applied_s REAL,
        input_n_tokens INTEGER NOT NULL,
        cached_n_tokens INTEGER NOT NULL,
        output_n_tokens INTEGER NOT NULL,
        wasted_n_tokens INTEGER NOT NULL,
        cost REAL,
        n_lines INTEGER,
        failed_checks TEXT NOT NULL,
        n_repairs INTEGER NOT NULL,
        n_escalations INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        accepted_at REAL,
        rejected_at REAL,
        undone_at REAL,
        edited_at REAL
    )
    """,
    "CREATE INDEX tasks_by_time ON tasks (queued_at)",
    "CREATE INDEX tasks_by_id ON tasks (run, id)",
)

_REVIEWS: Migration = (
    # Fields that queries use have a column; all others are in `body`, as JSON. Unlike
    # tasks, bodies hold text: all reviewed text while a review runs, and only the
    # lines that findings quote once it has ended.
    """
    CREATE TABLE reviews (
        id TEXT PRIMARY KEY,
        workspace TEXT NOT NULL,
        owner TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        state TEXT NOT NULL,
        created_at REAL NOT NULL,
        ended_at REAL,
        body BLOB NOT NULL
    )
    """,
    "CREATE INDEX reviews_by_workspace ON reviews (workspace, fingerprint)",
    """
    CREATE TABLE review_steps (
        review_id TEXT NOT NULL,
        name TEXT NOT NULL,
        is_done INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (review_id, name)
    )
    """,
    # A fingerprint identifies code and kind of fault across reviews.
    """
    CREATE TABLE findings (
        review_id TEXT NOT NULL,
        id TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        state TEXT NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (review_id, id)
    )
    """,
    "CREATE INDEX findings_by_fingerprint ON findings (fingerprint)",
    """
    CREATE TABLE dropped_claims (
        review_id TEXT NOT NULL,
        n INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (review_id, n)
    )
    """,
    """
    CREATE TABLE dismissals (
        workspace TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        dismissed_at REAL NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (workspace, fingerprint)
    )
    """,
)

_DRAFTS: Migration = (
    # Both are empty for a task without a draft.
    "ALTER TABLE tasks ADD COLUMN draft_model TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE tasks ADD COLUMN draft_result TEXT NOT NULL DEFAULT ''",
)

_PLANS: Migration = (
    # `body` holds everything, compressed: also the texts of the files that it changes.
    """
    CREATE TABLE plans (
        id TEXT PRIMARY KEY,
        workspace TEXT NOT NULL,
        owner TEXT NOT NULL,
        state TEXT NOT NULL,
        created_at REAL NOT NULL,
        ended_at REAL,
        body BLOB NOT NULL
    )
    """,
    "CREATE INDEX plans_by_workspace ON plans (workspace)",
)

_OPINIONS: Migration = (
    # Empty for a task without a second opinion.
    "ALTER TABLE tasks ADD COLUMN opinion TEXT NOT NULL DEFAULT ''",
)

_UNASKED: Migration = (
    # Sums of a local day: completions are too many for a row each. Tier and model are
    # empty where no model wrote.
    """
    CREATE TABLE unasked (
        day TEXT NOT NULL,
        at REAL NOT NULL,
        kind TEXT NOT NULL,
        tier TEXT NOT NULL,
        model TEXT NOT NULL,
        requests INTEGER NOT NULL,
        shown INTEGER NOT NULL,
        at_once INTEGER NOT NULL,
        accepted INTEGER NOT NULL,
        input_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cost REAL NOT NULL,
        unpriced INTEGER NOT NULL,
        PRIMARY KEY (day, kind, tier, model)
    )
    """,
)

MIGRATIONS: tuple[Migration, ...] = (
    _USAGE,
    _REVIEWS,
    _DRAFTS,
    _PLANS,
    _OPINIONS,
    _UNASKED,
)
"""In order; a file's `user_version` is the number of migrations applied to it."""


def version_of(
    connection: sqlite3.Connection,
    path: Path,
    *,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> int:
    """Return a file's version; 0: it is empty.

    Raises:
        StoreUnusableError: If it is newer than this Redline, or not a file of Redline.
    """
    with _one_state(connection):
        version = _number(connection, "PRAGMA user_version")
        mark = _number(connection, "PRAGMA application_id")
        is_empty = not _number(connection, "SELECT count(*) FROM sqlite_master")
    if mark != APPLICATION_ID and not (mark == 0 and is_empty):
        raise StoreUnusableError(f"{path} belongs to another program.")
    if version > len(migrations):
        raise StoreUnusableError(
            f"{path} was written by a newer Redline (version {version} of the file; "
            f"this one knows {len(migrations)})."
        )
    return version


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    *,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> None:
    """Migrate a file in one transaction; several processes may call this at once.

    Args:
        connection: In autocommit mode.
        path: For error messages.
        migrations: All of them, in order.

    Raises:
        StoreUnusableError: As `version_of` does.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read inside the transaction: another process may have migrated it.
        version = version_of(connection, path, migrations=migrations)
        for migration in migrations[version:]:
            for statement in migration:
                connection.execute(statement)
        # A PRAGMA takes no parameters; both values are our own numbers.
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.rollback()


@contextmanager
def _one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """Let all that the block reads be of one moment.

    Between two reads outside of a transaction, another process may migrate the file.
    """
    is_outermost = not connection.in_transaction
    if is_outermost:
        connection.execute("BEGIN")
    try:
        yield
    finally:
        if is_outermost:
            connection.rollback()


def _number(connection: sqlite3.Connection, question: str) -> int:
    return int(connection.execute(question).fetchone()[0])
