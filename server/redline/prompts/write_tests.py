"""The instruction of an edit that writes tests: its range is the whole test file."""

from __future__ import annotations

from msgspec import Struct

from redline.prompts.blocks import Block, on_one_line, write_block
from redline.prompts.render import render


class WriteTestsTask(Struct, frozen=True, kw_only=True):
    """Code to test. All text has LF line ends."""

    path: str
    """The code's file, relative to the workspace."""
    test_path: str
    """The test file's path; it may not exist yet."""
    code: str
    """The lines to test, or the whole file."""
    is_new_file: bool
    """Whether the test file must be created."""
    wish: str = ""
    """Additional instructions of the user."""


def instruction_to_test(task: WriteTestsTask) -> str:
    """Write the instruction of the edit on the test file."""
    return render(
        "tests",
        path=on_one_line(task.path),
        test_path=on_one_line(task.test_path),
        state=_NEW if task.is_new_file else _OLD,
        code=write_block(Block(title="Code to test", text=task.code)),
        wish=f"\nThe developer adds: {task.wish}\n" if task.wish else "",
    )


_NEW = "It does not exist yet: write all of it, with its imports."
_OLD = (
    "Its tests are in the range: keep every one of them as it is, and add yours in the "
    "same style, with the same framework, fixtures and helpers."
)
