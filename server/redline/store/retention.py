"""Decides which rows are old, whatever the clock said when they were written.

The clock of a computer may be wrong for a while: set forward, it would age everything
at once. So one day alone never does: rows are counted from the last day of use before
the newest one, and rows from the future do not count.
"""

from __future__ import annotations

import sqlite3
import time

DAY_S = 86_400.0


def kept_since(
    connection: sqlite3.Connection, table: str, column: str, *, keep_days: int
) -> float | None:
    """Return the time before which rows are old; None: all rows are kept.

    Args:
        connection: To the file.
        table: A table.
        column: Its column with the time of each row, in Unix seconds.
        keep_days: How many days rows are kept.
    """
    # Safe to interpolate: the names are constants.
    newest = f"SELECT max({column}) FROM {table} WHERE {column} <= ?"
    before = f"SELECT max({column}) FROM {table} WHERE {column} < ({newest}) - ?"
    # Shortly after a small correction, the newest rows are from the future.
    (day,) = connection.execute(before, (time.time() + DAY_S, DAY_S)).fetchone()
    return None if day is None else day - keep_days * DAY_S
