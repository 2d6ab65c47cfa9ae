"""Real outputs of failed programs, test runs and compilers are read right.

`outputs/NAME.txt` is what the program printed: 63 of them were made by running small
programs that fail, with CPython 3.11, pytest 9, Node 20 and 24, Jest 30, Vitest 4,
Mocha 12, TypeScript 7, Go 1.26, cargo, GCC, javac 17, Maven with JUnit 5, RSpec 3.12
and PHPUnit 9.6; their folders are replaced. `jest`, `jest_suite`, `vitest`, `surefire`,
`maven_compile` and `clang` follow the documented format.
`outputs/NAME.read` is what is read from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.traces.failure import MAX_FRAMES, ProgramFailure
from redline.traces.read import MAX_FAILURES, read_failures

OUTPUTS = Path(__file__).parent / "outputs"
NAMES = sorted(path.stem for path in OUTPUTS.glob("*.txt"))


def summary(failure: ProgramFailure, lead: str = "") -> Iterator[str]:
    """Write a failure in lines."""
    error = failure.error or "-"
    yield f"{lead}{failure.kind} {error}: {failure.message!r}"
    if failure.test is not None:
        yield f"  test {failure.test}"
    if failure.captured:
        yield f"  captured {failure.captured!r}"
    for frame in failure.frames:
        function = f" in {frame.function}" if frame.function else ""
        text = f" | {frame.text}" if frame.text else ""
        yield f"  {frame.path}:{frame.line}{function}{text}"
    for cause in failure.causes:
        yield from summary(cause, "caused by ")


def read(text: str) -> str:
    return "".join(
        f"{line}\n" for failure in read_failures(text) for line in summary(failure)
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_output_is_read(name: str) -> None:
    """Each failure with its error, message, test, places and causes."""
    text = (OUTPUTS / f"{name}.txt").read_text(encoding="utf-8")
    assert read(text) == (OUTPUTS / f"{name}.read").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_windows_line_ends_and_colours_change_nothing(name: str) -> None:
    """Marks of terminals are cut, wherever they are."""
    text = (OUTPUTS / f"{name}.txt").read_text(encoding="utf-8")
    marked = "".join(
        f"\x1b[31m{line}\x1b[0m\x1b]0;title\x07\r\n" for line in text.splitlines()
    )
    assert read(marked) == read(text)


def test_outputs_of_several_programs_are_read_together() -> None:
    """In their order."""
    texts = [
        (OUTPUTS / f"{name}.txt").read_text(encoding="utf-8")
        for name in ("gcc", "go_panic", "python_chain", "tsc")
    ]
    kinds = [failure.kind for failure in read_failures("\n".join(texts))]
    assert kinds == ["gcc", "gcc", "go", "python", "tsc", "tsc", "tsc"]


def test_there_is_nothing_to_read() -> None:
    """Output without a failure."""
    assert read_failures("") == ()
    assert read_failures("all good\n5 passed in 0.1s\n") == ()


def test_very_many_failures_and_frames_are_limited() -> None:
    """The first failures, and both ends of a stack."""
    many = "a.c:1:1: error: no\n" * 500
    assert len(read_failures(many)) == MAX_FAILURES
    calls = "".join(f'  File "a.py", line {n}, in f\n' for n in range(1, 1_000))
    [deep] = read_failures(
        f"Traceback (most recent call last):\n{calls}RecursionError: too deep\n"
    )
    assert len(deep.frames) == MAX_FRAMES
    assert (deep.frames[0].line, deep.frames[-1].line) == (1, 999)
