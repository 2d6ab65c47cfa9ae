"""Objects that are made as before, although their constructor needs more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.constructors import check_constructors

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

PHP = (
    "<?php\nclass Loan\n{\n»\n    public function __construct(string $item)\n    {\n"
    "    }\n«\n}\n\nclass Book\n{\n    public function __construct(int $a, int $b)\n"
    "    {\n    }\n}\n\n$loan = new Loan({});\n$book = new Book(1, 2);\n"
)
RUBY = "class Loan\n»\n  def initialize(item)\n  end\n«\nend\n\nx = Loan.new({})\n"
TS = "class Loan {\n»\n  constructor(item: string) {}\n«\n}\nconst x = new Loan({});\n"


@pytest.mark.parametrize(
    ("language", "text", "new", "arguments", "is_wrong"),
    [
        ("php", PHP, "string $item, int $due", "'a'", True),
        ("php", PHP, "string $item, int $due = 1", "'a'", False),
        ("php", PHP, "string $item, int ...$due", "'a'", False),
        ("php", PHP, "string $item, int $due", "...$all", False),
        ("php", PHP, "string $title", "'a'", False),
        # It was wrong before.
        ("php", PHP, "string $item, int $due", "", False),
        ("ruby", RUBY, "item, due", "1", True),
        ("ruby", RUBY, "item, due = 1", "1", False),
        ("typescript", TS, "item: string, due: Date", '"a"', True),
        ("typescript", TS, "item: string, due?: Date", '"a"', False),
    ],
)
def test_calls(
    make_candidate: MakeCandidate,
    language: str,
    text: str,
    new: str,
    arguments: str,
    *,
    is_wrong: bool,
) -> None:
    after = {
        "php": f"    public function __construct({new})\n    {{\n    }}\n",
        "ruby": f"  def initialize({new})\n  end\n",
        "typescript": f"  constructor({new}) {{}}\n",
    }[language]
    before = text.replace("({})", f"({arguments})")
    found = list(check_constructors(make_candidate(before, after, language=language)))
    assert bool(found) is is_wrong
