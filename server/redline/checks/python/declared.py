"""The packages that a project declares, whether or not they are installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from redline.checks.python.folders import NO_NAMES, Folders

_FILES = re.compile(
    r"pyproject\.toml|setup\.(?:py|cfg)|Pipfile|environment\.ya?ml|tox\.ini"
    r"|(?>[\w.-]*?requirements)[\w.-]*\.(?:txt|in)|constraints\.txt"
)
_LIST = re.compile(
    r"^[ \t]*+(?:dependencies[ \t]*+=|\[tool\.poetry\.dependencies\]|\[packages\]"
    r"|install_requires|[A-Za-z][\w.-]*+[ \t]*+(?:==|>=|~=)[ \t]*+\d)",
    re.MULTILINE,
)
"""A line of a project file from which packages are listed, or one of a list."""

_SETUP = re.compile(r"^setup\(", re.MULTILINE)
_OTHER_SOURCE = re.compile(
    r"\*\*|(?<!python)_requires|cfg|pbr|open\(|\.read|poetry|flit"
)
"""Signs of a `setup.py` that may get a list of packages from elsewhere."""

_EMPTY_LIST = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?+\n)*+[ \t]*+(?:#[^\n]*+)?+")
"""A list of packages that has only comments."""

_WORD = re.compile(r"[A-Za-z0-9][\w.-]*")
_SEPARATORS = re.compile(r"[-_.]+")

_OTHER_NAMES = {
    "pil": "pillow", "cv2": "opencv", "sklearn": "scikit-learn", "attr": "attrs",
    "skimage": "scikit-image", "crypto": "pycryptodome", "git": "gitpython",
    "fitz": "pymupdf", "mysqldb": "mysqlclient", "pkg-resources": "setuptools",
    "bs4": "beautifulsoup4", "win32api": "pywin32", "win32con": "pywin32",
    "pythoncom": "pywin32", "magic": "python-magic", "gi": "pygobject",
}  # fmt: skip
"""Modules whose name cannot be derived from their package's, by module."""


def is_declared(folders: Folders, places: Iterable[Path], module: str) -> bool:
    """Whether a project file in one of the folders names a module's package.

    The name may occur anywhere in it, as a word or a part of one: `yaml` in `PyYAML`,
    `dateutil` in `python-dateutil`.
    """
    wanted = _normal(module)
    wanted = _OTHER_NAMES.get(wanted, wanted)
    return any(_names(text, wanted) for text in project_texts(folders, places))


def has_list(folders: Folders, places: Iterable[Path]) -> bool:
    """Whether a project file in one of the folders lists packages."""
    return any(
        _LIST.search(text)
        or ("#" in text and _EMPTY_LIST.fullmatch(text))
        or (_SETUP.search(text) and not _OTHER_SOURCE.search(text))
        for text in project_texts(folders, places)
    )


def project_texts(folders: Folders, places: Iterable[Path]) -> Iterator[str]:
    """Yield the texts of the project files in some folders."""
    for place in places:
        inside = [place, place / "requirements"]
        for folder in inside:
            for name in sorted(folders.names(folder) or NO_NAMES):
                is_listed = folder.name == "requirements" and name.endswith(".txt")
                if is_listed or _FILES.fullmatch(name):
                    yield folders.text(folder / name) or ""


def _names(text: str, wanted: str) -> bool:
    for word in _WORD.findall(text):
        normal = _normal(word)
        if normal in (wanted, f"py{wanted}", f"{wanted}py"):
            return True
        if f"-{wanted}-" in f"-{normal}-":
            return True
    return False


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name).strip("-").lower()
