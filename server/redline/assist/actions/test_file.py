"""The test file of a source file, by the conventions of its language and project.

This module does no I/O: a function supplies the names in a folder. Paths are relative
to the workspace folder, with slashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from msgspec import Struct

Listing = Callable[[PurePosixPath], frozenset[str]]
"""Returns the names in a folder; none if it does not exist."""

_RUST_ROOTS = (["lib"], ["main"])
"""Modules that are the root of a crate, so that a test is not named after them."""

_RUST_WHOLE_CRATE = ["integration_test", "integration_tests", "lib", "main"]
"""Names of the tests of a whole crate, the usual one first."""

_MAX_DEPTH = 12
"""Most parent folders of a file that are searched."""


class _Convention(Struct, frozen=True, kw_only=True):
    names: tuple[str, ...]
    """Patterns of test file names, the usual one first: `$` is the file name without
    its suffix, `*` the suffix."""
    folders: tuple[str, ...] = ("tests", "test")
    """Names of test folders."""
    is_beside: bool = False
    """Whether a new test goes next to its code by default."""
    moved: tuple[tuple[str, str], ...] = ()
    """Path parts and their replacements for tests; if one occurs, it decides alone."""


def has_test_files(language: str) -> bool:
    """Whether the conventions of a language are known."""
    return language == "rust" or language in _CONVENTIONS


def find_test_file(path: str, language: str, names_in: Listing) -> str:
    """Return the test file of a source file; it may not exist yet.

    Args:
        path: The source file; a test file is returned unchanged.
        language: Its LSP language id, accepted by `has_test_files`.
        names_in: Lists folders of the same workspace folder.
    """
    if language == "rust":
        return _rust_test(path, names_in)
    convention = _CONVENTIONS[language]
    code = PurePosixPath(path)
    if _is_test(code, convention):
        return path
    for old, new in convention.moved:
        if f"/{old}/" in f"/{code.parent}/":
            home = f"/{code.parent}/".replace(f"/{old}/", f"/{new}/", 1).strip("/")
            return str(PurePosixPath(home) / _name(code, convention.names[0]))
    folders = [code.parent, *_test_folders(code.parent, convention)]
    for folder in folders:
        there = names_in(folder)
        for pattern in convention.names:
            if (name := _name(code, pattern)) in there:
                return str(folder / name)
    folder = _new_home(code, folders, convention, names_in)
    return str(folder / _name(code, _style(names_in(folder), code, convention)))


def _rust_test(path: str, names_in: Listing) -> str:
    """Return the integration test of a module, named after the module's path.

    Cargo runs `tests/*.rs` and `tests/*/main.rs` next to `src`, and nothing deeper:
    https://doc.rust-lang.org/cargo/guide/project-layout.html
    """
    code = PurePosixPath(path)
    above = code.parent.parts
    if "tests" in above or code.stem == "tests":
        return path
    # The crate is above the innermost `src`, and what is below that is the module.
    n_above = len(above) - above[::-1].index("src") - 1 if "src" in above else 0
    module = [*above[n_above + 1 :], code.stem]
    if module[-1] == "mod" and len(module) > 1:
        module.pop()
    names = ["_".join(module)]
    if module in _RUST_ROOTS:
        names = _RUST_WHOLE_CRATE
    folder = PurePosixPath(*above[:n_above], "tests")
    files = [f"{name}.rs" for name in names]
    there = names_in(folder)
    return str(folder / next((each for each in files if each in there), files[0]))


def _is_test(code: PurePosixPath, convention: _Convention) -> bool:
    return any(_matches(code.name, code.suffix, each) for each in convention.names)


def _name(code: PurePosixPath, pattern: str) -> str:
    return pattern.replace("*", code.suffix).replace("$", code.stem)


def _matches(name: str, suffix: str, pattern: str) -> bool:
    regex = re.escape(pattern).replace(r"\$", ".+").replace(r"\*", re.escape(suffix))
    return re.fullmatch(regex, name) is not None


def _test_folders(
    folder: PurePosixPath, convention: _Convention
) -> Iterator[PurePosixPath]:
    """Yield folders that mirror a folder, nearest and most similar first."""
    parts = folder.parts[-_MAX_DEPTH:]
    above = PurePosixPath(*folder.parts[: len(folder.parts) - len(parts)])
    for n_kept in range(len(parts), -1, -1):
        base, rest = above.joinpath(*parts[:n_kept]), parts[n_kept:]
        for name in convention.folders:
            for n_left_out in range(len(rest) + 1):
                yield base / name / PurePosixPath(*rest[n_left_out:])


def _new_home(
    code: PurePosixPath,
    folders: list[PurePosixPath],
    convention: _Convention,
    names_in: Listing,
) -> PurePosixPath:
    beside, *others = folders
    neighbours = names_in(beside)
    if any(
        _matches(name, code.suffix, pattern)
        for name in neighbours
        for pattern in convention.names
    ):
        return beside
    for folder in others:
        if names_in(folder):
            return folder
    return beside if convention.is_beside else PurePosixPath(convention.folders[0])


def _style(there: frozenset[str], code: PurePosixPath, convention: _Convention) -> str:
    """Return the pattern that most files in a folder follow; the first if tied."""
    counts = [
        sum(_matches(name, code.suffix, pattern) for name in there)
        for pattern in convention.names
    ]
    return convention.names[counts.index(max(counts))]


_SCRIPT = _Convention(
    names=("$.test*", "$.spec*"),
    folders=("__tests__", "tests", "test"),
    is_beside=True,
)
_CONVENTIONS: dict[str, _Convention] = {
    "python": _Convention(names=("test_$*", "$_test*")),
    "javascript": _SCRIPT,
    "javascriptreact": _SCRIPT,
    "typescript": _SCRIPT,
    "typescriptreact": _SCRIPT,
    "go": _Convention(names=("$_test*",), folders=(), is_beside=True),
    "java": _Convention(
        names=("$Test*",), is_beside=True, moved=(("src/main/java", "src/test/java"),)
    ),
    "kotlin": _Convention(
        names=("$Test*",),
        is_beside=True,
        moved=(("src/main/kotlin", "src/test/kotlin"),),
    ),
    "csharp": _Convention(names=("$Tests*", "$Test*"), folders=("Tests", "tests")),
    "ruby": _Convention(
        names=("$_spec*", "$_test*", "test_$*"), folders=("spec", "test")
    ),
    "php": _Convention(names=("$Test*",), folders=("tests",)),
    "c": _Convention(names=("test_$*", "$_test*")),
    "cpp": _Convention(names=("$_test*", "test_$*", "$Test*")),
    "shellscript": _Convention(names=("$.bats", "test_$*"), folders=("test", "tests")),
}
