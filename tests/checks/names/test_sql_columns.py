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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("o.id FROM", "o.placed FROM"),
        ("orders o;", "orders o JOIN other x ON x.a = o.id;"),
        ("SELECT o.id", "ALTER TABLE orders ADD total INT;\\nSELECT o.total"),
        ("SELECT o.id FROM orders o", "SELECT o.a FROM (SELECT 1 AS a) o"),
    ],
)
def test_columns_that_may_be_there(reported: Reported, old: str, new: str) -> None:
    """Of this table or another one."""
    after = BEFORE.replace(old, new)
    assert not reported("a.sql", BEFORE, after, rule="undefined-name")
