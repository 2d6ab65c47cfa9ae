"""Diffs computed without git are applied by git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.findings.diff import parse_diff
from redline.text.unified_diff import unified_diff

_LINES = st.lists(st.sampled_from(["a", "b", "c", "", "x = 1"]), max_size=25)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_equal_texts_have_no_diff() -> None:
    """There is no header either."""
    assert unified_diff("a\nb\n", "a\nb\n") == ""
    assert unified_diff("", "") == ""


def test_hunks_are_written_with_three_lines_around_them() -> None:
    """Distant changes are two hunks, close ones are one."""
    old = _text([str(n) for n in range(20)])
    new = old.replace("\n2\n", "\ntwo\n").replace("\n4\n", "\nfour\n")
    new = new.replace("\n15\n", "\n15\n15 and a half\n")
    assert unified_diff(old, new).split("\n")[3:-1] == [
        "@@ -1,8 +1,8 @@",
        *(" 0", " 1", "-2", "+two", " 3", "-4", "+four", " 5", " 6", " 7"),
        "@@ -14,6 +14,7 @@",
        *(" 13", " 14", " 15", "+15 and a half", " 16", " 17", " 18"),
    ]


@given(_LINES, _LINES)
def test_the_spans_are_the_lines_that_are_not_kept(
    old: list[str], new: list[str]
) -> None:
    """Every line of the new text that is not in the old one is in a span."""
    changes = parse_diff(unified_diff(_text(old), _text(new)))
    lines = {n for change in changes for span in change.spans for n in range(*span)}
    assert {n for n, line in enumerate(new) if line not in old} <= lines
    assert bool(changes) == (old != new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "a\nb\n"),
        ("a\nb\n", ""),
        ("a\nb\nc\n", "a\nc\n"),
        ("a\nb\n", "a\nb\nc\n"),
        ("a\nb", "a\nc"),
        ("a\nb", "a\nb\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
    ],
)
@pytest.mark.parametrize("path", ["file", "my file", 'a "b"\n\x01ü\\'])
def test_git_applies_what_is_written(
    tmp_path: Path, old: str, new: str, path: str
) -> None:
    """The diff is one that git understands, whatever the lines and the name are."""
    (tmp_path / path).write_bytes(old.encode())
    (tmp_path / "patch").write_bytes(unified_diff(old, new, path=path).encode())
    apply_patch(tmp_path)
    assert (tmp_path / path).read_bytes() == new.encode()


def apply_patch(folder: Path) -> None:
    command = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "patch"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True)
    assert done.stderr == b""


@pytest.mark.parametrize("text", ["", "a\nb\n", "\ufeffa\r\nb"])
@pytest.mark.parametrize("path", ["file", "my file", "in/a folder", 'a "b"\n\x01ü\\'])
@pytest.mark.parametrize("is_executable", [False, True])
def test_git_creates_renames_and_deletes_what_is_written(
    tmp_path: Path, text: str, path: str, *, is_executable: bool
) -> None:
    """One after the other, a rename also with a change of the text."""

    def apply(diff: str) -> None:
        (tmp_path / "patch").write_bytes(diff.encode())
        apply_patch(tmp_path)

    file, moved = tmp_path / path, tmp_path / "moved" / path
    apply(unified_diff(None, text, path=path))
    assert file.read_bytes() == text.encode()
    apply(unified_diff(text, text + "c\n", path=f"moved/{path}", old_path=path))
    assert moved.read_bytes() == (text + "c\n").encode()
    assert not file.exists()
    apply(unified_diff("", "", path=path, old_path=f"moved/{path}"))
    assert file.read_bytes() == (text + "c\n").encode()
    file.chmod(0o755 if is_executable else 0o644)
    diff = unified_diff(text + "c\n", None, path=path, is_executable=is_executable)
    apply(diff)
    assert not file.exists()
