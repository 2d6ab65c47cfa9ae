"""Judges the members that an edit uses of Python values whose type is known.

What a module has is read from its source, by the judge of imports; what an object or a
class has, by the types. Names that the range already used are left alone, and so are
values that the file asks for their type or their members.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property
from pathlib import Path

from redline.checks.candidate import CheckedEdit
from redline.checks.names.added_names import Version
from redline.checks.python.definition import Imported
from redline.checks.python.environment import ImportableModules
from redline.checks.python.imports import ImportJudge
from redline.checks.python.value_types import (
    ClassItself,
    FunctionItself,
    Instance,
    Kind,
    ModuleItself,
    SeriesOf,
    TypeWorld,
)
from redline.text.whole_words import has_word

_TYPE_QUESTIONS = "isinstance|issubclass|getattr|type"
_MEMBER_QUESTIONS = "hasattr|getattr"
_RECEIVERS = ("self", "cls")


class MemberJudge:
    """Knows which members the values of one file have."""

    def __init__(
        self,
        candidate: CheckedEdit,
        world: TypeWorld,
        surroundings: ImportableModules | None,
    ) -> None:
        self._candidate = candidate
        self._world = world
        self._surroundings = surroundings

    def message(self, owner: Kind, used: ast.Attribute, *, is_called: bool) -> str:
        """Return what is wrong with a member; empty: nothing."""
        match owner:
            case ModuleItself():
                return self._of_module(owner, used)
            case Instance() | ClassItself():
                return self._of_class(owner, used, is_called=is_called)
            case FunctionItself() | SeriesOf():
                return ""

    def excuse(self, owner: Kind, name: str) -> str:
        """Return what in another source would make a name right; empty: nothing."""
        if isinstance(owner, ModuleItself | SeriesOf):
            return ""
        is_standard = bool(owner.at.name)
        return _setting(name) if is_standard else rf"\b{name}\b"

    def _of_module(self, owner: ModuleItself, used: ast.Attribute) -> str:
        dotted, imported = ast.unparse(used), owner.imported
        if has_word(self._candidate.text_before, dotted):
            return ""
        if has_word(self._candidate.text_after, "sys.platform"):
            return ""
        first = re.escape(dotted.partition(".")[0])
        if self._has(rf"\b(?:{_MEMBER_QUESTIONS})\(\s*{first}\b"):
            return ""
        if self._has(rf"(?m:^)[ \t]*{first}\.\w+\s*=(?!=)"):
            return ""
        if self._imports is None:
            is_lacking = self._world.lacks(owner, used.attr)
            return f"`{imported.module}` has no `{used.attr}`." if is_lacking else ""
        around = self._surroundings
        if imported.level and around and owner.at.file != around.file:
            return ""
        name = Imported(module=imported.module, level=imported.level, name=used.attr)
        return self._imports.missing_name(name) or ""

    def _of_class(
        self, owner: Instance | ClassItself, used: ast.Attribute, *, is_called: bool
    ) -> str:
        name = used.attr
        if not self._world.lacks(owner, name):
            message = self._newer(owner, name)
        elif self._may_be_extended(owner, used.value) and not (
            is_called and self._is_method_lacking(owner, name)
        ):
            return ""
        else:
            message = f"`{owner.of.name}` has no `{name}`."
        return message if message and not self._is_excused(used) else ""

    def _may_be_extended(self, owner: Instance | ClassItself, value: ast.expr) -> bool:
        """Whether code that is not read may set fields of a value.

        Those of a receiver may be set by subclasses, those of an installed package by
        the rest of the package.
        """
        is_receiver = isinstance(value, ast.Name) and value.id in _RECEIVERS
        return is_receiver or any(
            at.is_installed for _, at in self._world.classes(owner) or ()
        )

    def _is_method_lacking(self, owner: Instance | ClassItself, name: str) -> bool:
        """Whether such a value certainly lacks a method, unlike a field."""
        candidate = self._candidate
        classes = self._world.classes(owner) or ()
        if isinstance(owner, ClassItself) or any(
            one.has_metaclass for one, _ in classes
        ):
            return False
        if has_word(candidate.text_before, name) or self._has(_setting(name)):
            return False
        files = {at.file for _, at in classes if at.is_installed and at.file}
        texts = (self._text(file) for file in files)
        return not any(re.search(_setting(name), text) for text in texts)

    def _newer(self, owner: Instance | ClassItself, name: str) -> str:
        place = self._world.entry(owner, name)
        since = getattr(place[0], "since", 0) if place else 0
        if not since or self._oldest is None or (3, since) <= self._oldest:
            return ""
        return (
            f"`{owner.of.name}.{name}` is new in Python 3.{since}, and the project"
            f" allows {self._oldest[0]}.{self._oldest[1]}."
        )

    def _is_excused(self, member: ast.Attribute) -> bool:
        """Whether the range used a member before, or the file asks for the type."""
        dotted = ast.unparse(member)
        used = rf"(?<![\w.]){re.escape(dotted)}\b"
        if any(
            dotted in line and re.search(used, line)
            for line in self._candidate.old_lines
        ):
            return True
        if has_word(self._candidate.text_after, "hasattr"):
            return True
        text = re.escape(ast.unparse(member.value))
        return self._has(rf"\b(?:{_TYPE_QUESTIONS})\(\s*{text}\b|\bmatch {text}:")

    def _has(self, pattern: str) -> bool:
        return re.search(pattern, self._candidate.text_after) is not None

    def _text(self, file: Path) -> str:
        return (self._surroundings and self._surroundings.text(file)) or ""

    @cached_property
    def _imports(self) -> ImportJudge | None:
        around = self._surroundings
        return None if around is None else ImportJudge(self._candidate, around)

    @cached_property
    def _oldest(self) -> Version | None:
        around = self._surroundings
        return None if around is None else around.oldest_version()


def _setting(name: str) -> str:
    """Return a pattern for what sets a member of any object."""
    return rf"\.{name}\s*=(?!=)|setattr\([^\n]{{1,200}}?[\"']{name}[\"']"
