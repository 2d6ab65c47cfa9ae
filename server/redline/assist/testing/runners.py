"""Test runners: which one a command starts, and what they call a test.

`{test}` in `test.command` is the name by which the runner is asked for the test alone,
which is not always the one that it prints.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from redline.syntax.language import Language
from redline.syntax.test_functions import FoundTest

Runner = Literal[
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "mocha",
    "node-test",
    "go",
    "cargo",
    "maven",
    "gradle",
    "rspec",
    "phpunit",
    "other",
]
"""The program that a command starts; "other": not known, such as a script."""

_BY_WORD: dict[str, Runner | None] = {
    "pytest": "pytest",
    "py.test": "pytest",
    "unittest": "unittest",
    "manage.py": "unittest",
    "jest": "jest",
    "react-scripts": "jest",
    "vitest": "vitest",
    "mocha": "mocha",
    "_mocha": "mocha",
    "go": "go",
    "cargo": "cargo",
    "cargo-nextest": "cargo",
    "mvn": "maven",
    "mvnw": "maven",
    "mvnd": "maven",
    "gradle": "gradle",
    "gradlew": "gradle",
    "rspec": "rspec",
    "phpunit": "phpunit",
    "phpunit.phar": "phpunit",
    # Their failures are not read.
    "ava": None,
    "pest": None,
}
_SCRIPTS = (Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX)
_LANGUAGES: dict[Runner, tuple[Language, ...]] = {
    "pytest": (Language.PYTHON,),
    "unittest": (Language.PYTHON,),
    "jest": _SCRIPTS,
    "vitest": _SCRIPTS,
    "mocha": _SCRIPTS,
    "node-test": _SCRIPTS,
    "go": (Language.GO,),
    "cargo": (Language.RUST,),
    "maven": (Language.JAVA,),
    "gradle": (Language.JAVA,),
    "rspec": (Language.RUBY,),
    "phpunit": (Language.PHP,),
    "other": (
        Language.PYTHON,
        *_SCRIPTS,
        Language.GO,
        Language.RUST,
        Language.JAVA,
        Language.RUBY,
        Language.PHP,
    ),
}
_SCRIPT_FILE = re.compile(r"(?:^|/)__tests__/|\.(?:test|spec)\.[cm]?[jt]sx?$")
_FILES: dict[Language, re.Pattern[str]] = {
    Language.PYTHON: re.compile(r"(?:^|/)(?:test[^/]*|[^/]*_test)\.py$"),
    Language.GO: re.compile(r"_test\.go$"),
    Language.RUBY: re.compile(r"_spec\.rb$"),
    Language.PHP: re.compile(r"Test\.php$"),
    **dict.fromkeys(_SCRIPTS, _SCRIPT_FILE),
}
"""The files that runners collect tests from; those of other languages may be any."""

_PYTEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_UNITTEST_FILE = re.compile(r"(?:^|/)test[^/]*\.py$")
_LOOSE_SCRIPT_FILE = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__)/|[._-](?:test|spec)\.[cm]?[jt]sx?$"
    r"|(?:^|/)test(?:-[^/]*)?\.[cm]?[jt]s$"
)
_OWN_FILES: dict[Runner, re.Pattern[str]] = {
    "pytest": _PYTEST_FILE,
    "unittest": _UNITTEST_FILE,
    # Mocha takes all of the folder `test`, and any file that it is given.
    "mocha": _LOOSE_SCRIPT_FILE,
    "node-test": _LOOSE_SCRIPT_FILE,
}
"""The files of runners with patterns of their own."""

_BEFORE_METHOD = re.compile(r" (?=#|\.|::)")
_METHOD = re.compile(r" ?(?=#|\\\.|::)")
_SUITE_MARK = re.compile(" [\u203a>] ")
_JAVA_CASE = re.compile(r"[({\[]")

_NONE_RUN = re.compile(
    r"^Ran 0 tests|^Tests: +\d+ skipped, \d+ total|^ *Tests +\d+ skipped \(\d+\)"
    r"|^  0 passing \(|^0 examples, |^No tests executed!",
    re.MULTILINE,
)
_NODE_PASSED = re.compile(r"^(?:# |\u2139 )pass (\d+)$", re.MULTILINE)
_NODE_FILE = re.compile(
    r"^(?:\u2714 |ok \d+ - )(\S.*\.[cm]?[jt]sx?)(?: \([^()\n]*+\))?$", re.MULTILINE
)
"""A file of which no test was run, which Node counts as a test that passed; or a test
whose title ends like the name of a file."""
_GO_OK = re.compile(r"^ok\s.*$", re.MULTILINE)
_CARGO_RAN = re.compile(r"^running (\d+) tests?$", re.MULTILINE)

CARGO_CRATE = "--test="
"""Cargo's option that names a crate in `tests`."""


