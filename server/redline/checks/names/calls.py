"""`undefined-name` in languages other than Python: calls of functions that nothing has.

A call by a bare name is reported if the edit introduces the name, no line of the file
declares, imports or mentions it otherwise, no other source of the workspace has it, and
the language does not define it. Files that import all names of something are left
alone, and so are methods of classes with a base.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.imported import imported_modules
from redline.checks.names.standard_names import standard_names
from redline.checks.names.standard_words import standard_words
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

RULE = "undefined-name"

SUFFIXES = {
    **dict.fromkeys(SCRIPTS, (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue")),
    Language.GO: (".go",),
    Language.RUST: (".rs",),
    Language.JAVA: (".java", ".kt"),
    Language.CSHARP: (".cs",),
    Language.C: (".c", ".h", ".inc"),
    Language.CPP: (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".inl", ".c"),
    Language.PHP: (".php", ".inc"),
    Language.RUBY: (".rb", ".rake", ".erb", ".gemspec"),
}
"""Suffixes of the sources in which a name may be defined."""

BUILTIN = {
    **dict.fromkeys(
        SCRIPTS,
        word_set(
            "require define describe it test expect suite setup teardown before after"
            " beforeEach afterEach beforeAll afterAll context specify assert gc super"
            " import eval isNaN isFinite parseInt parseFloat escape unescape decodeURI"
            " encodeURI decodeURIComponent encodeURIComponent setImmediate"
            " clearImmediate $ jQuery cy __"
        ),
    ),
    Language.GO: word_set(
        "append cap clear close complex copy delete imag len make max min new panic"
        " print println real recover string bool byte rune error any int int8 int16"
        " int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64"
        " complex64 complex128"
    ),
    Language.RUST: word_set("drop main"),
    Language.JAVA: word_set("this super"),
    Language.CSHARP: word_set("nameof typeof sizeof default checked unchecked base"),
}
"""Functions and types that need no import."""

_OPEN = {
    **dict.fromkeys(SCRIPTS, r"\bwith\s*\(|\bglobalThis\b|\bdeclare\b"),
    Language.GO: r"(?m)^\s*\.\s+\"|^import \. |\"C\"",
    Language.RUST: r"\buse [^;]*\*|\bmacro_rules!|\binclude!|#\[macro_use\]",
    Language.JAVA: r"\blombok\b|import static [\w.]+\.\*",
    Language.CSHARP: r"\bclass \w+[^{;]*:|\brecord \w+[^{;]*:|\bpartial\b|using static",
}
"""Signs of a file that has names from elsewhere without naming them."""

_WITH_POINTERS = frozenset({Language.C, Language.CPP, Language.CSHARP})
_OPERATORS = (
    r"(?:return|await|throw|else|yield|new|in|of|case|go|defer|typeof|void|delete|and|or"
    r"|not|do|match|if|while|move|async|async move|unsafe|let|export default|ref|mut)"
)


def check_calls(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report calls of functions that are defined nowhere."""
    tree = candidate.tree_after
    if tree is None or tree.language not in BUILTIN or tree.errors:
        return
    if project is None or not any(project.folders_above):
        return
    text = candidate.text_after
    if re.search(_OPEN[tree.language], text, re.MULTILINE):
        return
    if tree.language is Language.JAVA and _has_unknown_base(tree, text):
        return
    known = _defined_by_language(tree.language, text)
    seen: set[str] = set()
    for call in tree.called:
        name = call.name
        if call.line not in candidate.region_after or name in seen or name in known:
            continue
        seen.add(name)
        if not name[:1].islower() and tree.language is not Language.GO:
            continue
        is_bare = any(
            not tree.in_comment_or_string(call.line, column)
            for column in _bare_calls(name, candidate.after[call.line])
        )
        suffixes = SUFFIXES[tree.language]
        if is_bare and not is_known(name, candidate, project, suffixes):
            yield Problem(
                rule=RULE,
                message=f"Undefined name `{name}`.",
                line=candidate.line_in_region(call.line),
            )


def _defined_by_language(language: Language, text: str) -> frozenset[str]:
    known = BUILTIN[language]
    if language is Language.JAVA and _BASES.search(text):
        return known | standard_words(Language.JAVA)
    if language in SCRIPTS:
        return known | standard_names("script globals").keys()
    return known


_BASES = re.compile(r"\b(?:extends|implements)\b(?P<names>[^{;]*)")


def _has_unknown_base(tree: Tree, text: str) -> bool:
    """Whether a class of Java has methods of a base that is not read.

    Those of the JDK's classes are among its words.
    """
    imports = imported_modules(tree, text)
    of_jdk = {one.whole for _, one in imports if one.module.startswith("java")}
    bases = {
        name
        for found in _BASES.finditer(text)
        for name in re.findall(r"(?<![\w.])[A-Z]\w*", found["names"])
    }
    java = standard_names("java")
    others = {name for name in bases - of_jdk if f"java.lang.{name}" not in java}
    declared = set(re.findall(r"\b(?:class|interface|enum|record)\s+(\w+)", text))
    return not others <= declared


def _bare_calls(name: str, line: str) -> list[int]:
    """Return the columns at which a line calls the name alone, not as a member."""
    call = rf"(?<![\w.$:>@#?!]){re.escape(name)}\s*(?:<[^()]*>)?\("
    return [found.start() for found in re.finditer(call, line)]


def _is_type(head: str, language: Language | None) -> bool:
    """Whether what stands before a name in its line is the type that it has."""
    if language in _WITH_POINTERS and re.fullmatch(
        r"(?!\s*return\b)[\w:<>, \t]*[\w>][ \t]*[*&][*& \t]*", head
    ):
        return True
    typed = re.search(r"(?:[\w\]]|(?<![=-])>|\w\?)\s+$", head)
    return typed is not None and not re.search(rf"\b{_OPERATORS}\s+$", head)


def is_known(
    name: str, candidate: CheckedEdit, project: ProjectFiles, suffixes: tuple[str, ...]
) -> bool:
    """Whether a called name may be defined in the file or another source.

    Args:
        name: The name.
        candidate: The edit that calls it.
        project: The workspace.
        suffixes: Those of sources that may define it.
    """
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    if re.search(word, candidate.text_before):
        return True
    for found in re.finditer(word, candidate.text_after):
        rest = candidate.text_after[found.end() :][:80]
        head = candidate.text_after[: found.start()][-80:].rsplit("\n", 1)[-1]
        is_call = re.match(r"\s*(?:<[^()\n]*>)?\(", rest) is not None
        # A call of a method needs no brackets in Ruby.
        is_call |= candidate.grammar is Language.RUBY and head.endswith(".")
        defines = _is_type(head, candidate.grammar)
        # A method of a class of JavaScript is written like a call.
        is_method = head.rstrip()[-1:] in ("", "{", "}", ";") and re.match(
            r"\s*\([^()\n]*\)\s*(?::[^={\n]*)?\{", rest
        )
        if not is_call or defines or is_method:
            return True
    return project.is_found(word, suffixes)
