"""Called names that no library has, where the type of their owner is not known.

A name is reported only if the edit introduces it as a call, the standard library of
its language has it nowhere, no source of the workspace has it, and no other package can
bring it: the file is closed, or the owner's value comes from no other package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import SUFFIXES, is_known
from redline.checks.names.closed_files import is_closed, may_patch
from redline.checks.names.php_functions import CALLED_FUNCTION, may_be_defined
from redline.checks.names.standard_words import standard_words
from redline.checks.names.value_origins import ValueOrigins
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS

RULE = "phantom-member"

_MEMBER = {
    **dict.fromkeys((*SCRIPTS, Language.JAVA), r"\.\s*"),
    Language.RUBY: r"&?\.\s*",
    Language.RUST: r"\.\s*",
    Language.CPP: r"(?:\.|->)\s*",
}
"""What stands before a call of a member."""

_WITH_ORIGINS = frozenset({*SCRIPTS, Language.JAVA, Language.RUBY, Language.RUST})
_FUNCTIONS = frozenset({Language.C, Language.PHP})
"""Languages of which functions are judged, and no members."""
_JUDGED = _FUNCTIONS | _MEMBER.keys()

_PASTED = re.compile(r"(?:\b(\w++)\s{0,20}+)?+##\s{0,20}+(\w*+)")
_ACCESSOR = re.compile(r"(?:get|is|set|with|has)([A-Z]\w*)")


def check_unknown(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report calls of names that nothing has."""
    tree = candidate.tree_after
    if tree is None or project is None or project.file is None:
        return
    if tree.errors and tree.language not in (Language.C, Language.CPP):
        return  # Macros look like errors.
    if tree.language not in _JUDGED or not any(project.folders_above):
        return
    if tree.language is Language.RUST:
        yield from _unknown_rust_functions(candidate, tree)
    names = _unknown_names(candidate, project, tree)
    if not names:
        return
    origins = None
    if not is_closed(candidate, project):
        origins = _origins(candidate, project, tree)
        if origins is None:
            return
    for name, (line, column) in names.items():
        if origins is None or origins.is_own(line, column):
            yield Problem(
                rule=RULE,
                message=(
                    f"Neither the standard library nor the workspace has `{name}`."
                ),
                line=candidate.line_in_region(line),
            )


def _unknown_names(
    candidate: CheckedEdit, project: ProjectFiles, tree: Tree
) -> dict[str, tuple[int, int]]:
    """Return the names that the edit calls and nothing has, with their places."""
    called = {(call.name, call.line) for call in tree.called}
    found = {
        name: (line, column)
        for name, line, column in _introduced(candidate, tree)
        if (name, line) in called
    }
    suffixes = SUFFIXES[tree.language]
    return {
        name: place
        for name, place in found.items()
        if not _is_explained(name, candidate, project)
        and not is_known(name, candidate, project, suffixes)
    }


def _unknown_rust_functions(candidate: CheckedEdit, tree: Tree) -> Iterator[Problem]:
    """Report functions of modules of `std` that do not exist."""
    words = standard_words(Language.RUST)
    for line, text in candidate.introduced:
        at = candidate.region_after.start + line
        for found in _RUST_FUNCTION.finditer(text):
            path, name = found["path"], found["name"]
            if not words or name in words or f"::{name}" in candidate.text_before:
                continue
            is_text = tree.in_comment_or_string(at, found.start("name"))
            if not is_text and _is_of_std(path, candidate.text_after):
                message = f"`{path}` has no `{name}`."
                yield Problem(rule=RULE, message=message, line=line)


def _is_of_std(path: str, text: str) -> bool:
    """Whether a path of Rust certainly begins with a module of `std`."""
    if path.partition("::")[0] in ("std", "core", "alloc"):
        return True
    if "::" in path or re.search(rf"\b(?:mod|as) {path}\b", text):
        return False
    uses = re.findall(rf"\buse (\w+)::[^;]{{0,500}}?\b{path}\b(?!::|\s+as\b)", text)
    return bool(uses) and {"std", "core", "alloc"}.issuperset(uses)


_RUST_FUNCTION = re.compile(
    r"(?<![\w:])(?P<path>[a-z]\w*+(?:::[a-z]\w*+)*)::(?P<name>[a-z]\w+)(?=\s*(?:::<|\())"
)


def _origins(
    candidate: CheckedEdit, project: ProjectFiles, tree: Tree
) -> ValueOrigins | None:
    """Return where the values of a file come from; None: that is not known."""
    if tree.language not in _WITH_ORIGINS or may_patch(candidate, project):
        return None
    words = standard_words(tree.language)
    suffixes = SUFFIXES[tree.language]

    def is_defined(name: str) -> bool:
        if name in words or name.isupper():
            return True
        word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
        others = re.sub(rf"\.\s*{re.escape(name)}\b", "", candidate.text_before)
        return re.search(word, others) is not None or project.is_found(word, suffixes)

    return ValueOrigins(candidate, project, is_defined, _calls(tree.language))


def _introduced(candidate: CheckedEdit, tree: Tree) -> Iterator[tuple[str, int, int]]:
    """Yield the names that the edit calls first, and that no library has."""
    words = standard_words(tree.language)
    for line, text in candidate.introduced:
        at = candidate.region_after.start + line
        for found in _calls(tree.language).finditer(text):
            name = found["name"]
            if not words or name in words or name.isupper():
                continue
            if not tree.in_comment_or_string(at, found.start("name")):
                yield name, at, found.start("name")


def _calls(language: Language) -> re.Pattern[str]:
    if language in _FUNCTIONS:
        return CALLED_FUNCTION
    call = (
        r"(?=\s*\(|!|\?)?" if language is Language.RUBY else r"(?=\s*(?:<[^<>()]*>)?\()"
    )
    return re.compile(rf"{_MEMBER[language]}(?P<name>[a-z]\w+[?!]?){call}")


def _is_explained(name: str, candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether a name may come from where it is not written as such."""
    if candidate.grammar in (Language.C, Language.CPP):
        return _is_pasted(name, candidate, project)
    accessor = _ACCESSOR.fullmatch(name)
    if candidate.grammar is Language.JAVA and accessor is not None:
        field = accessor[1][0].lower() + accessor[1][1:]
        word = rf"\b{field}\b"
        return re.search(word, candidate.text_after) is not None or project.is_found(
            word, (".java", ".kt")
        )
    return candidate.grammar is Language.PHP and may_be_defined(
        name, candidate, project
    )


def _is_pasted(name: str, candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether a macro may put a name together."""
    if project.is_found("##", (".h", ".hpp", ".inc", ".def")):
        return True
    return any(
        (head and name.startswith(head)) or (tail and name.endswith(tail))
        for head, tail in _PASTED.findall(candidate.text_after)
    )
