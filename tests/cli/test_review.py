"""`redline review`: scopes, reports and exit codes, with the rules and with models."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.assist.review.git_project import GitProject
from tests.assist.review.killing import Gateway, serving
from tests.assist.review.seeded_workspace import SHOWN, STOCK, answer, script
from tests.cli.tiers_config import config_of_tiers

from redline.cli.arguments.review_target import MAX_FILES
from redline.cli.main import main
from redline.cli.review.report_file import check_output, text_head, written_to
from redline.cli.review.review_job import ReviewRunResult
from redline.cli.review.review_progress import ReviewProgress
from redline.cli.review.review_report import exit_code
from redline.cli.terminal.exit_codes import EXIT_DONE, EXIT_NOT_DONE, EXIT_PROBLEMS
from redline.findings.finding import Finding, FindingState, Severity
from redline.findings.report import NO_MODEL, ReviewReport
from redline.findings.review import Review
from redline.printable import printable

_CLEAN = "def f(a):\n    return a\n"
_FAULTY = "def f(a=[]):\n    return a\n"

pytestmark = pytest.mark.usefixtures("isolated")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitProject:
    """A repository with one commit; the current folder."""
    project = GitProject(tmp_path / "project")
    project.commit(a=_CLEAN, b=_CLEAN)
    monkeypatch.chdir(project.folder)
    return project


def _report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def _reviewed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """Review, and return the places of the findings."""
    assert main(["review", "--quiet", "--format", "json", *words]) == EXIT_DONE
    found = _report(capsys)["findings"]
    return sorted(f"{one['file']}:{one['firstLine']}" for one in found)


def test_without_a_model_the_rules_review_the_working_tree(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report says so, and the steps are printed to standard error."""
    project.write("a.py", _FAULTY)
    assert main(["review"]) == EXIT_DONE
    output = capsys.readouterr()
    assert "a.py:1: medium correctness: Do not use mutable" in output.out
    assert "1 finding in the changes in the working tree: 1 medium." in output.out
    assert output.out.count(NO_MODEL) == 1
    assert "redline: Reviewing\n" in output.err


