"""Migrations and SQL that destroys are seen; queries and other migrations are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.routing.boundary import Boundary, Reading, evidence
from redline.routing.data_rules import DATA_RULES, DESTRUCTIVE_SQL, MIGRATIONS

Read = Callable[..., Reading]


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        (MIGRATIONS, {"path": "db/migrate/2024_x.rb"}),
        (MIGRATIONS, {"path": "shop/migrations/0001_initial.py"}),
        (MIGRATIONS, {"code": "ALTER TABLE t ADD COLUMN c int;"}),
        (MIGRATIONS, {"code": "alter table t\n  drop column c;"}),
        (MIGRATIONS, {"code": "op.add_column('t', c)"}),
        (MIGRATIONS, {"code": "class A < ActiveRecord::Migration[7.1]"}),
        (MIGRATIONS, {"instruction": "backfill the new field"}),
        (MIGRATIONS, {"code": "CREATE TABLE t (a int)", "instruction": "partition it"}),
        (DESTRUCTIVE_SQL, {"code": "DROP TABLE t;"}),
        (DESTRUCTIVE_SQL, {"code": "cursor.execute('TRUNCATE t')"}),
        (DESTRUCTIVE_SQL, {"code": "db.exec(`delete from t`)"}),
        (DESTRUCTIVE_SQL, {"code": "DELETE FROM t WHERE a = 1"}),
        (DESTRUCTIVE_SQL, {"code": "UPDATE t SET a = 1; SELECT 1 FROM t WHERE b;"}),
        (DESTRUCTIVE_SQL, {"instruction": "drop the table"}),
    ],
)
def test_what_is_guarded(read: Read, rule: Boundary, given: dict[str, object]) -> None:
    assert evidence(rule, read(**given)).shown


@pytest.mark.parametrize(
    "given",
    [
        {"instruction": "migrate from one test runner to the other"},
        {"code": "SELECT a FROM t WHERE updated AND dropped"},
        {"code": "UPDATE t SET a = 1\nWHERE b = 2;"},
        {"code": "items.delete(item); list.drop(3); truncate(text, 3)"},
        {"code": "onDrop={drop}; dragAndDrop()"},
        {"code": "CREATE TABLE t (a int)"},
        {"code": "# delete from the list what is gone"},
        {"instruction": "highlight the row of the table"},
    ],
)
def test_what_only_sounds_like_it(read: Read, given: dict[str, object]) -> None:
    reading = read(**given)

    assert not any(evidence(rule, reading).shown for rule in DATA_RULES)
