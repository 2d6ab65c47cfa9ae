"""`redline demo` shows all of its scenes, on the sample and without a model."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from redline.cli.demo.demo_stage import Screen

_SCENES = (
    "An edit: “Add type hints and use f-strings and rename `dropped` to `rejected`”",
    "Stop: “Add type hints”, interrupted half-way",
    "Redirect",
    "Candidates: three generations of “Use f-strings”",
    "A live instruction: “Add type hints”, key by key",
    "A review of this file, while an edit runs",
)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo writes where no terminal is; it takes some seconds."""
    home = tmp_path_factory.mktemp("home")
    homes = {
        f"XDG_{name}_HOME": str(home / name.lower())
        for name in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    done = subprocess.run(
        [sys.executable, "-m", "redline", "demo"],
        env=os.environ | homes | {"COLUMNS": "120"},
        cwd=home,
        capture_output=True,
        timeout=100,
        check=True,
    )
    assert not list(home.rglob("*.sqlite3")), "a demo is no use of Redline"
    return done.stdout.decode()


def test_every_scene_is_shown(output: str) -> None:
    """In this order."""
    places = [output.index(scene) for scene in _SCENES]
    assert places == sorted(places)
    assert "The document is untouched." in output


def test_the_diff_fits_into_80_columns(output: str) -> None:
    """So that none of its lines is wrapped in a terminal of the usual width."""
    diff = output[output.index("--- before") : output.index(" more lines of diff")]
    assert max(map(len, diff.splitlines())) <= 80


def test_it_ends_with_a_review_of_the_file(output: str) -> None:
    """Findings with fixes, and the plain word that no model took part."""
    review = output[output.index(_SCENES[-1]) :]
    assert "until the first finding is a diagnostic" in review
    assert "the edit: answered" in review
    assert "Use `==` to compare constant literals, with a fix" in review
    assert "Do not use mutable data structures for argument defaults" in review
    assert "The built-in rules have reviewed, not a model" in review


def test_a_diff_is_shown_if_the_width_is_unknown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    Screen().diff(["+x = 1\n"])
    assert "+x = 1" in capsys.readouterr().out


def test_a_diff_loses_nothing_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A long line goes on below."""
    monkeypatch.setenv("COLUMNS", "40")
    line = "+def total(orders: list[dict], discount: float = 0.0) -> float:\n"
    Screen().diff([line])
    assert capsys.readouterr().out.split() == line.split()
