"""The tests of a file are found as the runners of its language collect them."""

from __future__ import annotations

import pytest
from tests.steps import count_steps

from redline.syntax.language import Language
from redline.syntax.test_functions import MAX_TESTS
from redline.syntax.test_functions import test_functions as find_tests

PYTHON = """
import unittest

text = '''
def test_in_a_string(): ...
'''

@pytest.mark.parametrize("x", [1])
def test_a(x):
    def test_inner(): ...

async def test_b(): ...

class TestC:
    def test_d(self): ...
    def helper(self): ...
    class TestE:
        def test_f(self): ...

class TestWithInit:
    def __init__(self): ...
    def test_no(self): ...

class Price(unittest.TestCase):
    def test_g(self): ...

class Other:
    def test_no(self): ...
"""
GO = """package a

func TestA(t *testing.T) {}
func Testing(n int) {}
func (s Suite) TestB() {}
func FuzzC(f *testing.F) {}
"""
RUST = """
fn test_no() {}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic]
    fn a() {}

    fn no() {}

    // Slow.
    #[tokio::test(flavor = "multi_thread")]
    async fn b() {}

    #[test] fn c() {}
    fn no_test() {}
}
"""
JAVA = """package shop.a;

class PriceTest {
  @Test
  @DisplayName("one")
  void one() {}

  void no() {}

  @Nested class Inner {
    @ParameterizedTest @ValueSource(ints = {1}) void two(int n) {}
  }
}

class A { @Test void a() {} } class B { @Test void b() {} }
"""
RUBY = """
RSpec.describe Shop::Price, "of (cents)", type: :model do
  it "adds" do
  end
  it { is_expected.to be }
  it "computed #{name}" do
  end
  context 'with a "sum"' do
    [1, 2].each { |n| specify("is one") { } }
  end
  describe "#{name}" do
    it("in a computed group") { }
  end
  shared_examples "prices" do
    it("is named by who includes it") { }
  end
  pages.describe("x") { |page| }
end
def test_a; end
"""
PHP = """<?php
namespace Shop;
final class PriceTest extends TestCase {
    public function testOne(): void {}
    #[Test]
    #[DataProvider('prices')]
    public function two(int $n): void {}
    /** @test */
    public function three(): void {}
    /** The prices. */
    public static function prices(): array { return []; }
    private function testHelper(): void {}
}
function testNo() {}
"""
SCRIPT = """
describe("Price", () => {
  it("adds (a)", () => {});
  test.each([[1, 2]])("of %i is $b", () => {});
  test(`two`, async () => {});
  test(`computed ${name}`, () => {});
  describe(name, () => { test("in a computed suite", () => {}); });
  describe.only("inner", () => { it.skip('it\\'s', () => {}); });
});
regex.test("no, since it is a method");
const text = "test('no')";
// test("no", () => {});
test("alone");
"""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (Language.PYTHON, PYTHON, [
            ("test_a", 8), ("test_b", 11), ("TestC test_d", 14),
            ("TestC TestE test_f", 17), ("Price test_g", 24),
        ]),
        (Language.GO, GO, [("TestA", 2), ("FuzzC", 5)]),
        (Language.RUST, RUST, [("tests a", 7), ("tests b", 13), ("tests c", 15)]),
        (Language.JAVA, JAVA, [
            ("shop.a.PriceTest one", 5), ("shop.a.PriceTest$Inner two", 10),
            ("shop.a.A a", 14), ("shop.a.B b", 14),
        ]),
        (Language.TYPESCRIPT, SCRIPT, [
            ("Price adds (a)", 2), ("Price of ", 3), ("Price two", 4),
            ("Price inner it's", 7), ("alone", 12),
        ]),
        (Language.RUBY, RUBY, [
            ("Shop::Price of (cents) adds", 2),
            ('Shop::Price of (cents) with a "sum" is one', 8),
        ]),
        (Language.PHP, PHP, [
            ("PriceTest testOne", 3), ("PriceTest two", 6), ("PriceTest three", 8),
        ]),
        (Language.CSHARP, "class A { [Test] void B() {} }\n", []),
    ],
    ids=lambda given: given.value if isinstance(given, Language) else "",
)  # fmt: skip
def test_tests_are_found(
    language: Language, text: str, expected: list[tuple[str, int]]
) -> None:
    """With their suites, at the line of their name."""
    found = [
        (" ".join((*one.suites, one.name)), one.line)
        for one in find_tests(text, language)
    ]
    assert found == expected


def test_the_lines_of_a_test_have_its_attributes() -> None:
    """So that the cursor on one of them is in the test."""
    rust = find_tests(RUST, Language.RUST)
    lines = [(one.first_line, one.last_line) for one in rust]
    assert lines == [(5, 7), (11, 13), (15, 15)]
    python = find_tests(PYTHON, Language.PYTHON)
    assert (python[0].first_line, python[0].last_line) == (7, 9)
    assert [one.is_unittest for one in python] == [False] * 4 + [True]


def test_a_file_of_very_many_tests() -> None:
    """The first ones are kept; text that cannot be parsed has none."""
    many = "".join(f"def test_{n}(): ...\n" for n in range(MAX_TESTS + 10))
    assert len(find_tests(many, Language.PYTHON)) == MAX_TESTS
    assert find_tests("\0)(", Language.TYPESCRIPT) == []


MANY = {
    Language.PYTHON: "class Test{n}:\n    def test_a(self): ...\n",
    Language.RUST: "mod m{n} {{\n    #[test]\n    fn a() {{}}\n}}\n",
    Language.JAVA: "class C{n} {{\n  @Test\n  void a() {{}}\n}}\n",
}


@pytest.mark.parametrize("language", MANY)
def test_the_work_is_linear(language: Language) -> None:
    """Each test was compared to all definitions of the file."""

    def n_steps(n_tests: int) -> int:
        text = "".join(MANY[language].format(n=n) for n in range(n_tests))
        return count_steps(lambda: find_tests(text, language))

    n_steps(1)  # The grammar is loaded.
    assert n_steps(160) < 12 * n_steps(20)
