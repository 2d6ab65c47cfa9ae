"""Computes the changes of imports above the range that belong to an edit.

They are what the new code needs and the file does not import, and the removal of what
only the old code needed. Where anything is uncertain, there is no change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from redline.checks.candidate import CheckedEdit
from redline.checks.import_changes.import_place import (
    ImportPlace,
    place_among,
    place_at_top,
)
from redline.checks.import_changes.import_statement import (
    SCRIPTS,
    ImportStatement,
    read_statement,
)
from redline.checks.import_changes.needed_names import needed_imports
from redline.checks.import_changes.unused_imports import removals
from redline.syntax.language import Language
from redline.text.import_lines import statements
from redline.text.line_diff import LineHunk
from redline.text.lines import line_end, majority_end, strip_end

_LANGUAGES = SCRIPTS | {
    Language.PYTHON,
    Language.GO,
    Language.RUST,
    Language.JAVA,
}
_MAX_WIDTH = 88
"""Longest line of a statement that another name is added to."""


def import_changes(
    edit: CheckedEdit, lead: Sequence[str]
) -> tuple[LineHunk, ...] | None:
    """Return the changes, in lines of the file before, all above the range.

    Args:
        edit: The edit without them.
        lead: Lines of imports that came in front of its new text, without ends.

    Returns:
        None if the imports of `lead` have no certain place.
    """
    language, tree = edit.grammar, edit.tree_before
    if language is None or language not in _LANGUAGES or tree is None or tree.errors:
        return None if lead else ()
    known = _known(edit, language)
    gone = list(removals(edit, known))
    came: list[ImportStatement] = []
    for lines in statements(lead, language.value):
        read = list(read_statement(lines, language))
        if not read:
            return None
        came += read
    for statement in needed_imports(edit):
        came += read_statement([statement], language)
    wanted = _wanted(edit, came, known)
    added = _added(edit, wanted, known, language)
    if added is None:
        return None if lead else tuple(gone)
    return tuple(_disjoint([*gone, *added]))


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
        if found.last_line < limit and edit.before[found.first_line][:1].strip()
        for statement in read_statement(
            [strip_end(x) for x in edit.before[found.first_line : found.last_line + 1]],
            language,
            first=found.first_line,
        )
    ]


def _wanted(
    edit: CheckedEdit,
    came: Sequence[ImportStatement],
    known: Sequence[ImportStatement],
) -> list[ImportStatement]:
    """Return the statements that bind a name that is used and not imported yet."""
    texts = {_words(each) for each in known}
    bound = {name for each in known for name in each.names}
    new = set(re.findall(r"[\w$]+", "".join(edit.new_lines)))
    if list(edit.old_lines) == list(edit.new_lines):
        # Nothing but the imports was asked for.
        new = {name for each in came for name in each.names}
    wanted: list[ImportStatement] = []
    for each in came:
        is_needed = not each.names or (set(each.names) - bound) & new
        if _words(each) not in texts and is_needed:
            texts.add(_words(each))
            bound.update(each.names)
            wanted.append(each)
    return sorted(wanted, key=lambda each: (each.group, each.key))


def _words(statement: ImportStatement) -> str:
    """Return the text of a statement, in a form in which equal ones are equal."""
    text = statement.text.removeprefix("import ").rstrip(";").replace("'", '"')
    return re.sub(r"[\s()]+|,(?=\s*[})])", " ", text).strip()


def _added(
    edit: CheckedEdit,
    wanted: Sequence[ImportStatement],
    known: Sequence[ImportStatement],
    language: Language,
) -> list[LineHunk] | None:
    """Return the insertions; None if one has no place above the range."""
    forms = {each.lines[0].startswith("import") for each in known}
    if language is Language.GO and len(forms) > 1:
        return None
    hunks: list[LineHunk] = []
    places: list[tuple[ImportPlace, ImportStatement]] = []
    for new in wanted:
        if (hunk := _joined(edit.before, new, known)) is not None:
            hunks.append(hunk)
            continue
        place = _place(edit, new, known, language)
        if place is None or place.line >= edit.region_before.start:
            return None
        places.append((place, new))
    for place, group in groupby(places, key=lambda pair: pair[0]):
        texts = [text for _, new in group for text in _lines_of(new, known, language)]
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
    language: Language,
) -> ImportPlace | None:
    if known:
        return place_among(known, new)
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


def _joined(
    lines: Sequence[str], new: ImportStatement, known: Sequence[ImportStatement]
) -> LineHunk | None:
    """Add names to the statement that imports from the same module, if it is plain."""
    for each in known:
        is_same = each.module == new.module and each.members and new.members
        others = len(each.names) != len(each.members)
        if not is_same or others or len(new.names) != len(new.members):
            continue
        if ("import type" in each.text) != ("import type" in new.text):
            continue
        added = [name for name in new.members if name not in each.members]
        before = ", ".join(each.members)
        is_sorted = list(each.members) == sorted(each.members)
        members = [*each.members, *added]
        after = ", ".join(sorted(members) if is_sorted else members)
        line = lines[each.first]
        if len(each.lines) > 1 or before not in line or len(line) > _MAX_WIDTH:
            return None
        joined = line.replace(before, after)
        if len(strip_end(joined)) > _MAX_WIDTH:
            return None
        return LineHunk(start=each.first, end=each.end, lines=(joined,))
    return None


def _disjoint(hunks: Sequence[LineHunk]) -> Iterator[LineHunk]:
    """Yield hunks in order; changes of the same or touching lines become one."""
    waiting: LineHunk | None = None
    for hunk in sorted(hunks, key=lambda each: (each.start, each.end)):
        if waiting is None:
            waiting = hunk
        elif hunk.start > waiting.end:
            yield waiting
            waiting = hunk
        elif hunk.start == waiting.end:
            waiting = LineHunk(
                start=waiting.start, end=hunk.end, lines=waiting.lines + hunk.lines
            )
    if waiting is not None:
        yield waiting
