"""What the tests of the rules share: one way to run an instruction on marked code."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any  # Keyword arguments that are passed on as they are.

import pytest

from redline.gateway.rules.edit_answer import answer
from redline.prompts.edit import EditTask
from redline.text.reply import DECLINED

OPENING, CLOSING = "«\n", "»\n"


def run_edit(
    instruction: str,
    code: str,
    *,
    language: str = "python",
    path: str = "app/thing.py",
    whole: bool = True,
) -> str:
    """Carry out an instruction and return the file after it, or the refusal.

    Args:
        instruction: In a developer's words.
        code: The file; lines with « and » alone mark the range, else all is the range.
        language: LSP language id.
        path: In the workspace.
        whole: Whether the engine knows that it sees the whole file.
    """
    code = _laid_out(code)
    before, target, after = "", code, ""
    if OPENING in code:
        before, _, rest = code.partition(OPENING)
        target, _, after = rest.partition(CLOSING)
    reply = answer(
        EditTask(
            instruction=instruction,
            path=path,
            language=language,
            before=before,
            target=target,
            after=after,
            is_whole_file=whole,
        )
    )
    return reply if reply.startswith(DECLINED) else before + reply + after


def _laid_out(code: str) -> str:
    """Dedent code that is written over several lines."""
    return dedent(code[1:]) if code.startswith("\n") else code


@pytest.fixture
def edit() -> Callable[..., str]:
    """Run an instruction on code and return any outcome: see `run_edit`."""
    return run_edit


@pytest.fixture
def check() -> Callable[..., None]:
    """Compare the file after an edit with the expected one."""

    def compare(instruction: str, code: str, expected: str, **options: Any) -> None:
        result = run_edit(instruction, code, **options)
        assert result == _laid_out(expected)

    return compare


@pytest.fixture
def refuses() -> Callable[..., None]:
    """Expect a refusal: one line, with these words among its reasons."""

    def expect(instruction: str, code: str, reason: str, **options: Any) -> None:
        reply = run_edit(instruction, code, **options)
        assert reply.startswith(DECLINED)
        assert "\n" not in reply
        assert reason in reply

    return expect
