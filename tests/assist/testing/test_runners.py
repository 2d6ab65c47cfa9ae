"""Runners: which files they collect, what they are asked for, and what they print."""

from __future__ import annotations

import pytest

from redline.assist.testing import runners
from redline.assist.testing.test_command import filled_command
from redline.syntax.language import Language
from redline.syntax.test_functions import FoundTest

PY, TS, GO = Language.PYTHON, Language.TYPESCRIPT, Language.GO
RS, JV = Language.RUST, Language.JAVA
RB, PHP = Language.RUBY, Language.PHP


def found(*names: str, unit: bool = False) -> FoundTest:
    """A test in suites."""
    *suites, name = names
    return FoundTest(
        name=name,
        suites=tuple(suites),
        first_line=0,
        line=0,
        last_line=0,
        is_unittest=unit,
    )


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        ("uv run pytest -q {test}", "pytest"),
        (".venv/bin/python -m pytest {test}", "pytest"),
        ("C:\\x\\pytest.exe {test}", "pytest"),
        ("python -m unittest {test}", "unittest"),
        ("python manage.py test {test}", "unittest"),
        ("npx jest {file} -t {test}", "jest"),
        ("node node_modules/.bin/vitest run {file} -t {test}", "vitest"),
        ("go test -run ^{test}$ ./...", "go"),
        ("cargo test {test}", "cargo"),
        ("./mvnw -q test -Dtest={test}", "maven"),
        ("./gradlew test --tests {test}", "gradle"),
        ("make test ONE={test}", "other"),
        ("npx mocha {file} -g {test}", "mocha"),
        ("node --test {file}", "node-test"),
        ("bundle exec rspec {file} -E {test}", "rspec"),
        ("vendor/bin/phpunit --filter {test} {file}", "phpunit"),
        ("npx ava {file}", None),
    ],
)
def test_a_command_starts_a_runner(command: str, runner: str | None) -> None:
    """By its words; a runner whose failures are not read is none."""
    assert runners.runner_of(command.split()) == runner


@pytest.mark.parametrize(
    ("runner", "language", "path", "is_collected"),
    [
        ("pytest", PY, "tests/test_a.py", True),
        ("pytest", PY, "a_test.py", True),
        ("pytest", PY, "tests/conftest.py", False),
        ("pytest", PY, "shop/price.py", False),
        ("pytest", GO, "a_test.go", False),
        ("unittest", PY, "tests/testing.py", True),
        ("unittest", PY, "a_test.py", False),
        ("go", GO, "shop/a_test.go", True),
        ("go", GO, "shop/a.go", False),
        ("jest", TS, "src/a.test.ts", True),
        ("jest", TS, "__tests__/a.ts", True),
        ("vitest", TS, "src/a.ts", False),
        ("cargo", RS, "src/a.rs", True),
        ("maven", JV, "src/test/java/ATest.java", True),
        ("mocha", TS, "test/price.js", True),
        ("node-test", TS, "src/price-test.mjs", True),
        ("node-test", TS, "src/latest.js", False),
        ("rspec", RB, "spec/price_spec.rb", True),
        ("rspec", RB, "spec/spec_helper.rb", False),
        ("rspec", TS, "spec/price.js", False),
        ("phpunit", PHP, "tests/PriceTest.php", True),
        ("phpunit", PHP, "src/Price.php", False),
        ("other", PY, "tests/test_a.py", True),
        ("other", PY, "shop/price.py", False),
        ("other", None, "README", False),
    ],
)
def test_files_with_tests(
    runner: runners.Runner, language: Language | None, path: str, is_collected: bool
) -> None:
    """By the runner's own patterns."""
    assert runners.collects(runner, language, path) == is_collected


@pytest.mark.parametrize(
    ("runner", "language", "path", "tests", "name"),
    [
        ("pytest", PY, "t/test_a.py", [found("T", "test_b")], "t/test_a.py::T::test_b"),
        ("pytest", PY, "t/test_a.py", [found("a"), found("b")], "t/test_a.py"),
        ("unittest", PY, "t/test_a.py", [found("T", "test_b")], "t.test_a.T.test_b"),
        ("unittest", PY, "t/test_a.py", [found("a"), found("b")], "t.test_a"),
        ("jest", TS, "a.test.ts", [found("P", "adds (1)")], r"P (?:> )?adds \(1\)"),
        ("vitest", TS, "a.test.ts", [found("P", "a"), found("b-c")],
         "(P (?:> )?a|b-c)"),
        ("go", GO, "a_test.go", [found("TestA")], "TestA"),
        ("go", GO, "a_test.go", [found("TestA"), found("TestB")], "(TestA|TestB)"),
        ("cargo", RS, "src/shop/price.rs", [found("tests", "a")],
         "shop::price::tests::a"),
        ("cargo", RS, "crates/x/src/lib.rs", [found("tests", "a")], "tests::a"),
        ("cargo", RS, "src/shop/mod.rs", [found("a")], "shop::a"),
        ("cargo", RS, "tests/it.rs", [found("a")], "a"),
        ("maven", JV, "ATest.java", [found("s.ATest$In", "a")], "s.ATest$In#a"),
        ("gradle", JV, "ATest.java", [found("s.ATest", "a")], "s.ATest.a"),
        ("maven", JV, "ATest.java", [found("ATest", "a"), found("ATest", "b")],
         "ATest"),
        ("mocha", TS, "test/a.js", [found("P", "a"), found("P", "b")],
         "(P (?:> )?a|P (?:> )?b)"),
        ("rspec", RB, "a_spec.rb", [found("P", "#a", "is (1)")],
         r"P ?#a is \(1\)"),
        ("rspec", RB, "a_spec.rb", [found("P", ".of"), found("P", "a::b")],
         r"(P ?\.of|P a ?::b)"),
        ("phpunit", PHP, "ATest.php", [found("ATest", "testB")],
         r"\bATest::testB( |$)"),
        ("phpunit", PHP, "ATest.php", [found("ATest", "a"), found("ATest", "b")],
         r"(\bATest::a( |$)|\bATest::b( |$))"),
    ],
)  # fmt: skip
def test_what_a_runner_is_asked_for(
    runner: runners.Runner,
    language: Language,
    path: str,
    tests: list[FoundTest],
    name: str,
) -> None:
    """One test, or several of a file."""
    assert runners.test_name(runner, language, path, tests) == name


