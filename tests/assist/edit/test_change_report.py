"""What is said of an edit that entered its document without a preview."""

from __future__ import annotations

import pytest
from tests.assist.conftest import EditHarness

from redline.assist.edit.session.change_report import change_report
from redline.assist.edit.session.result import Mode

TEXT = "a = 1\nb = 2\nc = 3\n"
EDITED = "a = 10\nb = 2\nc = 30\n"
SAID = "Redline changed 2 lines in app.py (2 changes); undo takes it back"


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("aBcd", "1 line in x.py"),
        ("aBCd", "2 lines in x.py"),
        ("abcd+", "1 line in x.py"),
        ("ad", "2 lines in x.py"),
        ("aXYZd", "3 lines in x.py"),
        ("A+bC", "4 lines in x.py (2 changes)"),
    ],
)
def test_lines_and_changes(after: str, said: str) -> None:
    """A replaced line counts once, and so does one that came or went."""
    report = change_report("abcd", after, name="x.py", has_steps=False)
    assert report == f"Redline changed {said}; undo takes it back."


@pytest.mark.parametrize(
    ("mode", "said"),
    [("end", f"{SAID}."), ("stream", f"{SAID} step by step."), ("preview", None)],
)
async def test_the_edit_is_reported(
    harness: EditHarness, mode: Mode, said: str | None
) -> None:
    """Once, and not to a client with a preview, which shows the edit itself."""
    if mode == "preview":
        harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3, apply=mode)
    (await harness.model.generation()).reply(EDITED)
    await running.result()
    if mode == "preview":
        await harness.accept(running.id, None)
    assert harness.editor.text() == EDITED
    assert harness.editor.messages == ([] if said is None else [said])


@pytest.mark.parametrize("has_preview", [False, True])
@pytest.mark.parametrize(
    ("reply", "outcome", "said"),
    [
        (TEXT, "unchanged", "The model changed nothing."),
        ("", "held", "Held back: "),
    ],
)
async def test_an_edit_that_changes_nothing_says_why(
    harness: EditHarness, reply: str, outcome: str, said: str, *, has_preview: bool
) -> None:
    """Once, and not to a client with a preview, which says it itself."""
    if has_preview:
        harness.preview()
    harness.editor.open(TEXT)
    running = harness.edit_lines(0, 3)
    (await harness.model.generation()).reply(reply)
    assert (await running.result()).outcome == outcome
    assert harness.editor.text() == TEXT
    start = f"Redline changed nothing in app.py. {said}"
    assert [each[: len(start)] for each in harness.editor.messages] == (
        [] if has_preview else [start]
    )


async def test_nothing_is_said_of_a_stopped_edit(harness: EditHarness) -> None:
    """The user has stopped it."""
    harness.editor.open(TEXT)
    harness.edit_lines(0, 3)
    (await harness.model.generation()).write("a = 10\n")
    harness.edits.stop()
    await harness.idle()
    assert harness.editor.text() == TEXT
    assert harness.editor.messages == []