def runner_of(command: Sequence[str]) -> Runner | None:
    """Return the runner that a command starts; None: its failures are not read."""
    for word in command:
        name = re.split(r"[/\\]", word)[-1].lower()
        name = re.sub(r"\.(?:exe|cmd|bat|js|mjs)$", "", name)
        if name in _BY_WORD:
            return _BY_WORD[name]
    return "node-test" if "--test" in command else "other"


def collects(runner: Runner, language: Language | None, path: str) -> bool:
    """Whether a runner looks for tests in a file."""
    if language not in _LANGUAGES[runner]:
        return False
    files = _OWN_FILES.get(runner) or _FILES.get(language)
    return files is None or files.search(path) is not None


def is_run_by(test: FoundTest, runner: Runner) -> bool:
    return runner != "unittest" or test.is_unittest


def test_name(
    runner: Runner, language: Language, path: str, tests: Sequence[FoundTest]
) -> str:
    """Return what a runner is asked for: one test, or all given tests of a file.

    Args:
        runner: The runner.
        language: The language of the file.
        path: The path of the file in the workspace.
        tests: One or more tests of this file. With more, runners of Python, Rust and
            Java are asked for all of the file or class.
    """
    is_one = len(tests) == 1
    one = tests[0]
    if language in _SCRIPTS:
        names = [_pattern((*each.suites, each.name)) for each in tests]
        return names[0] if is_one else f"({'|'.join(names)})"
    match language:
        case Language.GO:
            names = [each.name for each in tests]
            return names[0] if is_one else f"({'|'.join(names)})"
        case Language.RUST:
            file = PurePosixPath(path)
            if not is_one and runner == "cargo" and "src" not in file.parts:
                # A file in `tests` is a crate: no name stands for all tests of it.
                crate = file.parent.name if file.stem == "main" else file.stem
                return f"{CARGO_CRATE}{crate}"
            return "::".join([*_rust_module(path), *(_inner(one) if is_one else ())])
        case Language.RUBY | Language.PHP:
            make = _example_pattern if language is Language.RUBY else _method_pattern
            names = [make(_inner(each)) for each in tests]
            return names[0] if is_one else f"({'|'.join(names)})"
        case Language.JAVA:
            mark = "." if runner == "gradle" else "#"
            return f"{one.suites[-1]}{mark}{one.name}" if is_one else one.suites[0]
        case _:
            mark = "." if runner == "unittest" else "::"
            first = path
            if runner == "unittest":
                first = ".".join(PurePosixPath(path).with_suffix("").parts)
            return mark.join([first, *(_inner(one) if is_one else ())])


def asked_name(runner: Runner, printed: str, file: str) -> str:
    """Return what a runner is asked for, from the name of a test as it was printed.

    Args:
        runner: The runner of the command.
        printed: The name in an output.
        file: The path of the test's file; empty: not known.
    """
    if runner in ("jest", "vitest", "mocha", "node-test"):
        parts = _SUITE_MARK.split(printed)
        if runner == "vitest":
            parts = parts[1:] or parts
        return _pattern(parts)
    if runner == "rspec":
        return _example_pattern((printed,))
    if runner == "phpunit":
        return _method_pattern(_php_method(printed))
    if runner == "maven":
        name, _, last = _JAVA_CASE.split(printed, maxsplit=1)[0].rpartition(".")
        return f"{name}#{last}" if name else last
    if runner == "gradle":
        return _JAVA_CASE.split(printed, maxsplit=1)[0]
    if runner == "pytest" and file and "::" not in printed and "/" not in printed:
        # As unittest prints it: module, class and method.
        module = ".".join(PurePosixPath(file).with_suffix("").parts)
        _, mark, inside = f".{printed}".partition(f".{module.rpartition('.')[2]}.")
        return "::".join([file, *inside.split(".")]) if mark else printed
    return printed


MatchRank: TypeAlias = tuple[bool, int, int]
"""How well a printed name fits a test: whether to its end, the parts of the test's
name, and its characters. The greatest fits best."""


