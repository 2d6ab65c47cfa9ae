"""Names that nothing defines, in languages whose scopes are not read."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.checks.names.conftest import Reported

KOTLIN = """\
class Cart(private val items: MutableList<Item>) {
    fun total(): Int {
        val paid = items.filter { it.isPaid }
        return paid.sumOf { it.price }
    }
}
"""
SWIFT = """\
struct Queue {
    private var items: [Int] = []

    mutating func push(_ item: Int) {
        items.append(item)
    }
}
"""
DART = """\
class Cart {
  final List<Item> items = [];

  int total() {
    return items.length;
  }
}
"""
RUBY = """\
class Cart
  def total
    @items.sum(&:price)
  end
end
"""


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "name"),
    [
        ("A.kt", KOTLIN, "return paid", "return discounted(paid)", "discounted"),
        ("A.kt", KOTLIN, "val paid =", "val open =", "paid"),
        ("a.swift", SWIFT, "items.append", "if items.count < limit { }", "limit"),
        ("a.dart", DART, "items.length", "items.length - discount", "discount"),
        ("a.rb", RUBY, "price)", "price) * rebate_rate", "rebate_rate"),
    ],
)
def test_undefined(
    reported: Reported, path: str, before: str, old: str, new: str, name: str
) -> None:
    """With the name."""
    after = before.replace(old, new)
    [message] = reported(path, before, after, rule="undefined-name")
    assert f"`{name}`" in message


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "files"),
    [
        (
            "A.kt",
            KOTLIN,
            "return paid",
            "return discounted(paid)",
            {"B.kt": "fun discounted(x: List<Item>) = x\n"},
        ),
        ("A.kt", KOTLIN, "return paid", "val rest = paid\n        return rest", {}),
        ("A.kt", KOTLIN, "{ it.price }", "{ each -> each.price }", {}),
        ("A.kt", KOTLIN, "return paid", "paid.apply { first() }\n return paid", {}),
        ("a.swift", SWIFT, "items.append", "for one in items { print(one) }", {}),
        (
            "A.kt",
            KOTLIN,
            "return paid",
            "val last: Item? = null\n        return last!!.price",
            {},
        ),
        ("a.swift", "import UIKit\nclass A: B {\n}\n", "{\n", "{\n  let a = b\n", {}),
        ("a.rb", RUBY, "@items", "sum = 1\n    sum += @items", {}),
        ("a.rb", RUBY, "sum(&:price)", "sum { |one| one.price }", {}),
        ("a.rb", RUBY, "class Cart", "class Cart < Base\n  setting_of_base", {}),
    ],
)
def test_defined(
    reported: Reported,
    path: str,
    before: str,
    old: str,
    new: str,
    files: Mapping[str, str],
) -> None:
    """In the file, in another one, or perhaps by a base or a receiver."""
    after = before.replace(old, new)
    assert not reported(path, before, after, rule="undefined-name", files=files)
