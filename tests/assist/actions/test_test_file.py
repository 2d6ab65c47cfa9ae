"""Which file takes the tests of another."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from redline.assist.actions.test_file import find_test_file, has_test_files


def find(path: str, language: str, *there: str) -> str:
    """Find the test file in a project with these files."""

    def names_in(folder: PurePosixPath) -> frozenset[str]:
        paths = [PurePosixPath(each) for each in (path, *there)]
        return frozenset(
            each.relative_to(folder).parts[0]
            for each in paths
            if folder in each.parents
        )

    return find_test_file(path, language, names_in)


@pytest.mark.parametrize(
    ("path", "language", "there", "expected"),
    [
        # It exists: beside, mirrored, in another style.
        ("a/x.py", "python", ["a/test_x.py"], "a/test_x.py"),
        ("src/p/x.py", "python", ["tests/test_x.py"], "tests/test_x.py"),
        ("src/p/q/x.py", "python", ["tests/q/test_x.py"], "tests/q/test_x.py"),
        ("src/p/x.py", "python", ["tests/p/x_test.py"], "tests/p/x_test.py"),
        ("lib/one/src/x.py", "python", ["lib/one/tests/test_x.py"],
         "lib/one/tests/test_x.py"),
        ("a/x.ts", "typescript", ["a/x.spec.ts"], "a/x.spec.ts"),
        ("lib/x.rb", "ruby", ["test/x_test.rb"], "test/x_test.rb"),
        # It does not: as its neighbours are, else as is usual.
        ("x.py", "python", [], "tests/test_x.py"),
        ("src/p/x.py", "python", ["tests/p/test_y.py"], "tests/p/test_x.py"),
        ("src/p/x.py", "python", ["tests/p/y_test.py"], "tests/p/x_test.py"),
        ("src/p/x.py", "python", ["tests/test_y.py"], "tests/test_x.py"),
        ("p/x.py", "python", ["p/test_y.py", "tests/z.py"], "p/test_x.py"),
        ("a/x.go", "go", [], "a/x_test.go"),
        ("a/x.ts", "typescript", [], "a/x.test.ts"),
        ("a/x.tsx", "typescriptreact", [], "a/x.test.tsx"),
        ("a/x.js", "javascript", ["a/y.spec.js"], "a/x.spec.js"),
        ("a/x.js", "javascript", ["a/__tests__/y.test.js"], "a/__tests__/x.test.js"),
        ("src/main/java/p/X.java", "java", [], "src/test/java/p/XTest.java"),
        ("m/src/main/java/p/X.java", "java", [], "m/src/test/java/p/XTest.java"),
        # Cargo finds no test that is deeper, and a crate is not named after its root.
        ("src/x.rs", "rust", [], "tests/x.rs"),
        ("src/a/x.rs", "rust", [], "tests/a_x.rs"),
        ("src/a/mod.rs", "rust", [], "tests/a.rs"),
        ("crates/c/src/a/x.rs", "rust", ["tests/y.rs"], "crates/c/tests/a_x.rs"),
        ("src/lib.rs", "rust", [], "tests/integration_test.rs"),
        ("src/main.rs", "rust", ["tests/x.rs"], "tests/integration_test.rs"),
        ("src/lib.rs", "rust", ["tests/lib.rs"], "tests/lib.rs"),
        ("crates/c/src/lib.rs", "rust", ["crates/c/tests/integration_tests.rs"],
         "crates/c/tests/integration_tests.rs"),
        ("x.rs", "rust", [], "tests/x.rs"),
        ("lib/x.rb", "ruby", ["spec/y_spec.rb"], "spec/x_spec.rb"),
        ("src/X.php", "php", ["tests/YTest.php"], "tests/XTest.php"),
        ("src/x.cpp", "cpp", ["tests/test_y.cpp"], "tests/test_x.cpp"),
        # It is one.
        ("tests/test_x.py", "python", [], "tests/test_x.py"),
        ("a/x_test.go", "go", [], "a/x_test.go"),
        ("a/x.test.ts", "typescript", [], "a/x.test.ts"),
        ("c/tests/x.rs", "rust", [], "c/tests/x.rs"),
        ("src/a/tests.rs", "rust", [], "src/a/tests.rs"),
        ("c/tests/common/mod.rs", "rust", [], "c/tests/common/mod.rs"),
    ],
)  # fmt: skip
def test_by_the_conventions_of_language_and_project(
    path: str, language: str, there: list[str], expected: str
) -> None:
    assert find(path, language, *there) == expected


def test_where_nothing_is_known_nothing_is_offered() -> None:
    assert has_test_files("python")
    assert not has_test_files("markdown")
