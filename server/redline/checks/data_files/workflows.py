"""Jobs, steps and values of a matrix that a workflow of GitHub uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.data_files.named_use import NamedUse
from redline.checks.data_files.yaml_entries import YamlEntry, yaml_entries

_USE = re.compile(
    r"\b(?P<context>steps|matrix|needs)\.(?P<name>[\w-]++)(?=[.\s}\])=!]|$)"
)


def workflow_uses(text: str) -> Iterator[NamedUse]:
    entries = yaml_entries(text)
    jobs = {one.key for one in entries if one.path == ("jobs",)}
    if not jobs:
        return
    lines = text.split("\n")
    for job in jobs:
        own = [one for one in entries if one.path[:2] == ("jobs", job)]
        needed = list(_needed(own))
        for line, name in needed:
            yield NamedUse(
                name=f"job {name}",
                line=line,
                is_known=name in jobs,
                message=f"No job is named `{name}`.",
            )
        known = {
            "steps": {one.values[0] for one in own if one.key == "id" and one.value},
            "matrix": _matrix(own),
            "needs": {name for _, name in needed},
        }
        yield from _in_expressions(own, lines, known)


def _needed(own: list[YamlEntry]) -> Iterator[tuple[int, str]]:
    for one in own:
        is_entry = one.path[2:3] == ("needs",) and not one.key
        if (one.key == "needs" and len(one.path) == 2) or is_entry:
            yield from ((one.line, name) for name in one.values)


def _matrix(own: list[YamlEntry]) -> set[str]:
    """Return the keys of a matrix; an empty one if it is computed."""
    keys = {
        one.key for one in own if one.path[2:4] == ("strategy", "matrix") and one.key
    }
    for one in own:
        is_matrix = one.path[2:] == ("strategy",) and one.key == "matrix"
        is_included = one.path[2:] == ("strategy", "matrix") and one.key == "include"
        if (is_matrix or is_included) and one.value:
            return set()
    return keys


def _in_expressions(
    own: list[YamlEntry], lines: list[str], known: dict[str, set[str]]
) -> Iterator[NamedUse]:
    """Yield the uses in the lines of a job."""
    if not own:
        return
    for number in range(own[0].line, own[-1].line + 1):
        line = lines[number]
        if "${{" not in line and "if:" not in line:
            continue
        for found in _USE.finditer(line):
            context, name = found["context"], found["name"]
            if context == "matrix" and not known["matrix"]:
                continue
            yield NamedUse(
                name=f"{context} {name}",
                line=number,
                is_known=name in known[context],
                message=f"`{context}` has no `{name}` in this job.",
            )
