"""`undefined-name` for variables of Go, Rust, Java, C#, JavaScript and TypeScript.

A variable is reported if no definition of the file reaches it, the edit introduces it
or removes its definition, and nothing else can define it: a package's other files in
Go, a base class, names that are imported without being named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import BUILTIN, RULE
from redline.checks.names.imported import imported_modules
from redline.checks.names.standard_names import standard_names
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.references import unreached_names
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

_WORD = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]*")
_VARIABLE = {
    Language.GO: r"(?!_$)\w+",
    Language.RUST: r"[a-z]\w*|[A-Z][A-Z0-9]*_[A-Z0-9_]+",
    Language.JAVA: r"[a-z]\w*",
    Language.CSHARP: r"[a-z]\w*|_\w+",
    **dict.fromkeys(SCRIPTS, r"(?!_+$|\$+$)[a-z_]\w*|[A-Z][A-Z0-9]*_[A-Z0-9_]+"),
}
"""The names that are judged: others may be types or modules."""

_KNOWN = {
    Language.GO: word_set("nil true false iota"),
    Language.RUST: word_set("self super crate str core std alloc"),
    Language.JAVA: word_set("java javax jakarta com org net io android length"),
    Language.CSHARP: word_set("value field args var nameof dynamic global _ when"),
    **dict.fromkeys(
        SCRIPTS,
        word_set(
            "undefined arguments window document location history navigator screen self"
            " top parent frames name event status origin console process module exports"
            " require global globalThis performance crypto caches indexedDB performance"
            " localStorage sessionStorage customElements chrome browser jest vi sinon"
            " chai page cy wp google angular __dirname __filename"
            " __DEV__ __webpack_public_path__ __REACT_DEVTOOLS_GLOBAL_HOOK__ external"
            " opener length speechSynthesis visualViewport innerWidth innerHeight"
            " outerWidth outerHeight scrollX scrollY pageXOffset pageYOffset"
            " devicePixelRatio isSecureContext crossOriginIsolated scheduler toolbar"
            " menubar clients registration async of get set target __proto__"
        ),
    ),
}
"""Names that the language, or where its programs usually run, defines."""

_OPEN = {
    Language.GO: r"^import \. |^\s+\. \"|^import \"C\"|\"C\"",
    Language.RUST: r"\buse [^;]*\*|\bmacro_rules!|\binclude!|#\[macro_use\]",
    Language.JAVA: r"\blombok\b|\bimport static [\w.]+\.\*|\bextends\b",
    Language.CSHARP: r"\b(?:class|record|struct) \w++(?:<[^<>]*+>)?(?:\([^()]*+\))?\s*+"
    r":|\bpartial\b|using static",
    **dict.fromkeys(
        SCRIPTS, r"\bwith\s*\(|\bdeclare\b|^\s*/[/*]\s*(?:global|exported)\b"
    ),
}
"""Signs of a file that has variables from elsewhere without naming them."""

_RUST_TESTS = re.compile(r"^#\[cfg\(test\)\]\s*^mod\b", re.MULTILINE)
_BOUNDS = re.compile(r"<[^<>]*+>")
"""Of type parameters, such as `<T extends Number>`."""
_MODULE = re.compile(
    r"^[ \t]*+(?:import|export)\b|\brequire\(|\bmodule\.exports\b", re.M
)


def check_variables(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report variables that are defined nowhere."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.language not in _VARIABLE:
        return
    text = _judged_text(candidate, after.language)
    if after.errors or before.errors or project is None or text is None:
        return
    if not any(project.folders_above):
        return
    names = _changed(candidate, after.language)
    found = unreached_names(after, names)
    if not found:
        return
    known = unreached_names(before, frozenset(found))
    end = text.count("\n") + 1
    for name, lines in found.items():
        lines = tuple(line for line in lines if line < end)
        if name in known or not lines:
            continue
        if not _may_be_elsewhere(name, candidate, after, project):
            yield _problem(candidate, name, lines)


def _judged_text(candidate: CheckedEdit, language: Language) -> str | None:
    """Return the part of the file whose variables are all known; None: none is."""
    text = candidate.text_after
    if language is Language.RUST and (tests := _RUST_TESTS.search(text)):
        # Tests import all names of the file.
        text = text[: tests.start()]
    bare = _BOUNDS.sub("", _BOUNDS.sub("", text)) if language is Language.JAVA else text
    if re.search(_OPEN[language], bare, re.MULTILINE):
        return None
    if language in SCRIPTS and not _MODULE.search(text):
        return None
    return text


def _changed(candidate: CheckedEdit, language: Language) -> frozenset[str]:
    """Return the variables that the edit uses more or less often."""
    old, new = (
        Counter(_WORD.findall("".join(lines)))
        for lines in (candidate.old_lines, candidate.new_lines)
    )
    known = _KNOWN[language] | BUILTIN[language]
    if language in SCRIPTS:
        known |= standard_names("script globals").keys()
    form = re.compile(_VARIABLE[language])
    return frozenset(
        name
        for name in old.keys() | new.keys()
        if old[name] != new[name] and name not in known and form.fullmatch(name)
    )


def _problem(candidate: CheckedEdit, name: str, lines: tuple[int, ...]) -> Problem:
    inside = [line for line in lines if line in candidate.region_after]
    if inside:
        message = f"Undefined name `{name}`."
        return Problem(
            rule=RULE, message=message, line=candidate.line_in_region(inside[0])
        )
    message = f"`{name}` in line {lines[0] + 1} of the file is not defined any more."
    return Problem(rule=RULE, message=message, line=None)


def _may_be_elsewhere(
    name: str, candidate: CheckedEdit, tree: Tree, project: ProjectFiles
) -> bool:
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    if re.search(rf"\btypeof\s+{word}", candidate.text_after):
        return True
    if tree.language is Language.GO:
        return _is_in_package(word, project) or _is_package(name, candidate, tree)
    if tree.language in SCRIPTS:
        configured = project.manifests(
            r"\.?eslint.*|package\.json|(?:ts|js)config.*\.json|(?:vite|webpack|rollup"
            r"|jest|vitest)\.config\.\w+|.*\.d\.ts"
        )
        return any(re.search(word, text) for text in configured) or project.is_found(
            rf"\b(?:const|let|var|function|namespace|globalThis\.|window\.|global\.)"
            rf"\s*{re.escape(name)}\b",
            (".d.ts",),
        )
    return False


def _is_in_package(word: str, project: ProjectFiles) -> bool:
    """Whether another file of a package of Go has a name, or a tool writes one."""
    folder = next(iter(project.folders_above))
    texts = (
        project.text(folder / name) or ""
        for name in project.names(folder)
        if name.endswith(".go") and folder / name != project.file
    )
    return any(re.search(rf"{word}|^//go:generate", text, re.M) for text in texts)


def _is_package(name: str, candidate: CheckedEdit, tree: Tree) -> bool:
    """Whether a name may be that of a package that the file imports.

    The last part of a path need not be the package's name.
    """
    text = candidate.text_after
    if re.search(r"^//go:generate", text, re.MULTILINE):
        return True
    paths = {one.module for _, one in imported_modules(tree, text)}
    if any(name.lower() in path.lower() for path in paths):
        return True
    whole = {
        one.whole
        for _, one in imported_modules(tree, text)
        if "." in one.module.partition("/")[0] and one.whole != "_"
    }
    return not re.search(rf"\b{name}\b(?!\.[A-Z])", text) and any(
        not re.search(rf"\b{re.escape(one)}\.", text) for one in whole
    )
