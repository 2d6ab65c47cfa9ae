"""A program prints what it likes: nothing of it raises, or takes long to read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.traces.output import MAX_N_CHARS, MAX_N_LINES, output_lines
from redline.traces.read import read_failures

OUTPUTS = Path(__file__).parent / "outputs"
PIECES = sorted(
    {
        line
        for path in OUTPUTS.glob("*.txt")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
)


@given(text=st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Most of it has no failure."""
    read_failures(text)


@given(
    lines=st.lists(st.sampled_from(PIECES), max_size=40),
    cuts=st.lists(st.integers(min_value=0, max_value=80), max_size=40),
)
def test_any_mixture_of_outputs_is_read(lines: list[str], cuts: list[int]) -> None:
    """Lines of all formats, in any order, and cut anywhere."""
    ends = [*cuts, *[None] * len(lines)]
    text = "\n".join(line[:end] for line, end in zip(lines, ends, strict=False))
    for failure in read_failures(text):
        assert all(frame.line >= 0 and frame.path for frame in failure.frames)


@pytest.mark.parametrize("path", sorted(OUTPUTS.glob("*.txt")), ids=lambda p: p.stem)
def test_an_output_that_is_cut_is_read(path: Path) -> None:
    """A log may end in the middle of a failure."""
    text = path.read_text(encoding="utf-8")
    chosen = random.Random(1)
    for _ in range(10):
        read_failures(text[: chosen.randrange(len(text))])
        read_failures(text[chosen.randrange(len(text)) :])


def test_only_the_end_of_a_long_output_is_read() -> None:
    """Failures are at its end, and a line has a limit, too."""
    failing = "\na.c:3:4: error: no\n"
    [failure] = read_failures("x" * (2 * MAX_N_CHARS) + failing)
    assert failure.message == "no"
    assert read_failures(failing + "x" * MAX_N_CHARS) == ()
    assert len(output_lines("\n" * MAX_N_CHARS)) == MAX_N_LINES
    assert max(map(len, output_lines("y" * MAX_N_CHARS))) == 2_000


def test_a_line_that_was_begun_again_is_read_as_it_is_shown() -> None:
    """A progress bar before the message is overwritten."""
    [failure] = read_failures("building 10%\rbuilding 90%\ra.c:3:4: error: no\n")
    assert failure.frames[0].path == "a.c"
