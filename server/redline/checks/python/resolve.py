"""Resolves a dotted name through modules, classes and imports.

Everything is read from source. Where the source does not decide, the answer is None,
and the caller must not report a problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from redline.checks.python.definition import (
    Class,
    Contents,
    Definition,
    Function,
    Imported,
    InstanceOf,
)
from redline.checks.python.environment import ImportableModules
from redline.checks.python.module_files import Absence, Module
from redline.syntax.word_set import word_set

_MAX_STEPS = 12
"""Most imports, bases and stars followed in a row; real chains have up to five."""


_LOGGING = ("logging", "__init__.py")

_LAZY_HOMES = {
    **dict.fromkeys(
        word_set("wait_for gather create_task sleep shield wait as_completed"),
        "asyncio.tasks",
    ),
    "ThreadPoolExecutor": "concurrent.futures.thread",
    "ProcessPoolExecutor": "concurrent.futures.process",
}
"""The modules of names of the standard library whose packages bring them in a way that
only running them shows."""


class Home(Struct, frozen=True, kw_only=True):
    """A module with known source, in which names are looked up."""

    contents: Contents
    file: Path | None
    """Its file; None: unknown, so that relative imports cannot be resolved."""


class ResolvedDefinition(Struct, frozen=True, kw_only=True):
    definition: Function | Class
    home: Home


class FoundInstance(Struct, frozen=True, kw_only=True):
    of: ResolvedDefinition


class FoundModule(Struct, frozen=True, kw_only=True):
    """A module that an expression refers to."""

    module: Module
    imported: Imported
    """The import that finds it."""

    at: Path | None
    """The file of that import."""


Meaning = ResolvedDefinition | FoundInstance | FoundModule


class Resolver:
    """Resolves names from one file."""

    def __init__(self, surroundings: ImportableModules | None) -> None:
        """Create a resolver; without `surroundings`, no import is followed."""
        self._surroundings = surroundings
        self._names: dict[Module, set[str] | None] = {}
        self._asked: set[tuple[Path | None, str]] = set()
        """The files and names whose stars are being followed."""

    def names_of(self, module: Module) -> set[str] | None:
        """Return all names that can be imported from a module; None if uncertain."""
        if module not in self._names:
            names: set[str] = set()
            is_whole = self._add_names(module, names, steps=_MAX_STEPS)
            self._names[module] = names if is_whole else None
        return self._names[module]

    def meaning(
        self, definition: Definition, home: Home, *, steps: int = _MAX_STEPS
    ) -> Meaning | None:
        if steps == 0:
            return None
        match definition:
            case Function() | Class():
                return ResolvedDefinition(definition=definition, home=home)
            case Imported():
                return self._imported(definition, home, steps - 1)
            case InstanceOf(maker=maker):
                return self.made_by(self.named(maker, home, steps=steps - 1))
        return None

    def made_by(self, maker: Meaning | None) -> FoundInstance | None:
        """Return what a call of a class, or of a usual function, creates."""
        match maker:
            case ResolvedDefinition(definition=Class()):
                return FoundInstance(of=maker)
            case ResolvedDefinition(definition=Function() as function, home=home):
                is_logging = home.file is not None and home.file.parts[-2:] == _LOGGING
                makes = home.contents.names.get("getLogger") is function
                kind = self.named("Logger", home) if is_logging and makes else None
                if isinstance(kind, ResolvedDefinition):
                    return FoundInstance(of=kind)
        return None

    def named(
        self, dotted: str, home: Home, *, steps: int = _MAX_STEPS
    ) -> Meaning | None:
        """Return the meaning of a dotted name at a module's top level."""
        first, *rest = dotted.split(".")
        definition = home.contents.names.get(first)
        if definition is None or steps == 0:
            return None
        meaning = self.meaning(definition, home, steps=steps - 1)
        for name in rest:
            meaning = self.attribute(meaning, name, steps=steps - 1)
        return meaning

    def attribute(
        self, owner: Meaning | None, name: str, *, steps: int = _MAX_STEPS
    ) -> Meaning | None:
        """Return the meaning of an attribute of a module or a class.

        Attributes of instances are left to the caller, which must know about binding.
        """
        match owner:
            case FoundModule():
                return self._member(owner, name, steps)
            case ResolvedDefinition(definition=Class() as found, home=home):
                inner = found.members.get(name)
                if (
                    isinstance(inner, Class)
                    and name not in home.contents.set_attributes
                ):
                    return ResolvedDefinition(definition=inner, home=home)
        return None

    def full_name(self, dotted: str, home: Home) -> str:
        """Return the name with its import resolved, such as `functools.cache`.

        A name that the module does not bind is a builtin and is returned unchanged.
        """
        first, _, rest = dotted.partition(".")
        match home.contents.names.get(first):
            case None:
                return dotted
            case Imported(module=module, level=0, name=name):
                parts = (module, name, rest)
            case _:
                parts = ("", first, rest)
        return ".".join(part for part in parts if part)

    def _imported(self, imported: Imported, home: Home, steps: int) -> Meaning | None:
        found = self._module(replace(imported, name=None), home.file)
        if found is None or imported.name is None:
            return found
        return self._member(found, imported.name, steps)

    def _module(self, imported: Imported, at: Path | None) -> FoundModule | None:
        if self._surroundings is None:
            return None
        module = self._surroundings.find_imported(imported, at)
        if isinstance(module, Absence):
            return None
        return FoundModule(module=module, imported=imported, at=at)

    def _member(self, owner: FoundModule, name: str, steps: int) -> Meaning | None:
        if steps == 0:
            return None
        lazy = _LAZY_HOMES.get(name, "")
        if lazy and lazy.rpartition(".")[0] == owner.imported.module:
            found = self._module(Imported(module=lazy), owner.at)
            return None if found is None else self._member(found, name, steps - 1)
        if owner.module.is_opaque:
            return None
        home = self._home(owner.module)
        if home is not None and name in home.contents.names:
            return self.meaning(home.contents.names[name], home, steps=steps - 1)
        if home is None and not owner.module.is_namespace:
            return None
        if home is not None and home.contents.is_open:
            return None
        if home is not None and home.contents.stars:
            return self._starred_member(home, name, steps)
        inner = f"{owner.imported.module}.{name}".lstrip(".")
        return self._module(replace(owner.imported, module=inner), owner.at)

    def _starred_member(self, home: Home, name: str, steps: int) -> Meaning | None:
        """Return the meaning of a name that one `import *` of a module brings."""
        asked = (home.file, name)
        if asked in self._asked:
            return None  # The modules import each other, and this one brings nothing.
        self._asked.add(asked)
        try:
            found = []
            for star in home.contents.stars:
                owner = self._module(star, home.file)
                if owner is None:
                    return None
                found.append(self._member(owner, name, steps - 1))
        finally:
            self._asked.remove(asked)
        known = [one for one in found if one is not None]
        return known[0] if len(known) == 1 else None

    def _home(self, module: Module) -> Home | None:
        source = module.source
        if source is None or self._surroundings is None:
            return None
        contents = self._surroundings.contents(source)
        return None if contents is None else Home(contents=contents, file=source)

    def _add_names(self, module: Module, names: set[str], *, steps: int) -> bool:
        """Add the names of a module; returns False if they are uncertain."""
        if self._surroundings is None or module.is_opaque or steps == 0:
            return False
        names.update(self._surroundings.submodule_names(module))
        for source in module.sources:
            contents = self._surroundings.contents(source)
            if contents is None or contents.is_open:
                return False
            names.update(contents.names)
            for starred in self._starred(contents, source):
                if starred is None:
                    return False
                if not self._add_names(starred, names, steps=steps - 1):
                    return False
        return bool(module.sources) or self._surroundings.has_environment()

    def _starred(self, contents: Contents, source: Path) -> Iterator[Module | None]:
        assert self._surroundings is not None
        for star in contents.stars:
            module = self._surroundings.find_imported(star, source)
            yield None if isinstance(module, Absence) else module
