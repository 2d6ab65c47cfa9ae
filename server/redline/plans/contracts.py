"""The checks that join the steps of a plan, without a model.

`contract`: what a step gives is defined as the contract says. `dangling`: a name that a
step removed is still used somewhere. Parsing may hang on hostile text, so this runs as
work of a parser process.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from redline.parsing.work import Work
from redline.plans.places import named_definition
from redline.plans.plan import Contract
from redline.syntax.facts import Definition
from redline.syntax.language import Language, language_of
from redline.syntax.tree import parse

CONTRACT = "contract"
DANGLING = "dangling"

_BODY = " \t\r\n:{;="
"""The signs between a signature and its body."""
_DEFINES = (
    r"\b(?:def|class|func(?:[ \t]*\([^()\n]{0,200}\))?|function|fn|interface|type"
    r"|struct|enum|trait|const|let|var)[ \t]+"
)
"""What stands before the name of a definition, in most languages."""
_FOLDER_MODULES = frozenset({"__init__", "index", "mod", "lib", "main"})
"""File names of modules that have the name of their folder."""
_EXPORT = re.compile(r"\s*export\s+(?:default\s+)?")
_WORD = re.compile(r"[^\W\d]\w*")


class JoinProblem(Struct, frozen=True, kw_only=True):
    """A problem of the joined steps."""

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
        path = PurePosixPath(self.file)
        return path.parent.name if path.stem in _FOLDER_MODULES else path.stem


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
        elif name == own and not _is_named(own, question.after.get(path, "")):
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

    if language_of(contract.file) is Language.PYTHON:
        found = _python_fault(contract, text)
    else:
        found = _outline_fault(contract, text)
    if found is not None:
        message, line = found
        yield problem(message, line)


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


def _defining(name: str) -> re.Pattern[str]:
    return re.compile(rf"{_DEFINES}{re.escape(name)}\b")


def _is_meant(removed: RemovedName, text: str) -> bool:
    """Whether a text that has the last name of a removed definition means that one."""
    if not removed.is_moved:
        return _is_named(removed.home, text)
    home, name = re.escape(removed.home), re.escape(removed.last)
    if re.search(rf"\b{home}\s*(?:\.|::)\s*(?:\{{[^}}]*)?\b{name}\b", text):
        return True
    imports = (
        rf"\bfrom\s+[\w.]*\b{home}\s+import\b(\s*\([^)]*\)|[^\n]*)",
        rf"\bimport\b([^;'\"]*)\bfrom\s*['\"][^'\"]*\b{home}(?:\.\w+)?['\"]",
    )
    return any(
        _is_named(removed.last, found[1])
        for pattern in imports
        for found in re.finditer(pattern, text)
    )


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


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


# Python: parameters and annotations are compared as values.

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Fault = tuple[str, int | None]


def _python_fault(contract: Contract, text: str) -> _Fault | None:
    wanted = _parsed_signature(contract.signature)
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"`{contract.name}` cannot be checked: the file does not parse.", None
    found = _python_definition(module, contract.name.split("."))
    if found is None:
        return f"`{contract.name}` is not defined.", None
    line = found.lineno - 1
    if isinstance(wanted, _Function):
        if not isinstance(found, _Function):
            return f"`{contract.name}` is not a function.", line
        fault = _function_fault(wanted, found)
        if fault is not None:
            return (
                f"`{contract.name}` {fault}; the contract is `{_head(wanted)}`.",
                line,
            )
    if isinstance(wanted, ast.ClassDef) and not isinstance(found, ast.ClassDef):
        return f"`{contract.name}` is not a class.", line
    return None


def _parsed_signature(signature: str) -> ast.stmt | None:
    head = signature.strip().rstrip(_BODY)
    for source in (f"{head}: ...", f"{head}:\n    pass", signature.strip()):
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if len(body) == 1:
            return body[0]
    return None


def _python_definition(module: ast.Module, names: Sequence[str]) -> ast.stmt | None:
    scope: Sequence[ast.stmt] = module.body
    found: ast.stmt | None = None
    for name in names:
        found = next((one for one in _statements(scope) if _defines(one, name)), None)
        if found is None:
            return None
        scope = found.body if isinstance(found, ast.ClassDef) else ()
    return found


def _statements(scope: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a scope, also inside of `if` and `try`."""
    for one in scope:
        yield one
        if isinstance(one, ast.If | ast.Try):
            yield from _statements(one.body)
            yield from _statements(one.orelse)
        if isinstance(one, ast.Try):
            for handler in one.handlers:
                yield from _statements(handler.body)