@pytest.mark.parametrize(
    ("runner", "printed", "file", "name"),
    [
        ("pytest", "t/test_a.py::test_b[1]", "t/test_a.py", "t/test_a.py::test_b[1]"),
        ("pytest", "t.test_a.T.test_b", "t/test_a.py", "t/test_a.py::T::test_b"),
        ("pytest", "test_b", "", "test_b"),
        ("unittest", "t.test_a.T.test_b", "t/test_a.py", "t.test_a.T.test_b"),
        ("jest", "Price \u203a adds (1)", "a.test.ts", r"Price (?:> )?adds \(1\)"),
        ("vitest", "a.test.ts > Price > adds", "a.test.ts", "Price (?:> )?adds"),
        ("go", "TestA/sub", "a_test.go", "TestA/sub"),
        ("cargo", "price::tests::a", "src/price.rs", "price::tests::a"),
        ("maven", "shop.PriceTest.adds", "PriceTest.java", "shop.PriceTest#adds"),
        ("maven", "shop.PriceTest.of(int)[1]", "PriceTest.java", "shop.PriceTest#of"),
        ("gradle", "shop.PriceTest.adds()", "", "shop.PriceTest.adds"),
        ("mocha", "Price > adds (1)", "test/a.js", r"Price (?:> )?adds \(1\)"),
        ("node-test", "Price > adds", "test/a.js", "Price (?:> )?adds"),
        ("rspec", "Price#euros is (1)", "a_spec.rb", r"Price ?#euros is \(1\)"),
        (
            "phpunit",
            'Shop\\ATest::testB with data set "one" (1)',
            "ATest.php",
            r"\bATest::testB( |$)",
        ),
    ],
)
def test_a_printed_name_is_asked_for(
    runner: runners.Runner, printed: str, file: str, name: str
) -> None:
    """As the runner takes it."""
    assert runners.asked_name(runner, printed, file) == name


@pytest.mark.parametrize(
    ("language", "printed", "test", "is_it"),
    [
        (PY, "test_a.py::test_b", found("test_b"), True),
        (PY, "/repo/app/t/test_a.py::test_b", found("test_b"), True),
        (PY, "u/test_a.py::test_b", found("test_b"), False),
        (PY, "t/test_a.py::T::test_b", found("test_b"), False),
        (TS, "t/b.test.ts > Price > adds", found("Price", "adds"), False),
        (TS, "web t/a.test.ts > Price > adds", found("Price", "adds"), True),
        (PY, "t/test_a.py::T::test_b[x]", found("T", "test_b"), True),
        (PY, "t.test_a.T.test_b", found("T", "test_b"), True),
        (PY, "t/test_a.py::U::test_b", found("T", "test_b"), False),
        (PY, "test_bc", found("test_b"), False),
        (TS, "Price \u203a adds", found("Price", "adds"), True),
        (TS, "a.test.ts > Price > of 1", found("Price", "of "), True),
        (TS, "Price \u203a adds", found("Cart", "adds"), False),
        (GO, "TestA/sub", found("TestA"), True),
        (GO, "TestAB", found("TestA"), False),
        (RS, "price::tests::a", found("tests", "a"), True),
        (RS, "price::more::a", found("tests", "a"), False),
        (JV, "shop.PriceTest.adds", found("shop.PriceTest", "adds"), True),
        (JV, "PriceTest.adds(int)[1]", found("shop.PriceTest", "adds"), True),
        (JV, "shop.CartTest.adds", found("shop.PriceTest", "adds"), False),
        (TS, "Price > adds > a part", found("Price", "adds"), True),
        (TS, "Price > adds > a part", found("Price", "add"), False),
        (RB, "Price#euros is one", found("Price", "#euros", "is one"), True),
        (RB, "Price #euros is one", found("Price", "#euros", "is one"), True),
        (RB, "Price#euros is one", found("Price", "is one"), False),
        (PHP, "Shop\\ATest::testB with data set #0 (1)", found("ATest", "testB"), True),
        (PHP, "Shop\\ATest::testBc", found("ATest", "testB"), False),
        (PHP, "Shop\\ATest::testB", found("BTest", "testB"), False),
    ],
)
def test_a_failed_test_is_that_of_a_file(
    language: Language, printed: str, test: FoundTest, is_it: bool
) -> None:
    """By its file, if that is printed, its suites and its name."""
    path = "t/test_a.py" if language is PY else "t/a.test.ts"
    rank = runners.match_rank(printed, test, language, path)
    assert (rank is not None) == is_it


