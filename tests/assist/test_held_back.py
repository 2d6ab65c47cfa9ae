"""Files that must not be sent are held back, and only those."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.assist.held_back import HeldBack


def reason(root: Path, name: str) -> str | None:
    return HeldBack().reason((root / name).as_uri(), (root.as_uri(),))


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        "deploy/.env.production",
        "certs/server.pem",
        "home/.ssh/config",
        ".aws/credentials",
        "id_ed25519",
        "config/secrets.yaml",
    ],
)
def test_files_with_keys_are_denied_everywhere(tmp_path: Path, name: str) -> None:
    """Without any ignore file."""
    assert "keys or credentials" in (reason(tmp_path, name) or "")


@pytest.mark.parametrize(
    "name", ["app.py", ".env.example", "id_rsa.pub", "environment.py", "docs/keys.md"]
)
def test_ordinary_files_pass(tmp_path: Path, name: str) -> None:
    """Names that only look alike."""
    assert reason(tmp_path, name) is None


def test_gitignore_holds_back(tmp_path: Path) -> None:
    """As git would leave the file out, nested files included."""
    (tmp_path / ".gitignore").write_text("build/\n*.log\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".gitignore").write_text("!kept.log\n/local.py\n")
    assert reason(tmp_path, "build/x.py") == ".gitignore leaves it out"
    assert reason(tmp_path, "sub/a.log") == ".gitignore leaves it out"
    assert reason(tmp_path, "sub/local.py") == ".gitignore leaves it out"
    assert reason(tmp_path, "sub/kept.log") is None
    assert reason(tmp_path, "local.py") is None


def test_redlineignore_adds_and_lifts(tmp_path: Path) -> None:
    """Its patterns come after git's."""
    (tmp_path / ".gitignore").write_text("notes.txt\n")
    (tmp_path / ".redlineignore").write_text("!notes.txt\nprivate.py\n")
    assert reason(tmp_path, "notes.txt") is None
    assert reason(tmp_path, "private.py") == ".redlineignore leaves it out"


def test_a_workspace_cannot_lift_the_built_in_list(tmp_path: Path) -> None:
    """Neither file lets a key through."""
    (tmp_path / ".gitignore").write_text("!.env\n")
    (tmp_path / ".redlineignore").write_text("!.env\n")
    assert reason(tmp_path, ".env") is not None


def test_a_changed_ignore_file_is_read_again(tmp_path: Path) -> None:
    """One instance sees the change."""
    held_back = HeldBack()
    uri, roots = (tmp_path / "a.py").as_uri(), (tmp_path.as_uri(),)
    assert held_back.reason(uri, roots) is None
    (tmp_path / ".redlineignore").write_text("a.py\n")
    assert held_back.reason(uri, roots) is not None


def test_untitled_documents_and_other_folders_pass(tmp_path: Path) -> None:
    """No ignore file of the workspace is about them."""
    (tmp_path / ".gitignore").write_text("*\n")
    held_back = HeldBack()
    assert held_back.reason("untitled:Untitled-1", (tmp_path.as_uri(),)) is None
    assert held_back.reason("file:///elsewhere/a.py", (tmp_path.as_uri(),)) is None
