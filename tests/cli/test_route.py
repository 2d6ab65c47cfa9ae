"""`redline route` answers tasks line by line, and reports invalid lines."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from redline.cli.main import main

EASY = {
    "instruction": "rename x to y",
    "path": "a.py",
    "language": "python",
    "code": "x = 1\n",
}
GUARDED = {**EASY, "instruction": "reset the password", "kind": "fix", "extra": [1]}


class Input:
    """Standard input that holds some lines."""

    def __init__(self, *lines: object) -> None:
        texts = [
            line if isinstance(line, bytes) else json.dumps(line).encode()
            for line in lines
        ]
        self.buffer = io.BytesIO(b"\n".join(texts))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Make a settings file that sets nothing."""
    path = tmp_path / "config.toml"
    path.write_text("", encoding="utf-8")
    return path


def routes(text: str) -> list[dict[str, Any]]:  # JSON of the routes.
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("words", "tiers"),
    [
        ((), ["fast", "standard"]),
        (("--tier", "fast"), ["fast", "standard"]),
        (("--tier", "deep"), ["deep", "deep"]),
    ],
)
def test_a_route_for_each_task(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    config: Path,
    words: tuple[str, ...],
    tiers: list[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", Input(EASY, b"", GUARDED))

    assert main(["route", "--config", str(config), *words]) == 0

    captured = capsys.readouterr()
    found = routes(captured.out)
    assert [each["tier"] for each in found] == tiers
    assert [each["boundaries"] for each in found] == [[], ["authentication"]]
    assert set(found[0]) == {"tier", "score", "reasons", "boundaries"}
    assert captured.err == ""


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"nonsense", "malformed"),
        (b"[]", "object"),
        (b"\xff", "malformed"),
        ({"instruction": "x"}, "path"),
        ({**EASY, "files": "a.py"}, "$.files"),
        ({**EASY, "kind": "magic"}, "$.kind"),
    ],
)
def test_a_bad_line_is_told_and_the_rest_answered(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    config: Path,
    bad: object,
    message: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", Input(EASY, bad, GUARDED))

    assert main(["route", "--config", str(config)]) == 1

    captured = capsys.readouterr()
    assert [each["tier"] for each in routes(captured.out)] == ["fast", "standard"]
    assert captured.err.startswith("redline: line 2: ")
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_the_settings_count(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], config: Path
) -> None:
    config.write_text('[routing.boundaries.names]\ncode = ["^x ="]\n', encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", Input(EASY))

    assert main(["route", "--config", str(config)]) == 0

    (found,) = routes(capsys.readouterr().out)
    assert (found["tier"], found["boundaries"]) == ("standard", ["names"])


def test_a_bad_setting_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], config: Path
) -> None:
    """It keeps its default, and the tasks are answered."""
    config.write_text("[routing]\nfast_below = 7\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", Input(EASY))

    assert main(["route", "--config", str(config)]) == 0

    captured = capsys.readouterr()
    assert len(routes(captured.out)) == 1
    assert "config.toml:2: routing.fast_below" in captured.err


def test_labels_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], config: Path
) -> None:
    """Those of one split, if it is named; a line without a label is reported."""
    labelled = [
        {**EASY, "id": "a", "tier": "fast", "split": "held"},
        {**GUARDED, "id": "b", "tier": "fast", "split": "held"},
        {**EASY, "id": "c", "tier": "deep", "split": "tune"},
        EASY,
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, labelled)), encoding="utf-8")

    words = ["route", "--score", str(file), "--split", "held", "--config", str(config)]
    assert main(words) == 1

    captured = capsys.readouterr()
    assert captured.out.startswith("1 of 2 tiers right (50.0%)\n")
    assert "b: fast -> standard" in captured.out
    assert captured.err.startswith("redline: line 4: ")


def test_labels_that_are_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], config: Path
) -> None:
    missing = tmp_path / "none.jsonl"

    assert main(["route", "--score", str(missing), "--config", str(config)]) == 1

    assert "none.jsonl" in capsys.readouterr().err


def test_an_answer_does_not_wait_for_the_next_task(config: Path) -> None:
    """A caller that writes one task and keeps the pipe open can read its route."""
    command = [sys.executable, "-m", "redline", "route", "--config", str(config)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(EASY).encode() + b"\n")
        process.stdin.flush()

        answered = json.loads(process.stdout.readline())
        process.stdin.close()

        assert answered["tier"] == "fast"
        assert process.wait(timeout=60) == 0


def test_a_line_without_end_is_reported(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not read into memory."""
    assert main(["route", "--score", "/dev/zero", "--config", str(config)]) == 1
    _, err = capsys.readouterr()
    assert "line 1: it is longer than 10 MB" in err
