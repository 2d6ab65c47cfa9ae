"""Finds a workspace's Python environment, as editors do, without running it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from redline.checks.python.folders import NO_NAMES, Folders

_USUAL_NAMES = (".venv", "venv", "env", ".env")
_VARIABLES = ("VIRTUAL_ENV", "CONDA_PREFIX")
_FROM_THE_START = {"pip", "setuptools", "wheel"}
_PYTHON_FOLDER = re.compile(r"(?:python|pypy)3(?:\.\d+)?t?")
_CONFIG_LINE = re.compile(
    r"^[^\S\n]*+([\w-]++)[^\S\n]*+=[^\S\n]*+((?:\S++|[^\S\n]++(?=\S))*+)[^\S\n]*+$",
    re.MULTILINE,
)

_FINDER = re.compile(r"\bimport\s+(__editable___\w+_finder)\b")
_MAPPING = re.compile(r"^MAPPING\b[^=\n]*=\s*(\{.*\})\s*$", re.MULTILINE)

_HARMLESS = re.compile(
    # setuptools, virtualenv, coverage, old namespace packages: none adds a module that
    # is not in a folder listed here.
    r"_distutils_hack|_virtualenv|\bcoverage\b|^(?>.*?\btypes\b).*\bmodules\b|_pytest_cov"
    r"|\bpytest_cov\b|\bpywin32_bootstrap\b|\bddtrace\b"
)

_MAX_FILES = 500


class Install(Struct, frozen=True, kw_only=True):
    """An environment: the folders in which modules are looked up."""

    prefix: Path
    site_folders: tuple[Path, ...]
    """Folders of installed packages, and those that their path files add."""

    stdlib_folders: tuple[Path, ...]
    """Empty if the standard library's sources were not found."""

    mapped: Mapping[str, Path]
    """Modules of editable installs: top-level name to its folder or file."""

    is_open: bool = False
    """Whether modules may come from places that cannot be read."""


class _PathFiles(Struct, frozen=True, kw_only=True):
    """What the path files of an environment add."""

    folders: tuple[Path, ...]
    mapped: Mapping[str, Path]
    """Top-level module to its folder or file."""

    is_open: bool


def find_prefix(
    folders: Folders,
    near: tuple[Path, ...],
    *,
    configured: Path | None,
    variables: Mapping[str, str],
) -> Path | None:
    """Return the folder of an environment, or None.

    Args:
        folders: Access to the disk.
        near: Folders to search: the file's own first, the workspace's last.
        configured: The user's choice, a folder or an interpreter in it; it wins.
        variables: The process's environment variables.
    """
    if configured is not None:
        is_program = configured.parent.name in ("bin", "Scripts")
        return configured.parent.parent if is_program else configured
    for folder in near:
        present = folders.names(folder) or NO_NAMES
        for name in _USUAL_NAMES:
            if name in present and is_prefix(folders, folder / name):
                return folder / name
    for variable in _VARIABLES:
        value = variables.get(variable)
        if value and is_prefix(folders, Path(value)):
            return Path(value)
    return None


def is_prefix(folders: Folders, folder: Path) -> bool:
    """Whether a folder is an environment, of venv or of conda."""
    present = folders.names(folder) or NO_NAMES
    return "pyvenv.cfg" in present or "conda-meta" in present


def read_install(folders: Folders, prefix: Path) -> Install | None:
    """Read an environment's search path; None if nothing is installed there."""
    config = dict(_CONFIG_LINE.findall(folders.text(prefix / "pyvenv.cfg") or ""))
    libraries = list(_library_folders(folders, prefix))
    sites = [library / "site-packages" for library in libraries]
    sites = [site for site in sites if folders.names(site) is not None]
    if not sites:
        return None
    home = config.get("home")
    names = {library.name for library in libraries}
    bases = [f for f in _base_libraries(folders, home) if f.name in names]
    stdlib = [f for f in libraries + bases if "os.py" in (folders.names(f) or ())]
    if config.get("include-system-site-packages", "").lower() == "true":
        sites += _system_sites(folders, bases)
    paths = _read_path_files(folders, sites)
    return Install(
        prefix=prefix,
        site_folders=tuple(dict.fromkeys([*sites, *paths.folders])),
        stdlib_folders=tuple(_with_extensions(folders, stdlib)),
        mapped=paths.mapped,
        is_open=paths.is_open or not _is_filled(folders, sites),
    )


def _is_filled(folders: Folders, sites: list[Path]) -> bool:
    """Whether packages are installed besides those of a new environment."""
    kinds = (".dist-info", ".egg-info", ".egg-link")
    names = {name for site in sites for name in folders.names(site) or ()}
    installed = {n.partition("-")[0].lower() for n in names if n.endswith(kinds)}
    return bool(installed - _FROM_THE_START)


def _library_folders(folders: Folders, prefix: Path) -> Iterator[Path]:
    """Yield `lib/python3.x`, or `Lib` on Windows."""
    for name in ("lib", "lib64"):
        for entry in sorted(folders.names(prefix / name) or ()):
            if _PYTHON_FOLDER.fullmatch(entry):
                yield prefix / name / entry
    if "Lib" in (folders.names(prefix) or ()):
        yield prefix / "Lib"


def _base_libraries(folders: Folders, home: str | None) -> Iterator[Path]:
    """Yield the library folders of the interpreter that created the environment.

    `home` names the folder of that interpreter: `bin`, or on Windows the prefix.
    """
    if home:
        bin_folder = Path(home)
        yield from _library_folders(folders, bin_folder.parent)
        if bin_folder.parent.name != "usr":
            yield from _library_folders(folders, bin_folder)


def _system_sites(folders: Folders, bases: list[Path]) -> list[Path]:
    # Debian keeps its own packages in `dist-packages`, next to the library.
    places = [base / "site-packages" for base in bases]
    places += [base.parent / "python3" / "dist-packages" for base in bases]
    places += [
        base.parent.parent / "local" / "lib" / base.name / "dist-packages"
        for base in bases
    ]
    return [place for place in places if folders.names(place) is not None]


def _with_extensions(folders: Folders, stdlib: list[Path]) -> Iterator[Path]:
    for folder in stdlib:
        yield folder
        if "lib-dynload" in (folders.names(folder) or ()):
            yield folder / "lib-dynload"


def _read_path_files(folders: Folders, sites: Sequence[Path]) -> _PathFiles:
    """Read the path files (`.pth`) of installed packages without running them.

    `site` adds their plain lines to the module search path and runs the lines that
    start with `import`. Those that setuptools writes for an editable install can be
    read; some are known to add no modules; any other means that modules may come from
    places that cannot be read.
    """
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
    return _PathFiles(folders=tuple(added), mapped=mapped, is_open=is_open)


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
