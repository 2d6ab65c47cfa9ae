"""Running ruff: the user's settings do not apply, and a failure is reported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from redline.checks import ruff
from redline.checks.ruff import NEWEST_PYTHON, RuffMessage, ask_ruff, why
from redline.errors import LinterError


def _asked(text: str, rules: str = "F,E9", path: str = "a.py") -> list[RuffMessage]:
    return ask_ruff(text, path=path, rules=rules, target_version=NEWEST_PYTHON)


def test_a_message_has_its_place_and_its_fix() -> None:
    """Rows and columns count from 1."""
    (message,) = _asked("x = 1\nif x is 'a':\n    pass\n", "F632")
    assert (message.code, message.location.row) == ("F632", 2)
    assert message.fix is not None
    assert message.fix.applicability == "safe"
    assert message.url is not None


def test_settings_of_the_environment_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither files in the current folder nor variables."""
    (tmp_path / "ruff.toml").write_text('lint.ignore = ["F821"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUFF_CONFIG", str(tmp_path / "ruff.toml"))
    assert [message.code for message in _asked("missing\n")] == ["F821"]


def test_a_name_that_is_no_python_is_read_as_python() -> None:
    """Of the path only the name matters, and that it ends as it must."""
    assert _asked("missing\n", path="dir/notes.txt")[0].code == "F821"


def test_a_name_that_no_system_opens_is_not_passed_on() -> None:
    assert _asked("missing\n", path="dir/a\0b.py")[0].code == "F821"


def test_a_rule_says_why() -> None:
    """In ruff's words, without their Markdown; an unknown one says nothing."""
    assert why("B006").startswith("Function defaults are evaluated once")
    assert "](" not in why("ASYNC110")
    assert why("NOTARULE") == ""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("print('no json')", "could not be read"),
        ("raise SystemExit(2)", "could not be run"),
        ("import time; time.sleep(60)", "took too long"),
    ],
)
def test_a_ruff_that_fails_is_said(
    script: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller continues without it."""
    program = tmp_path / "ruff"
    program.write_text(f"#!{sys.executable}\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(ruff, "ruff_program", lambda: str(program))
    monkeypatch.setattr(ruff, "TIMEOUT_S", 1.0)
    with pytest.raises(LinterError, match=words):
        _asked("x = 1\n")
