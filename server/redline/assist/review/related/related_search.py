"""Finds the places related to a change, by syntax and search.

Takes seconds in a large workspace and holds the interpreter meanwhile, so it runs in
its own process, see `related_places`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from redline.assist.review.related.candidate_files import CandidateFile, candidate_files
from redline.assist.review.related.configuration import settings_in_files
from redline.assist.review.related.outlines import OutlineOf
from redline.assist.review.related.related_place import RelatedPlace, Relation
from redline.assist.review.related.scope_names import (
    FileNames,
    names_of,
    words_of_imports,
)
from redline.findings.scope import ReviewScope
from redline.findings.test_paths import is_test
from redline.prompts.signatures import Signature, nearest_signatures, signatures
from redline.syntax.facts import Definition
from redline.syntax.language import Language, language_of

_MOST: dict[Relation, int] = {
    "definition": 6,
    "caller": 4,
    "test": 3,
    "configuration": 2,
}
"""Limit of each kind: a scout reads each place, or its text goes into the prompt."""

_MAX_LINES = 60
"""Longest place, in lines."""

_MAX_PLACE_CHARS = 6_000
"""Longest place, in characters: one line of minified code may have a million."""

_AROUND = 10
"""Lines shown before and after a call outside a definition, or inside a long one."""

_FEW_FILES = 5
"""A name that so few files hold is assumed to mean the same thing in all of them."""

_IMPORTS_ALL = frozenset(
    {Language.PYTHON, Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX}
)

_BASE: dict[Relation, float] = {
    "definition": 3.0,
    "caller": 2.0,
    "test": 1.5,
    "configuration": 1.0,
}


def find_related(
    scope: ReviewScope,
    *,
    roots: Sequence[str],
    is_late: Callable[[], bool],
    outline_of: OutlineOf,
) -> tuple[RelatedPlace, ...]:
    """Search the workspace.

    Args:
        scope: What is reviewed.
        roots: URIs of the workspace folders.
        is_late: Whether to stop and return the places found so far.
        outline_of: Parses a file.

    Returns:
        A bounded number of each kind, the closest first; none from ignored files, and
        none from the reviewed files, which are in the prompt already.
    """
    names = names_of(scope, outline_of)
    wanted = frozenset(n for one in names for n in (*one.used, *one.defined))
    files = candidate_files(
        wanted,
        roots=roots,
        without={one.path for one in names},
        is_late=is_late,
        outline_of=outline_of,
    )
    settings = tuple(dict.fromkeys(n for one in names for n in one.settings))
    places = [
        *_definitions(names, files),
        *_callers(names, files),
        *_settings(settings, roots, is_late),
    ]
    return _closest(places)


def _definitions(
    names: Sequence[FileNames], files: Sequence[CandidateFile]
) -> Iterator[RelatedPlace]:
    # Index every known definition by its name.
    index: dict[str, list[Signature]] = {}
    known = [
        *((one.outline, one.path) for one in names),
        *((one.outline, one.path) for one in files),
    ]
    for outline, path in known:
        for signature in signatures(outline, path):
            index.setdefault(signature.name, []).append(signature)
    # Look up the names that each reviewed file uses.
    texts = {file.path: file.text.split("\n") for file in files}
    for user in names:
        found = nearest_signatures(
            user.used,
            lambda name: index.get(name, ()),
            path=user.path,
            imports=[one.text for one in user.outline.imports],
        )
        for name, candidates in found.items():
            for candidate in candidates:
                one = candidate.signature
                is_near = candidate.nearness >= _least_nearness(user.path)
                if one.path in texts and is_near:
                    yield _place(
                        "definition",
                        one.path,
                        texts[one.path],
                        range(one.first_line, one.last_line + 1),
                        name=name,
                        nearness=candidate.nearness + (name in user.imported),
                    )


def _least_nearness(path: str) -> float:
    """Return the least nearness, as in `nearest_signatures`, of a definition: where all
    names are imported, being in the same folder is not enough."""
    return 2.0 if language_of(path) in _IMPORTS_ALL else 1.0


def _callers(
    names: Sequence[FileNames], files: Sequence[CandidateFile]
) -> Iterator[RelatedPlace]:
    n_holders = Counter(name for file in files for name in file.names)
    owners: dict[str, list[FileNames]] = {}
    for owner in names:
        for name in owner.defined:
            owners.setdefault(name, []).append(owner)
    for file in files:
        imported = words_of_imports(file.outline)
        lines = file.text.split("\n")
        calls = zip(file.outline.call_lines, file.outline.call_names, strict=True)
        for line, name in calls:
            is_rare = n_holders[name] <= _FEW_FILES and name[:1] != "_"
            for owner in owners.get(name, ()):
                nearness = _nearness(owner.path, file.path, imported)
                if nearness or is_rare:
                    yield _place(
                        "test" if is_test(file.path) else "caller",
                        file.path,
                        lines,
                        _around(line, file.outline.definitions, len(lines)),
                        name=name,
                        nearness=nearness,
                    )


def _settings(
    names: Sequence[str], roots: Sequence[str], is_late: Callable[[], bool]
) -> Iterator[RelatedPlace]:
    found = settings_in_files(names, roots=roots, is_late=is_late)
    for path, text, line, name in found:
        lines = text.split("\n")
        shown = range(max(0, line - _AROUND), min(len(lines), line + _AROUND + 1))
        yield _place("configuration", path, lines, shown, name=name, nearness=0.0)


def _nearness(path: str, other: str, imported: frozenset[str]) -> float:
    """Rate how likely a name in another file means the definition in this one."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    module = folder.rpartition("/")[2] if stem in ("__init__", "index", "mod") else stem
    if module in imported:
        return 1.0
    return 0.5 if other.rpartition("/")[0] == folder else 0.0


