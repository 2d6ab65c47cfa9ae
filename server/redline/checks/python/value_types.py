"""The types of Python's expressions, as far as they are certain.

A name has a type if all that it is set to has the same: an annotation, a call of a
class, or of a function or method that says what it returns. Classes and functions are
those of the file, of the workspace and of the standard library. Of installed packages
only classes and modules are known: what their functions return may be a subclass.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import EnumType
from pathlib import Path

from msgspec import Struct

from redline.checks.python.definition import Imported
from redline.checks.python.environment import ImportableModules
from redline.checks.python.module_files import Module
from redline.checks.python.module_types import (
    Callable,
    ClassType,
    Entry,
    ImportedName,
    ModuleTypes,
    Value,
)
from redline.checks.python.standard_types import standard_names, standard_types
from redline.syntax.word_set import word_set

_MAX_STEPS = 24
_ABSTRACT = word_set("typing typing_extensions _typeshed collections.abc types")
"""Modules whose classes stand for many others."""
_CONCRETE = word_set("IO TextIO BinaryIO Match Pattern")
_NO_TYPE = word_set("object type super property staticmethod classmethod")
_NEUTRAL_BASES = word_set("Generic Protocol object")


class TypedModule(Struct, frozen=True, eq=False):
    """A module in which names are looked up."""

    types: ModuleTypes
    name: str = ""
    """Its full name, if it is of the standard library."""
    file: Path | None = None
    is_installed: bool = False
    """Whether it is of a package that is installed."""


class Instance(Struct, frozen=True):
    of: ClassType
    at: TypedModule
    element: Kind | None = None
    """What a series has, or the keys of a mapping."""
    value: Kind | None = None
    """The values of a mapping."""


class ClassItself(Struct, frozen=True):
    of: ClassType
    at: TypedModule


class FunctionItself(Struct, frozen=True):
    of: Callable
    at: TypedModule
    owner: Instance | ClassItself | None = None


class ModuleItself(Struct, frozen=True):
    imported: ImportedName
    """The import that finds it, without a name."""
    at: TypedModule
    """The module of that import."""


class SeriesOf(Struct, frozen=True):
    """A series or a mapping whose own class is not known."""

    element: Kind | None
    value: Kind | None = None


_Classes = list[tuple[ClassType, TypedModule]]
Kind = Instance | ClassItself | FunctionItself | ModuleItself | SeriesOf


class TypeWorld:
    """What names mean in the file, the workspace and the standard library."""

    def __init__(self, surroundings: ImportableModules | None) -> None:
        self._surroundings = surroundings
        self._sources: dict[tuple[str, int, Path | None], TypedModule | None] = {}
        self._classes: dict[tuple[int, int], tuple[Kind, _Classes | None]] = {}

    def named(
        self, dotted: str, at: TypedModule, steps: int = _MAX_STEPS
    ) -> Kind | None:
        """Return the meaning of a dotted name at the top level of a module."""
        first, *rest = dotted.split(".")
        found = self._top(first, at, steps)
        for name in rest:
            found = None if found is None else self.member(found, name, steps - 1)
        return found

    def annotated(
        self,
        kind: str,
        at: TypedModule,
        owner: Instance | ClassItself | None = None,
        steps: int = _MAX_STEPS,
    ) -> Kind | None:
        """Return the value of a type that is written in a module."""
        if not kind or steps <= 0:
            return None
        if kind.rpartition(".")[2] == "Self":
            return None if owner is None else Instance(owner.of, owner.at)
        if kind.endswith("()"):
            maker = self.named(kind[:-2], at, steps - 1)
            return None if maker is None else self.called(maker, steps - 1)
        name, _, inside = kind.partition("[")
        found = self.named(name, at, steps - 1)
        made = self.instance(found) if isinstance(found, ClassItself) else None
        if not inside:
            return made
        first, second = _arguments(inside[:-1])
        element = self.annotated(first, at, owner, steps - 1)
        value = self.annotated(second, at, owner, steps - 1)
        if made is None:
            return SeriesOf(element, value)
        return Instance(made.of, made.at, element, value)

    def instance(self, found: ClassItself) -> Instance | None:
        """Return what a class makes; None if it stands for other classes."""
        name, module = found.of.name, found.at.name
        is_abstract = module in _ABSTRACT and name not in _CONCRETE
        is_protocol = any(one.endswith("Protocol") for one in found.of.bases)
        if is_abstract or is_protocol or (module == "builtins" and name in _NO_TYPE):
            return None
        return Instance(found.of, found.at)

    def called(self, maker: Kind, steps: int = _MAX_STEPS) -> Kind | None:
        """Return what a call gives."""
        match maker:
            case ClassItself():
                return None if self._is_made_otherwise(maker) else self.instance(maker)
            case FunctionItself(of=function, at=at, owner=owner):
                if function.is_async or function.name == "__new__":
                    return None
                return self.annotated(function.returns, at, owner, steps - 1)
        return None

    def awaited(self, maker: Kind) -> Kind | None:
        """Return what an awaited call gives."""
        match maker:
            case FunctionItself(of=Callable(is_async=True) as function):
                return self.annotated(function.returns, maker.at, maker.owner)
        return None

    def imported(
        self, entry: ImportedName, at: TypedModule, steps: int = _MAX_STEPS
    ) -> Kind | None:
        """Return what an import in a module binds."""
        owner = _absolute(entry, at)
        if not entry.name:
            return self._module(owner, at)
        return self.member(ModuleItself(owner, at), entry.name, steps)

    def member(self, owner: Kind, name: str, steps: int = _MAX_STEPS) -> Kind | None:
        """Return the value of an attribute; None if it is not known."""
        match owner:
            case ModuleItself(imported=imported, at=at):
                inner = _inside(imported, name)
                source = self.source(imported, at)
                if source is None:
                    return self._module(inner, at)
                found = self._top(name, source, steps, is_own=True)
                if isinstance(found, ModuleItself):
                    # Its own name finds it from the checked file, too.
                    return self._module(inner, at) or found
                if found is None and not self._binds(source, name):
                    return self._module(inner, at)
                return found
            case Instance() | ClassItself():
                place = self.entry(owner, name)
                if place is None:
                    return None
                entry, at = place
                is_instance = isinstance(owner, Instance)
                if isinstance(entry, Value) and not is_instance and at.name:
                    return None
                return self._of_entry(entry, at, owner, steps - 1)
        return None

    def element(self, series: Kind) -> Kind | None:
        """Return what a loop over a series takes."""
        match series:
            case SeriesOf(element=element) | Instance(element=Struct() as element):
                return element
            case Instance(of=ClassType(name="str"), at=TypedModule(name="builtins")):
                return series
            case Instance():
                maker = self.member(series, "__iter__")
                steps = maker and self.called(maker)
                return steps.element if isinstance(steps, SeriesOf) else None
        return None

    def entry(
        self, owner: Instance | ClassItself, name: str
    ) -> tuple[Entry, TypedModule] | None:
        """Return a member as its class, or a base, declares it."""
        for found, at in self.classes(owner) or ():
            if name in found.members:
                return found.members[name], at
        return None

    def classes(self, owner: Instance | ClassItself) -> _Classes | None:
        """Return a class and all its bases; None if one is not known, or is open."""
        key = (id(owner.of), id(owner.at))
        if key not in self._classes:
            # With its owner, so that no other object gets the same identity.
            self._classes[key] = owner, self._read_classes(owner)
        return self._classes[key][1]

    def _read_classes(self, owner: Instance | ClassItself) -> _Classes | None:
        found: _Classes = []
        waiting = [(owner.of, owner.at)]
        while waiting:
            one, at = waiting.pop(0)
            if one.is_open or len(found) > _MAX_STEPS * 2:
                return None
            if (one, at) in found:
                continue
            found.append((one, at))
            for base in one.bases:
                if base.rpartition(".")[2] in _NEUTRAL_BASES:
                    continue
                # A class may have the name of its base in another module.
                kind = self.named(base, at) if base else None
                if not isinstance(kind, ClassItself) or (
                    kind.at.name in _ABSTRACT and not at.name
                ):
                    return None
                waiting.append((kind.of, kind.at))
        builtins = self.source(ImportedName("builtins"), owner.at)
        root = None if builtins is None else builtins.types.entries.get("object")
        if builtins is None or not isinstance(root, ClassType):
            return None
        return [*found, (root, builtins)]

    def lacks(self, owner: Kind, name: str) -> bool:
        """Whether a value certainly has no such attribute."""
        match owner:
            case ModuleItself(imported=ImportedName(module=module, level=0)):
                names = standard_names(module)
                return names is not None and name not in names
            case Instance() | ClassItself():
                classes = self.classes(owner)
                if classes is None:
                    return False
                is_class = isinstance(owner, ClassItself)
                made = {at.name for one, at in classes if one.has_metaclass}
                if is_class and not made <= {"enum"}:
                    return False
                if is_class and hasattr(EnumType if made else type, name):
                    return False
                return not any(name in one.members for one, _ in classes)
        return False

    def keywords(self, called: Kind) -> tuple[str, ...] | None:
        """Return the names of the arguments that a call may name; None: any."""
        match called:
            case FunctionItself(of=function):
                return function.keywords
            case ClassItself(of=of, at=TypedModule(name=module)) if module:
                classes = self.classes(called)
                if classes is None or any(one.has_metaclass for one, _ in classes):
                    return None
                for one, _ in classes:
                    makers = [
                        one.members[name]
                        for name in ("__init__", "__new__")
                        if name in one.members
                    ]
                    if makers:
                        return _all_keywords(makers) if of.name != "object" else None
        return None

    def source(self, imported: ImportedName, at: TypedModule) -> TypedModule | None:
        """Return a module that an import names; None if it is not known."""
        key = (imported.module, imported.level, at.file or Path(at.name))
        if key not in self._sources:
            self._sources[key] = self._source(imported, at)
        return self._sources[key]

    def _source(self, imported: ImportedName, at: TypedModule) -> TypedModule | None:
        imported = _absolute(imported, at)
        module = imported.module
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        found = self._find(imported, at)
        if found is not None and (found.own_sources or not is_standard):
            return self._read(found)
        if imported.level or not (is_standard or at.name):
            return None
        types = standard_types(module)
        return None if types is None else TypedModule(types, name=module)

    def _find(self, imported: ImportedName, at: TypedModule) -> Module | None:
        """Return a module that the workspace's files can import."""
        if self._surroundings is None or at.name:
            return None
        name = Imported(module=imported.module, level=imported.level)
        found = self._surroundings.find_imported(name, at.file)
        return found if isinstance(found, Module) else None

    def _read(self, module: Module) -> TypedModule | None:
        assert self._surroundings is not None
        source = module.source
        if source is None or module.is_opaque:
            return None
        types = self._surroundings.types(source)
        if types is None:
            return None
        is_installed = source in module.installed_sources
        return TypedModule(types, file=source, is_installed=is_installed)

    def _module(self, imported: ImportedName, at: TypedModule) -> ModuleItself | None:
        exists = self._find(imported, at) or self.source(imported, at)
        return ModuleItself(imported, at) if exists else None

    def _binds(self, at: TypedModule, name: str) -> bool:
        """Whether a module binds a name to something else than a module in it."""
        if at.name and at.types.entries.get(name) == Value():
            # The table of standard modules has no more of those in a package, either.
            return standard_types(f"{at.name}.{name}") is None
        starred = (self.source(star, at) for star in at.types.stars)
        return any(name in one.types.entries for one in (at, *starred) if one)

    def _top(
        self, name: str, at: TypedModule, steps: int, *, is_own: bool = False
    ) -> Kind | None:
        if steps <= 0:
            return None
        entry = at.types.entries.get(name)
        if entry is not None:
            return self._of_entry(entry, at, None, steps - 1)
        for star in at.types.stars:
            source = self.source(star, at)
            if source is None:
                continue
            starred = source.types.entries.get(name)
            if isinstance(starred, ImportedName) and not starred.name:
                continue  # A module that it imports for itself.
            found = self._top(name, source, steps - 1, is_own=True)
            if found is not None:
                return found
        if at.types.stars or is_own or at.name == "builtins":
            return None
        builtins = self.source(ImportedName("builtins"), at)
        return None if builtins is None else self._top(name, builtins, steps - 1)

    def _of_entry(
        self,
        entry: Entry,
        at: TypedModule,
        owner: Instance | ClassItself | None,
        steps: int,
    ) -> Kind | None:
        match entry:
            case ClassType():
                return ClassItself(entry, at)
            case ImportedName():
                return self.imported(entry, at, steps)
            case Callable() if not at.is_installed:
                return FunctionItself(entry, at, owner)
            case Value(kind=kind) if not at.is_installed:
                return self.annotated(kind, at, owner, steps)
        return None

    def _is_made_otherwise(self, maker: ClassItself) -> bool:
        """Whether a call of a class may give something else."""
        return maker.of.has_metaclass and not maker.at.name


def _arguments(inside: str) -> tuple[str, str]:
    """Return the one or two types between brackets."""
    depth = 0
    for at, letter in enumerate(inside):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and not depth:
            return inside[:at], inside[at + 1 :]
    return inside, ""


def _all_keywords(makers: Sequence[Entry]) -> tuple[str, ...] | None:
    names: list[str] = []
    for one in makers:
        if not isinstance(one, Callable) or one.keywords is None:
            return None
        names += one.keywords
    return tuple(names)


def _inside(package: ImportedName, name: str) -> ImportedName:
    return ImportedName(f"{package.module}.{name}".lstrip("."), package.level)


def _absolute(imported: ImportedName, at: TypedModule) -> ImportedName:
    """Return the module of an import, without dots in the standard library."""
    module, level = imported.module, imported.level
    if not at.name or not level:
        return ImportedName(module, level)
    package = at.name.split(".")
    is_package = standard_types(f"{at.name}.{module}") is not None
    keep = len(package) - level + is_package
    return ImportedName(".".join((*package[:keep], module)).strip("."))
