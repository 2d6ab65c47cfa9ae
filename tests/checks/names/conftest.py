"""Edits of files in a workspace, checked with the files around them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from redline.checks.all_checks import check
from redline.checks.candidate import CheckedEdit
from redline.checks.python.environment import PythonEnvironment
from redline.text.lines import split_lines


class Reported(Protocol):
    """Check an edit of a whole file."""

    def __call__(
        self,
        path: str,
        before: str,
        after: str,
        *,
        rule: str,
        files: Mapping[str, str] | None = None,
        instruction: str = "",
    ) -> list[str]:
        """Return the messages of a rule."""


@pytest.fixture
def reported(tmp_path: Path) -> Reported:
    """Write the files of the workspace, then check."""

    def run(
        path: str,
        before: str,
        after: str,
        *,
        rule: str,
        files: Mapping[str, str] | None = None,
        instruction: str = "",
    ) -> list[str]:
        for name, text in {**(files or {}), path: before}.items():
            place = tmp_path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        old, new = split_lines(before), split_lines(after)
        candidate = CheckedEdit(
            before=old,
            after=new,
            region_before=range(len(old)),
            region_after=range(len(new)),
            path=path,
            instruction=instruction,
        )
        found = check(
            candidate, environment=PythonEnvironment([tmp_path]), rules=[rule]
        )
        return [problem.message for problem in found]

    return run