def _around(line: int, definitions: Iterable[Definition], n_lines: int) -> range:
    """Return the innermost definition around a line, or some lines if that is long."""
    around = [one for one in definitions if one.first_line <= line <= one.last_line]
    if around:
        inner = max(around, key=lambda one: (one.first_line, -one.last_line))
        if inner.last_line - inner.first_line < _MAX_LINES:
            return range(inner.first_line, inner.last_line + 1)
    return range(max(0, line - _AROUND), min(n_lines, line + _AROUND + 1))


def _place(
    relation: Relation,
    path: str,
    lines: Sequence[str],
    shown: range,
    *,
    name: str,
    nearness: float,
) -> RelatedPlace:
    return RelatedPlace(
        path=path,
        first_line=shown.start,
        text="\n".join(_bounded(lines[shown.start : shown.stop])),
        relation=relation,
        names=(name,),
        weight=_BASE[relation] + nearness,
    )


def _bounded(lines: Sequence[str]) -> list[str]:
    """Take whole lines up to the limits of a place; maybe none."""
    n_chars = accumulate(len(line) + 1 for line in lines[:_MAX_LINES])
    return [
        line for line, n in zip(lines, n_chars, strict=False) if n <= _MAX_PLACE_CHARS
    ]


def _closest(places: Iterable[RelatedPlace]) -> tuple[RelatedPlace, ...]:
    """Merge places found by several names, and take the closest of each kind."""
    joined: dict[tuple[str, int, Relation], RelatedPlace] = {}
    for place in places:
        if not place.text:
            continue
        key = (place.path, place.first_line, place.relation)
        known = joined.get(key)
        joined[key] = place if known is None else known.joined_with(place)
    n_taken: Counter[Relation] = Counter()
    chosen: list[RelatedPlace] = []
    for place in sorted(joined.values(), key=_rank):
        if n_taken[place.relation] < _MOST[place.relation]:
            n_taken[place.relation] += 1
            chosen.append(place)
    return tuple(chosen)


def _rank(place: RelatedPlace) -> tuple[float, str, int]:
    # Each further name makes a place closer, but counts less than an import.
    return -place.weight - 0.1 * len(place.names), place.path, place.first_line