def match_rank(
    printed: str, test: FoundTest, language: Language, path: str
) -> MatchRank | None:
    """Return how well the printed name of a failed test fits a test of a file.

    Returns:
        None if the name is that of another test.
    """
    if names_file(printed, language) and not _is_same_file(
        _named_file(printed, language), path
    ):
        return None
    own = (*test.suites, test.name)
    joined = " ".join(own)
    if language in _SCRIPTS:
        parts = _SUITE_MARK.split(printed)
        # Of a table only the start of the name is known.
        said = " ".join(parts[-len(own) :])
        # Tests of Node may have parts, which are no tests of the file.
        is_match = said.startswith(joined) or tuple(parts[: len(own)]) == own
        return (said == joined, len(own), len(joined)) if is_match else None
    rank = (True, len(own), len(joined))
    if language is Language.GO:
        return rank if printed.partition("/")[0] == test.name else None
    if language is Language.RUST:
        # A thread is named by the path in the crate.
        return rank if tuple(printed.split("::")[-len(own) :]) == own else None
    if language is Language.RUBY:
        said = _BEFORE_METHOD.sub("", printed)
        return rank if said == _BEFORE_METHOD.sub("", joined) else None
    if language is Language.PHP:
        return rank if _php_method(printed) == own else None
    if language is Language.JAVA:
        parts = re.split(r"[.#$]", _JAVA_CASE.split(printed, maxsplit=1)[0])
        suite = re.split(r"[.$]", test.suites[-1])[-1]
        is_own = len(parts) == 1 or parts[-2] == suite
        return rank if parts[-1] == test.name and is_own else None
    name = printed.partition("[")[0]
    if names_file(printed, language):
        return rank if tuple(name.split("::")[1:]) == own else None
    return rank if tuple(name.split(".")[-len(own) :]) == own else None


def names_file(printed: str, language: Language) -> bool:
    """Whether the printed name of a test begins with its file."""
    return _named_file(printed, language) != ""


def _named_file(printed: str, language: Language) -> str:
    """Return the file in a name that pytest or Vitest printed; empty: none."""
    if language in _SCRIPTS:
        first, *rest = _SUITE_MARK.split(printed)
        # Vitest puts the name of the project before it.
        first = first.rpartition(" ")[2]
        return first if rest and _SCRIPT_FILE.search(first) else ""
    if language is Language.PYTHON:
        first, mark, _ = printed.partition("[")[0].partition("::")
        return first if mark else ""
    return ""


def _is_same_file(printed: str, path: str) -> bool:
    """Whether a printed file may be one of the workspace: the runner may have been
    started in another folder."""
    one = PurePosixPath(printed.replace("\\", "/")).parts
    other = PurePosixPath(path).parts
    n_parts = min(len(one), len(other))
    return one[-n_parts:] == other[-n_parts:]


def has_run_none(output: str, tests: Sequence[FoundTest]) -> bool:
    """Whether a run that ended well says that it has run no test at all.

    Args:
        output: What it printed.
        tests: The tests that it was asked for.
    """
    counts = _CARGO_RAN.findall(output)
    if counts:
        return not any(map(int, counts))
    if passed := _NODE_PASSED.findall(output):
        titles = {(*one.suites, one.name)[0] for one in tests}
        names = [name for name in _NODE_FILE.findall(output) if name not in titles]
        n_files = sum(_LOOSE_SCRIPT_FILE.search(name) is not None for name in names)
        return int(passed[-1]) == n_files
    if packages := _GO_OK.findall(output):
        return all("[no tests to run]" in line for line in packages)
    return _NONE_RUN.search(output) is not None


def _pattern(parts: Sequence[str]) -> str:
    """Return the pattern of a name for Jest, which puts a blank between its parts, and
    for Vitest, whose newer versions put ` > ` there."""
    # `re.escape` also escapes blanks and hyphens, for Python's own flags.
    escaped = (
        re.escape(part).replace("\\ ", " ").replace("\\-", "-") for part in parts
    )
    return " (?:> )?".join(escaped)


def _example_pattern(parts: Sequence[str]) -> str:
    """Return the pattern of an example for RSpec, which joins `Price` and `#euros` with
    or without a blank."""
    name = _BEFORE_METHOD.sub("", " ".join(parts))
    escaped = re.sub(r"[.^$*+?()\[\]{}|\\/]", r"\\\g<0>", name)
    return _METHOD.sub(" ?", escaped)


def _method_pattern(own: Sequence[str]) -> str:
    """Return the pattern of a method for PHPUnit, also with a set of data."""
    return rf"\b{'::'.join(own)}( |$)"


def _php_method(printed: str) -> tuple[str, str]:
    """Return class and method of the name of a test, without namespace and data."""
    around, _, name = printed.partition(" with data set ")[0].rpartition("::")
    return around.rpartition("\\")[2], name


def _inner(test: FoundTest) -> tuple[str, ...]:
    return (*test.suites, test.name)


def _rust_module(path: str) -> tuple[str, ...]:
    """Return the module of a file in its crate; a file in `tests` is a crate."""
    parts = PurePosixPath(path).with_suffix("").parts
    if "src" not in parts:
        return ()
    inside = parts[len(parts) - parts[::-1].index("src") :]
    if inside[-1] in ("lib", "main", "mod"):
        inside = inside[:-1]
    return inside
