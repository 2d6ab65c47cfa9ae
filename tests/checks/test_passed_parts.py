"""Callers that pass a part of what a function now takes whole."""

from __future__ import annotations

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.passed_parts import check_passed_parts
from redline.text.lines import split_lines

SCRIPT = """\
class A {
  #play(buffer, when) {
    this.start(buffer, when);
  }
  fill() {
    for (const track of this.tracks) this.#play(track.buffer, 1);
  }
}
"""
PYTHON = """\
class A:
    def play(self, when, buffer):
        start(buffer, when)

    def fill(self):
        self.play(1, self.track.buffer)
"""
JAVA = """\
class A {
    void play(Buffer buffer) {
        start(buffer);
    }
    void fill(Track track) {
        play(track.buffer);
    }
}
"""
WHOLE = [("buffer", "track"), ("start(track", "start(track.buffer")]


def _messages(path: str, text: str, replaced: list[tuple[str, str]]) -> list[str]:
    """Return what is reported of an edit of the second and third lines."""
    lines = tuple(split_lines(text))
    region = "".join(lines[1:3])
    for old, new in replaced:
        region = region.replace(old, new)
    candidate = CheckedEdit(
        before=lines,
        after=(*lines[:1], *split_lines(region)[:-1], *lines[3:]),
        region_before=range(1, 3),
        region_after=range(1, 3),
        path=path,
    )
    return [one.message for one in check_passed_parts(candidate)]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [("a.mjs", SCRIPT, 6), ("a.py", PYTHON, 6), ("A.java", JAVA, 6)],
)
def test_a_caller_that_passes_the_part(path: str, text: str, line: int) -> None:
    [message] = _messages(path, text, WHOLE)
    assert f"line {line} of the file still passes `track.buffer`" in message


@pytest.mark.parametrize(
    "replaced",
    [
        [("buffer", "track")],
        [("buffer", "piece"), ("start(piece", "start(piece.buffer")],
        [("buffer", "track"), ("start(track", "start(track.buffer ?? track")],
        [("(buffer, when)", "(track)"), ("start(track", "start(track.buffer")],
    ],
)
def test_other_changes(replaced: list[tuple[str, str]]) -> None:
    """A new name alone, a part that may be missing, and another list."""
    assert _messages("a.mjs", SCRIPT, replaced) == []


def test_a_caller_that_passes_the_whole() -> None:
    text = SCRIPT.replace("#play(track.buffer", "#play(track")
    assert _messages("a.mjs", text, WHOLE) == []


def test_a_function_of_another_object() -> None:
    text = SCRIPT.replace("this.#play(", "other.play(").replace("#play", "play")
    assert _messages("a.mjs", text, WHOLE) == []
