"""Reads the path files (`.pth`) of installed packages without running them.

`site` adds their plain lines to the module search path and runs the lines that start
with `import`. Those that setuptools writes for an editable install can be read; some
are known to add no modules; any other means that modules may come from places that
cannot be read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from redline.checks.python.folders import Folders

_FINDER = re.compile(r"\bimport\s+(__editable___\w+_finder)\b")
_MAPPING = re.compile(r"^MAPPING\b[^=\n]*=\s*(\{.*\})\s*$", re.MULTILINE)

_HARMLESS = re.compile(
    # setuptools, virtualenv, coverage, old namespace packages: none adds a module that
    # is not in a folder listed here.
    r"_distutils_hack|_virtualenv|\bcoverage\b|^(?>.*?\btypes\b).*\bmodules\b|_pytest_cov"
    r"|\bpytest_cov\b|\bpywin32_bootstrap\b|\bddtrace\b"
)

_MAX_FILES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class PathFiles:
    """What the path files of an environment add."""

    folders: tuple[Path, ...]
    mapped: Mapping[str, Path]
    """Top-level module to its folder or file."""

    is_open: bool


def read_path_files(folders: Folders, sites: Sequence[Path]) -> PathFiles:
    """Read the path files in the folders of installed packages."""
    added: list[Path] = []
    mapped: dict[str, Path] = {}
    is_open = False
    for site, line in _lines(folders, sites):
        if not line.startswith(("import ", "import\t")):
            is_open |= not _add_folder(folders, site / line, added)
        elif found := _FINDER.search(line):
            mapping = _editable_mapping(folders, site / f"{found[1]}.py")
            is_open |= mapping is None
            mapped |= mapping or {}
        else:
            is_open |= _HARMLESS.search(line) is None
    return PathFiles(folders=tuple(added), mapped=mapped, is_open=is_open)


def _lines(folders: Folders, sites: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    for site in sites:
        names = sorted(n for n in folders.names(site) or () if n.endswith(".pth"))
        for name in names[:_MAX_FILES]:
            for line in (folders.text(site / name) or "").splitlines():
                if line.strip() and not line.startswith("#"):
                    yield site, line.rstrip()


def _add_folder(folders: Folders, path: Path, added: list[Path]) -> bool:
    """Add a folder; returns False for a zip file, which is not searched."""
    if folders.names(path) is not None:
        added.append(path)
        return True
    return not path.is_file()


def _editable_mapping(folders: Folders, finder: Path) -> dict[str, Path] | None:
    """Return the mapping of a finder by setuptools; None if it cannot be read."""
    found = _MAPPING.search(folders.text(finder) or "")
    if found is None:
        return None
    try:
        mapping = ast.literal_eval(found[1])
    except (ValueError, SyntaxError):
        return None
    return {str(name): Path(str(path)) for name, path in mapping.items()}
