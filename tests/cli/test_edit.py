"""`redline edit`: what it shows, writes and refuses, with the rules and with models."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.assist.review.git_project import GitProject
from tests.assist.review.killing import Gateway, serving
from tests.cli.tiers_config import config_of_tiers

from redline.assist.tiers.model_tiers import NO_MODEL
from redline.cli.arguments.review_target import workspace_of
from redline.cli.edit.edit_job import EditRun, run_edit
from redline.cli.edit.edit_report import EditReport
from redline.cli.edit.edited_file import EditedFile, range_of, read_edited_file
from redline.cli.main import main
from redline.cli.terminal.exit_codes import (
    EXIT_DONE,
    EXIT_NOT_DONE,
    EXIT_PIPE_CLOSED,
    EXIT_PROBLEMS,
    EXIT_USAGE,
)
from redline.cli.terminal.progress_bar import ProgressBar
from redline.errors import EditNotLandedError
from redline.printable import json_page

pytestmark = pytest.mark.usefixtures("isolated")

SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
SHOP = f'''\
"""Prices."""

KEY = "{SECRET}"


def total(prices):
    result = 0
    for price in prices:
        result = result + price
    return result
'''
LINES = "shop.py:6-10"
SHORT = "def total(prices):\n    return sum(prices)\n"
USAGE = {"input": 1_000_000, "output": 0}
SCRIPT = {
    "rules": [
        {"when": {"contains": SECRET}, "reply": {"failed": "the secret was sent"}},
        {
            "when": {"contains": "RATE = 3", "model": "deep"},
            "reply": {
                "text": "import math\n\n\ndef total(prices):\n"
                "    return 3 * math.fsum(prices)\n"
            },
        },
        *(
            {"when": {"contains": word}, "reply": reply}
            for word, reply in {
                "CUT": {"text": "def total(prices:\n    return 0\n"},
                "WAIT": {"text": SHORT, "delay_s": 1000},
                "LEAVE": {"text": "NO CHANGE: It is short enough."},
            }.items()
        ),
    ],
    "otherwise": {"text": SHORT, "usage": USAGE},
}
DIFF = """\
diff --git a/shop.py b/shop.py
--- a/shop.py
+++ b/shop.py
@@ -4,7 +4,4 @@
{0}
{0}
 def total(prices):
-    result = 0
-    for price in prices:
-        result = result + price
-    return result
+    return sum(prices)
""".format(" ")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Three scripted models."""
    with serving(SCRIPT, tmp_path_factory.mktemp("gateway")) as gateway:
        yield gateway


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitProject:
    """A repository with one file; the current folder."""
    project = GitProject(tmp_path / "project")
    project.write("shop.py", SHOP)
    monkeypatch.chdir(project.folder)
    return project


@pytest.fixture
def config(tmp_path: Path, gateway: Gateway) -> str:
    """Settings with these models, whose price is known."""
    return config_of_tiers(tmp_path, gateway.url)


