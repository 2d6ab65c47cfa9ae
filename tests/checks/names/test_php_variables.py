"""Variables of PHP that a function uses and nothing sets."""

from __future__ import annotations

import pytest
from tests.checks.names.conftest import Reported

PHP = "<?php\n\nfunction f(array $rows): string\n{{\n    {}\n}}\n"


def of_body(reported: Reported, body: str) -> list[str]:
    """Return what is reported of the body of a function."""
    before, after = PHP.format("return '';"), PHP.format(body)
    return reported("a.php", before, after, rule="undefined-name")


@pytest.mark.parametrize(
    "body",
    [
        "return $total;",
        'return "in all $total";',
        "return <<<EOT\n    It's $total\n    EOT;",
        "return '# ' . $total;",
    ],
)
def test_a_variable_that_nothing_sets_is_reported(
    reported: Reported, body: str
) -> None:
    assert of_body(reported, body) == ["Undefined variable `$total`."]


@pytest.mark.parametrize(
    "body",
    [
        "return 'in all $total';",
        "return 'it\\'s $total' . $rows[0];",
        "return preg_replace('/^$total$/', '', $rows[0]);",
        "// $total is not set here\n    return '';",
        "# $total\n    return '';",
        "/* the\n    $total */ return '';",
        "return <<<'EOT'\n    It costs $total\n    EOT;",
    ],
)
def test_a_dollar_sign_in_plain_text_is_no_variable(
    reported: Reported, body: str
) -> None:
    assert of_body(reported, body) == []


def test_what_a_function_takes_by_reference_is_set(reported: Reported) -> None:
    before, after = PHP.format(""), PHP.format("g($total); return $total;")
    files = {"b.php": "<?php\nfunction g(array $x, &$total) {}\n"}
    rule = "undefined-name"
    assert reported("a.php", before, after, rule=rule, files=files) == []
    files = {"b.php": "<?php\nfunction g(array $x, $total) {}\n"}
    assert reported("a.php", before, after, rule=rule, files=files) != []


def test_a_static_property_is_no_variable(reported: Reported) -> None:
    assert of_body(reported, "return self::$total . A::$total;") == []
