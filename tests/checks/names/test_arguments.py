"""Named arguments without a parameter, in languages other than Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.checks.names.conftest import Reported

RULE = "phantom-parameter"

CS = """\
class A
{
    A(int size) {}

    void F(int level, bool again = false) {}
    void F(string text, params int[] rest) {}

    void G(A other)
    {
        [[here]]
    }
}

record R(int N);
"""
PHP = """\
<?php
class A
{
    public function __construct(private int $size, string $name = '') {}
    public function f(int $level) { [[here]] }
    public function g(...$rest) {}
}
function h(int $level) {}
"""
RUBY = """\
class A
  def initialize(size:, name: 1)
  end

  def f(level, again: false)
    [[here]]
  end

  def g(options = {})
  end

  def h(again:, **rest)
  end
end
"""
FORMS = {"A.cs": CS, "a.php": PHP, "a.rb": RUBY}


@pytest.mark.parametrize(
    ("path", "code", "name"),
    [
        ("A.cs", "F(severity: 3, again: true);", "severity"),
        ("A.cs", "this.F(severity: 3);", "severity"),
        ("A.cs", "var a = new A(length: 1);", "length"),
        ("A.cs", "var r = new R(M: 1);", "M"),
        ("a.php", "$this->f(severity: 3);", "severity"),
        ("a.php", "self::f(severity: 3);", "severity"),
        ("a.php", "h(severity: 3);", "severity"),
        ("a.php", "new A(size: 1, length: 2);", "length"),
        ("a.rb", "f(1, once: true)", "once"),
        ("a.rb", "self.f 1, once: true", "once"),
        ("a.rb", "A.new(size: 1, length: 2)", "length"),
    ],
)
def test_reported(reported: Reported, path: str, code: str, name: str) -> None:
    """With its name."""
    before, after = (FORMS[path].replace("[[here]]", one) for one in ("", code))
    [message] = reported(path, before, after, rule=RULE)
    assert f"has no parameter `{name}`" in message


@pytest.mark.parametrize(
    ("path", "code", "files"),
    [
        ("A.cs", "F(level: 3, again: true); F(text: null, rest: null);", {}),
        ("A.cs", "other.F(severity: 3); H(severity: 3);", {}),
        ("A.cs", "var a = new A(size: 1); new B(length: 1);", {}),
        ("A.cs", "F(severity: 3);", {"B.cs": "void F(int severity) {}"}),
        ("a.php", "$this->f(level: 3); $this->g(any: 1); h(level: 1);", {}),
        ("a.php", "$other->f(severity: 3); new A(size: 1, name: 'a');", {}),
        ("a.rb", "f(1, again: true); g(any: 1); h(again: 1, any: 2)", {}),
        ("a.rb", "A.new(size: 1, name: 2); other.f(1, once: 2); b(once: 1)", {}),
    ],
)
def test_left_alone(
    reported: Reported, path: str, code: str, files: dict[str, str]
) -> None:
    """Parameters that are there, may be elsewhere, or are those of others."""
    before, after = (FORMS[path].replace("[[here]]", one) for one in ("", code))
    assert reported(path, before, after, rule=RULE, files=files) == []


def test_a_base_may_have_the_parameter(reported: Reported) -> None:
    """A class with a base is not judged."""
    form = CS.replace("class A", "class A : B")
    before, after = (form.replace("[[here]]", one) for one in ("", "F(deep: 1);"))
    assert reported("A.cs", before, after, rule=RULE) == []
