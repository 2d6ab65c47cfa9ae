"""The prompts that the user has saved in folders."""

from __future__ import annotations

import subprocess
from pathlib import Path

from redline.assist.edit.prompt.saved_prompts import (
    MAX_BYTES,
    MAX_TOTAL_BYTES,
    PromptFile,
    PromptFolder,
    SavedPrompts,
    read_saved_prompts,
)


def read(*folders: Path) -> SavedPrompts:
    """Read folders that belong to no workspace."""
    return read_saved_prompts([PromptFolder(path=folder) for folder in folders])


def test_prompts_are_listed_by_name(tmp_path: Path) -> None:
    """With their whole text; a file of the first folder hides its namesake."""
    shared, own = tmp_path / "shared", tmp_path / "own"
    for folder in (shared, own):
        folder.mkdir()
    (shared / "tidy.md").write_text("Tidy it.\nKeep the names.\n")
    (own / "tidy.md").write_text("Tidy up.\n")
    (own / "Add tests.txt").write_bytes("\ufeffÄndere nichts,\r\nteste.\r\n".encode())
    assert read(shared, own, tmp_path / "nowhere") == SavedPrompts(
        prompts=(
            PromptFile(name="Add tests", text="Ändere nichts,\nteste."),
            PromptFile(name="tidy", text="Tidy it.\nKeep the names."),
        ),
        problems=(),
    )


def test_what_is_no_prompt_is_left_out(tmp_path: Path) -> None:
    """Other files, hidden and empty ones, and folders in folders."""
    for name in ("notes.py", ".hidden.md", "empty.md", "line\nend.md"):
        (tmp_path / name).write_text("" if name == "empty.md" else "Do it.")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "deep.md").write_text("Do it.")
    assert read(tmp_path) == SavedPrompts(prompts=(), problems=())


def test_what_cannot_be_read_is_reported(tmp_path: Path) -> None:
    """The other prompts are there all the same."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "good.md").write_text("Do it.")
    (folder / "folder.md").mkdir()
    (folder / "large.md").write_bytes(b"a" * (MAX_BYTES + 1))
    file = tmp_path / "file"
    file.write_text("")
    found = read(folder, file)
    assert [each.name for each in found.prompts] == ["good"]
    assert len(found.problems) == 3
    assert "folder.md" in found.problems[0]
    assert "large.md" in found.problems[1]
    assert str(file) in found.problems[2]


def test_all_together_are_limited(tmp_path: Path) -> None:
    """What goes beyond the limit is left out and reported, so that an answer ends."""
    n_fitting = MAX_TOTAL_BYTES // MAX_BYTES
    for number in range(n_fitting + 2):
        (tmp_path / f"{number:03}.md").write_text("a" * MAX_BYTES)
    (tmp_path / "last.md").write_text("b")
    found = read(tmp_path)
    assert len(found.prompts) == n_fitting
    assert len(found.problems) == 1
    assert found.problems[0].startswith("3 saved prompts were left out")


def test_no_link_leads_out_of_the_workspace(tmp_path: Path) -> None:
    """A workspace could have a file of the user's sent to a model."""
    root, private = tmp_path / "project", tmp_path / "private.md"
    folder = root / ".redline" / "prompts"
    folder.mkdir(parents=True)
    private.write_text("My notes.")
    (folder / "notes.md").symlink_to(private)
    found = read_saved_prompts([PromptFolder(path=folder, root=root)])
    assert found.prompts == ()
    assert len(found.problems) == 1
    assert read(folder).prompts, "a folder of the user's own may have links"


def test_no_link_leads_to_a_file_that_is_not_sent(tmp_path: Path) -> None:
    """Its text would be sent as the user's instruction."""
    folder = tmp_path / ".redline" / "prompts"
    folder.mkdir(parents=True)
    (tmp_path / ".gitignore").write_text(".redline/\nprivate.md\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name, target in (("a", ".env"), ("b", "private.md"), ("c", "shared.md")):
        (tmp_path / target).write_text("Tidy up.")
        (folder / f"{name}.md").symlink_to(tmp_path / target)
    (folder / "d.md").write_text("Do it.")
    (tmp_path / "link").symlink_to(tmp_path)
    for root in (tmp_path, tmp_path / "link"):
        prompts = PromptFolder(path=root / ".redline" / "prompts", root=root)
        found = read_saved_prompts([prompts])
        assert [each.name for each in found.prompts] == ["c", "d"]
        assert "holds keys" in found.problems[0]
        assert ".gitignore leaves it out" in found.problems[1]
