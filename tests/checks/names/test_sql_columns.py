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
    ],
)
def test_columns_that_may_be_there(reported: Reported, old: str, new: str) -> None:
    """Of this table or another one."""
    after = BEFORE.replace(old, new)
    assert not reported("a.sql", BEFORE, after, rule="undefined-name")
