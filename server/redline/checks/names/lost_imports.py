"""`undefined-name`: a name whose import the edit removes, and that the file still uses.

For Go, Rust, Java, JavaScript and TypeScript; Python has a rule of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import RULE
from redline.checks.names.imported import imported_modules
from redline.checks.problem import Problem
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS

_LANGUAGES = frozenset({Language.GO, Language.RUST, Language.JAVA, *SCRIPTS})
_WORD = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]*")
_DEFINING = (
    r"\b(?:class|struct|enum|trait|interface|type|record|union|mod|fn|func|function"
    r"|const|let|var|static|macro_rules!)\s+(?:mut\s+|\*\s*)?"
)
_ALL = re.compile(
    r"^[ \t]*+(?:import|use|pub use)\b[^;\n]*\*|^[ \t]*+\. \"", re.MULTILINE
)
"""An import of all names of something."""


def check_lost_imports(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first name that an import of the range gave to the file."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.language not in _LANGUAGES:
        return
    lines = candidate.region_before
    removed = [one for one in before.imports if one.first_line in lines]
    if not removed or after.errors or _ALL.search(candidate.text_after):
        return
    kept = set().union(*(_WORD.findall(one.text) for one in after.imports), ())
    for name in sorted(_bound(before, candidate, lines) - kept):
        line = _use(name, after, candidate)
        if line is not None:
            yield Problem(
                rule=RULE,
                message=f"Line {line + 1} of the file uses `{name}`, which is no longer"
                " imported.",
                line=None,
            )
            return


def _bound(tree: Tree, candidate: CheckedEdit, lines: range) -> set[str]:
    """Return the names that the imports in some lines bind."""
    if tree.language is Language.RUST:
        return {
            name
            for one in tree.imports
            if one.first_line in lines
            for name in re.findall(r"(?<!\w)(\w++)\s*+(?=[,;}]|$)", one.text)
            if name not in ("self", "_")
        }
    return {
        name.removeprefix("type ")
        for line, one in imported_modules(tree, candidate.text_before)
        if line in lines
        for name in (one.whole, *one.names)
        if name not in ("", "_", ".", "*", "default")
    }


def _use(name: str, tree: Tree, candidate: CheckedEdit) -> int | None:
    """Return the line that uses a name, if nothing in the file can define it."""
    text = candidate.text_after
    word = re.escape(name)
    if re.search(rf"{_DEFINING}{word}\b|\b{word}\s*:?=[^=]", text):
        return None
    imported = {
        line
        for one in tree.imports
        for line in range(one.first_line, one.last_line + 1)
    }
    is_package = tree.language is Language.GO
    use = re.compile(
        rf"(?<![\w$.:\"'#@]){word}(?![\w$:])" + (r"\." if is_package else "")
    )
    for number, line in enumerate(text.split("\n")):
        for found in use.finditer(line):
            if number not in imported and not tree.in_comment_or_string(
                number, found.start()
            ):
                return number
    return None
