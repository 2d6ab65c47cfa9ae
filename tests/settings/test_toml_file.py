"""A settings file is read with its lines, and a bad one is a problem with its line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redline.settings.toml_file import MAX_BYTES, key_lines, parse_toml, read_toml


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", {}),
        ("[edit]\napply = 1\n", {"edit": 1, "edit.apply": 2}),
        ("# x\n\n [ edit ] # y\n  apply=1", {"edit": 3, "edit.apply": 4}),
        ("edit.apply = 1", {"edit.apply": 1}),
        ("edit . apply = 1", {"edit.apply": 1}),
        ("'edit.apply' = 1", {"edit.apply": 1}),
        (
            '[models."gpt-6.1"]\nname = "m"',
            {"models.gpt-6.1": 1, "models.gpt-6.1.name": 2},
        ),
        ("[models.a]\nkey.env = 'A'", {"models.a": 1, "models.a.key.env": 2}),
        ("[edit]\r\napply = 1\r\n", {"edit": 1, "edit.apply": 2}),
        ("a = 1\na = 2", {"a": 1}),
        ("x = '''\ny\n'''\n[t]", {"x": 1, "t": 4}),
    ],
)
def test_lines_of_keys(text: str, lines: dict[str, int]) -> None:
    assert key_lines(text) == lines


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[edit]\napply = 'end'\n")

    file = read_toml(path)

    assert (file.state, file.problem) == ("read", None)
    assert file.values == {"edit": {"apply": "end"}}
    assert file.lines["edit.apply"] == 2


def test_a_byte_order_mark_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xef\xbb\xbfedit.apply = 'end'\r\n")

    assert read_toml(path).values == {"edit": {"apply": "end"}}


def test_a_key_of_many_parts_is_a_problem() -> None:
    """Reading one would take quadratic time: minutes for 400,000 parts."""
    file = parse_toml(Path("a.toml"), b"x = 1\n" + b"a." * 400_000 + b"a = 1\n")
    assert file.state == "unusable"
    assert file.problem is not None
    assert file.problem.line == 2


def test_no_file_is_no_problem(tmp_path: Path) -> None:
    file = read_toml(tmp_path / "none" / "config.toml")

    assert (file.state, file.problem) == ("absent", None)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"[edit]\napply =\n", 2, "Invalid value"),
        (b"a = 1\nb\n", 2, "Expected '='"),
        (b"a = 1\nb = '''", 2, "Expected"),
        (b"a = 1\na = 2", 2, "overwrite"),
        (b"a = 1\nb = '\xff'", 2, "not UTF-8"),
        (b"a = " + b"[" * 100_000, None, "nested too deeply"),
        (b"a = 1\n#" + b"x" * MAX_BYTES, None, "larger than"),
        (b"a = " + b"9" * 5_000, 1, "digits"),
    ],
)
def test_a_bad_file_is_a_problem_with_its_line(
    tmp_path: Path, content: bytes, line: int | None, message: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)

    file = read_toml(path)

    assert file.state == "unusable"
    assert file.values == {}
    assert file.problem is not None
    assert message in file.problem.message
    assert "(at " not in file.problem.message
    assert file.problem.line == line
    assert str(file.problem).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_a_link_to_nothing_is_a_problem(tmp_path: Path) -> None:
    """Of the file, or of its folder, as to a disk that is not mounted."""
    (tmp_path / "config.toml").symlink_to("elsewhere")
    (tmp_path / "redline").symlink_to("elsewhere")
    for path in (tmp_path / "config.toml", tmp_path / "redline" / "config.toml"):
        result = read_toml(path)
        assert result.state == "unusable"
        assert result.problem is not None
        assert "a link to nothing" in result.problem.message


def test_a_folder_or_a_pipe_is_no_settings_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for path, reason in (
        (tmp_path, "it is a folder"),
        (tmp_path / "pipe", "it is not a regular file"),
    ):
        file = read_toml(path)
        assert file.state == "unusable"
        assert reason in str(file.problem)


def test_a_file_under_a_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    file = read_toml(tmp_path / "file" / "config.toml")

    assert file.state == "unusable"
    assert "Not a directory" in str(file.problem)
