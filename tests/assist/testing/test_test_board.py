"""The marks of failed tests."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from tests.assist.conftest import EditHarness
from tests.assist.testing.test_test_runs import CAPTURED, REPLAY, UNITTEST
from tests.lsp.conftest import Editor

from redline.assist.testing import run_state, test_runs
from redline.lsp.client.diagnostics import DiagnosticBoard
from redline.lsp.testing import test_board

PASSED = "tests.test_price.PriceTest.test_none"
FAILED = "tests.test_price.PriceTest.test_euros"


async def test_a_mark_goes_with_its_run(
    harness: EditHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once later runs have taken its place, nothing can debug its failure."""
    monkeypatch.setattr(test_runs, "MAX_RUNS", 2)
    file = tmp_path / "tests" / "test_price.py"
    file.parent.mkdir()
    file.write_text(UNITTEST, encoding="utf-8")
    (tmp_path / "replay.py").write_text(REPLAY, encoding="utf-8")
    output = str(CAPTURED / "unittest.txt")
    replay = [sys.executable, "replay.py", output, "{test}", "unittest"]
    passing = [sys.executable, "-c", "", "unittest", "{test}"]
    uri = file.as_uri()
    harness.workspace.change_roots(added=[tmp_path.as_uri()], removed=())
    harness.workspace.open(uri, "python", 1, UNITTEST)
    editor = Editor()
    editor.initialize()
    runs = test_runs.TestRuns(harness.services)
    board = test_board.TestBoard(
        runs, harness.workspace, DiagnosticBoard(editor.endpoint), shows_related=False
    )
    runs.follow(board.changed)
    ended: asyncio.Queue[test_runs.RunRecord] = asyncio.Queue()
    runs.follow(
        lambda run: None if run.state in run_state.AT_WORK else ended.put_nowait(run)
    )

    async def run(test: str, command: list[str]) -> tuple[str, int]:
        harness.configure(
            test={"command": command, "where": "workspace"},
            trust={"workspaces": [str(tmp_path)]},
        )
        await runs.start(uri, test=test)
        state = (await ended.get()).state
        return state, len(editor.heard[-1]["params"]["diagnostics"])

    assert await run(FAILED, replay) == ("failed", 1)
    assert await run(PASSED, passing) == ("passed", 1)
    assert await run(PASSED, passing) == ("passed", 0)
    await runs.aclose()


LINE = "        self.assertEqual(euros(250), 2.5)\n"


@pytest.mark.parametrize(
    ("now", "line"),
    [
        (UNITTEST, 7),
        ("import os\n\n" + UNITTEST, 9),
        (UNITTEST.removeprefix("import unittest\n\n"), 5),
        (UNITTEST.replace(LINE, f"        pass\n{LINE}") + LINE, 8),
        (UNITTEST.replace("250", "260"), None),
        ("\n" * 300 + UNITTEST, None),
    ],
)
async def test_a_mark_is_at_the_line_that_failed(
    now: str, line: int | None, harness: EditHarness, tmp_path: Path
) -> None:
    """Though it moved while its test ran: the nearest line with its text."""
    file = tmp_path / "tests" / "test_price.py"
    file.parent.mkdir()
    file.write_text(UNITTEST, encoding="utf-8")
    (tmp_path / "replay.py").write_text(REPLAY, encoding="utf-8")
    output = str(CAPTURED / "unittest.txt")
    harness.configure(
        test={
            "command": [sys.executable, "replay.py", output, "{test}", "unittest"],
            "where": "workspace",
        },
        trust={"workspaces": [str(tmp_path)]},
    )
    uri = file.as_uri()
    harness.workspace.change_roots(added=[tmp_path.as_uri()], removed=())
    harness.workspace.open(uri, "python", 1, UNITTEST)
    editor = Editor()
    editor.initialize()
    runs = test_runs.TestRuns(harness.services)
    board = test_board.TestBoard(
        runs, harness.workspace, DiagnosticBoard(editor.endpoint), shows_related=False
    )
    ended: asyncio.Queue[test_runs.RunRecord] = asyncio.Queue()
    runs.follow(
        lambda run: None if run.state in run_state.AT_WORK else ended.put_nowait(run)
    )
    await runs.start(uri, test=FAILED)
    run = await ended.get()
    # The editor's text is this one before the run ends.
    harness.workspace.open(uri, "python", 2, now)
    board.changed(run)
    shown = editor.heard[-1]["params"]["diagnostics"]
    lines = [one["range"]["start"]["line"] for one in shown]
    assert lines == ([] if line is None else [line])
    await runs.aclose()
