"""`undefined-name` in workflows of GitHub: jobs that another one needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem

_FOLDER = re.compile(r"(?:^|/)\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$")
_KEY = re.compile(r"(?P<indent>[ ]++)(?P<name>[\w-]++):")
_NEEDS = re.compile(r"[ ]++needs:[ ]*+(?P<names>[\w\[][\w\s,\[\]-]*+)?(?:#.*)?$")
_ITEM = re.compile(r"[ ]++-[ ]++(?P<name>[\w-]++)\s*+$")


def check_workflow_jobs(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report names of jobs in `needs` that the workflow does not have."""
    if not _FOLDER.search(candidate.path):
        return
    known = _jobs(candidate.after)
    before = {name for _, name in _needed(candidate.before)} - _jobs(candidate.before)
    for line, name in _needed(candidate.after):
        if known and name not in known | before:
            yield Problem(
                rule="undefined-name",
                message=f"The workflow has no job `{name}`.",
                line=candidate.line_in_region(line),
            )


def _jobs(lines: Sequence[str]) -> set[str]:
    names: set[str] = set()
    indent = ""
    is_inside = False
    for line in lines:
        if line[:1].strip() and not line.startswith("#"):
            is_inside = line.startswith("jobs:")
        elif is_inside and (key := _KEY.match(line)):
            indent = indent or key["indent"]
            if key["indent"] == indent:
                names.add(key["name"])
    return names


def _needed(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    is_list = False
    for number, line in enumerate(lines):
        if found := _NEEDS.match(line.rstrip()):
            names = re.findall(r"[\w-]+", found["names"] or "")
            yield from ((number, name) for name in names)
            is_list = not names
        elif is_list and (item := _ITEM.match(line.rstrip())):
            yield number, item["name"]
        elif line.strip():
            is_list = False
