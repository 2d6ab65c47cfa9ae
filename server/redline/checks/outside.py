"""`outside-range`: the edit stays in its range and repeats no line around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.definitions import HOLDING, Defined
from redline.checks.problem import Problem
from redline.syntax.language import Language
from redline.text.line_diff import apply_hunks
from redline.text.reply_forms.copies import HEADER, is_telling

_MAX_N_REPEATED = 200
"""Most lines around the region that are compared; a reply that repeats more is longer
than any prompt shows."""

_Identity = tuple[str, ...]


def check_outside(candidate: CheckedEdit) -> Iterable[Problem]:
    """Report changes outside of the range, and repeated lines around it."""
    yield from _changed(candidate)
    head = _repeated(
        candidate.before[: candidate.region_before.start][::-1],
        candidate.old_lines,
        candidate.new_lines,
    )
    if head:
        yield Problem(
            rule="outside-range",
            message=f"{_lines(head)} before the range came again at its start.",
            line=0,
        )
    n_new = len(candidate.new_lines)
    tail = _repeated(
        candidate.before[candidate.region_before.stop :],
        candidate.old_lines[::-1],
        candidate.new_lines[::-1],
    )
    if tail:
        yield Problem(
            rule="outside-range",
            message=f"{_lines(tail)} after the range came again at its end.",
            line=n_new - tail,
        )
    if not head and not tail:
        yield from _defined_inside_itself(candidate)
        yield from _defined_again(candidate)
        yield from _defined_twice(candidate)


def _changed(candidate: CheckedEdit) -> Iterator[Problem]:
    start, stop = candidate.region_before.start, candidate.region_before.stop
    head_is_kept = apply_hunks(candidate.before[:start], candidate.imports) == list(
        candidate.after[: candidate.region_after.start]
    )
    tail_is_kept = list(candidate.before[stop:]) == list(
        candidate.after[candidate.region_after.stop :]
    )
    places = ["before"] * (not head_is_kept) + ["after"] * (not tail_is_kept)
    for place in places:
        yield Problem(
            rule="outside-range", message=f"Lines {place} the range were changed."
        )


def _repeated(away: Sequence[str], old: Sequence[str], new: Sequence[str]) -> int:
    """Count the lines next to the region that the new text repeats at its border.

    Args:
        away: The lines outside, starting at the border.
        old: The region's old lines, starting at the same border.
        new: The region's new lines, likewise.
    """
    most = min(len(away), len(new), _MAX_N_REPEATED)
    for n_lines in range(most, 0, -1):
        if not _is_same(away[:n_lines], new[:n_lines][::-1]):
            continue
        if _is_same(away[:n_lines], old[:n_lines][::-1]):
            return 0
        if is_telling(new[:n_lines]):
            return n_lines
    return 0


def _is_same(away: Sequence[str], inside: Sequence[str]) -> bool:
    """Compare lines at the border, ignoring their ends.

    Their indentation may differ if one of them is the header of a definition: any other
    line with different indentation may be a different line.
    """
    if len(away) != len(inside):
        return False
    if any(a.strip() != b.strip() for a, b in zip(away, inside, strict=True)):
        return False
    return any(map(HEADER.match, away)) or all(
        a.rstrip() == b.rstrip() for a, b in zip(away, inside, strict=True)
    )


def _defined_again(candidate: CheckedEdit) -> Iterator[Problem]:
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.errors:
        return
    twice = _twice(candidate.defined_before, candidate.before)
    found = candidate.defined_after
    inside = candidate.region_after
    elsewhere = {
        _identity(one, candidate.after): one.definition.first_line
        for one in found
        if one.definition.first_line not in inside
    }
    reported: set[str] = set()
    for one in found:
        identity, definition = _identity(one, candidate.after), one.definition
        line = candidate.line_in_region(definition.first_line)
        if line is None or identity not in elsewhere or identity in twice:
            continue
        # The methods of a repeated class are not reported separately.
        if definition.parent not in reported and not _is_conditional(
            one, candidate.after
        ):
            yield Problem(
                rule="outside-range",
                message=(
                    f"`{definition.qualified_name}` is already defined at line"
                    f" {elsewhere[identity] + 1} of the file, outside of the range."
                ),
                line=line,
            )
        reported.add(definition.qualified_name)


def _defined_inside_itself(candidate: CheckedEdit) -> Iterator[Problem]:
    """Yield a problem for a function with the signature of one around it."""
    after = candidate.tree_after
    if after is None or after.errors:
        return
    for one in candidate.defined_after:
        definition = one.definition
        line = candidate.line_in_region(definition.first_line)
        outer = {each.signature for each in one.around if each.kind not in HOLDING}
        if line is not None and definition.signature in outer:
            yield Problem(
                rule="outside-range",
                message=f"`{definition.name}` is defined inside of itself.",
                line=line,
            )


def _defined_twice(candidate: CheckedEdit) -> Iterator[Problem]:
    """Yield a problem for each name that the new text defines twice in one place."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.errors:
        return
    place_of = _PLACES.get(after.language)
    if place_of is None:
        return
    counts = Counter(map(place_of, candidate.defined_before))
    seen: set[_Identity] = set()
    for one in candidate.defined_after:
        place, line = place_of(one), one.definition.first_line
        if line not in candidate.region_after or _is_conditional(one, candidate.after):
            continue
        if not _is_single(one, candidate.after):
            continue
        if place in seen and counts[place] <= 1:
            yield Problem(
                rule="outside-range",
                message=f"`{one.definition.qualified_name}` is defined twice.",
                line=candidate.line_in_region(line),
            )
        seen.add(place)


