"""What the files of a workspace declare, as one file sees it.

A file is read only when a name is looked up. A name that is imported from elsewhere, or
that several files declare, is not known.
"""

from __future__ import annotations

from pathlib import Path

from redline.checks.candidate import CheckedEdit
from redline.checks.names.places.language_places import places_of
from redline.checks.project_files import ProjectFiles
from redline.syntax.declared_members import Member
from redline.syntax.declared_types import DeclaredType, joined
from redline.syntax.file_types import FileTypes
from redline.syntax.kinds import UNKNOWN, TypeKind
from redline.syntax.language import Language, language_of
from redline.syntax.tree import Tree, parse

_MAX_CHARS = 100_000
_MAX_FILES = 24
_MAX_REEXPORTS = 4


class WorkspaceTypes:
    """The types, functions and variables that a file can use."""

    def __init__(
        self, candidate: CheckedEdit, tree: Tree, project: ProjectFiles | None
    ) -> None:
        self._project = project
        self.own = FileTypes(tree, self)
        self._files = [self.own]
        self._places = [
            places_of(
                tree, candidate.text_after, project, project.file if project else None
            )
        ]
        self._numbers: dict[Path, int | None] = {}
        self._found: dict[tuple[str, int], DeclaredType | None] = {}
        self._values: dict[tuple[str, int], tuple[Member, str] | None] = {}

    def find_type(self, name: str, file: int) -> DeclaredType | None:
        """Return the type that a file means by a name, also one of its own."""
        key = (name, file)
        if key not in self._found:
            self._found[key] = None  # While it is looked up.
            self._found[key] = self._type(name, file)
        return self._found[key]

    def _type(self, name: str, file: int) -> DeclaredType | None:
        outer, _, inner = name.rpartition(".")
        if outer and self.own.language in (Language.JAVA, Language.CSHARP):
            return self._inner_type(outer, inner, file)
        own = self._files[file].declared.get(name)
        places = self._places[file]
        if own is not None and not places.is_shared:
            return own
        found = own
        namespace = places.namespace(name)
        if namespace is not None:
            return self._namespace(name, namespace)
        for place, inner in places.of_type(name):
            number = self._number(place)
            if number is None:
                return None
            one = self._exported(inner, number)
            if one is not None:
                found = joined(found, one)
        return found

    def _inner_type(self, outer: str, inner: str, file: int) -> DeclaredType | None:
        """Return a type that is declared in another one."""
        if outer in self._files[file].declared:
            return self._files[file].declared.get(inner)
        for place, _ in self._places[file].of_type(outer):
            number = self._number(place)
            return None if number is None else self._files[number].declared.get(inner)
        return None

    def _exported(self, name: str, file: int, depth: int = 0) -> DeclaredType | None:
        """Return a type that a file declares, or passes on."""
        one = self._files[file].declared.get(name)
        if one is not None or depth > _MAX_REEXPORTS:
            return one
        for place, inner in self._places[file].passed_on(name):
            number = self._number(place)
            found = number and self._exported(inner, number, depth + 1)
            if found:
                return found
        return None

    def _namespace(self, name: str, places: list[Path]) -> DeclaredType | None:
        """Return a module as a type, with what it exports as members."""
        members: dict[str, Member] = {}
        for place in places:
            number = self._number(place)
            if number is None:
                return None
            file = self._files[number]
            if self._places[number].is_open:
                return None
            plain = Member(kind=UNKNOWN, is_function=False)
            members |= dict.fromkeys(file.declared, plain)
            members |= dict.fromkeys(self._places[number].exported_names, plain)
            members |= file.values
        if not members:
            return None
        return DeclaredType(name=name, members=members, bases=(), is_open=False)

    def find_value(self, name: str, file: int) -> TypeKind:
        """Return the type of a variable that a file imports."""
        found = self._value(name, file)
        if found is None or found.is_function:
            return UNKNOWN
        if found.kind == UNKNOWN and found.value is not None:
            return self.kind_of_member(found, UNKNOWN)
        return found.kind

    def find_function(self, name: str, file: int) -> Member | None:
        """Return a function that a file imports."""
        found = self._value(name, file)
        return found if found is not None and found.is_function else None

    def _value(self, name: str, file: int) -> Member | None:
        found: Member | None = None
        for place, inner in self._places[file].of_value(name):
            number = self._number(place)
            one = None if number is None else self._exported_value(inner, number)
            if one is None:
                continue
            if found is not None:
                return None
            found = one
        return found

    def _exported_value(self, name: str, file: int, depth: int = 0) -> Member | None:
        one = self._files[file].values.get(name)
        if one is not None or depth > _MAX_REEXPORTS:
            return one
        for place, inner in self._places[file].passed_on(name):
            number = self._number(place)
            found = number and self._exported_value(inner, number, depth + 1)
            if found:
                return found
        return None

    def kind_of_member(self, member: Member, owner: TypeKind) -> TypeKind:
        """Return the type of a member that its file gives no type to."""
        if member.value is None:
            return member.kind
        return self._files[member.file].value(member.value, owner)

    def _number(self, place: Path) -> int | None:
        """Return the number of a file, which is read; None: it cannot be."""
        if self._project is not None and place == self._project.file:
            return 0
        if place not in self._numbers:
            self._numbers[place] = self._read(place)
        return self._numbers[place]

    def _read(self, place: Path) -> int | None:
        text = self._project.text(place) if self._project else None
        language = language_of(place.name)
        if language is Language.C:
            language = Language.CPP if self.own.language is Language.CPP else language
        if text is None or not language or len(text) > _MAX_CHARS:
            return None
        if len(self._files) >= _MAX_FILES:
            return None
        tree = parse(text, language)
        if tree.errors:
            return None
        number = len(self._files)
        self._files.append(FileTypes(tree, self, file=number))
        self._places.append(places_of(tree, text, self._project, place))
        return number
