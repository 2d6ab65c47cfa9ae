"""Lines of a file are named as the end of its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.cli.arguments.named_lines import NamedLines, named_lines


def test_a_name_that_is_too_long_with_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most systems have names of at most 255 characters."""
    monkeypatch.chdir(tmp_path)
    path = Path(f"{'x' * 249}.py")
    path.write_text("a = 1\n")
    lines = named_lines(f"{path}:1-10")
    assert lines == NamedLines(path=path, first=1, last=10)
