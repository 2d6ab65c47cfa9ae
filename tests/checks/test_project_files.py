"""Searches through the sources of a workspace."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from redline.checks.project_files import ProjectFiles, SearchTimeoutError
from redline.checks.python.folders import Folders


def test_one_deadline(tmp_path: Path) -> None:
    """All searches share their time, although each alone is short."""
    (tmp_path / "a.js").write_text("a\n")
    (tmp_path / "b.js").write_text("b\n")
    tenths = count()
    project = ProjectFiles(
        Folders(),
        tmp_path / "a.js",
        workspace=[tmp_path],
        clock=lambda: next(tenths) / 10,
    )
    assert not project.is_found("missing", (".js",))
    with pytest.raises(SearchTimeoutError):
        project.is_found("missing", (".js",))
    with pytest.raises(SearchTimeoutError):
        project.is_found("b", (".js",))
