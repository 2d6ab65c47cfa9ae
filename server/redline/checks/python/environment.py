"""The modules that a workspace's Python files can import, found without importing any.

The Python rules access files only through this object. Its owner keeps it for as long
as the workspace is open: it caches what it has read, and reads again only what changed
on the disk.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path

from redline.checks.names.added_names import Version
from redline.checks.project_files import ProjectFiles
from redline.checks.python.additions import oldest_version
from redline.checks.python.declared import has_list, is_declared, project_texts
from redline.checks.python.definition import Contents, Imported
from redline.checks.python.folders import NO_NAMES, Folders, OpenFiles
from redline.checks.python.module_files import (
    Absence,
    Module,
    absence,
    find_in,
    is_generated,
)
from redline.checks.python.module_types import ModuleTypes
from redline.checks.python.search_path import SearchPath, absolute_path, search_path

MAX_READ_BYTES = 200_000
"""Bytes of new sources that one check may read; about 60 ms of parsing. A check that
would need more stays silent until the next one, which finds the first part cached."""

SAME_MODULE = {"os.path": ("posixpath", "ntpath")}
"""Modules that have no file of their own name, and those that they may be."""

_MAKES_SUBMODULES = (
    "sys.modules", "__path__", "meta_path", "importlib.machinery", "lazy", "Lazy",
)  # fmt: skip
"""Signs that a package has modules without a file, as `six.moves`."""

_OTHER_VERSIONS = (
    # Removed in 3.9 to 3.12, and in 3.13 by PEP 594.
    "asynchat asyncore binhex distutils dummy_threading formatter imp macpath parser "
    "smtpd symbol aifc audioop cgi cgitb chunk crypt imghdr mailcap msilib nis nntplib "
    "ossaudiodev pipes sndhdr spwd sunau telnetlib uu xdrlib lib2to3 "
    # Added in 3.11 and later.
    "tomllib annotationlib compression "
    # In no list, but importable: PyPy's own, and one for type checkers only.
    "__main__ __pypy__ _typeshed"
)

TOP_LEVEL = frozenset(sys.stdlib_module_names) | frozenset(_OTHER_VERSIONS.split())

OFTEN_INCOMPLETE = frozenset(
    ("distutils", "ensurepip", "idlelib", "lib2to3", "test", "tkinter", "turtledemo")
)
"""Packages that Linux distributions ship separately or in part: a submodule that is not
in their folder may still exist."""

_NOTHING: Mapping[str, str] = {}


class PythonEnvironment:
    """The modules that a workspace can import; thread-safe."""

    def __init__(
        self,
        workspace: Sequence[Path],
        *,
        configured: Path | None = None,
        variables: Mapping[str, str] = _NOTHING,
        open_files: Callable[[], OpenFiles] = OpenFiles,
    ) -> None:
        """Create an environment; nothing is read yet.

        Args:
            workspace: The open folders, absolute.
            configured: The environment that the user chose: its folder, or the
                interpreter in it. None: search for it.
            variables: The process's environment variables; VIRTUAL_ENV, CONDA_PREFIX
                and PYTHONPATH are used.
            open_files: Returns the files that are open in the editor now.
        """
        self._workspace = tuple(Path(os.path.abspath(one)) for one in workspace)
        self._configured = configured
        self._variables = variables
        self._folders = Folders(open_files=open_files, workspace=self._workspace)
        self._lock = threading.Lock()
        self._search_paths: dict[Path | None, SearchPath] | None = None

    def for_one_check(self) -> PythonEnvironment:
        """Return the same environment for the rules of one check.

        It looks for the search path of a file once, which takes longer than most rules.
        """
        same = copy(self)
        same._search_paths = {}
        return same

    @contextmanager
    def seen_from(self, path: str) -> Iterator[ImportableModules]:
        """Return the modules for one of its files; other threads wait for the block.

        Args:
            path: The file, absolute or relative to a folder of the workspace; it need
                not exist.
        """
        with self._lock:
            self._folders.allow(MAX_READ_BYTES)
            file = absolute_path(self._workspace, path)
            yield ImportableModules(self._folders, file, self._search_path(file))

    @contextmanager
    def files_around(self, path: str) -> Iterator[ProjectFiles]:
        """Return the files around one of its files, of any language, as above."""
        with self._lock:
            file = absolute_path(self._workspace, path)
            yield ProjectFiles(self._folders, file, workspace=self._workspace)

    def _search_path(self, file: Path | None) -> SearchPath:
        known = self._search_paths
        if known is not None and file in known:
            return known[file]
        found = search_path(
            self._folders,
            file,
            workspace=self._workspace,
            configured=self._configured,
            variables=self._variables,
        )
        if known is not None:
            known[file] = found
        return found


class ImportableModules:
    """The modules that one file can import."""

    def __init__(self, folders: Folders, file: Path | None, path: SearchPath) -> None:
        self.file = file
        self._folders = folders
        self._path = path
        self._found: dict[str, Module | Absence] = {}
        self._makers: dict[Path, bool] = {}
        self._contents: dict[Path, Contents | None] = {}

    def find(self, name: str) -> Module | Absence:
        """Return a module by its full name, `a.b.c`."""
        known = self._found.get(name)
        if known is None:
            parent, _, last = name.rpartition(".")
            if name in SAME_MODULE:
                known = self._joined(SAME_MODULE[name])
            elif parent:
                known = self._find_in_package(parent, last)
            else:
                known = self._top(name)
            self._found[name] = known
        return known

    def find_imported(self, imported: Imported, at: Path | None) -> Module | Absence:
        """Return the module that an import names.

        Args:
            imported: The import; the name taken from the module is ignored.
            at: The file of the import.
        """
        if not imported.level:
            return self.find(imported.module)
        if at is None:
            return Absence.UNKNOWN
        folder = at.parent
        for _ in range(imported.level - 1):
            folder = folder.parent
        package = self._package_name(folder)
        whole = ".".join(part for part in (package, imported.module) if part)
        found = self.find(whole) if package else Absence.MISSING
        if isinstance(found, Module):
            return found
        return self._find_under(folder, imported.module)

    def contents(self, source: Path) -> Contents | None:
        """Return the definitions of a source; None if it cannot be read."""
        if source not in self._contents:
            self._contents[source] = self._folders.contents(source)
        return self._contents[source]

    def types(self, source: Path) -> ModuleTypes | None:
        """Return the types of a source's names; None if it cannot be read."""
        return self._folders.types(source)

    def text(self, source: Path) -> str | None:
        """Return the text of a source; None if it cannot be read."""
        return self._folders.text(source)

    def is_declared(self, name: str) -> bool:
        """Whether the project declares the package of a module."""
        return is_declared(self._folders, self._path.project_folders, name)

    def declares_packages(self) -> bool:
        """Whether the project lists its packages, and they are not installed here."""
        folders, places = self._folders, self._path.project_folders
        return self._path.install is None and has_list(folders, places)

    def may_be_own(self, name: str) -> bool:
        """Whether the workspace may have a top-level module of this name."""
        workspace = self._path.workspace
        if not workspace or name in TOP_LEVEL or is_generated(name):
            return True
        return absence(self._folders, workspace, name) is Absence.UNKNOWN

    def oldest_version(self) -> Version | None:
        """Return the oldest Python that the project allows; None if it says none."""
        texts = project_texts(self._folders, self._path.project_folders)
        return oldest_version(texts)

    def has_environment(self) -> bool:
        """Whether a module that is not found is certainly not installed."""
        return self._path.is_complete

    def top_level_names(self) -> set[str]:
        """Return the names that a misspelled module could have meant."""
        names = {name for name in TOP_LEVEL if not name.startswith("_")}
        for folder, _ in self._path.roots:
            names |= _module_names(self._folders, folder)
        return names

    def submodule_names(self, module: Module) -> set[str]:
        """Return the modules in a package's folders."""
        found: set[str] = set()
        for folder, _ in module.folders:
            found |= _module_names(self._folders, folder)
        return found

    def _top(self, name: str) -> Module | Absence:
        found = find_in(self._folders, self._path.roots, name)
        is_partial = name in OFTEN_INCOMPLETE
        if found is not None and (found.own_sources or not is_partial):
            return found
        if name in TOP_LEVEL or is_generated(name):
            return Module(is_opaque=True)
        install = self._path.install
        if install is not None and name in install.mapped:
            return self._mapped(install.mapped[name])
        if not self._path.is_complete or not self._path.workspace:
            return Absence.UNKNOWN
        return absence(self._folders, self._path.workspace, name)

    def _joined(self, names: Sequence[str]) -> Module:
        """Return a module with the sources of several."""
        found = [one for name in names if isinstance(one := self.find(name), Module)]
        return Module(
            own_sources=tuple(path for one in found for path in one.own_sources),
            installed_sources=tuple(p for one in found for p in one.installed_sources),
            is_opaque=len(found) < len(names) or any(one.is_opaque for one in found),
        )

    def _mapped(self, place: Path) -> Module:
        """Return the module of an editable install, which may be a folder or a file."""
        name = place.name.removesuffix(".py")
        found = find_in(self._folders, [(place.parent, True)], name)
        return found or Module(is_opaque=True)

    def _find_in_package(self, parent: str, last: str) -> Module | Absence:
        package = self.find(parent)
        if isinstance(package, Absence):
            return package
        return self._submodule(package, last, is_open=not self._path.is_complete)

    def _find_under(self, folder: Path, name: str) -> Module | Absence:
        """Find a module by the folder that its name is relative to."""
        if self._folders.names(folder) is None:
            return Absence.UNKNOWN
        found = find_in(self._folders, [(folder.parent, True)], folder.name)
        module: Module | Absence = found or Absence.UNKNOWN
        for part in name.split(".") if name else []:
            if isinstance(module, Absence):
                return module
            module = self._submodule(module, part, is_open=False)
        return module

    def _submodule(
        self, package: Module, name: str, *, is_open: bool
    ) -> Module | Absence:
        """Return a module of a package.

        Args:
            package: The package.
            name: The module's name, without dots.
            is_open: Whether a namespace package may have more folders.
        """
        found = find_in(self._folders, package.folders, name)
        if found is not None:
            return found
        if package.is_opaque or is_generated(name):
            return Absence.UNKNOWN
        if package.is_namespace and is_open:
            return Absence.UNKNOWN
        is_dynamic = any(self._makes_submodules(path) for path in package.sources)
        return Absence.UNKNOWN if is_dynamic else Absence.MISSING

    def _makes_submodules(self, source: Path) -> bool:
        known = self._makers.get(source)
        if known is None:
            text = self._folders.text(source)
            known = text is None or any(sign in text for sign in _MAKES_SUBMODULES)
            self._makers[source] = known
        return known

    def _package_name(self, folder: Path) -> str | None:
        """Return the dotted name of a package, by its `__init__.py` files."""
        parts: list[str] = []
        while "__init__.py" in (self._folders.names(folder) or NO_NAMES):
            parts.append(folder.name)
            folder = folder.parent
        return ".".join(reversed(parts)) or None


def _module_names(folders: Folders, folder: Path) -> set[str]:
    listing = folders.listing(folder)
    if listing is None:
        return set()
    files = {n.removesuffix(".py") for n in listing.names if n.endswith(".py")}
    return {n for n in files | listing.folders if n.isidentifier() and n[0] != "_"}
