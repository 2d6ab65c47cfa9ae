"""`phantom-member`: members that the type of their owner does not have.

The owner's type must be written in the file, and be declared in it or be one of the
language's standard library. A name that the file used before, that another source of
the workspace may define, or that is a constant in capitals is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from redline.checks.candidate import CheckedEdit
from redline.checks.names.csharp_members import MEMBERS, SEQUENCES
from redline.checks.names.foreign_names import rust_names
from redline.checks.names.go_installation import exports, has_member, imported_text
from redline.checks.names.imported import imported_modules
from redline.checks.names.standard_names import StandardType, standard_names
from redline.checks.names.workspace_types import WorkspaceTypes
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.checks.requested_changes import names_field
from redline.syntax.accesses import Access, accesses
from redline.syntax.declared_types import DeclaredType
from redline.syntax.kinds import TypeKind
from redline.syntax.known_calls import (
    GivenOption,
    WrongCall,
    given_options,
    wrong_calls,
)
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

RULE = "phantom-member"

_MAX_BASES = 12

_OBJECT = {
    **dict.fromkeys(
        SCRIPTS,
        word_set(
            "constructor toString toLocaleString valueOf hasOwnProperty"
            " isPrototypeOf propertyIsEnumerable prototype name length call apply"
            " bind"
        ),
    ),
    Language.JAVA: word_set(
        "clone equals finalize getClass hashCode notify notifyAll toString wait"
        " class length values valueOf name ordinal compareTo getDeclaringClass"
        " super this describeConstable"
    ),
    Language.CSHARP: word_set(
        "Equals GetHashCode GetType MemberwiseClone ToString ReferenceEquals"
        " Deconstruct With PrintMembers EqualityContract"
    ),
    Language.PHP: frozenset({"class"}),
}
"""Members that every type has."""

_OF_FUNCTIONS = word_set("prototype name length call apply bind")
"""Members of functions and classes of scripts, which are not those of all objects."""

_SUFFIXES = {
    **dict.fromkeys(
        SCRIPTS, tuple(word_set(".ts .tsx .mts .cts .js .jsx .mjs .cjs .vue .svelte"))
    ),
    Language.JAVA: (".java", ".kt"),
    Language.CSHARP: (".cs", ".razor"),
    Language.GO: (".go",),
    Language.RUST: (".rs",),
    Language.PHP: (".php",),
    Language.CPP: (".cpp", ".cc", ".cxx", ".h", ".hpp", ".hh"),
}

_SCRIPT_TYPES = {
    "string": "String",
    "number": "Number",
    "boolean": "Boolean",
    "bigint": "BigInt",
    "symbol": "Symbol",
    "[]": "Array",
}
_SCRIPT_STATIC = word_set(
    "Object Array String Number Boolean Math JSON Promise Reflect Date"
    " RegExp Symbol Map Set BigInt Error Atomics"
)
_RUST_DEREFS = {"String": "str", "Vec": "slice", "[]": "slice", "PathBuf": "Path"}


def check_members(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report members that do not exist."""
    tree = candidate.tree_after
    if tree is None or tree.language not in _SUFFIXES or tree.errors:
        return
    judge = _Judge(candidate, tree, project)
    reported: set[tuple[str, str]] = set()
    for access in accesses(judge.types, candidate.region_after):
        key = (access.owner, access.name)
        is_own = judge.types.find(access.kind) is not None
        if key in reported or access.name.startswith("__"):
            continue
        if access.name.isupper() and not is_own:
            continue
        owner = judge.owner_without(access)
        is_known = names_field(candidate.instruction, access.name)
        if owner is not None and not (is_known or judge.was_used(access)):
            reported.add(key)
            yield Problem(
                rule=RULE,
                message=f"{owner} has no `{access.name}`.",
                line=candidate.line_in_region(access.line),
            )

    yield from _wrong_arguments(candidate, judge)


