"""The boundaries of stored data, as data: migrations and destructive SQL."""

from __future__ import annotations

from redline.routing.boundary import Boundary, syntax
from redline.routing.phrases import Phrases

_TABLE_CHANGE = r"(?i:ADD|DROP|ALTER|RENAME|MODIFY|ATTACH)\b"
_NO_WHERE = r"(?![^;]{0,2000}\b(?i:where)\b)"

MIGRATIONS = Boundary(
    name="migrations",
    what="a migration of stored data",
    enough=Phrases("""
        alembic, active record migration, migration builder, base java migration
        knex schema, run python, op add column, sequelize migration, schema migration
        database migration, data migration, flyway, liquibase
    """),
    hints=Phrases("""
        migration, add column, drop column, alter table, create table, rename column
        add index, drop index, create index, drop table, upgrade, downgrade, exec sql
        alter column, add foreign key
    """),
    asked=Phrases("""
        database migration, schema migration, data migration, down migration
        up migration, write a migration, write the migration, add a migration
        migrate the data, migrate the database, migrate the table, migrate the schema
        migrate existing, backfill, alter table, alter the table, existing row
        schema change, add a column, drop the column, new column, index concurrently
    """),
    asked_hints=Phrases("""
        column, nullable, unique, without downtime, partition, without locking
    """),
    paths=Phrases("""
        migration, db migrate, database migrate, alembic, flyway, liquibase
        schema migration
    """),
    path_hints=Phrases("migrate, schema, database, db, version"),
    code=(
        syntax("concurrently", r"(?i:CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY)\b"),
        syntax("alter", rf"ALTER\s+TABLE\s+\S+\s+{_TABLE_CHANGE}"),
        syntax("alter", rf"alter\s+table\s+\S+\s+{_TABLE_CHANGE}"),
        syntax("op", r"op\.(?:add|drop|alter)_column\b"),
        syntax("schema", r"Schema::(?:create|table)\b"),
        syntax("schema", r"schema\.(?:alter|create)Table\b"),
        syntax("migration", r"<\s*ActiveRecord::Migration|:\s*Migration\b"),
        syntax("migration", r"Migration\(\s*\d+\s*,\s*\d+\s*\)"),
        syntax("migration", r"\(migrations\.Migration\)"),
    ),
    code_hints=(
        syntax("create", r"CREATE\s+TABLE\b"),
        syntax("create", r"create\s+table\b"),
    ),
)

DESTRUCTIVE_SQL = Boundary(
    name="destructive-sql",
    what="SQL that destroys or rewrites rows",
    asked=Phrases("""
        drop the table, drop table, drop the column, drop column, truncate table
        truncate the table, delete all row, delete every row, purge the table
        wipe the database, delete the row, drop the database
    """),
    code=(
        syntax("drop", r"DROP\s+(?:TABLE|DATABASE|SCHEMA|COLUMN|PARTITION)\b"),
        syntax("drop", r"drop\s+(?:table|database|schema|column|partition)\b"),
        syntax("truncate", r"TRUNCATE\s+(?:TABLE\s+)?\w"),
        syntax("truncate", r"truncate\s+table\b"),
        syntax("delete", r"DELETE\s+FROM\s+\S"),
        syntax("delete", r"""(?:["'`]|^)[ \t]*delete\s+from\s+\S"""),
        syntax("update", rf"UPDATE\s+\S+\s+SET\s{_NO_WHERE}"),
        syntax("update", rf"update\s+\S+\s+set\s{_NO_WHERE}"),
    ),
)

DATA_RULES = (MIGRATIONS, DESTRUCTIVE_SQL)
