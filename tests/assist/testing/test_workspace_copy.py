"""The output of a command in a copy names the files of the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.assist.testing.workspace_copy import with_true_paths


@pytest.mark.parametrize("name", list("abcdefgh"))
@pytest.mark.parametrize("is_start", [False, True])
def test_a_folder_whose_path_is_in_its_true_path(
    tmp_path: Path, name: str, is_start: bool
) -> None:
    """As /var is in /private/var; several, since the order of a set differs."""
    folder = tmp_path / name
    true = Path(f"{folder}-true")
    if not is_start:
        true = tmp_path / "private" / folder.relative_to(folder.anchor)
    true.mkdir(parents=True)
    folder.symlink_to(true)
    output = f"{true}/test_a.py:1\n{folder}/test_a.py:2\n"
    assert with_true_paths(output, folder, Path("/project")) == (
        f"{Path('/project')}/test_a.py:1\n{Path('/project')}/test_a.py:2\n"
    )
