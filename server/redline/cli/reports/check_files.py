"""Reads an edit from two files, and writes problems as text and JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from redline.checks.edit_question import CheckedFolders, EditCheck, EditVerdict
from redline.checks.problem import Problem
from redline.errors import InvalidArgumentsError, UnreadableFileError
from redline.files import read_file
from redline.printable import json_page, printable_line
from redline.text.line_diff import diff_lines
from redline.text.lines import split_lines

SCHEMA = 1
"""Version of the JSON; adding a field does not change it."""

_MAX_BYTES = 10_000_000


def read_question(
    before: Path,
    after: Path,
    *,
    workspace: Path,
    lines: range | None,
    language: str,
    instruction: str,
    python: Path | None,
) -> EditCheck:
    """Read the question for the checks from the file before and after an edit.

    Args:
        before: The file before; its name gives the language, its folder resolves
            relative imports.
        after: The file after.
        workspace: The folder whose modules can be imported, absolute.
        lines: The lines of `before` to edit; None: those that differ.
        language: The LSP language id; empty: from the file's name.
        instruction: The instruction of the edit.
        python: The Python environment, absolute; None: search for it.

    Raises:
        InvalidArgumentsError: If a file is not readable text, or lacks these lines.
    """
    old, new = _read(before), _read(after)
    region = _differing(old, new) if lines is None else lines
    if region.stop > len(old):
        raise InvalidArgumentsError(
            f"{before} has {len(old)} lines, and none up to {region.stop}."
        )
    # The region ends at the same distance from the end in both files.
    stop = max(region.start, len(new) - (len(old) - region.stop))
    return EditCheck(
        before=old,
        first=region.start,
        n_old=len(region),
        new=new[region.start : stop],
        after=new,
        language=language,
        path=_encodable(before.absolute()),
        instruction=instruction,
        environment=CheckedFolders(
            roots=(workspace.as_uri(),),
            python=None if python is None else _encodable(python),
        ),
    )


def text_page(file: Path, question: EditCheck, verdict: EditVerdict) -> str:
    """Return the problems as lines `file:line: rule: message`, as compilers write."""
    return "".join(
        f"{printable_line(place)}: {problem.rule}: {printable_line(problem.message)}\n"
        for problem, line in _placed(question, verdict.problems)
        for place in [f"{file}{'' if line is None else f':{line}'}"]
    )


def problems_page(file: Path, question: EditCheck, verdict: EditVerdict) -> str:
    """Return the problems as JSON."""
    page = {
        "schema": SCHEMA,
        "file": str(file),
        "score": verdict.score,
        "problems": [
            {"rule": problem.rule, "line": line, "message": problem.message}
            for problem, line in _placed(question, verdict.problems)
        ],
    }
    return json_page(page)


def _placed(
    question: EditCheck, problems: Sequence[Problem]
) -> Iterator[tuple[Problem, int | None]]:
    """Give each problem its line in the file after, counted from 1."""
    first = question.first + 1
    for problem in problems:
        yield problem, None if problem.line is None else first + problem.line


def _encodable(path: Path) -> str:
    """Return a path with what is not UTF-8 in it replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _read(path: Path) -> list[str]:
    try:
        # Not `read_text`, which would convert line ends.
        return split_lines(_content(path).decode())
    except UnreadableFileError as error:
        raise InvalidArgumentsError(str(error)) from error
    except UnicodeDecodeError as error:
        raise InvalidArgumentsError(f"{path} is no text in UTF-8.") from error


def _content(path: Path) -> bytes:
    if not path.is_fifo():
        return read_file(path, max_bytes=_MAX_BYTES)
    # A pipe is what a shell makes of `<(git show HEAD:a.py)`.
    with path.open("rb") as pipe:
        content = pipe.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise InvalidArgumentsError(
            f"{path} is not read: it is larger than {_MAX_BYTES // 1_000_000} MB."
        )
    return content


def _differing(old: Sequence[str], new: Sequence[str]) -> range:
    """Return the lines from the first to the last difference, if any."""
    hunks = diff_lines(old, new)
    return range(hunks[0].start, hunks[-1].end) if hunks else range(0)
