"""A server in a workspace of special files answers an edit and ends in time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.redline_session import start_redline
from tests.runs import stride

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "def f(a):\n    raise KeyError(a)\n"

SPECIAL: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "stdin": lambda path: path.symlink_to("/dev/stdin"),
    "loop": lambda path: path.symlink_to(path.name),
}


@pytest.mark.parametrize("kind", list(SPECIAL)[:: stride(3)])
async def test_an_edit_is_answered_among_special_files(
    tmp_path: Path, kind: str
) -> None:
    """Whichever of the files that are read it stands for."""
    project = tmp_path / "project"
    project.mkdir()
    for name in (
        *(".gitignore", ".redlineignore", "pyproject.toml", "Pipfile", "setup.cfg"),
        *("redline.toml", "b.py", "requirements.txt"),
    ):
        SPECIAL[kind](project / name)
    (project / "a.py").write_text(TEXT)
    uri = (project / "a.py").as_uri()
    home = tmp_path / "home"
    home.mkdir()
    redline = await start_redline(home=home, environment={})
    try:
        editor = redline.editor
        await editor.initialize(rootUri=project.as_uri())
        editor.open(uri, TEXT)
        end = editor.documents[uri].position(len(TEXT))
        where = {"start": {"line": 0, "character": 0}, "end": end}
        edit = editor.edit(uri, where, "add docstrings", apply="end")
        outcome = await editor.result(edit)
        assert outcome["outcome"] == "applied"
        assert '"""' in editor.text(uri)
    finally:
        await redline.end()
