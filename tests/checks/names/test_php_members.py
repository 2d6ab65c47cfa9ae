"""Methods that `PDO` and its statements do not have."""

from __future__ import annotations

import pytest
from tests.checks.names.conftest import Reported

PHP = "<?php\n\nfunction f(PDO $db, Own $own): array\n{{\n    {}\n}}\n"
OWN = {"own.php": "<?php\nclass Own extends PDO {\n  function fetchOne() {}\n}\n"}


def of_body(reported: Reported, body: str, php: str = PHP) -> list[str]:
    """Return what is reported of the body of a function."""
    before, after = php.format("return [];"), php.format(body)
    return reported("a.php", before, after, rule="phantom-member", files=OWN)


def test_a_method_of_nothing_is_reported(reported: Reported) -> None:
    assert of_body(reported, "return $db->queryAll('a');") == [
        "`PDO` has no `queryAll`."
    ]
    body = "$s = $db->prepare('a');\n    return $s->fetchPage(1);"
    assert of_body(reported, body) == ["`PDOStatement` has no `fetchPage`."]


@pytest.mark.parametrize(
    "body",
    [
        "$s = $db->prepare('a');\n    return $s->FetchAll();",
        "return $own->queryAll('a');",
        "return $db->fetchOne();",
        "return $db->sqliteCreateFunction('a', 'b');",
        "$s = $db->query('a');\n    $s = g($s);\n    return $s->queryAll();",
        "$db = new Own();\n    return $db->queryAll('a');",
        "$s = $own->prepare('a');\n    return $s->fetchPage(1);",
        "return $other->queryAll('a');",
    ],
)
def test_what_may_have_it_is_not(reported: Reported, body: str) -> None:
    assert of_body(reported, body) == []


def test_a_class_of_another_namespace(reported: Reported) -> None:
    php = PHP.replace("<?php\n", "<?php\nnamespace A;\n")
    body = "return $db->queryAll('a');"
    assert of_body(reported, body, php) == []
    assert of_body(reported, body, php.replace("PDO $db", "\\PDO $db"))
