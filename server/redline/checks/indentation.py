"""`indentation`: new lines are indented as the file is, the region as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_shift
from redline.syntax.language import Language
from redline.text.indentation import indent_of

_FREE_LANGUAGES = frozenset({"makefile", "markdown", "plaintext", "tsv"})
"""LSP language ids in which tabs and spaces have different meanings."""

_MIN_N_STYLED = 2
"""Lines with one kind of indentation, and none with the other, that form a style."""

_MIN_N_SHIFTED = 2
"""Lines of a block; one alone may be aligned with something."""

_OUTDENTED = re.compile(
    r"\s*(?:#|//|/\*|\*|--|\w+:(?!\S|:)|case\b|default\b|end\b|[)}\]])"
)
"""The start of lines that may be indented less than code: directives, comments, labels
and closing brackets."""


def check_indentation(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report mixed tabs and spaces, and a region or a block that was shifted."""
    if wants_shift(candidate.instruction):
        return
    yield from _mixed(candidate)
    whole = list(_shifted(candidate))
    yield from whole or _shifted_block(candidate)


def _mixed(candidate: CheckedEdit) -> Iterator[Problem]:
    style = _style(candidate.text_before)
    if style is None or candidate.language in _FREE_LANGUAGES:
        return
    known = set(candidate.before)
    for number, line in enumerate(candidate.new_lines):
        if line in known or not line.strip():
            continue
        if _contradicts(indent_of(line), style) and not candidate.continues_text(
            number
        ):
            used, wanted = ("tabs", "spaces") if style == " " else ("spaces", "tabs")
            yield Problem(
                rule="indentation",
                message=f"The line is indented with {used}, the file with {wanted}.",
                line=number,
            )
            return


def _style(text: str) -> str | None:
    """Return the indentation character of all lines; None if mixed or unknown."""
    # Lines of a block comment begin with one space in any file.
    n_tabs = text.count("\n\t") + text.startswith("\t")
    n_spaces = text.count("\n  ") + text.startswith("  ")
    if n_tabs and n_spaces:
        return None
    if max(n_tabs, n_spaces) < _MIN_N_STYLED:
        return None
    return "\t" if n_tabs else " "


def _contradicts(indent: str, style: str) -> bool:
    if style == " ":
        return "\t" in indent
    # Spaces after tabs align text.
    return indent.startswith("  ")


def _shifted(candidate: CheckedEdit) -> Iterator[Problem]:
    new = _code(candidate.new_lines)
    if not new or candidate.continues_text(new[0][0]):
        return
    number, first = new[0]
    old = _code(candidate.old_lines)
    if old and not _must_stay(candidate, old[0][0]):
        return
    floor = old[0][1] if old else _neighbour(candidate)
    if floor is None:
        return
    want, have = indent_of(floor), indent_of(first)
    is_same_line = bool(old) and floor.strip() == first.strip()
    shallowest = min(len(indent_of(line)) for _, line in new)
    least = min(len(indent_of(line)) for _, line in old) if old else len(want)
    has_lost = len(have) < len(want) and shallowest < least
    if has_lost or (is_same_line and have != want):
        yield Problem(
            rule="indentation",
            message=(
                f"The region begins {_depth(have)} deep instead of {_depth(want)}."
            ),
            line=number,
        )


def _shifted_block(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first block whose lines are the same and have another depth.

    The line that they belong to is the same, too, and where it was: a new one, such as
    an `if` around them, is a reason to shift them.
    """
    old, new = _with_parents(candidate.old_lines), _with_parents(candidate.new_lines)
    shifted: dict[str, list[tuple[int, str, str]]] = {}
    for text, (number, line, parent) in new.items():
        before = old.get(text)
        if before is None or parent is None or parent != before[2]:
            continue
        shifted.setdefault(parent, []).append(
            (number, indent_of(before[1]), indent_of(line))
        )
    for lines in shifted.values():
        if len(lines) < _MIN_N_SHIFTED or any(want == have for _, want, have in lines):
            continue
        number, want, have = lines[0]
        if not candidate.continues_text(number):
            yield Problem(
                rule="indentation",
                message=f"The block is {_depth(have)} deep instead of {_depth(want)}.",
                line=number,
            )
            return


def _with_parents(lines: Sequence[str]) -> dict[str, tuple[int, str, str | None]]:
    """Return the lines that occur once by their text, with the line they belong to."""
    found: dict[str, tuple[int, str, str | None]] = {}
    repeated: set[str] = set()
    above: list[str] = []
    for number, line in enumerate(lines):
        text = line.strip()
        if not text:
            continue
        while above and len(indent_of(above[-1])) >= len(indent_of(line)):
            above.pop()
        parent = above[-1].rstrip() if above else None
        if text in found:
            repeated.add(text)
        found[text] = (number, line, parent)
        above.append(line)
    return {text: one for text, one in found.items() if text not in repeated}


def _must_stay(candidate: CheckedEdit, line: int) -> bool:
    """Whether the region's first line of code must keep its indentation.

    In Python indentation has a meaning: `syntax` detects most wrong uses, and inside a
    block the change may be what the instruction asks for.
    """
    if candidate.grammar is not Language.PYTHON or candidate.tree_before is None:
        return True
    at = candidate.region_before.start + line
    return any(at == one.first_line for one in candidate.tree_before.definitions)


def _code(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Number the lines, without blank ones and those that may be indented less."""
    return [
        (number, line)
        for number, line in enumerate(lines)
        if line.strip() and not _OUTDENTED.match(line)
    ]


def _neighbour(candidate: CheckedEdit) -> str | None:
    """Return the less indented of the two lines around a place for new ones."""
    place = candidate.region_before.start
    above = next((t for t in reversed(candidate.before[:place]) if t.strip()), None)
    below = next((t for t in candidate.before[place:] if t.strip()), None)
    if above is None or below is None:
        return None
    return min(above, below, key=lambda line: len(indent_of(line)))


def _depth(indent: str) -> str:
    name = "tab" if "\t" in indent else "space"
    return f"{len(indent)} {name}{'' if len(indent) == 1 else 's'}"