_ACCESSOR = re.compile(r"(?:static\s+)?(?:get|set|static)\b")
"""The start of a definition of JavaScript that another of its name may stand beside."""


_KEYWORD = re.compile(r"\b(?:function|func|fn|def)\b")


def _is_single(one: Defined, lines: Sequence[str]) -> bool:
    """Whether a function is one of a file or of a type, of which there can be one."""
    definition = one.definition
    first = lines[definition.first_line].lstrip()
    return (
        definition.kind in ("function", "method")
        and definition.name != "init"  # Go
        and not first.startswith("@")
        and not _ACCESSOR.match(first)
        # A method without a type around it is one of an object.
        and (bool(one.around) or _KEYWORD.search(definition.signature) is not None)
        and all(outer.kind in HOLDING for outer in one.around)
    )


def _place(one: Defined) -> _Identity:
    around = tuple(outer.signature for outer in one.around)
    return (*around, one.definition.parent, one.definition.name)


def _overload(one: Defined) -> _Identity:
    """Return the place of a function with the text of its signature."""
    return (*_place(one), " ".join(one.definition.signature.split()))


_PLACES: dict[Language, Callable[[Defined], _Identity]] = {
    **dict.fromkeys((Language.CPP, Language.CSHARP, Language.JAVA), _overload),
    **dict.fromkeys((Language.GO, Language.JAVASCRIPT, Language.PHP), _place),
    **dict.fromkeys((Language.PYTHON, Language.RUBY, Language.RUST), _place),
}
"""What two definitions cannot have in common, by language. In the first three,
functions of one name differ by their parameters."""


def _identity(one: Defined, lines: Sequence[str]) -> _Identity:
    """The signatures of a definition and of those around it.

    Includes its first decorator, which distinguishes a property from its deleter.
    """
    signature = one.definition.signature
    first = lines[one.definition.first_line].strip()
    decorator = "" if signature.partition("\n")[0] in first else first
    return (*(outer.signature for outer in one.around), decorator, signature)


def _twice(found: Sequence[Defined], lines: Sequence[str]) -> set[_Identity]:
    counts = Counter(_identity(one, lines) for one in found)
    return {identity for identity, count in counts.items() if count > 1}


def _lines(count: int) -> str:
    return "The line" if count == 1 else f"The {count} lines"


def _is_conditional(one: Defined, lines: Sequence[str]) -> bool:
    """Whether a condition or the compiler may choose between two definitions."""
    first = one.definition.first_line
    if not one.around and lines[first][:1].isspace():
        return True
    above = lines[first - 1].lstrip() if first else ""
    return above.startswith(("#", "@", "["))
