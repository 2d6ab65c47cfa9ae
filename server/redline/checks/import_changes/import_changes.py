"""Computes the changes of imports above the range that belong to an edit.

They are what the new code needs and the file does not import, and the removal of what
only the old code needed. Where anything is uncertain, there is no change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import groupby

from redline.checks.candidate import CheckedEdit
from redline.checks.import_changes.c_headers import FAMILY, is_conditional
from redline.checks.import_changes.import_edits import ImportEdits
from redline.checks.import_changes.import_place import (
    ImportPlace,
    place_among,
    place_at_top,
)
from redline.checks.import_changes.import_statement import (
    SCRIPTS,
    ImportStatement,
    bound_name,
    read_statement,
)
from redline.checks.import_changes.needed_names import needed_imports
from redline.checks.import_changes.replaced_imports import replaced_imports
from redline.checks.import_changes.unused_imports import unused_names
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.text.import_lines import statements
from redline.text.line_diff import LineHunk
from redline.text.lines import line_end, majority_end, strip_end

_LANGUAGES = SCRIPTS | {
    Language.PYTHON,
    Language.GO,
    Language.RUST,
    Language.JAVA,
    Language.PHP,
    Language.CSHARP,
    *FAMILY,
}
_BY_PATH = FAMILY | {Language.RUST, Language.PHP, Language.CSHARP}
"""Languages whose statements are needed if what they load is not there yet: Rust uses a
trait without its name, and C and C# bind none."""


def import_changes(
    edit: CheckedEdit,
    reply_imports: Sequence[str],
    project: ProjectFiles | None = None,
) -> tuple[LineHunk, ...] | None:
    """Return the changes, in lines of the file before, all above the range.

    Args:
        edit: The edit without them.
        reply_imports: Lines of imports in front of its new text, without ends.
        project: The files around it; None: they are not known.

    Returns:
        None if the imports of the reply have no certain place.
    """
    language, tree = edit.grammar, edit.tree_before
    if language is None or language not in _LANGUAGES or tree is None or tree.errors:
        return None if reply_imports else ()
    known = _known(edit, language)
    from_reply: list[ImportStatement] = []
    for lines in statements(reply_imports, language.value):
        read = list(read_statement(lines, language))
        if not read:
            return None
        from_reply += read
    replaced = replaced_imports(edit, from_reply, known)
    if replaced is None:
        return None
    for statement in needed_imports(edit, project):
        from_reply += read_statement([statement], language)
    removed = {each.first: names for each, names in unused_names(edit, known)}
    for old, name in replaced:
        removed[old.first] = removed.get(old.first, set()) | {name}
    limit = edit.region_before.start
    edits = ImportEdits(known, removed)
    taken = {name for _, name in replaced}
    wanted = _wanted(edit, from_reply, known, taken, language)
    inserted = _inserted(edit, wanted, known, edits, language)
    if inserted is not None:
        return tuple(edits.hunks(edit.before, inserted, limit))
    if reply_imports:
        return None
    return tuple(ImportEdits(known, removed).hunks(edit.before, (), limit))


def _known(edit: CheckedEdit, language: Language) -> list[ImportStatement]:
    """Return the imports at the top of the file, above the range."""
    tree = edit.tree_before
    assert tree is not None
    definitions = tree.definitions
    first_code = definitions[0].first_line if definitions else len(edit.before)
    limit = min(first_code, edit.region_before.start)
    return [
        statement
        for found in tree.imports
        if found.last_line < limit
        and edit.before[found.first_line][:1].strip()
        # An attribute of Rust belongs to the statement below it.
        and not edit.before[max(found.first_line - 1, 0)].startswith("#[")
        and not (language in FAMILY and is_conditional(edit.before, found.first_line))
        for statement in read_statement(
            [strip_end(x) for x in edit.before[found.first_line : found.last_line + 1]],
            language,
            first=found.first_line,
        )
    ]


