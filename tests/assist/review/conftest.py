"""Fixtures for tests of gathering."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.assist.review.git_project import GitProject


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    """An empty repository."""
    return GitProject(tmp_path / "project")