def _defines(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, _Function | ast.ClassDef):
        return statement.name == name
    targets: Sequence[ast.expr] = ()
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = (statement.target,)
    return any(isinstance(one, ast.Name) and one.id == name for one in targets)


def _function_fault(wanted: _Function, found: _Function) -> str | None:
    if isinstance(wanted, ast.AsyncFunctionDef) != isinstance(
        found, ast.AsyncFunctionDef
    ):
        return "is async" if isinstance(wanted, ast.FunctionDef) else "is not async"
    if _parameters(wanted.args) != _parameters(found.args):
        return f"has the parameters ({ast.unparse(found.args)})"
    for one, other in zip(_all(wanted.args), _all(found.args), strict=True):
        if one.annotation is not None and _text(one.annotation) != _text(
            other.annotation
        ):
            return f"has another type of `{one.arg}`"
    if wanted.returns is not None and _text(wanted.returns) != _text(found.returns):
        return f"returns `{_text(found.returns) or 'nothing that is annotated'}`"
    return None


def _parameters(args: ast.arguments) -> tuple[object, ...]:
    """Return the names, their order, the defaults and the stars, without types."""
    return (
        [one.arg for one in args.posonlyargs],
        [one.arg for one in args.args],
        args.vararg and args.vararg.arg,
        [one.arg for one in args.kwonlyargs],
        args.kwarg and args.kwarg.arg,
        [_text(one) for one in args.defaults],
        [one and _text(one) for one in args.kw_defaults],
    )


def _all(args: ast.arguments) -> list[ast.arg]:
    stars = [one for one in (args.vararg, args.kwarg) if one is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *stars]


def _text(node: ast.expr | None) -> str:
    """Write an expression; a quoted type is the same as a plain one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace(" ", "")
    return "" if node is None else ast.unparse(node).replace(" ", "")


def _head(function: _Function) -> str:
    returns = "" if function.returns is None else f" -> {ast.unparse(function.returns)}"
    return f"def {function.name}({ast.unparse(function.args)}){returns}"


# Other languages: the header of the outline, without blanks.


def _outline_fault(contract: Contract, text: str) -> _Fault | None:
    last = contract.name.replace("::", ".").replace("#", ".").split(".")[-1]
    definitions = _definitions(contract.file, text)
    found = named_definition(definitions, contract.name) or next(
        (one for one in definitions if one.name == last), None
    )
    if found is None:
        # A constant, or a language without a grammar.
        is_there = re.search(rf"\b{re.escape(last)}\b", text) is not None
        return None if is_there else (f"`{contract.name}` is not defined.", None)
    wanted, exported = _without_export(contract.signature)
    if exported and not _is_exported(found, text):
        return f"`{contract.name}` is not exported.", found.first_line
    if _bare(wanted) not in _bare(found.signature):
        return (
            f"`{contract.name}` is `{' '.join(found.signature.split())}`; the contract "
            f"is `{' '.join(contract.signature.split())}`.",
            found.first_line,
        )
    return None


def _without_export(signature: str) -> tuple[str, bool]:
    """Split `export` off a signature of JavaScript: the outline has it without."""
    match = _EXPORT.match(signature)
    return (signature[match.end() :], True) if match is not None else (signature, False)


def _is_exported(definition: Definition, text: str) -> bool:
    if _EXPORT.match(text.split("\n")[definition.first_line]):
        return True
    named = re.compile(rf"\bexport\s*\{{[^}}]*\b{re.escape(definition.name)}\b")
    return named.search(text) is not None


def _bare(signature: str) -> str:
    return "".join(signature.split()).rstrip(_BODY)