def _wrong_arguments(candidate: CheckedEdit, judge: _Judge) -> Iterator[Problem]:
    """Report numbers of arguments, and options, that a function does not take."""
    if judge.types.language in _COUNTED:
        for call in wrong_calls(judge.types, candidate.region_after):
            if not judge.was_written(call.line):
                yield _wrong(candidate, call)
    if judge.types.language in SCRIPTS:
        for option in given_options(judge.types, candidate.region_after):
            if judge.lacks_option(option):
                yield Problem(
                    rule=RULE,
                    message=f"`{option.kind.name}` has no `{option.name}`.",
                    line=candidate.line_in_region(option.line),
                )


_COUNTED = frozenset(
    {Language.TYPESCRIPT, Language.TSX, Language.JAVA, Language.GO, Language.RUST}
) | {Language.CSHARP, Language.PHP}


def _wrong(candidate: CheckedEdit, call: WrongCall) -> Problem:
    least, most = call.arity.least, call.arity.most
    takes = f"{least}" if least == most else f"{least} to {most}"
    if most is None:
        takes = f"at least {least}"
    return Problem(
        rule=RULE,
        message=f"`{call.name}` takes {takes} arguments, and not {call.n_given}.",
        line=candidate.line_in_region(call.line),
    )


class _Judge:
    """Knows the types of one file, and the standard library of its language."""

    def __init__(
        self, candidate: CheckedEdit, tree: Tree, project: ProjectFiles | None
    ) -> None:
        self.types = WorkspaceTypes(candidate, tree, project).own
        self._language = tree.language
        self._candidate = candidate
        self._project = project
        self._imports = {
            one.whole or one.module: one
            for _, one in imported_modules(tree, candidate.text_after)
        }
        self._taken = {
            name
            for one in self._imports.values()
            for name in (*one.names, one.whole)
            if name
        }

    def was_written(self, line: int) -> bool:
        """Whether the file had a line before the edit."""
        return self._candidate.after[line] in self._candidate.before

    def lacks_option(self, option: GivenOption) -> bool:
        """Whether the type of a parameter certainly has no such field."""
        if self.types.find(option.kind) is None or self.was_written(option.line):
            return False
        access = Access(
            line=option.line,
            name=option.name,
            owner=option.kind.name,
            kind=option.kind,
            is_direct=False,
            is_call=False,
        )
        return self.owner_without(access) is not None

    def was_used(self, access: Access) -> bool:
        """Whether the file had such a use before the edit."""
        if self.types.find(access.kind) is not None:
            word = rf"\b{re.escape(access.name)}\b"
            if re.search(word, self._candidate.text_before) is None:
                return False
        return (access.owner, access.name) in self._used_before

    @cached_property
    def _used_before(self) -> frozenset[tuple[str, str]]:
        """The owners and names of all uses before the edit."""
        before = self._candidate.tree_before
        if before is None:
            return frozenset()
        lines = range(len(self._candidate.before))
        types = WorkspaceTypes(self._candidate, before, self._project).own
        uses = accesses(types, lines)
        return frozenset((one.owner, one.name) for one in uses)

    def owner_without(self, access: Access) -> str | None:
        """Return the owner, for a message, if it certainly lacks the member."""
        if self.types.find(access.kind) is not None:
            if access.name in _OBJECT.get(self._language, ()) and (
                access.is_class or access.name not in _OF_FUNCTIONS
            ):
                return None
            lacks = self._declared_lacks(access.kind, access.name)
            if not lacks or self._may_be_added(access):
                return None
            is_package = self._language is Language.GO and access.owner in self._imports
            return f"{'The package ' if is_package else ''}`{access.owner}`"
        if self._language in (Language.PHP, Language.CPP):
            return None
        if self._language is Language.GO:
            without = None if access.is_direct else _WITHOUT_METHODS.get(access.owner)
            return without or self._go_owner(access)
        members = self._standard_members(access)
        if members is None or access.name in members:
            return None
        if access.name in _OBJECT.get(self._language, ()) and (
            access.is_direct or access.name not in _OF_FUNCTIONS
        ):
            return None
        if self._is_extended(access):
            return None
        return f"`{access.owner}`"

    def _declared_lacks(self, owner: TypeKind, name: str) -> bool:
        """Whether a type of the workspace, and all its bases, lack a member."""
        if (
            self._language is Language.RUST
            and name in standard_names("rust")["*"].members | _OF_POINTERS
        ):
            return False
        for one, found in self.types.lineage(owner):
            if found is None:
                members = self._members_of_base(one.name)
                if members is None or name in members:
                    return False
            elif found.is_open or found.is_partial or self._is_in(name, found):
                return False
        return True

    def _is_in(self, name: str, declared: DeclaredType) -> bool:
        if self._language is Language.PHP:  # Names of methods have no case.
            return name.lower() in map(str.lower, declared.members)
        return name in declared.members

    def _members_of_base(self, name: str) -> frozenset[str] | None:
        """Return the members of a base that the file does not declare."""
        match self._language:
            case Language.JAVA:
                return self._java_members(name)
            case Language.RUST if name.rpartition("::")[2] in _RUST_TRAITS:
                return frozenset()
            case Language.JAVASCRIPT | Language.TYPESCRIPT | Language.TSX if (
                name in ("Error", "Map", "Set", "Array") and name not in self._taken
            ):
                return standard_names("script")[name].members | {"cause"}
        return None

    def _standard_members(self, access: Access) -> frozenset[str] | None:
        match self._language:
            case Language.JAVA:
                return self._java_members(access.owner)
            case Language.RUST:
                is_module = access.is_direct and access.owner.endswith(_RUST_MODULES)
                return None if is_module else self._rust_members(access.owner)
            case Language.CSHARP:
                return self._csharp_members(access)
            case Language.JAVASCRIPT | Language.TYPESCRIPT | Language.TSX:
                return self._script_members(access)
        return None

    def _csharp_members(self, access: Access) -> frozenset[str] | None:
        # Extension methods come with a namespace, which another file may import, too.
        modules = {one.module for one in self._imports.values()}
        is_text = access.is_direct and access.owner in ("string", "String")
        if not is_text and (access.is_direct or access.owner not in SEQUENCES):
            return None
        if any(one.partition(".")[0] != "System" for one in modules):
            return None
        if self._is_found(r"\bglobal using (?!System\b)") or any(
            "<Using " in text
            for text in self._manifests(r".*\.csproj|Directory\.Build\.props")
        ):
            return None
        return MEMBERS

    def _manifests(self, names: str) -> list[str]:
        return [] if self._project is None else self._project.manifests(names)

    def _script_members(self, access: Access) -> frozenset[str] | None:
        owner = access.owner
        imported = self._imports.get(owner)
        if access.is_direct and imported is not None:
            name = imported.module.removeprefix("node:")
            known = standard_names("node").get(name)
            is_lower = not access.name[:1].isupper()
            return known.members | {"default"} if known and is_lower else None
        if owner in self._taken:
            return None
        types = standard_names("script")
        if access.is_direct:
            if owner not in _SCRIPT_STATIC:
                return None
            found = [types.get(owner + "Constructor"), types.get(owner)]
            members = frozenset().union(*(one.members for one in found if one))
            return members or None
        known = types.get(_SCRIPT_TYPES.get(owner, owner))
        return None if known is None else known.members

    def _is_used_from_std(self, name: str) -> bool:
        """Whether a `use` of Rust's standard library has a name."""
        for statement in self._candidate.text_after.split(";"):
            use = _RUST_USE_STD.search(statement)
            if use and re.search(rf"\b{name}\b", statement[use.end() :]):
                return True
        return False

    def _rust_members(self, owner: str) -> frozenset[str] | None:
        if rust_names(self._candidate.text_after) is None:
            return None
        types = standard_names("rust")
        name = _RUST_PREFIXED.get(owner.rpartition("::")[2], owner.rpartition("::")[2])
        known = types.get(name)
        is_std = name in _RUST_PRELUDE or self._is_used_from_std(name)
        if known is None or not is_std:
            return None
        derefs = types.get(_RUST_DEREFS.get(name, ""))
        more = frozenset() if derefs is None else derefs.members
        return known.members | more | types["*"].members

    def _java_members(self, owner: str) -> frozenset[str] | None:
        types = standard_names("java")
        imported = self._imports.get(owner)
        if imported is not None:
            name = imported.module
        elif f"java.lang.{owner}" in types:
            name = f"java.lang.{owner}"
        else:
            starred = [
                f"{one.module}.{owner}"
                for one in self._imports.values()
                if one.whole == "*"
            ]
            found = [name for name in starred if name in types]
            name = found[0] if len(found) == 1 else ""
        return _with_bases(name, types, _MAX_BASES) if name in types else None

    def _is_extended(self, access: Access) -> bool:
        """Whether other code of the workspace adds members to standard types."""
        if self._language is Language.RUST:
            return self._is_found(rf"\bfn {access.name}\b")
        if self._language is Language.CSHARP:
            word = rf"\b{access.name}\s*(?:<[^()]*>)?\(\s*this\b"
            own = re.search(word, self._candidate.text_after)
            return own is not None or self._is_found(word)
        if self._language in SCRIPTS:
            owner = _SCRIPT_TYPES.get(access.owner, access.owner)
            added = rf"\b{owner}\.prototype\b|interface {owner}\b.*\{{"
            return self._is_found(added)
        return False

    def _may_be_added(self, access: Access) -> bool:
        """Whether other code may add a member to a type of the workspace."""
        name = re.escape(access.name)
        match self._language:
            case Language.JAVA | Language.GO | Language.PHP | Language.CPP:
                return False
            case Language.RUST:
                # A trait may be implemented for any type.
                return self._is_found(rf"\bfn {name}\b")
            case Language.CSHARP:
                word = rf"\b{name}\s*(?:<[^()]*>)?\(\s*this\b"
                own = re.search(word, self._candidate.text_after)
                return own is not None or self._is_found(word)
            case Language.TYPESCRIPT | Language.TSX:
                owner = re.escape(access.owner)
                added = rf"\b{owner}\.prototype\b|\binterface {owner}\b"
                return self._is_found(rf"{added}[\s\S]*\b{name}\b")
            case _:
                return self._is_found(rf"\b{name}\b")

    def _is_found(self, pattern: str) -> bool:
        project = self._project
        return project is not None and project.is_found(
            pattern, _SUFFIXES[self._language]
        )

    def _go_owner(self, access: Access) -> str | None:
        package, _, kind = access.owner.partition(".")
        imported = self._imports.get(package)
        if imported is None or bool(kind) == access.is_direct:
            return None
        text = imported_text(imported.module, self._project)
        if not text or not access.name[:1].isupper():
            return None
        if kind:
            has = has_member(text, kind, access.name)
            return None if has else f"`{access.owner}`"
        return None if exports(text, access.name) else f"The package `{package}`"


