"""The types of Python's expressions, as far as they are certain.

A name has a type if all that it is set to has the same: an annotation, a call of a
class, or of a function or method that says what it returns. Classes and functions are
those of the file, of the workspace and of the standard library.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
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
    read_module_types,
)
from redline.checks.python.source import parse_once
from redline.checks.python.standard_types import standard_types
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


class Instance(Struct, frozen=True):
    of: ClassType
    at: TypedModule


class ClassItself(Struct, frozen=True):
    of: ClassType
    at: TypedModule


class FunctionItself(Struct, frozen=True):
    of: Callable
    at: TypedModule
    owner: Instance | ClassItself | None = None


class ModuleItself(Struct, frozen=True):
    name: str
    at: TypedModule


Kind = Instance | ClassItself | FunctionItself | ModuleItself


class TypeWorld:
    """What names mean in the file, the workspace and the standard library."""

    def __init__(self, surroundings: ImportableModules | None) -> None:
        self._surroundings = surroundings
        self._sources: dict[tuple[str, int, Path | None], TypedModule | None] = {}

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
        found = self.named(kind, at, steps - 1)
        return self.instance(found) if isinstance(found, ClassItself) else None

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

    def member(self, owner: Kind, name: str, steps: int = _MAX_STEPS) -> Kind | None:
        """Return the value of an attribute; None if it is not known."""
        match owner:
            case ModuleItself(name=module, at=at):
                found = self._top(name, at, steps, is_own=True)
                if found is None and name not in at.types.entries:
                    inner = self.source(ImportedName(f"{module}.{name}"), at)
                    if inner is not None:
                        found = ModuleItself(f"{module}.{name}", inner)
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

    def entry(
        self, owner: Instance | ClassItself, name: str
    ) -> tuple[Entry, TypedModule] | None:
        """Return a member as its class, or a base, declares it."""
        for found, at in self.classes(owner) or ():
            if name in found.members:
                return found.members[name], at
        return None

    def classes(
        self, owner: Instance | ClassItself
    ) -> list[tuple[ClassType, TypedModule]] | None:
        """Return a class and all its bases; None if one is not known, or is open."""
        found: list[tuple[ClassType, TypedModule]] = []
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
        builtins = self.source(ImportedName("builtins"), owner.at)
        root = None if builtins is None else builtins.types.entries.get("object")
        if builtins is None or not isinstance(root, ClassType):
            return None
        return [*found, (root, builtins)]

    def lacks(self, owner: Kind, name: str) -> bool:
        """Whether a value certainly has no such attribute."""
        match owner:
            case ModuleItself(at=at):
                types = at.types
                return (
                    bool(at.name)
                    and at.name != "sys"  # Each implementation adds names.
                    and not types.is_open
                    and name not in types.entries
                    and not types.stars
                    and self.source(ImportedName(f"{at.name}.{name}"), at) is None
                )
            case Instance() | ClassItself():
                classes = self.classes(owner)
                if classes is None:
                    return False
                is_class = isinstance(owner, ClassItself)
                if is_class and any(one.has_metaclass for one, _ in classes):
                    return False
                if is_class and hasattr(type, name):
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
        module = imported.module
        if at.name and imported.level:
            package = at.name.split(".")
            is_package = standard_types(f"{at.name}.{module}") is not None
            keep = len(package) - imported.level + is_package
            module = ".".join((*package[:keep], module)).strip(".")
        if self._surroundings is not None and not at.name:
            name = Imported(module=module, level=imported.level)
            found = self._surroundings.find_imported(name, at.file)
            if isinstance(found, Module) and found.own_sources:
                return self._own(found)
        if imported.level and not at.name:
            return None
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        types = standard_types(module) if is_standard or at.name else None
        return None if types is None else TypedModule(types, name=module)

    def _own(self, module: Module) -> TypedModule | None:
        assert self._surroundings is not None
        if module.source is None or module.is_opaque:
            return None
        text = self._surroundings.text(module.source)
        types = None if text is None else types_of(text)
        return None if types is None else TypedModule(types, file=module.source)

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
            case Callable():
                return FunctionItself(entry, at, owner)
            case Value(kind=kind):
                return self.annotated(kind, at, owner, steps)
            case ImportedName(module=module, name=name):
                source = self.source(entry, at)
                if name and source is not None:
                    found = self._top(name, source, steps, is_own=True)
                    if found is not None or name in source.types.entries:
                        return found
                if name:
                    inner = f"{module}.{name}".lstrip(".")
                    entry = ImportedName(inner, entry.level)
                    source = self.source(entry, at)
                if source is not None:
                    return ModuleItself(source.name or entry.module, source)
        return None

    def _is_made_otherwise(self, maker: ClassItself) -> bool:
        """Whether a call of a class may give something else."""
        return maker.of.has_metaclass and not maker.at.name


def _all_keywords(makers: Sequence[Entry]) -> tuple[str, ...] | None:
    names: list[str] = []
    for one in makers:
        if not isinstance(one, Callable) or one.keywords is None:
            return None
        names += one.keywords
    return tuple(names)


@lru_cache(maxsize=32)
def types_of(text: str) -> ModuleTypes | None:
    """Return the types of a source; None if it cannot be parsed."""
    tree = parse_once(text)
    return None if tree is None else read_module_types(tree)
