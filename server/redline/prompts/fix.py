"""Instructions of edits that Redline starts itself: fixes of findings, and tests."""

from __future__ import annotations

from dataclasses import dataclass

from redline.prompts.blocks import Block, on_one_line, write_block
from redline.prompts.render import render
from redline.prompts.repair import list_problems


@dataclass(frozen=True, slots=True, kw_only=True)
class FixTask:
    """A finding to fix. All text has LF line ends."""

    title: str
    explanation: str
    proposal: str | None = None
    """The reviewer's own replacement of the lines, unchecked."""
    problems: tuple[str, ...] = ()
    """Messages of the checks about an earlier attempt."""


def instruction_to_fix(task: FixTask) -> str:
    """Write the instruction of the edit on the quoted lines, for `edit_prompt`."""
    blocks = []
    if task.proposal is not None:
        title = "What the reviewer proposes for the range, unchecked"
        blocks.append(Block(title=title, text=task.proposal))
    if task.problems:
        title = "What was wrong with an earlier try"
        blocks.append(Block(title=title, text=list_problems(task.problems)))
    return render(
        "fix",
        title=task.title,
        explanation=task.explanation,
        blocks="".join(f"\n{write_block(block)}" for block in blocks),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteTestsTask:
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
