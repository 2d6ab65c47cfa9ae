"""The log holds what was logged, once, without keys, and leaves nothing behind."""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path

import pytest

from redline import log
from redline.errors import RedlineError
from redline.log import logging_to, set_level
from redline.settings.tree import LogSettings

logger = logging.getLogger("redline.test_log")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The log file of a test, in a folder that does not exist yet."""
    return tmp_path / "logs" / "redline.log"


def to(file: Path, level: str = "info") -> LogSettings:
    assert level in ("debug", "info", "warning", "error")
    return LogSettings(level=level, file=str(file))  # type: ignore[arg-type] # checked


@pytest.mark.parametrize(
    ("level", "written"),
    [
        ("debug", ["d", "i", "w", "e"]),
        ("info", ["i", "w", "e"]),
        ("warning", ["w", "e"]),
        ("error", ["e"]),
    ],
)
def test_the_level_of_the_settings_decides(
    file: Path, level: str, written: list[str]
) -> None:
    with logging_to(to(file, level)):
        logger.debug("d")
        logger.info("i")
        logger.warning("w")
        logger.error("e")

    lines = file.read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == written


def test_the_level_follows_changed_settings(file: Path) -> None:
    with logging_to(to(file, "error")):
        logger.info("before")
        set_level(to(file, "info"))
        logger.info("after")

    assert file.read_text().endswith("after\n")
    assert "before" not in file.read_text()


@pytest.mark.parametrize("name", ["pygls", "pygls.protocol", "httpx", "websockets.x"])
def test_libraries_are_quiet_below_warning(file: Path, name: str) -> None:
    with logging_to(to(file, "debug"), verbose=True):
        logging.getLogger(name).info("the whole body")
        logging.getLogger(name).warning("a warning")

    assert "the whole body" not in file.read_text()
    assert "a warning" in file.read_text()


def test_everything_is_as_it_was_afterwards(file: Path) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level, logging.getLogger("pygls").level)
    n_threads = threading.active_count()

    with logging_to(to(file)):
        assert threading.active_count() == n_threads + 1

    assert threading.active_count() == n_threads
    assert before == (
        list(root.handlers),
        root.level,
        logging.getLogger("pygls").level,
    )


def test_a_failure_inside_still_writes_what_was_logged(file: Path) -> None:
    def fail() -> None:
        with logging_to(to(file)):
            logger.info("last words")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert "last words" in file.read_text()


def test_keys_in_arguments_and_tracebacks_do_not_reach_the_file(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(to(file), verbose=True):
        logger.info("headers %s", {"Authorization": "Bearer hunter2hunter2"})
        try:
            raise RedlineError("sk-hunter2hunter2")
        except RedlineError:
            logger.exception("failed")

    for text in (file.read_text(), capsys.readouterr().err):
        assert "hunter2" not in text
        assert text.count("[redacted]") == 2
        assert "Traceback" in text


def test_a_traceback_says_where_and_not_what(file: Path) -> None:
    """Python quotes a document in the message of an error, and asyncio the error."""

    def fail() -> None:
        try:
            compile("secret_plan = (", "a.py", "exec")
        except SyntaxError as error:
            raise KeyError("secret_plan") from error

    with logging_to(to(file)):
        try:
            fail()
        except KeyError:
            logger.exception("failed")
        future = "<Future exception=KeyError('secret_plan')>"
        logging.getLogger("asyncio").error("It was never read\nfuture: %s", future)

    text = file.read_text()
    assert "secret_plan" not in text
    assert "SyntaxError\nwhich led to:\nTraceback" in text
    assert f'File "{__file__}", line ' in text
    assert "in fail\nKeyError\n" in text
    assert text.endswith("asyncio: It was never read\n")


def test_verbose_goes_to_standard_error_at_debug_level(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(to(file, "error"), verbose=True):
        logger.debug("details")

    assert "details" in capsys.readouterr().err
    assert "details" in file.read_text()


def test_standard_error_is_quiet_without_a_terminal(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(to(file)):
        logger.error("for the file")

    assert capsys.readouterr().err == ""


def test_a_terminal_sees_the_log(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    with logging_to(to(file)):
        logger.error("for you")

    assert "for you" in capsys.readouterr().err


def test_a_file_that_cannot_be_opened_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "redline.log"

    with logging_to(to(path)):
        logger.info("unheard")
        logger.info("unheard")

    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert str(path) in complaint


def test_a_full_disk_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(to(Path("/dev/full"))):
        for _ in range(3):
            logger.info("unheard")

    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1


def test_the_file_rotates_and_old_ones_go(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_BYTES", 300)

    with logging_to(to(file)):
        for number in range(100):
            logger.info("line %s", number)

    assert len(list(file.parent.iterdir())) == log.N_FILES
    assert all(path.stat().st_size <= 300 for path in file.parent.iterdir())
    assert "line 99" in file.read_text()


def test_the_default_file_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    assert log.default_log_file().name == "redline.log"
    with logging_to(LogSettings(file=None)):
        logger.info("here")
    assert "here" in log.default_log_file().read_text()


@pytest.mark.parametrize("name", ["redline.log", "redline.log.1"])
def test_a_file_of_the_user_is_left_alone(
    file: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would be appended to, and deleted after some rotations."""
    file.parent.mkdir()
    notes = file.with_name(name)
    notes.write_text("My notes\n")
    with logging_to(to(file)):
        logger.info("x")
    assert {each.name: each.read_text() for each in file.parent.iterdir()} == {
        name: "My notes\n"
    }
    assert f"{name} is not a log of Redline" in capsys.readouterr().err


def test_an_earlier_log_and_an_empty_file_are_continued(file: Path) -> None:
    file.parent.mkdir()
    file.touch()
    for word in ("one", "two"):
        with logging_to(to(file)):
            logger.info(word)
    lines = file.read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == ["one", "two"]
