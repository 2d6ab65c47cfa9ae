"""`redline check`: its pages, its exit codes, and which lines count."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from redline.cli.main import main

BEFORE = "import os\n\n\ndef a():\n    return os.getcwd()\n\n\ndef b():\n    return 2\n"
BROKEN = BEFORE.replace("return 2", "return (")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Write a file before; the one after is for the test to write."""
    before, after = tmp_path / "before.py", tmp_path / "after.py"
    before.write_text(BEFORE)
    after.write_text(BEFORE)
    return str(before), str(after)


def run(files: tuple[str, str], after: str, *options: str) -> int:
    Path(files[1]).write_bytes(after.encode())
    workspace = str(Path(files[0]).parent)
    words = ["--before", files[0], "--after", files[1], "--workspace", workspace]
    return main(["check", *words, *options])


def test_a_right_edit_is_silent(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """No problems: no output and exit code 0."""
    assert run(files, BEFORE.replace("2", "3")) == 0
    assert run(files, BEFORE) == 0
    assert capsys.readouterr() == ("", "")


def test_problems_are_lines_that_editors_understand(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """File, line in the file after, rule and message."""
    assert run(files, BROKEN) == 1
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{files[1]}:9: syntax: The file no longer parses")


def test_problems_of_the_whole_have_no_line(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as a removed definition."""
    assert run(files, BEFORE.replace("def b", "def c")) == 1
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{files[1]}: lost-definition: The function `b` is gone")


def test_json(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """For programs, with the score."""
    assert run(files, BROKEN, "--json") == 1
    page = json.loads(capsys.readouterr().out)
    assert (page["schema"], page["file"]) == (1, files[1])
    assert 0 < page["score"] < 1
    [problem] = page["problems"]
    assert (problem["rule"], problem["line"]) == ("syntax", 9)

    assert run(files, BEFORE, "--json") == 0
    page = json.loads(capsys.readouterr().out)
    assert (page["score"], page["problems"]) == (1, [])


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        ("8:9", []),
        ("4:9", []),
        ("1:9", []),
        ("4:5", ["outside-range"]),
        ("8:7", ["outside-range"]),
    ],
)
def test_the_range_is_lines_of_the_file_before(
    files: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
    lines: str,
    rules: list[str],
) -> None:
    """What differs elsewhere is outside of it."""
    code = run(files, BEFORE.replace("2", "3"), "--range", lines, "--json")
    found = json.loads(capsys.readouterr().out)["problems"]
    assert [problem["rule"] for problem in found] == rules
    assert code == bool(rules)


def test_an_instruction_excuses(files: tuple[str, str]) -> None:
    """A definition may be removed if the instruction says so."""
    after = BEFORE.replace("def b", "def c")
    assert run(files, after, "--instruction", "Rename b to c.") == 0


def test_a_language_can_be_named(files: tuple[str, str]) -> None:
    """Without a grammar, nothing is said about syntax."""
    assert run(files, BROKEN, "--language", "plaintext") == 0


def test_imports_are_looked_up_in_the_workspace(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A module next to the file exists, another one does not."""
    Path(files[0]).with_name("near.py").write_text("def c():\n    return 1\n")
    one = BEFORE.replace("return 2", "from near import c\n\n    return c()")
    assert run(files, one) == 0
    assert run(files, one.replace("import c", "import d").replace("c()", "d()")) == 1
    assert ": phantom-import: " in capsys.readouterr().out


@pytest.mark.parametrize("lines", ["5", "0:3", "4:2", "a:b", "3:", "1:9999999999"])
def test_a_range_that_is_none(files: tuple[str, str], lines: str) -> None:
    """An invalid range is refused with the usage."""
    with pytest.raises(SystemExit) as caught:
        run(files, BEFORE, "--range", lines)
    assert caught.value.code == 2


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("before.py", None, "it does not exist"),
        ("after.py", None, "it does not exist"),
        ("before.py", b"\xff\xfe", "no text in UTF-8"),
    ],
)
def test_bad_input(
    files: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes | None,
    reason: str,
) -> None:
    """An error is one line and has its own exit code."""
    path = Path(files[0]).with_name(name)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    code = main(["check", "--before", files[0], "--after", files[1]])
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert captured.err.startswith("redline: ")
    assert reason in captured.err


def test_a_pipe_is_read(files: tuple[str, str]) -> None:
    """As a shell passes the output of a command: `<(git show HEAD:a.py)`."""
    Path(files[1]).write_text(BROKEN)
    reader, writer = os.pipe()
    try:
        os.write(writer, BEFORE.encode())
        os.close(writer)
        words = ["--before", f"/dev/fd/{reader}", "--after", files[1]]
        assert main(["check", *words, "--language", "python"]) == 1
    finally:
        os.close(reader)


def test_a_range_past_the_end(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A range beyond the end is bad input too."""
    assert run(files, BEFORE, "--range", "3:40") == 2
    assert "none up to 40" in capsys.readouterr().err


def test_line_ends_are_read_as_they_are(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A line whose end differs from the file's is reported."""
    assert run(files, BEFORE.replace("return 2\n", "return 3\r\n")) == 1
    assert f"{files[1]}:9: line-ends: " in capsys.readouterr().out