def _wanted(
    edit: CheckedEdit,
    from_reply: Sequence[ImportStatement],
    known: Sequence[ImportStatement],
    replaced: Set[str],
    language: Language,
) -> list[ImportStatement]:
    """Return the statements that bind a name that is used and not imported yet, or by
    their path all that the file lacks.
    """
    texts = {_words(each) for each in known}
    bound = {name for each in known for name in each.names} - replaced
    paths = {path for each in known for path in each.paths}
    new = set(re.findall(r"[\w$]+", "".join(edit.new_lines)))
    if list(edit.old_lines) == list(edit.new_lines):
        # Nothing but the imports was asked for.
        new = {name for each in from_reply for name in each.names}
    wanted: list[ImportStatement] = []
    for each in from_reply:
        if language in _BY_PATH:
            is_needed = not paths.issuperset(each.paths)
        else:
            is_bound = paths.issuperset(each.paths) and bound.issuperset(each.names)
            lacking = set(each.names) if each.paths else set(each.names) - bound
            is_needed = not each.names or (not is_bound and bool(lacking & new))
        if _words(each) not in texts and is_needed:
            others = [*known, *wanted]
            wanted += _lacking(each, others, paths, replaced, language)
            texts.add(_words(each))
            bound.update(each.names)
            paths.update(each.paths)
    return sorted(wanted, key=lambda each: (each.group, each.key))


def _lacking(
    new: ImportStatement,
    others: Sequence[ImportStatement],
    paths: Set[str],
    replaced: Set[str],
    language: Language,
) -> list[ImportStatement]:
    """Return a statement without what others import: twice may be an error."""
    if language is Language.RUST:
        if paths.isdisjoint(new.paths):
            return [new]
        texts = [f"use {path};" for path in new.paths if path not in paths]
    else:
        same = [each for each in others if each.module == new.module]
        members = [member for each in same for member in each.members]
        there = set(map(bound_name, members)) - replaced
        left = [member for member in new.members if bound_name(member) not in there]
        text = new.with_members(left) if new.is_plain and left else None
        if text is None or len(left) == len(new.members):
            return [new]
        texts = [text]
    return [each for text in texts for each in read_statement([text], language)]


def _words(statement: ImportStatement) -> str:
    """Return the text of a statement, in a form in which equal ones are equal."""
    text = statement.text.removeprefix("import ").rstrip(";").replace("'", '"')
    return re.sub(r"[\s()]+|,(?=\s*[})])", " ", text).strip()


def _inserted(
    edit: CheckedEdit,
    wanted: Sequence[ImportStatement],
    known: Sequence[ImportStatement],
    edits: ImportEdits,
    language: Language,
) -> list[LineHunk] | None:
    """Return the insertions; None if one has no place above the range.

    Names that belong to a statement of the file are added to `edits`.
    """
    forms = {each.lines[0].startswith("import") for each in known}
    if language is Language.GO and len(forms) > 1:
        return None
    new = [each for each in wanted if not edits.join(each)]
    places = [
        (_place(edit, each, known, edits.staying, language), each) for each in new
    ]
    hunks: list[LineHunk] = []
    for place, group in groupby(places, key=lambda pair: pair[0]):
        if place is None or place.line >= edit.region_before.start:
            return None
        texts = [text for _, each in group for text in _lines_of(each, known, language)]
        lines = [*[""] * place.has_blank_before, *texts, *[""] * place.n_blank_after]
        end = line_end(edit.before[0]) or majority_end(edit.before)
        hunks.append(
            LineHunk(
                start=place.line,
                end=place.line,
                lines=tuple(text + end for text in lines),
            )
        )
    return hunks


def _place(
    edit: CheckedEdit,
    new: ImportStatement,
    known: Sequence[ImportStatement],
    staying: Sequence[ImportStatement],
    language: Language,
) -> ImportPlace | None:
    if known:
        groups = {each.group for each in staying}
        others = [each for each in known if each.group in groups]
        if others:
            return place_among(others, new)
        return ImportPlace(line=known[0].first)
    assert edit.tree_before is not None
    has_others = any(
        edit.before[found.first_line][:1].strip() for found in edit.tree_before.imports
    )
    return None if has_others else place_at_top(edit.before, language)


def _lines_of(
    new: ImportStatement, known: Sequence[ImportStatement], language: Language
) -> Sequence[str]:
    """Write a statement as it is written among others."""
    if language is not Language.GO:
        return new.lines
    spec = new.lines[0].strip().removeprefix("import").strip()
    is_block = bool(known) and not known[0].lines[0].startswith("import")
    return [f"\t{spec}" if is_block else f"import {spec}"]
