"""Whether a value may come from a package whose sources are not read.

Names are followed by the text alone: those that a file imports from other packages,
what is declared with them, and what is set to an expression with one of them. A file
that already calls what nothing defines has values of unknown origin, so that nothing
in it is judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.names.calls import SUFFIXES
from redline.checks.names.foreign_names import (
    DYNAMIC_OF_PYTHON,
    SCRIPT_IDS,
    foreign_names,
    names_from_elsewhere,
)
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

_MAX_ROUNDS = 8
_MAX_CHAIN = 30
"""Lines of one chain of calls."""

_SUFFIXES = {
    "java": SUFFIXES[Language.JAVA],
    "kotlin": (".kt", ".java"),
    "python": (".py", ".pyi"),
    "ruby": SUFFIXES[Language.RUBY],
    "rust": SUFFIXES[Language.RUST],
    **dict.fromkeys(SCRIPT_IDS, SUFFIXES[Language.TYPESCRIPT]),
}
_DYNAMIC = frozenset({"javascript", "javascriptreact", "python", "ruby"})
"""Languages whose functions do not say what they return."""

_WORD = re.compile(r"[A-Za-z_$]\w*")
_CHAINED = re.compile(r"\s*+(?:(?:\?|&|!!)?\.(?!\.)|[)}\]]|$)")
_OWNER = re.compile(r"(?<![\w.@$])([a-z_]\w*+)[?&]?\.?$")
_IMPLICIT = re.compile(r"(?<![\w.])it\b|\$\d")
"""The parameter of a lambda that names none."""

_FUNCTION = re.compile(
    r"\b(?:fn|fun|func|function|def)\s++(?:self\.)?(?P<name>\w++)"
    r"|^\s*+(?:export\s++)?(?:const|let|var)\s++(?P<bound>\w++)\s*+=\s*+"
    r"(?:async\s*+)?(?:\(|\w++\s*+=>)"
    r"|^\s*+(?:[\w<>\[\], ?.]{1,80}\s)?"
    r"(?!(?:if|for|while|switch|catch|return|else)\b)(?<!\w)(?P<method>\w++)\s*+"
    r"\([^()]*+\)[^;={]*+\{"
)
_PARAMETER = re.compile(r"(?<!\w)(?P<name>\w++)\s*+:\s*+(?P<type>[^,=]*+)")
_TYPED = re.compile(
    r"(?<!\w)[A-Z]\w*+(?:<[^<>]*+>)?(?:\[\])?\s++(?P<name>[a-z]\w*+)\s*+[;,)=:]"
)
_DECLARING = (
    re.compile(r"(?<!\w)(?P<name>\w++)\s*+\??\s*+:(?!:)"),
    re.compile(r"(?<!\w)(?P<name>\w++)\s*+(?:[-+*/|&?]{0,2}=(?![=>~])|in\b|<-|<<)"),
    re.compile(r"\b(?:let|var|val|const|for|of)\s++(?:mut\s++)?\(?(?P<name>\w++)"),
    re.compile(
        r"\b(?:class|struct|enum|interface|trait|type|object|record|module)\s++"
        r"(?P<name>\w++)"
    ),
    _TYPED,
    re.compile(r"\|(?P<name>[\w\s,&()]++)\||\{(?P<lambda>[\w\s,()]++)->"),
    re.compile(r"\((?P<name>[\w\s,{}:]++)\)\s*+=>|(?<!\w)(?P<lambda>\w++)\s*+=>"),
    re.compile(r"(?<!\w)(?P<name>\w++(?:,\s*+\w++){0,8}+)\)?\s*+->"),
    re.compile(r"[{(\[](?P<name>[\w\s,]++)[})\]]\s*+="),
)
"""What declares names in a line."""

_KINDS = "class|struct|enum|interface|trait|type|object|record|module|union"
_OWN_TYPE = re.compile(rf"\b(?:{_KINDS})\s++(\w++)")
_WITH_RECEIVER = re.compile(r"\b(?:class|impl)\b")
_RECEIVERS = word_set("this self super Self")


class ValueOrigins:
    """Knows the names of one file that may stand for values of other packages."""

    def __init__(
        self,
        candidate: CheckedEdit,
        project: ProjectFiles,
        is_defined: Callable[[str], bool],
        calls: re.Pattern[str],
    ) -> None:
        """Read the file.

        Args:
            candidate: The edit.
            project: The workspace.
            is_defined: Whether the standard library or the workspace has a name.
            calls: Matches a call whose owner is not known, with its `name`.
        """
        self._project = project
        self._language = candidate.language_id
        self._modules = frozenset(
            name.removesuffix(".py")
            for folder in project.folders_above
            for name in (*project.names(folder), *project.names(folder / "src"))
        )
        text = candidate.text_after
        code = candidate.code_after
        self._lines = code.split("\n")
        self._names = self._followed(text, code)
        self._before = candidate.code_before
        if any(
            not is_defined(found["name"]) and self._is_own_call(self._before, found)
            for found in calls.finditer(self._before)
        ):
            self._names = None

    def is_own(self, line: int, column: int) -> bool:
        """Whether the value in front of a place comes from no other package."""
        chain = self._chain(line, column)
        return self._has_no_foreign(chain) and not self._is_unused_parameter(chain)

    def _is_unused_parameter(self, chain: str) -> bool:
        """Whether a member is that of a parameter, of which nothing else is known."""
        owner = _OWNER.search(chain) if self._language in _DYNAMIC else None
        if owner is None or re.search(rf"\b{owner[1]}\s*[.\[]", self._before):
            return False
        given = rf"\([^()]*\b{owner[1]}\b"
        return any(
            _FUNCTION.search(line) and re.search(given, line) for line in self._lines
        )

    def _is_own_call(self, code: str, found: re.Match[str]) -> bool:
        return self._has_no_foreign(code[: found.start("name")].rpartition("\n")[2])

    def _has_no_foreign(self, code: str) -> bool:
        return self._names is not None and self._names.isdisjoint(_WORD.findall(code))

    def _chain(self, line: int, column: int) -> str:
        """Return the code in front of a member, from the beginning of its chain."""
        first = line
        while first and line - first < _MAX_CHAIN:
            if not _CHAINED.match(self._lines[first]):
                break
            first -= 1
        text = "\n".join((*self._lines[first:line], self._lines[line][:column]))
        if _IMPLICIT.search(text):
            above = reversed(self._lines[:first])
            text += next((one for one in above if one.rstrip().endswith("{")), "")
        return text

    def _followed(self, text: str, code: str) -> set[str] | None:
        """Return the foreign names, and those that are declared with them."""
        foreign = foreign_names(text, code, self._language, self._modules)
        if foreign is None:
            return None
        names = foreign | set(self._from_workspace(text, code))
        if self._language == "python":
            names |= DYNAMIC_OF_PYTHON
        for _ in range(_MAX_ROUNDS):
            size = len(names)
            self._follow(names)
            if len(names) == size:
                break
        return names

    def _follow(self, names: set[str]) -> None:
        """Add what the lines with some names declare."""
        header = ""
        for line in self._lines:
            function = _FUNCTION.search(line)
            if function:
                header = function[function.lastgroup or 0]
            if names.isdisjoint(_WORD.findall(line)):
                continue
            if _WITH_RECEIVER.search(line):
                names |= _RECEIVERS
            names.update(_of_header(line, function, names) if function else _of(line))
            is_typed = self._language not in _DYNAMIC
            gives = not function and re.search(r"\breturn\b|^\s*\)", line)
            if header and (gives or not is_typed):
                names.add(header)

    def _from_workspace(self, text: str, code: str) -> Iterator[str]:
        """Yield the names of other sources of the workspace that use other packages."""
        own = set(_OWN_TYPE.findall(code))
        for name in names_from_elsewhere(text, code, self._language) - own:
            word = rf"\b{re.escape(name)}\b"
            declared = (
                rf"\b(?:{_KINDS}|fn|fun|def|function|const|let|var|val)\s+{word}"
                rf"|exports\.{word}|^\s*{re.escape(name)}\s*[,(:=]"
            )
            suffixes = _SUFFIXES[self._language]
            paths = self._project.declaring(name, declared, suffixes)
            texts = [self._project.text(path) or "" for path in paths]
            if not texts or any(map(self._uses_packages, texts)):
                yield name

    def _uses_packages(self, text: str) -> bool:
        code = without_text(text, self._language)
        return foreign_names(text, code, self._language, self._modules) != set()


def _of(line: str) -> Iterator[str]:
    """Yield the names that a line declares."""
    for pattern in _DECLARING:
        for found in pattern.finditer(line):
            yield from _WORD.findall(found[found.lastgroup or 0])


def _of_header(line: str, function: re.Match[str], names: set[str]) -> Iterator[str]:
    """Yield the parameters of a function, and its name, that some names declare."""
    head, _, result = line.rpartition(")")
    for found in _PARAMETER.finditer(head):
        if not names.isdisjoint(_WORD.findall(found["type"])):
            yield found["name"]
    for found in _TYPED.finditer(line):
        if not names.isdisjoint(_WORD.findall(found[0])):
            yield found["name"]
    if not names.isdisjoint(_WORD.findall(result)):
        yield function[function.lastgroup or 0]