def report_of(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def counted(tmp_path: Path) -> list[tuple[object, ...]]:
    """Return the tasks in the file that editors use."""
    file = tmp_path / "data" / "redline" / "redline.sqlite3"
    with closing(sqlite3.connect(file)) as store:
        rows = "SELECT kind, outcome, accepted_at IS NOT NULL FROM tasks"
        return store.execute(rows).fetchall()


def test_a_model_s_edit_is_shown_as_a_diff(
    project: GitProject, gateway: Gateway, tmp_path: Path, capfd: Any
) -> None:
    """The diff alone is on standard output; the file stays as it is."""
    config = config_of_tiers(tmp_path, gateway.url, name="gpt-5.3-codex")
    assert main(["edit", LINES, "use sum", "--config", config]) == EXIT_DONE
    out, err = capfd.readouterr()
    assert out == DIFF
    *progress, reason, summary = err.splitlines()
    assert progress == [
        "redline: Reading the workspace",
        "redline: Writing",
        "redline: Checking",
    ]
    # The weights decide about the number and the words.
    assert re.fullmatch(
        r"redline: Fast tier \(fast\)\. Complexity 0\.\d+ is at most 0\.4\."
        r" .*“sum”.* for fast\.",
        reason,
    )
    assert summary == (
        "redline: +1 -4 lines; --apply writes it to the file."
        " 1,000,000 tokens in, 0 out, $1.7500."
    )
    assert (project.folder / "shop.py").read_text() == SHOP


@pytest.mark.parametrize(
    ("instruction", "code", "outcome", "detail"),
    [
        ("CUT it", EXIT_PROBLEMS, "held", "no longer parses"),
        ("LEAVE it", EXIT_DONE, "unchanged", "It is short enough."),
        ("see @rates.py #deep", EXIT_DONE, "applied", "+import math\\n"),
        ("see @.env", EXIT_NOT_DONE, "failed", "@.env is not sent to a model"),
    ],
)
def test_each_outcome_has_its_exit_code(
    project: GitProject,
    config: str,
    capsys: pytest.CaptureFixture[str],
    instruction: str,
    code: int,
    outcome: str,
    detail: str,
) -> None:
    """Only an edit that passes the checks is written; secrets are never sent."""
    project.write("rates.py", "RATE = 3\n")
    project.write(".env", "RATE = 3\n")
    words = ["edit", LINES, instruction, "--apply", "--json", "--config", config]
    assert main(words) == code
    page = capsys.readouterr().out
    assert detail in page
    report = json.loads(page)
    assert (report["schema"], report["outcome"]) == (1, outcome)
    assert (report["file"], report["first_line"], report["last_line"]) == (
        *("shop.py", 6),
        10,
    )
    assert report["tier"] == ("deep" if "#deep" in instruction else report["tier"])
    is_written = (project.folder / "shop.py").read_text() != SHOP
    assert is_written == (outcome == "applied")
    if outcome == "held":
        # The line is counted in the file after the edit.
        assert [(one["rule"], one["line"]) for one in report["checks"]] == [
            ("syntax", 6)
        ]
        assert "-    result = 0" in report["diff"]


def test_what_is_written_keeps_line_ends_mark_and_mode_and_counts_as_accepted(
    project: GitProject, config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The instruction comes from standard input here."""
    file = project.folder / "shop.py"
    file.write_bytes(b"\xef\xbb\xbf" + SHOP.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    stdin = io.TextIOWrapper(io.BytesIO(b"use sum\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    words = ["edit", LINES, "-", "--apply", "--quiet", "--config", config]
    assert main(words) == EXIT_DONE
    new = SHOP[: SHOP.index("def ")] + SHORT
    assert file.read_bytes() == b"\xef\xbb\xbf" + new.replace("\n", "\r\n").encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(project.folder)) == [".git", "shop.py"]
    assert counted(tmp_path) == [("edit", "accepted", 1)]


def test_without_a_model_the_rules_edit_and_say_so(
    project: GitProject, capfd: pytest.CaptureFixture[str]
) -> None:
    """As in an editor; a whole file is named without lines."""
    assert main(["edit", "shop.py", "rename result to amount"]) == EXIT_DONE
    out, err = capfd.readouterr()
    assert "+    amount = 0\n" in out
    assert f"redline: {NO_MODEL}\n" in err
    assert "tokens" not in err


def _removed(file: Path) -> None:
    file.unlink()


def _changed(file: Path) -> None:
    file.write_text("mine\n")


def _linked(file: Path) -> None:
    os.link(file, file.with_name("other.py"))


def _locked(file: Path) -> None:
    file.chmod(0o444)


@pytest.mark.parametrize(
    ("meanwhile", "why"),
    [
        (_changed, "it has changed since it was read"),
        (_removed, "it does not exist"),
        (_linked, "it has several names"),
        (_locked, "it is read-only"),
    ],
)
def test_a_file_that_must_not_be_replaced_is_not(
    project: GitProject, meanwhile: Callable[[Path], None], why: str
) -> None:
    """It is as the user left it, and nothing is beside it."""
    path = project.folder / "shop.py"
    file, _ = read_edited_file("shop.py", project.folder)
    meanwhile(path)
    before = {one.name: one.read_text() for one in project.folder.glob("*.py")}
    with pytest.raises(EditNotLandedError, match=f"shop.py is not written: .*{why}"):
        file.write("theirs\n")
    assert not file.interrupted()
    assert {one.name: one.read_text() for one in project.folder.glob("*.py")} == before
    assert not list(project.folder.glob(".redline-*"))


def renamed(
    file: EditedFile, project: GitProject, *, is_applied: bool = False
) -> EditReport:
    """Have the built-in rules rename a variable of a file."""
    order = EditRun(
        file=file,
        range=range_of(file, None),
        instruction="rename result to amount",
        workspace=project.folder,
        is_applied=is_applied,
    )
    bar = ProgressBar(is_quiet=True, has_percentage=False)
    return asyncio.run(run_edit(order, bar))


def test_git_applies_the_diff_of_a_file_with_a_byte_order_mark(
    project: GitProject,
) -> None:
    """Its first line begins with the mark."""
    path = project.folder / "shop.py"
    path.write_bytes(b"\xef\xbb\xbfresult = 1\r\nprint(result)\r\n")
    file, _ = read_edited_file("shop.py", project.folder)
    report = renamed(file, project)
    subprocess.run(
        ["git", "apply"], input=report.diff.encode(), cwd=project.folder, check=True
    )
    assert path.read_bytes() == b"\xef\xbb\xbfamount = 1\r\nprint(amount)\r\n"


def test_an_edit_of_a_file_that_has_changed_is_printed(project: GitProject) -> None:
    """So that nothing is lost."""
    path = project.folder / "shop.py"
    file = EditedFile(path, workspace=project.folder, content=SHOP.encode())
    path.write_text(f"{SHOP}# mine\n")
    report = renamed(file, project, is_applied=True)
    assert report.outcome == "failed"
    assert "has changed since it was read" in report.message
    assert "+    amount = 0\n" in report.diff
    assert path.read_text() == f"{SHOP}# mine\n"


@pytest.mark.parametrize("content", [None, "= 1\n"])
def test_settings_that_were_named_and_cannot_be_used_end_it(
    project: GitProject,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
) -> None:
    """The rules do not write what a model was meant to."""
    config = tmp_path / "mine.toml"
    if content is not None:
        config.write_text(content)
    arguments = ["edit", "shop.py", "rename result to amount", "--apply"]
    assert main([*arguments, "--config", str(config)]) == EXIT_USAGE
    assert "Correct --config" in capsys.readouterr().err
    assert (project.folder / "shop.py").read_text() == SHOP


def test_the_workspace_is_that_of_the_file(
    project: GitProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another folder, the ignore files of its repository count; `git apply`
    reads the diff there."""
    (tmp_path / "other").mkdir()
    (tmp_path / "lone").mkdir()
    (tmp_path / "lone" / "a.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path / "other")
    folder = project.folder.resolve()
    assert workspace_of(None, beside="../project/shop.py:3-4") == folder
    assert workspace_of(None, beside="../project/missing/shop.py") == folder
    assert workspace_of(None, beside="../lone/a.py") == (tmp_path / "lone").resolve()
    monkeypatch.chdir(tmp_path)
    assert workspace_of(None, beside="lone/a.py") == tmp_path.resolve()


def test_json_shows_no_character_that_a_terminal_obeys() -> None:
    """Bidirectional and C1 controls are escaped; a program reads them as they are."""
    value = {"diff": "a\u202eb\x9b31m\U000e0001 \xe4 \U0001f600\n"}
    page = json_page(value)
    assert json.loads(page) == value
    assert page.replace("\n", "").isprintable()
    assert "\xe4 \U0001f600" in page


@pytest.mark.usefixtures("project")
def test_a_closed_pipe_is_not_an_edit_that_is_held(config: str) -> None:
    """Its exit code is that of a program which a closed pipe has ended."""
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "-m", "redline", "edit", LINES, "use sum"]
    with open(writing, "wb") as pipe:
        done = subprocess.run(
            [*words, "--config", config],
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == EXIT_PIPE_CLOSED
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this device")
def test_a_written_edit_whose_diff_cannot_be_printed_says_so(
    project: GitProject, config: str
) -> None:
    words = [sys.executable, "-m", "redline", "edit", LINES, "use sum", "--apply"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*words, "--quiet", "--config", config],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert SHORT in (project.folder / "shop.py").read_text()
    assert "shop.py was written; only the output failed." in done.stderr
    assert "No space left" in done.stderr


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("shop.py:11", "shop.py has 10 lines, so there is no line 11."),
        ("shop.py:9-3", "shop.py:9-3 ends before it begins."),
        ("shop.py:0", "shop.py:0 does not exist. Lines of a file are written as in"),
        ("empty.py:1", "empty.py is empty, so there is no line 1."),
        ("nowhere.py", "nowhere.py does not exist. An edit needs a file"),
        ("nowhere.py:3", "nowhere.py is not a file."),
        ("inner", "inner is not edited: it is a folder."),
        ("pipe", "pipe is not edited: it is not a regular file."),
        ("out.py", "out.py is not edited: it is a link that leads out of"),
        ("loop/x.py", "loop/x.py does not exist."),
        ("binary", "binary is not edited: it is binary."),
        ("latin.py", "latin.py is not edited: it is not text in UTF-8."),
        ("large.py", "large.py is not edited: it is larger than 2 MB."),
        ("ignored.py", "ignored.py is not sent to a model: "),
        (".env:1", ".env is not sent to a model: "),
        ("a\udcff.py", "is not in UTF-8."),
    ],
)
def test_what_cannot_be_edited_is_refused_at_once(
    project: GitProject,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    target: str,
    why: str,
) -> None:
    """One line with what and why; no model is asked."""
    (tmp_path / "outside.py").write_text("a = 1\n")
    (project.folder / "out.py").symlink_to(tmp_path / "outside.py")
    (project.folder / "loop").symlink_to("loop")
    (project.folder / "inner").mkdir()
    os.mkfifo(project.folder / "pipe")
    for name, content in {
        "binary": b"a\0b",
        "latin.py": b"a = '\xff'\n",
        "large.py": b"a" * 2_000_001,
        "empty.py": b"",
        "ignored.py": b"a = 1\n",
        ".env": b"a = 1\n",
        ".gitignore": b"ignored.py\n",
    }.items():
        (project.folder / name).write_bytes(content)
    assert main(["edit", target, "sort lines", "--apply"]) == EXIT_USAGE
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert why in line


@pytest.mark.parametrize("target", ["linked/a.py", "inner/up/a.py", "{}/linked/a.py"])
@pytest.mark.parametrize("is_repository", [True, False])
def test_a_linked_folder_leads_nowhere_else(
    project: GitProject,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    target: str,
    is_repository: bool,
) -> None:
    """Its files are outside of the workspace, whose ignore rules count."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("a = 1\n")
    (project.folder / "linked").symlink_to(outside)
    (project.folder / "inner").mkdir()
    (project.folder / "inner" / "up").symlink_to(outside)
    if not is_repository:
        shutil.rmtree(project.folder / ".git")
    path = target.format(project.folder)
    assert main(["edit", path, "sort lines", "--apply"]) == EXIT_USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert "a.py is not edited: it is a link that leads out of" in err
    assert (outside / "a.py").read_text() == "a = 1\n"


def test_a_link_to_a_workspace_is_followed(
    project: GitProject,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One that is in no other workspace, as that of `/tmp` on macOS."""
    (tmp_path / "there").symlink_to(project.folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    path = tmp_path / "there" / "shop.py"
    assert main(["edit", f"{path}:11", "sort lines"]) == EXIT_USAGE
    assert "shop.py has 10 lines" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["", " \n", "#deep", " #fast\n", "x" * 100_001])
def test_an_instruction_that_cannot_be_used_is_refused(
    project: GitProject,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    said: str,
) -> None:
    """None, or far more than one."""
    stdin = io.TextIOWrapper(io.BytesIO(said.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["edit", "shop.py", "-"]) == EXIT_USAGE
    assert "redline: The instruction is " in capsys.readouterr().err


def test_an_instruction_that_is_not_text_is_refused(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """No model could be sent it."""
    assert main(["edit", "shop.py", "use \udcff"]) == EXIT_USAGE
    said = capsys.readouterr().err
    assert said == "redline: The instruction is not in UTF-8.\n"


def test_a_terminal_shows_colours_and_obeys_no_text_of_the_file(
    project: GitProject, config: str
) -> None:
    """What a file holds must not move the cursor."""
    project.write("shop.py", SHOP.replace("return result", "return result  # \x1b[2J"))
    reading, writing = pty.openpty()
    words = [sys.executable, "-m", "redline", "edit", LINES, "use sum"]
    environment = {**os.environ, "TERM": "xterm", "COLORTERM": ""}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [*words, "--config", config],
        stdout=writing,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    os.close(writing)
    shown = b""
    # Linux reports the end of a terminal as an error.
    try:
        while part := os.read(reading, 10_000):
            shown += part
    except OSError:
        pass
    os.close(reading)
    assert process.wait() == EXIT_DONE
    assert b"\x1b[32m+    return sum(prices)" in shown
    assert b"\x1b[31m-    result = 0" in shown
    assert "# \ufffd[2J".encode() in shown
    assert b"\x1b[2J" not in shown


@pytest.mark.usefixtures("default_interrupt")
def test_an_interrupt_ends_it_and_writes_nothing(
    project: GitProject, config: str, tmp_path: Path
) -> None:
    """The stop is counted; the exit code is that of shells."""
    words = [sys.executable, "-m", "redline", "edit", LINES, "WAIT for it", "--apply"]
    process = subprocess.Popen(
        [*words, "--config", config],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stderr is not None
        assert process.stdout is not None
        lines = iter(process.stderr.readline, "")
        assert any("Writing" in line for line in lines)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""
    assert (project.folder / "shop.py").read_text() == SHOP
    assert counted(tmp_path) == [("edit", "stopped", 0)]
