"""`phantom-member` in Dockerfiles: stages to copy from that no `FROM` names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.syntax.word_set import word_set

_STAGE = re.compile(r"^[ \t]*+FROM\s.*\sAS\s++([\w.-]++)", re.IGNORECASE | re.MULTILINE)
_COPY = re.compile(r"COPY\s[^\n]*?--from=(?P<name>\S++)\s")
_USUAL = word_set(
    "build builder base deps dependencies dev prod production runtime release test"
    " final install compile compiler assets frontend backend"
)
_ALIKE = 0.7


def check_docker_stages(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first one that the edit introduces."""
    text = candidate.text_after
    if candidate.language_id != "dockerfile" or "<<" in text or "# escape=" in text:
        return
    stages = {one.lower() for one in _STAGE.findall(text)}
    for number, line in candidate.introduced:
        found = _COPY.match(line)
        name = found["name"].lower() if found else ""
        if name not in stages and _is_stage(name, stages):
            yield Problem(
                rule="phantom-member",
                message=f"No stage is named `{name}`.",
                line=number,
            )
            return


def _is_stage(name: str, stages: set[str]) -> bool:
    """Whether a name is meant for a stage, and not for an image."""
    if not stages or not re.fullmatch(r"[a-z][\w-]*", name):
        return False
    return name in _USUAL or any(
        SequenceMatcher(None, name, one).ratio() > _ALIKE for one in stages
    )
