"""`python -m benchmarks.python_types`: write the types of Python's standard library.

Reads the stubs of typeshed that mypy has, and adds the names that the modules have when
they are imported here, so that what a stub leaves out is not reported. The result is
the file that `checks/python/standard_types.py` reads.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import lzma
import sys
import warnings
from pathlib import Path

import msgspec
import mypy
from msgspec.structs import replace

from redline.checks.python.module_types import (
    Callable,
    ClassType,
    Entry,
    ModuleTypes,
    Value,
    read_module_types,
)
from redline.syntax.word_set import word_set

STUBS = Path(mypy.__file__).parent / "typeshed" / "stdlib"
FILE = Path(__file__).parents[1] / "server/redline/checks/python" / "standard_types.xz"
_LEFT_OUT = word_set(
    "tkinter turtle lib2to3 distutils msilib antigravity this encodings curses _curses"
    " _curses_panel ensurepip pydoc_data idlelib winreg msvcrt _winapi winsound _msi"
    " ossaudiodev crypt nis spwd audioop aifc sunau chunk sndhdr cgi cgitb imp asynchat"
    " asyncore smtpd uu xdrlib telnetlib nntplib pipes mailcap symbol parser formatter"
    " macpath macurl2path dummy_threading binhex _bootlocale imghdr sre_compile"
    " sre_constants sre_parse _tkinter _interpchannels _interpqueues _interpreters"
    " _osx_support _pydecimal _compat_pickle xxlimited"
)
"""Modules of one system, of tools, or that Python 3.13 has no more."""


def main() -> int:
    """Write the table; print its size."""
    table: dict[str, ModuleTypes] = {}
    for path in sorted(STUBS.rglob("*.pyi")):
        parts = path.relative_to(STUBS).with_suffix("").parts
        if parts[0] not in _LEFT_OUT:
            name = ".".join(parts).removesuffix(".__init__")
            text = path.read_text(encoding="utf-8")
            found = read_module_types(text, ast.parse(text))
            table[name] = with_imported(name, found)
    preset = 9 | lzma.PRESET_EXTREME
    FILE.write_bytes(lzma.compress(msgspec.json.encode(table), preset=preset))
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")
    return 0


def with_imported(name: str, types: ModuleTypes) -> ModuleTypes:
    """Add the names that a module has here and its stub has not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = importlib.import_module(name)
    except (ImportError, OSError):
        return types
    entries = {} if types.stars else {name: Value() for name in dir(module)}
    known = {
        name: _with_members(entry, getattr(module, name, None))
        for name, entry in types.entries.items()
    }
    return replace(types, entries={**entries, **known})


def _with_members(entry: Entry, real: object) -> Entry:
    if isinstance(entry, Callable):
        return _with_keywords(entry, real)
    if not isinstance(entry, ClassType) or not isinstance(real, type):
        return entry
    inherited = {name for base in real.__bases__ for name in dir(base)}
    members = {name: Value() for name in dir(real) if name not in inherited}
    known = {
        name: _with_members(member, getattr(real, name, None))
        for name, member in entry.members.items()
    }
    return replace(entry, members={**members, **known})


def _with_keywords(entry: Callable, real: object) -> Callable:
    if entry.keywords is None or not callable(real):
        return entry
    try:
        parameters = inspect.signature(real).parameters.values()
    except (TypeError, ValueError, AttributeError):
        return entry
    names = (
        one.name
        for one in parameters
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    )
    return replace(entry, keywords=tuple(dict.fromkeys((*entry.keywords, *names))))


if __name__ == "__main__":
    sys.exit(main())
