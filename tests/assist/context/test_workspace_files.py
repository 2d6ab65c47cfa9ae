"""The walk through a workspace finds its source files, and none that is held back."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.assist.context import workspace_files
from redline.assist.context.workspace_files import MAX_DEPTH, source_files
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.syntax.language import Language


def found(root: Path) -> list[str]:
    files = source_files([root.as_uri()], IgnoreRules())
    return [file.path for file in files if file is not None]


def write(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def test_source_files_are_found_near_ones_first(tmp_path: Path) -> None:
    """Only those that can be parsed."""
    write(tmp_path, "a/b/deep.py", "top.go", "a/lib.rs", "notes.md", "data.json")
    assert found(tmp_path) == ["top.go", "a/lib.rs", "a/b/deep.py"]
    (file,) = [f for f in source_files([tmp_path.as_uri()], IgnoreRules()) if f][:1]
    assert file.language is Language.GO
    assert file.uri == (tmp_path / "top.go").as_uri()
    assert file.stamp[1] == len("x = 1\n")


def test_what_is_held_back_is_not_even_looked_at(tmp_path: Path) -> None:
    """Denied names, ignored files, and whole folders."""
    write(tmp_path, "kept.py", "private.py", ".env.py", ".aws/x.py", "out/a/b.py")
    (tmp_path / ".gitignore").write_text("out/\n")
    (tmp_path / ".redlineignore").write_text("private.py\n")
    assert found(tmp_path) == ["kept.py"]


def test_what_others_wrote_is_left_out(tmp_path: Path) -> None:
    """Environments and packages, without any ignore file."""
    write(tmp_path, "a.py", ".venv/lib/b.py", "node_modules/c/d.js", "build/e.py")
    assert found(tmp_path) == ["a.py"]


def test_folders_too_deep_are_left_out(tmp_path: Path) -> None:
    """Each file costs as much as there are folders above it."""
    deepest = "d/" * MAX_DEPTH
    write(tmp_path, f"{deepest}a.py", f"{deepest}d/b.py")
    assert found(tmp_path) == [f"{deepest}a.py"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    """They may lead anywhere, and back again."""
    root = tmp_path / "root"
    write(tmp_path, "root/a.py", "outside/secret.py")
    (root / "up").symlink_to(tmp_path)
    (root / "b.py").symlink_to(tmp_path / "outside" / "secret.py")
    assert found(root) == ["a.py"]


def test_the_walk_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In files, and in the size of one."""
    write(tmp_path, *(f"m{n}.py" for n in range(9)))
    write(tmp_path, "large.py", text="#" * (workspace_files.MAX_FILE_BYTES + 1))
    assert len(found(tmp_path)) == 9
    monkeypatch.setattr(workspace_files, "MAX_FILES", 4)
    assert len(found(tmp_path)) == 4


def test_other_schemes_and_missing_folders_have_no_files(tmp_path: Path) -> None:
    """A root on another machine, or one that is gone."""
    roots = ["vscode-vfs://github/x/y", (tmp_path / "gone").as_uri()]
    assert not any(source_files(roots, IgnoreRules()))
