"""The checks that join the steps of a plan, without a model.

`contract`: what a step gives is defined as the contract says. `dangling`: a name that a
step removed is still used somewhere. Parsing may hang on hostile text, so this runs as
work of a parser process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from redline.parsing.work import Work
from redline.plans.outline_contracts import outline_fault
from redline.plans.plan import Contract
from redline.plans.python_contracts import Fault, parsed, python_fault
from redline.syntax.facts import Definition
from redline.syntax.language import Language, language_of
from redline.syntax.tree import parse
from redline.text.whole_words import has_word

CONTRACT = "contract"
DANGLING = "dangling"

_DEFINES = (
    r"\b(?:def|class|func(?:[ \t]*\([^()\n]{0,200}\))?|function|fn|interface|type"
    r"|struct|enum|trait|const|let|var)[ \t]+"
)
"""What stands before the name of a definition, in most languages."""
_FOLDER_MODULES = frozenset({"__init__", "index", "mod", "lib", "main"})
"""File names of modules that have the name of their folder."""
_PYTHON_IMPORT = re.compile(
    r"\bfrom\s++([\w.]++)\s++import\b(\s*+\((?:(?!\bfrom\b)[^)])*+\)|[^\n]*+)"
)
_SCRIPT_IMPORT = re.compile(
    r"\b(?:import|export)\b((?:(?!\b(?:import|export)\b)[^;'\"])*+)['\"]([^'\"\n]++)"
)
_WORD = re.compile(r"[^\W\d]\w*")


class JoinProblem(Struct, frozen=True, kw_only=True):
    rule: str
    file: str
    message: str
    """A sentence."""
    line: int | None = None
    """From 0, in the joined text."""
    name: str = ""
    """The contract, or the removed name."""


class RemovedName(Struct, frozen=True, kw_only=True):
    """A definition that is in no changed file any more."""

    name: str
    """Qualified in its file: `Price.doubled`."""
    file: str
    has_namesake: bool = False
    """Whether a changed file still defines the same last name elsewhere."""
    is_moved: bool = False
    """Whether another changed file defines it now."""

    @property
    def last(self) -> str:
        """The name as its uses have it."""
        return _parts(self.name)[-1]

    @property
    def home(self) -> str:
        """What names the definition where others have its last name: its class, or
        the module that it was in."""
        *owners, _ = _parts(self.name)
        if owners:
            return owners[-1]
        return _module_of(PurePosixPath(self.file))


class JoinQuestion(Struct, frozen=True, kw_only=True):
    """The texts to check; LF line ends."""

    contracts: tuple[Contract, ...] = ()
    """Those whose file is in `after`."""
    before: Mapping[str, str] = {}
    """The changed files as they were, by path."""
    after: Mapping[str, str] = {}
    """The same files now; one that is deleted is missing."""


class JoinAnswer(Struct, frozen=True, kw_only=True):
    """What the checks found."""

    problems: tuple[JoinProblem, ...] = ()
    removed: tuple[RemovedName, ...] = ()


class OutlineQuestion(Struct, frozen=True, kw_only=True):
    """Texts to find the definitions in, by path."""

    texts: Mapping[str, str]


def check_joined(question: JoinQuestion) -> JoinAnswer:
    """Check the contracts of some files, and find the names that are gone."""
    problems = tuple(
        problem
        for contract in question.contracts
        if (text := question.after.get(contract.file)) is not None
        for problem in contract_problems(contract, text)
    )
    return JoinAnswer(problems=problems, removed=tuple(_removed(question)))


def _removed(question: JoinQuestion) -> Iterator[RemovedName]:
    after = _names(question.after)
    last = {_parts(name)[-1] for name in after}
    for name, path in _names(question.before).items():
        own = _parts(name)[-1]
        if name not in after:
            yield RemovedName(name=name, file=path, has_namesake=own in last)
        elif name == own and not has_word(question.after.get(path, ""), own):
            # The file that it was in does not import it either.
            yield RemovedName(name=name, file=path, is_moved=True)


def outlines(question: OutlineQuestion) -> dict[str, tuple[Definition, ...]]:
    """Return the definitions of texts; none where there is no grammar."""
    return {path: _definitions(path, text) for path, text in question.texts.items()}


JOIN: Work[JoinQuestion, JoinAnswer] = Work(
    function="redline.plans.contracts:check_joined", result=JoinAnswer
)
OUTLINES: Work[OutlineQuestion, dict[str, tuple[Definition, ...]]] = Work(
    function="redline.plans.contracts:outlines",
    result=dict[str, tuple[Definition, ...]],
)


def contract_problems(contract: Contract, text: str) -> Iterator[JoinProblem]:
    """Compare a contract to the file that should define its name."""

    def problem(message: str, line: int | None = None) -> JoinProblem:
        return JoinProblem(
            rule=CONTRACT,
            file=contract.file,
            message=message,
            line=line,
            name=contract.name,
        )

    found = _fault(contract, text)
    if found is not None:
        message, line = found
        yield problem(message, line)


def _fault(contract: Contract, text: str) -> Fault | None:
    language = language_of(contract.file)
    if language is Language.PYTHON and (module := parsed(text)) is not None:
        return python_fault(contract, module)
    tree = None if language is None else parse(text, language)
    if language is Language.PYTHON and tree is not None and tree.errors:
        return f"`{contract.name}` cannot be checked: the file does not parse.", None
    return outline_fault(contract, text, () if tree is None else tree.definitions)


def dangling(
    removed: Sequence[RemovedName], texts: Mapping[str, str]
) -> tuple[JoinProblem, ...]:
    """Find the uses of removed names, at most one of a name in each file.

    Where something else has the same last name, only files count that also name the
    class or the module that the removed one was in. Takes a second for 20 MB.

    Args:
        removed: Names that nothing defines any more.
        texts: The files of the workspace that may hold them, by path.
    """
    wanted: dict[str, list[RemovedName]] = {}
    for one in removed:
        wanted.setdefault(one.last, []).append(one)
    own = {name: _defining(name) for name in wanted}
    shared = {
        name
        for name, found in wanted.items()
        if any(one.has_namesake or one.is_moved for one in found)
        or any(own[name].search(text) for text in texts.values())
    }
    problems: list[JoinProblem] = []
    for path, text in sorted(texts.items()):
        seen: set[str] = set()
        for number, line in enumerate(text.split("\n")):
            for name in _WORD.findall(_without_comment(line)):
                if name not in wanted or name in seen:
                    continue
                seen.add(name)
                meant = [
                    one
                    for one in wanted[name]
                    if name not in shared or _is_meant(one, text)
                ]
                if meant:
                    problems.append(_use(meant[0], path, number))
    return tuple(problems)


def _use(removed: RemovedName, path: str, line: int) -> JoinProblem:
    what = f"moved out of {removed.file}" if removed.is_moved else "removed"
    return JoinProblem(
        rule=DANGLING,
        file=path,
        line=line,
        name=removed.name,
        message=f"`{removed.name}` is {what}, and {path}, line {line + 1}, still uses "
        "it.",
    )


def _parts(name: str) -> list[str]:
    return name.replace("::", ".").replace("#", ".").split(".")


def _module_of(path: PurePosixPath) -> str:
    return path.parent.name if path.stem in _FOLDER_MODULES else path.stem


def _defining(name: str) -> re.Pattern[str]:
    return re.compile(rf"{_DEFINES}{re.escape(name)}\b")


def _is_meant(removed: RemovedName, text: str) -> bool:
    """Whether a text that has the last name of a removed definition means that one."""
    if not removed.is_moved:
        return has_word(text, removed.home)
    return any(has_word(names, removed.last) for names in _names_of(removed.home, text))


def _names_of(module: str, text: str) -> Iterator[str]:
    """Yield the parts of a text that hold names of a module."""
    name = re.escape(module)
    # No part runs into the next use of the module: a long text takes few steps.
    for found in re.finditer(
        rf"\b{name}\s*+(?:\.|::)\s*+(\w++|\{{(?:(?!\b{name}\b)[^}}])*+)", text
    ):
        yield found[1]
    for found in _PYTHON_IMPORT.finditer(text):
        if found[1].rpartition(".")[2] == module:
            yield found[2]
    for found in _SCRIPT_IMPORT.finditer(text):
        last = PurePosixPath(found[2])
        if found[1].rstrip().endswith("from") and module in (
            _module_of(last),
            last.name,
        ):
            yield found[1]


def _without_comment(line: str) -> str:
    stripped = line.lstrip()
    return "" if stripped.startswith(("#", "//", "*", "/*")) else line


def _names(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the qualified names of definitions, and the file of each."""
    return {
        one.qualified_name: path
        for path, text in texts.items()
        for one in _definitions(path, text)
    }


def _definitions(path: str, text: str) -> tuple[Definition, ...]:
    language = language_of(path)
    return () if language is None else parse(text, language).definitions
