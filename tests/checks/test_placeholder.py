"""Values that became a placeholder, and ranges that return nothing any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.lost_return import check_lost_return
from redline.checks.placeholder import check_placeholders

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", 'URL = "http://a.org"\n', 'URL = "<your-url>"\n'),
        ("javascript", "const key = 'k-12';\n", "const key = 'YOUR_KEY_HERE';\n"),
        ("go", '\tToken: "t-9",\n', '\tToken: "xxxx",\n'),
        ("java", 'String host = "db";\n', 'String host = "REPLACE_ME";\n'),
        ("yaml", "password: k-93\n", "password: changeme\n"),
        ("json", '  "id": "u-7",\n', '  "id": "...",\n'),
        ("dotenv", "PASS=abc1\n", "PASS=<password>\n"),
        ("ruby", "name = 'lager'\n", "name = 'your app name'\n"),
        ("toml", 'name = "lager"\n', 'name = "TODO"\n'),
    ],
)
def test_a_placeholder_for_a_value_is_reported(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    candidate = make_candidate(before, after, language=language, instruction="sort")
    assert [one.rule for one in check_placeholders(candidate)] == ["stub"]


@pytest.mark.parametrize(
    ("language", "before", "after", "instruction"),
    [
        ("python", 'URL = "http://a"\n', 'URL = "<your-url>"\n', "mask the url"),
        ("python", 'URL = "<your-url>"\n', 'URL = "http://a"\n', "set it to a"),
        # A key that is new may have none yet.
        ("python", "a = 1\n", 'a = 1\nKEY = "YOUR_KEY"\n', "add a key"),
        ("python", 'text = "hi"\n', 'text = "your turn, Bob!"\n', "speak to Bob"),
        ("javascript", "f(a);\n", "f(...a);\n", "spread it"),
        ("html", '<a name="x">\n', '<b name="x">\n', "make it bold"),
        ("python", 's = "a"\n', 's = "to-do"\n', "name it to-do"),
    ],
)
def test_another_value_is_not(
    make_candidate: MakeCandidate,
    language: str,
    before: str,
    after: str,
    instruction: str,
) -> None:
    candidate = make_candidate(
        before, after, language=language, instruction=instruction
    )
    assert not list(check_placeholders(candidate))


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("kotlin", "    val a = f()\n    return a\n", "    val a = f() + 1\n"),
        ("python", "    a = f()\n    return a\n", "    a = f() + 1\n"),
        ("go", "\ta := f()\n\treturn a\n", "\ta := f() + 1\n"),
        ("swift", "    return a.count\n", "    a.count + b.count > 2\n    let c = 1\n"),
        ("lua", "  return a + 1\n", "  a = a + 2\n"),
    ],
)
def test_a_range_that_returns_nothing_any_more_is_reported(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    candidate = make_candidate(
        before, after, language=language, instruction="add one more"
    )
    assert [one.rule for one in check_lost_return(candidate)] == ["stub"]


@pytest.mark.parametrize(
    ("language", "instruction", "after"),
    [
        ("python", "add one", "    raise ValueError\n"),
        ("python", "print it", "    print(a)\n"),
        ("javascript", "use an arrow", "  const f = () => a;\n"),
        ("kotlin", "use an expression", "fun f() = a\n"),
        ("python", "", "    a = 1\n"),
    ],
)
def test_a_range_that_need_not_return_is_not(
    make_candidate: MakeCandidate, language: str, instruction: str, after: str
) -> None:
    candidate = make_candidate(
        "    return a\n", after, language=language, instruction=instruction
    )
    assert not list(check_lost_return(candidate))


@pytest.mark.parametrize(
    "new", ["        b.isEmpty\n", "        b.map { $0.c }.isEmpty\n"]
)
def test_an_expression_alone_in_braces_is_returned_in_swift(
    make_candidate: MakeCandidate, new: str
) -> None:
    """Also if the braces stand around the range."""
    before = "var a: Bool {\n\n»\n        return b.count == 0\n«\n    }\n"
    candidate = make_candidate(before, new, language="swift", instruction="isEmpty")
    assert not list(check_lost_return(candidate))