def test_each_scope_is_what_it_says(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """Staged, since a base, files, folders, lines, and a part of a change."""
    project.git("checkout", "--quiet", "-b", "topic")
    project.commit(b=_FAULTY)
    project.write("a.py", _FAULTY)
    project.git("add", "a.py")
    project.write("src/c.py", f"{_CLEAN}\n\n{_FAULTY}")
    assert _reviewed(capsys) == ["a.py:1", "src/c.py:5"]
    assert _reviewed(capsys, "--staged") == ["a.py:1"]
    assert _reviewed(capsys, "--base", "main") == ["b.py:1"]
    assert _reviewed(capsys, "--base", "main..topic") == ["b.py:1"]
    assert _reviewed(capsys, "--base", "main...topic") == ["b.py:1"]
    assert _reviewed(capsys, "--working-tree", "src") == ["src/c.py:5"]
    assert _reviewed(capsys, "a.py", "b.py") == ["a.py:1", "b.py:1"]
    assert _reviewed(capsys, "src") == ["src/c.py:5"]
    assert _reviewed(capsys, "src/c.py:1-2") == []
    assert _reviewed(capsys, "src/c.py:5") == ["src/c.py:5"]


def test_names_are_from_the_repository_wherever_it_is_called(
    project: GitProject,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a folder of it, the whole change counts, and paths are that folder's."""
    project.write("src/c.py", _FAULTY)
    project.write("a.py", _FAULTY)
    monkeypatch.chdir(project.folder / "src")
    assert _reviewed(capsys) == ["a.py:1", "src/c.py:1"]
    assert _reviewed(capsys, "--working-tree", "c.py") == ["src/c.py:1"]
    assert _reviewed(capsys, "c.py") == ["src/c.py:1"]


def test_files_can_be_reviewed_without_a_repository(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A change cannot be reviewed; the command fails and says so."""
    (tmp_path / "a.py").write_text(_FAULTY)
    monkeypatch.chdir(tmp_path)
    assert _reviewed(capsys, "a.py") == ["a.py:1"]
    assert main(["review", "--quiet"]) == EXIT_NOT_DONE
    assert "is in no git repository" in capsys.readouterr().out


def test_exit_codes_tell_findings_from_failures(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """As CI needs it."""
    project.write("a.py", _FAULTY)
    assert main(["review", "--fail-on", "high"]) == EXIT_DONE
    assert main(["review", "--fail-on", "medium"]) == EXIT_PROBLEMS
    assert main(["review", "--fail-on", "low"]) == EXIT_PROBLEMS
    assert main(["review", "--base", "nowhere"]) == EXIT_NOT_DONE
    assert "git knows no commit" in capsys.readouterr().out


def test_a_current_folder_that_is_gone_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It can vanish when another branch is checked out."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["review", "--quiet"]) == 2
    assert "The current folder does not exist any more." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["missing.py"], "missing.py does not exist."),
        (["a.py:9-3"], "ends before it begins"),
        (["missing.py:1-2"], "missing.py is not a file"),
        (["--staged", "../elsewhere.py"], "is not in"),
        (["--staged", "a\udcff.py"], "is not in UTF-8"),
        (["--base", "a\udcff"], "is not in UTF-8"),
        (["--base=-x"], "names no commit"),
        (["--base", "..topic"], "names no commit"),
        (["--workspace", "a.py"], "a.py is not a folder"),
        (["empty"], "empty has no code that may be reviewed"),
        (["many"], f"many has more than {MAX_FILES} files of code"),
    ],
)
def test_arguments_that_make_no_sense_are_told(
    project: GitProject,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    why: str,
) -> None:
    """One line, and the exit code for usage errors."""
    (project.folder / "empty").mkdir()
    for number in range(MAX_FILES + 1):
        project.write(f"many/f{number}.py", "")
    assert main(["review", "--quiet", *words]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--max-cost", "-1"], ["--staged", "--base", "x"]])
def test_argparse_refuses_the_rest(words: list[str], project: GitProject) -> None:
    """Amounts below zero, and two changes at once."""
    with pytest.raises(SystemExit) as caught:
        main(["review", *words])
    assert caught.value.code == 2


def test_every_report_is_written_over_every_other(project: GitProject) -> None:
    """In each format, first without a finding, then with one, and without it again."""
    output = project.folder.parent / "report"
    for code, finding in ((_CLEAN, False), (_FAULTY, True), (_CLEAN, False)):
        project.write("a.py", code)
        for form, begins in (
            ("text", "Redline's report of review"),
            ("json", "{"),
            ("markdown", "# Review of"),
            ("sarif", "{"),
        ):
            words = ["review", "--quiet", "--format", form, "--output", str(output)]
            assert main(words) == EXIT_DONE
            report = output.read_text()
            assert report.startswith(begins)
            assert ("Do not use mutable" in report) is finding
            if form == "sarif" and finding:
                (result,) = json.loads(report)["runs"][0]["results"]
                assert result["ruleId"] == "B006"


def test_an_empty_file_is_overwritten(project: GitProject) -> None:
    """As `mktemp` makes one."""
    output = project.folder.parent / "report"
    output.touch()
    assert main(["review", "--quiet", "--output", str(output)]) == EXIT_DONE
    assert output.stat().st_size > 0


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        '{"version": 1}\n',
        "# Review of my notes\n\nAll of it.\n",
        '{"$schema": "x", "runs": [{"tool": {"driver": {"name": "ruff"}}}]}\n',
        "\0" * 10,
    ],
)
def test_a_file_of_the_user_is_not_overwritten(
    project: GitProject, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal comes before the review; links are not followed."""
    output = project.folder.parent / "mine"
    output.write_text(text)
    (project.folder / "link").symlink_to(output)
    (project.folder / "dangling").symlink_to(project.folder.parent / "new")
    for name, why in (
        (str(output), "is not a report of Redline"),
        ("link", "it is a symbolic link"),
        ("dangling", "it is a symbolic link"),
    ):
        assert main(["review", "--output", name]) == EXIT_NOT_DONE
        said = capsys.readouterr().err
        assert why in said
        assert "Reviewing" not in said
    assert output.read_text() == text
    assert not (project.folder.parent / "new").exists()


def test_a_folder_in_its_place_is_reported_before_the_review(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """A review that was paid for must not end without its report."""
    project.write("a.py", _FAULTY)
    (project.folder / "reports").mkdir()
    for name in (".", "reports"):
        assert main(["review", "--output", name]) == EXIT_NOT_DONE
        said = capsys.readouterr().err
        assert said == f"redline: {name} cannot be written: Is a directory.\n"


def test_a_file_that_appears_during_the_review_is_not_overwritten(
    tmp_path: Path,
) -> None:
    """It is checked again by the descriptor that is written to."""
    output = tmp_path / "report"
    check_output(output)
    output.write_text("of the user\n")
    with pytest.raises(OSError, match="is not a report"), written_to(output):
        pass
    assert output.read_text() == "of the user\n"


_LIMITED = """
import resource, sys
from pathlib import Path
from redline.cli.review.report_file import written_to
output = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (2 * output.stat().st_size,) * 2)
with written_to(output) as file:
    file.write(10 * output.read_text())
"""


def test_a_report_that_does_not_fit_leaves_the_earlier_one(tmp_path: Path) -> None:
    """The limit of a file's size stands for a full disk."""
    earlier = tmp_path / "report"
    text = text_head("r1") + "Nothing was found.\n"
    earlier.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(earlier)],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert "report cannot be written: File too large." in done.stderr
    assert earlier.read_text() == text


def test_a_report_can_go_to_a_device_and_a_pipe(
    project: GitProject, capfd: pytest.CaptureFixture[str]
) -> None:
    """They hold nothing that could be lost."""
    project.write("a.py", _FAULTY)
    reading, writing = os.pipe()
    with open(reading) as pipe:
        named = f"/dev/fd/{writing}"
        assert main(["review", "--quiet", "--output", named]) == EXIT_DONE
        os.close(writing)
        assert "Do not use mutable" in pipe.read()
    assert main(["review", "--quiet", "--output", "/dev/null"]) == EXIT_DONE
    assert main(["review", "--quiet", "--output", "/dev/stdout"]) == EXIT_DONE
    assert "Do not use mutable" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("pipe", "it is a named pipe; redirect standard output to it instead"),
        ("socket", "it is not a regular file"),
    ],
)
def test_a_named_pipe_and_a_socket_are_refused_before_the_review(
    project: GitProject, kind: str, reason: str
) -> None:
    """Nothing may read them: the run would not end, or end without its report."""
    output = Path("report")
    with socket.socket(socket.AF_UNIX) as listening:
        if kind == "pipe":
            os.mkfifo(output)
        else:
            listening.bind(str(output))
        with pytest.raises(OSError, match="report cannot") as caught:
            check_output(output)
    assert str(caught.value) == f"report cannot be written: {reason}."


def test_a_terminal_that_lacks_a_character_shows_the_others(
    project: GitProject,
) -> None:
    """The report of a review that was paid for is not lost to an encoding."""
    project.write("ü.py", _FAULTY)
    done = subprocess.run(
        [sys.executable, "-m", "redline", "review", "--quiet"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b"?.py:1: medium correctness")


def test_the_same_text_is_not_reviewed_twice(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its findings are reused, unless the review is forced."""
    project.write("a.py", _FAULTY)
    assert _reviewed(capsys) == ["a.py:1"]
    assert main(["review", "--quiet", "--format", "json"]) == EXIT_DONE
    again = _report(capsys)
    assert "Nothing has changed" in again["message"]
    assert len(again["findings"]) == 1
    assert main(["review", "--quiet", "--force", "--format", "json"]) == EXIT_DONE
    assert _report(capsys)["message"] == ""


def test_what_is_left_out_is_told(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """Keys are never read."""
    project.write("key.pem", "secret\n")
    assert main(["review", "--quiet"]) == EXIT_DONE
    output = capsys.readouterr().out
    assert "Not reviewed: key.pem: it is of a kind that holds keys" in output


def test_a_link_out_of_the_workspace_is_not_read(
    project: GitProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even if it is named; a link to a file inside is read."""
    outside = tmp_path / "outside.py"
    outside.write_text(_FAULTY)
    (project.folder / "out.py").symlink_to(outside)
    assert main(["review", "--quiet", "out.py"]) == EXIT_NOT_DONE
    assert "out.py is not reviewed: it is a link out of" in capsys.readouterr().out
    project.write("a.py", _FAULTY)
    (project.folder / "in.py").symlink_to("a.py")
    assert _reviewed(capsys, "in.py") == ["in.py:1"]


def test_a_file_outside_of_the_repository_is_reviewed_by_its_own_rules(
    project: GitProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named, as to any linter; what must not be sent is refused there, too."""
    other = GitProject(tmp_path / "other")
    for name in ("b.py", "ignored.py", ".env"):
        other.write(name, _FAULTY)
    other.write(".gitignore", "ignored.py")
    assert _reviewed(capsys, str(other.folder / "b.py")) == ["b.py:1"]
    for name, why in (("ignored.py", ".gitignore leaves"), (".env", "it is of a kind")):
        words = ["review", "--quiet", str(other.folder / name)]
        assert main(words) == EXIT_NOT_DONE
        assert f"{name} is not sent to a model: {why}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "named", ["d", "d/sub", "d/user.py", "d/user.py:1-2", "{project}/d/user.py"]
)
def test_a_folder_that_leads_out_of_the_workspace_is_not_read(
    project: GitProject,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    named: str,
) -> None:
    """However it is named."""
    outside = tmp_path / "outside"
    (outside / "sub").mkdir(parents=True)
    for file in (outside / "user.py", outside / "sub" / "other.py"):
        file.write_text(_FAULTY)
    (project.folder / "d").symlink_to(outside)
    alias = tmp_path / "alias"
    alias.symlink_to(project.folder)
    words = ["review", "--quiet", named.format(project=alias)]
    assert main(words) == EXIT_NOT_DONE
    assert "is not reviewed: it is a link out of" in capsys.readouterr().out


def test_a_link_to_a_folder_inside_is_followed(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write("src/c.py", _FAULTY)
    (project.folder / "e").symlink_to("src")
    assert _reviewed(capsys, "e") == ["src/c.py:1"]
    assert _reviewed(capsys, "e/c.py") == ["src/c.py:1"]


def _too_many_parts(project: GitProject) -> str:
    config = project.folder.parent / "config" / "redline" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[review]\npart_tokens = 2000\nmax_parts = 1\n")
    for name in "abc":
        project.write(f"{name}.py", f"{name} = 1\n" * 600)
    return "the review would take more than 1 parts"


def _long_line(project: GitProject) -> str:
    project.write("a.py", f"a = '{'x y ' * 60_000}'\n")
    return "they do not fit into a part of a review"


def _odd_name(project: GitProject) -> str:
    name = os.fsdecode(b"odd\xff.py")
    (project.folder / name).write_text("a = 1\n")
    return "its name is not in UTF-8"


def _odd_text(project: GitProject) -> str:
    (project.folder / "a.py").write_bytes(b"a = '\xff'\n")
    return "it is not text in UTF-8"


@pytest.mark.parametrize("prepare", [_too_many_parts, _long_line, _odd_name, _odd_text])
def test_what_should_have_been_reviewed_and_was_not_is_no_success(
    project: GitProject,
    prepare: Callable[[GitProject], str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also when the same text is reviewed again."""
    reason = prepare(project)
    for _ in range(2):
        assert main(["review", "--quiet", "--fail-on", "low"]) == EXIT_NOT_DONE
        output = capsys.readouterr().out
        assert reason in output
        assert "The review is not complete." in output
        assert "the model" not in output.split("No model took part")[0]
        assert not re.search("^No findings in the", output, re.MULTILINE)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Three scripted models."""
    with serving(script(), tmp_path_factory.mktemp("gateway")) as gateway:
        yield gateway


def test_models_review_and_what_they_say_is_verified(
    project: GitProject,
    gateway: Gateway,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Invented, repeated and refuted claims are not shown."""
    project.write("stock.py", STOCK)
    words = ["review", "--quiet", "--config", config_of_tiers(tmp_path, gateway.url)]
    assert main([*words, "--format", "json", "--fail-on", "high"]) == EXIT_PROBLEMS
    report = _report(capsys)
    assert {one["title"] for one in report["findings"]} == set(SHOWN)
    assert report["hasModel"]
    assert main(words) == EXIT_DONE
    output = capsys.readouterr().out
    assert "Dropped, as they could not be verified: 4;" in output
    assert NO_MODEL not in output


def test_the_name_of_a_file_is_on_one_line(
    project: GitProject, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file name can look like a finding, or like the end of the report."""
    project.write("x\nNo findings.py", _FAULTY)
    project.write("x\nNo findings.bin", b"\0")
    assert main(["review", "--quiet"]) == EXIT_DONE
    output = capsys.readouterr().out
    assert "x\ufffdNo findings.py:1: medium" in output
    assert "Not reviewed: x\ufffdNo findings.bin: it is binary.\n" in output
    assert "\nNo findings" not in output


def test_a_report_that_cannot_be_written_is_no_finding(project: GitProject) -> None:
    """Its exit code differs from that of findings."""
    project.write("a.py", _FAULTY)
    words = [sys.executable, "-m", "redline", "review", "--quiet"]
    with (project.folder / "a.py").open() as unwritable:
        done = subprocess.run(
            words, stdout=unwritable, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == EXIT_NOT_DONE
    (line,) = done.stderr.splitlines()
    assert line.startswith("redline: [Errno")


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("nowhere/report", "there is no folder nowhere."),
        (".", "Is a directory."),
        ("a.py/report", "there is no folder a.py."),
    ],
)
def test_an_output_that_cannot_be_written_is_no_wrong_argument(
    project: GitProject, capsys: pytest.CaptureFixture[str], output: str, why: str
) -> None:
    """The exit code is that of a review without a report."""
    project.write("a.py", _FAULTY)
    words = ["review", "--quiet", "--output", output]
    assert main(words) == EXIT_NOT_DONE
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"redline: {output} cannot be written: {why}"


def test_where_nothing_can_be_kept_that_is_said_once(
    project: GitProject, tmp_path: Path
) -> None:
    """The review is still done."""
    project.write("a.py", _FAULTY)
    config = tmp_path / "nowhere.toml"
    config.write_text(f"[store]\nfile = {json.dumps(str(project.folder))}\n")
    words = [sys.executable, "-m", "redline", "review", "--quiet"]
    done = subprocess.run(
        [*words, "--config", str(config)], capture_output=True, text=True, check=True
    )
    assert "1 finding in the changes" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("redline: Reviews are not stored for now: ")


def test_a_review_that_could_not_be_stored_promises_nothing(
    project: GitProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A review from a terminal cannot be resumed."""
    project.write("a.py", _FAULTY)
    assert main(["review", "--quiet"]) == EXIT_DONE
    with sqlite3.connect(tmp_path / "data" / "redline" / "redline.sqlite3") as store:
        # As on a full disk, which takes rows no more.
        store.execute(
            "CREATE TRIGGER full BEFORE INSERT ON review_steps "
            "BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
        )
    store.close()
    capsys.readouterr()
    assert main(["review", "--quiet", "--force"]) == EXIT_NOT_DONE
    output = capsys.readouterr().out
    assert "cannot be used: database or disk is full.\n" in output


def _counted(data: Path) -> list[tuple[object, ...]]:
    """Return the usage of each task in the file that editors use."""
    with closing(sqlite3.connect(data / "redline" / "redline.sqlite3")) as store:
        return store.execute("SELECT kind, outcome, cost FROM tasks").fetchall()


def test_what_it_takes_is_counted_as_an_editor_does(
    project: GitProject,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also of a review that fails; `redline stats` has both."""
    project.write("stock.py", STOCK)
    reply = {"text": answer(), "usage": {"input": 1_000_000, "output": 0}}
    with serving({"otherwise": reply}, tmp_path / "dear") as gateway:
        config = config_of_tiers(tmp_path, gateway.url, name="gpt-5.3-codex")
        words = ["review", "--quiet", "--config", config]
        assert main([*words, "--max-cost", "0.5"]) == EXIT_NOT_DONE
    assert main(words) == EXIT_NOT_DONE
    assert _counted(tmp_path / "data") == [
        ("review", "shown", pytest.approx(1.75)),
        ("review", "failed", 0.0),
    ]
    capsys.readouterr()
    assert main(["stats", "--json"]) == EXIT_DONE
    overall = _report(capsys)["overall"]
    assert (overall["tasks"], overall["cost"]) == (2, pytest.approx(1.75))


def test_a_file_that_cannot_be_written_is_told_once(
    project: GitProject,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Neither review nor usage is stored: one line; the review is still done."""
    project.write("a.py", _FAULTY)
    (tmp_path / "data").write_text("a file where the folder should be")
    assert main(["review", "--quiet"]) == EXIT_DONE
    output = capfd.readouterr()
    assert "1 finding in" in output.out
    (warning,) = output.err.splitlines()
    assert warning.startswith("redline: Reviews are not stored ")
    log = tmp_path / "state" / "redline" / "log" / "redline.log"
    assert "Usage is not stored for now" in log.read_text()


def test_usage_that_alone_cannot_be_written_is_told_once(
    project: GitProject,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """It is reported at the end, with what is not affected."""
    project.write("a.py", _FAULTY)
    assert main(["review", "--quiet"]) == EXIT_DONE
    file = tmp_path / "data" / "redline" / "redline.sqlite3"
    with closing(sqlite3.connect(file)) as store:
        store.execute("DROP TABLE tasks")
    capfd.readouterr()
    assert main(["review", "--quiet"]) == EXIT_DONE
    output = capfd.readouterr()
    assert "Nothing has changed" in output.out
    (warning,) = output.err.splitlines()
    assert warning.startswith("redline: Usage is not stored for now: ")


def test_another_problem_of_the_reviews_does_not_hide_that_of_usage(
    project: GitProject,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project.write("a.py", _FAULTY)
    assert main(["review", "--quiet"]) == EXIT_DONE
    file = tmp_path / "data" / "redline" / "redline.sqlite3"
    with closing(sqlite3.connect(file)) as store, store:
        store.execute("DROP TABLE tasks")
        store.execute("UPDATE reviews SET body = '{'")
    capfd.readouterr()
    assert main(["review", "--quiet"]) == EXIT_DONE
    reviews, usage = capfd.readouterr().err.splitlines()
    assert "cannot be read" in reviews
    assert usage.startswith("redline: Usage is not stored for now: ")


def test_a_model_that_cannot_be_reached_fails_the_review(
    project: GitProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its reason."""
    project.write("a.py", _FAULTY)
    config = config_of_tiers(tmp_path, "http://127.0.0.1:1/v1/responses")
    assert main(["review", "--quiet", "--config", config]) == EXIT_NOT_DONE
    output = capsys.readouterr().out
    assert "The review was not done: it failed." in output
    assert "Nothing is listening at 127.0.0.1:1." in output


@pytest.mark.usefixtures("default_interrupt")
def test_an_interrupt_cancels_the_review(
    project: GitProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cancel is stored and counted; the process ends with its exit code."""
    project.write("stock.py", STOCK)
    with serving(script(pace=2.0), tmp_path / "slow") as gateway:
        config = config_of_tiers(tmp_path, gateway.url)
        words = [sys.executable, "-m", "redline", "review", "--config", config]
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        with process:
            assert process.stderr is not None
            assert process.stdout is not None
            lines = iter(process.stderr.readline, "")
            before = next(line for line in lines if "Reviewing" in line)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 130
            assert process.stdout.read() == ""
            after = process.stderr.read()
            assert "Traceback" not in after
    with sqlite3.connect(tmp_path / "data" / "redline" / "redline.sqlite3") as store:
        states = store.execute("SELECT state FROM reviews").fetchall()
    store.close()
    assert states == [("cancelled",)], before + after
    ((kind, outcome, _),) = _counted(tmp_path / "data")
    assert (kind, outcome) == ("review", "stopped")


def test_beyond_the_limit_of_cost_no_model_is_asked(
    project: GitProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The findings are reported, and that no second model has checked them."""
    project.write("stock.py", STOCK)
    reply = {"text": answer(), "usage": {"input": 1_000_000, "output": 0}}
    with serving({"otherwise": reply}, tmp_path / "dear") as gateway:
        config = config_of_tiers(tmp_path, gateway.url, name="gpt-5.3-codex")
        words = ["review", "--quiet", "--config", config, "--format", "json"]
        assert main([*words, "--max-cost", "0.5"]) == EXIT_NOT_DONE
        assert gateway.n_questions == 1
    report = _report(capsys)
    assert report["cost"] == pytest.approx(1.75)
    assert len(report["findings"]) == 4
    assert "cost limit" in report["message"]


def test_a_limit_of_cost_needs_a_known_price(
    project: GitProject,
    gateway: Gateway,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A limit that cannot be enforced is refused."""
    project.write("stock.py", STOCK)
    config = config_of_tiers(tmp_path, gateway.url)
    words = ["review", "--quiet", "--config", config, "--max-cost", "0.5"]
    assert main(words) == EXIT_NOT_DONE
    assert "price of model" in capsys.readouterr().out


def _finding(severity: Severity, state: FindingState) -> Finding:
    return Finding(
        id="f",
        review_id="r",
        file="a.py",
        fingerprint="p",
        first_line=0,
        end_line=1,
        quote="x = 1",
        severity=severity,
        category="correctness",
        title="t",
        explanation="e",
        state=state,
    )


def test_what_was_dismissed_fails_nothing(project: GitProject) -> None:
    """Nor does a finding below the given severity."""
    review = msgspec.convert(
        {
            "id": "r",
            "request": {
                "target": {"type": "working-tree", "root": project.uri},
                "roots": [project.uri],
            },
            "state": "done",
            "created_at": 0.0,
            "fingerprint": "p",
        },
        Review,
    )
    findings = (_finding("critical", "dismissed"), _finding("low", "open"))
    report = ReviewReport(
        review_id="r", state="done", scope="all of it", findings=findings
    )
    done = ReviewRunResult(review=review, report=report)
    assert exit_code(done, "medium") == EXIT_DONE
    assert exit_code(done, "low") == EXIT_PROBLEMS
    partial = replace(done, review=msgspec.structs.replace(review, fingerprint=""))
    assert exit_code(partial, "medium") == EXIT_NOT_DONE


def test_text_of_a_model_cannot_move_the_cursor() -> None:
    """Nor reorder its words."""
    text = "a\x1b[2Jb\u202ec\r\n\td"
    assert printable(text) == "a\ufffd[2Jb\ufffdc\ufffd\n\td"


def test_a_problem_of_the_settings_is_told(
    project: GitProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the review continues."""
    config = tmp_path / "settings.toml"
    config.write_text("[review]\nparallel = 0\n")
    assert main(["review", "--quiet", "--config", str(config)]) == EXIT_DONE
    assert "review.parallel" in capsys.readouterr().err


def test_progress_shows_nothing_when_it_is_quiet(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Except warnings."""
    with ReviewProgress(is_quiet=True) as progress:
        progress.warn("Something [bold]is[/] wrong.")
    assert capsys.readouterr().err == "redline: Something [bold]is[/] wrong.\n"