@pytest.mark.parametrize(
    ("language", "printed", "best"),
    [
        (TS, "adds two numbers", found("adds two numbers")),
        (TS, "adds two numbers, one of them 0", found("adds two numbers")),
        (TS, "adds", found("adds")),
        (TS, "Price \u203a adds", found("Price", "adds")),
        (PY, "t.test_a.T.test_b", found("T", "test_b")),
        (PY, "t/test_a.py::test_b", found("test_b")),
        (RS, "price::tests::a", found("tests", "a")),
    ],
)
def test_a_printed_name_fits_one_test_best(
    language: Language, printed: str, best: FoundTest
) -> None:
    """The whole name, or else the longest of those that it ends or begins with."""
    tests = [
        found("adds"),
        found("adds two numbers"),
        found("Price", "adds"),
        found("test_b"),
        found("T", "test_b"),
        found("a"),
        found("tests", "a"),
    ]
    ranked = [
        (rank, one)
        for one in tests
        if (rank := runners.match_rank(printed, one, language, "t/test_a.py"))
    ]
    assert max(ranked, key=lambda each: each[0])[1] == best


@pytest.mark.parametrize(
    ("output", "has_run_none"),
    [
        ("ok  \tshop\t0.1s [no tests to run]\n", True),
        ("ok  \tshop/a\t0.1s [no tests to run]\nok  \tshop/b\t0.1s\n", False),
        ("running 0 tests\n\nrunning 0 tests\n", True),
        ("running 0 tests\n\nrunning 1 test\n", False),
        ("Ran 0 tests in 0.000s\n\nOK\n", True),
        ("Tests:       3 skipped, 3 total\n", True),
        ("Tests:       2 skipped, 1 passed, 3 total\n", False),
        ("1 passed in 0.01s\n", False),
        ("\n\n  0 passing (1ms)\n\n", True),
        ("\n\n  10 passing (1ms)\n\n", False),
        ("\u2714 test/a.test.js (1.5ms)\n\u2139 pass 1\n\u2139 fail 0\n", True),
        ("\u2714 adds (1.5ms)\n\u2139 pass 1\n\u2139 fail 0\n", False),
        ("ok 1 - adds # SKIP\n# tests 1\n# pass 0\n# skipped 1\n", True),
        ("All examples were filtered out\n\n0 examples, 0 failures\n", True),
        ("10 examples, 0 failures\n", False),
        ("No tests executed!\n", True),
        ("", False),
    ],
)
def test_a_run_of_no_test_is_none_that_passed(output: str, has_run_none: bool) -> None:
    """Runners end well also then."""
    assert runners.has_run_none(output, [found("adds")]) == has_run_none


@pytest.mark.parametrize(
    ("title", "tests", "has_run_none"),
    [
        ("test/a.test.js", [found("adds")], True),
        # A test, in the code and of a table.
        ("a.test.js", [found("a.test.js")], False),
        ("a.test.js", [found("a.test.js", "reads")], False),
        ("fixtures/a.js", [found("reads")], False),
    ],
)
def test_a_test_with_the_name_of_a_file_is_one_that_ran(
    title: str, tests: list[FoundTest], has_run_none: bool
) -> None:
    """Node prints both alike."""
    output = f"\u2714 {title} (1.5ms)\n\u2139 pass 1\n\u2139 fail 0\n"
    assert runners.has_run_none(output, tests) == has_run_none


@pytest.mark.parametrize(
    ("path", "command", "words"),
    [
        ("tests/it.rs", "cargo test {test}", ["cargo", "test", "--test=it"]),
        ("a/tests/it/main.rs", "cargo test {test}", ["cargo", "test", "--test=it"]),
        ("tests/it.rs", "cargo test -- {test}", ["cargo", "test", "--", ""]),
        ("src/a/b.rs", "cargo test {test}", ["cargo", "test", "a::b"]),
    ],
)
def test_all_tests_of_a_rust_file(path: str, command: str, words: list[str]) -> None:
    """A file in `tests` is a crate of its own, which an option names."""
    name = runners.test_name("cargo", Language.RUST, path, [found("a"), found("b")])
    assert filled_command(command.split(), test=name, file=path) == words


def test_only_the_marks_of_a_command_are_filled() -> None:
    """A test's name that looks like a mark stays as it is."""
    command = ("run", "--x={test}", "{file}", "{other}", "$HOME")
    filled = filled_command(command, test="{file};`x`", file="a b.py")
    assert filled == ["run", "--x={file};`x`", "a b.py", "{other}", "$HOME"]