_WITHOUT_METHODS = {"chan": "A channel", "map": "A map", "[]": "A slice"}
_RUST_PREFIXED = {"[]": "slice"}
_RUST_MODULES = ("slice", "str", "char", "array")
"""Primitive types of Rust that are named like modules of `std`."""
_RUST_USE_STD = re.compile(r"\buse (?:std|core|alloc)::")
_RUST_PRELUDE = word_set(
    "String Vec Option Result str char bool slice array u8 u16 u32 u64 u128"
    " usize i8 i16 i32 i64 i128 isize f32 f64"
)
_OF_POINTERS = word_set(
    "into_owned to_mut as_mut get_mut set project downcast into_inner as_ptr leak"
)
"""Methods of what points to a value, of which only the value's type is known."""
_RUST_TRAITS = word_set(
    "Default Display Debug Drop From Into Clone Copy PartialEq Eq"
    " PartialOrd Ord Hash Add Sub Mul Div Neg Not Index IndexMut AddAssign"
    " SubAssign Error FromStr Iterator IntoIterator Deref DerefMut AsRef"
    " Write Read Send Sync TryFrom"
) - {"Iterator", "Deref", "DerefMut"}
"""Traits of `std` whose members are among those of all traits."""


def _with_bases(
    name: str, types: Mapping[str, StandardType], steps: int
) -> frozenset[str]:
    """Return the members of a class of Java with those of its bases."""
    found = types[name]
    members = set(found.members) | _OBJECT[Language.JAVA]
    for base in found.bases if steps else ():
        for key in _java_names(base):
            members |= _with_bases(key, types, steps - 1)
    return frozenset(members)


def _java_names(base: str) -> list[str]:
    return [key for key in standard_names("java") if key.endswith(f".{base}")]
