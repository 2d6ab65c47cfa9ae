"""Columns of tables that the file creates."""

from __future__ import annotations

import pytest
from tests.checks.names.conftest import Reported

BEFORE = """\
CREATE TABLE orders (
  id INT PRIMARY KEY,
  placed DATE NOT NULL
);

SELECT o.id FROM orders o;
"""


def test_a_column_that_is_not_created(reported: Reported) -> None:
    """With its table."""
    after = BEFORE.replace("o.id FROM", "o.total FROM")
    [message] = reported("a.sql", BEFORE, after, rule="undefined-name")
    assert message == "`orders` has no column `total`."


def test_an_owner_that_is_no_table(reported: Reported) -> None:
    """Nor an alias of one."""
    after = BEFORE.replace("o;", "o WHERE ord.id > 1;")
    [message] = reported("a.sql", BEFORE, after, rule="undefined-name")
    assert message == "No table or alias is named `ord`."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("o.id FROM", "o.placed FROM"),
        ("orders o;", "orders o JOIN other x ON x.a = o.id;"),
        ("SELECT o.id", "ALTER TABLE orders ADD total INT;\\nSELECT o.total"),
        ("o;", "o, app.users;"),
        ("o;", "o WHERE app.is_new(o.id);"),
        ("o;", "o, LATERAL f(o.id) ord WHERE ord.id > 1;"),
        ("SELECT o.id FROM orders o", "SELECT o.a FROM (SELECT 1 AS a) o"),
        ("SELECT o.id", "SELECT o.ctid"),
        ("o.id", "max(placed)"),
        ("o.id", "count(*) AS n_all"),
        ("o;", "o WHERE placed > current_date;"),
        ("o;", "o, LATERAL f(o.id) AS g WHERE new_sum > 1;"),
        ("o.id FROM orders o", "max(total) FROM (SELECT 1 AS total) o"),
        ("o;", "o JOIN other ON shipped_at > 1;"),
        ("SELECT o", "WITH a AS (SELECT 1 AS x_y) SELECT x_y FROM a;\nSELECT o"),
        ("o.id", "date_trunc('day', placed) AS placed_on, placed_by_day(id)"),
    ],
)
def test_columns_that_may_be_there(reported: Reported, old: str, new: str) -> None:
    """Of this table or another one."""
    after = BEFORE.replace(old, new)
    assert not reported("a.sql", BEFORE, after, rule="undefined-name")


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("o.id", "max(total)", "total"),
        ("o.id", "max(total) AS total", "total"),
        ("o;", "o WHERE shipped_at > 1;", "shipped_at"),
        ("o;", "o WHERE total = 1;", "total"),
        ("o;", "o JOIN orders AS p ON p.total = o.id;", "total"),
    ],
)
def test_a_column_without_its_table(
    reported: Reported, old: str, new: str, name: str
) -> None:
    after = BEFORE.replace(old, new)
    [message] = reported("a.sql", BEFORE, after, rule="undefined-name")
    assert message == f"`orders` has no column `{name}`."


PYTHON = """\
SCHEMA = '''
CREATE TABLE orders (id INT PRIMARY KEY, placed DATE);
'''


def f(db, year):
    return db.execute("SELECT id FROM orders")
"""
OTHER = {"schema.sql": "CREATE TABLE other (\n  a INT,\n  b INT\n);\n"}


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ('"SELECT id FROM orders WHERE shipped_at = ?"', "shipped_at"),
        ('"SELECT o.total " "FROM orders AS o"', "total"),
        ('"UPDATE orders SET total = 1"', "total"),
        ('"SELECT max(c) FROM other"', "c"),
        ('"SELECT a, c FROM other"', "c"),
        ('"SELECT c AS b, a FROM other"', "c"),
        ('"SELECT a FROM other ORDER BY c, b"', "c"),
        ('"INSERT INTO other (a, c) VALUES (?, ?)"', "c"),
    ],
)
def test_a_column_in_a_string(reported: Reported, statement: str, name: str) -> None:
    """Of a table that the file creates, or a file of SQL."""
    after = PYTHON.replace('"SELECT id FROM orders"', statement)
    [message] = reported("a.py", PYTHON, after, rule="undefined-name", files=OTHER)
    assert f"no column `{name}`" in message


@pytest.mark.parametrize(
    ("statement", "files"),
    [
        ('"SELECT placed FROM orders WHERE rowid = ?"', OTHER),
        ('"SELECT b FROM other WHERE a = 1"', OTHER),
        ('"SELECT a, sum(b) n FROM other GROUP BY a ORDER BY n"', OTHER),
        ('"SELECT a, (SELECT max(id) FROM orders) c FROM other ORDER BY c"', OTHER),
        ('"INSERT INTO other (b, a) VALUES (?, lower(?))"', OTHER),
        ('"SELECT total FROM elsewhere WHERE made_at = 1"', OTHER),
        ('f"SELECT id FROM orders WHERE {year} AND shipped_at = 1"', OTHER),
        (
            '"SELECT id FROM orders WHERE shipped_at = ?"',
            {"b.sql": "ALTER TABLE orders ADD shipped_at DATE;\n"},
        ),
        ('"Select where shipped_at is set from the list"', OTHER),
    ],
)
def test_columns_in_strings_that_may_be_there(
    reported: Reported, statement: str, files: dict[str, str]
) -> None:
    after = PYTHON.replace('"SELECT id FROM orders"', statement)
    assert not reported("a.py", PYTHON, after, rule="undefined-name", files=files)


def test_a_new_line_of_a_statement_in_a_string(reported: Reported) -> None:
    """Its tables may be in a line that stays."""
    before = PYTHON.replace(
        '"SELECT id FROM orders"',
        '(\n        "SELECT o.id FROM orders o "\n        "WHERE o.id > 1"\n    )',
    )
    after = before.replace("o.id > 1", "o.id > 1 AND o.total = 0")
    [message] = reported("a.py", before, after, rule="undefined-name")
    assert message == "`orders` has no column `total`."


def test_a_view_in_a_file_of_its_own(reported: Reported) -> None:
    """Its tables are created in another file of SQL."""
    before = "CREATE VIEW v AS\nSELECT o.a FROM other AS o;\n"
    wrong = before.replace("o.a", "o.a, o.c")
    [message] = reported("v.sql", before, wrong, rule="undefined-name", files=OTHER)
    assert message == "`other` has no column `c`."
    right = before.replace("o.a", "o.a, o.b")
    assert not reported("v.sql", before, right, rule="undefined-name", files=OTHER)
