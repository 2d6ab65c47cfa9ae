"""Callers that no longer fit the places, or the kinds, of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.candidate import CheckedEdit
from redline.checks.moved_parameters import check_moved_parameters
from redline.text.lines import split_lines

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

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
    return [one.message for one in check_moved_parameters(candidate)]


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


LETTER = (
    "»\ndef letter(name: str, level: int, total: int = 0) -> str:\n    return name\n«\n"
    "\n\ndef remind(customer):\n    return letter(%s)\n"
)
MOVED = [
    (  # The last one has a default.
        "python",
        LETTER % "customer.name, 1, 20",
        "def letter(name: str, total: int = 0, level: int = 1) -> str:\n"
        "    return name\n",
    ),
    (
        "typescript",
        "»\nfunction rate(km: number) {\n  return km;\n}\n«\nrate(3);\n",
        "function rate(debug = false, km = 0) {\n  return km;\n}\n",
    ),
    (
        "c",
        "»\nint fill(char *to, int n)\n{\n    return n;\n}\n«\n"
        "int main(void)\n{\n    return fill(buf, 3);\n}\n",
        "int fill(int n, char *to)\n{\n    return n;\n}\n",
    ),
    (
        "go",
        "»\nfunc fill(to string, from string) {\n}\n«\nfunc main() {\n"
        "\tfill(a, b)\n}\n",
        "func fill(from string, to string) {\n}\n",
    ),
    (
        "php",
        "<?php\n»\nfunction vat(string $land, string $kind) {\n    return 1;\n}\n«\n"
        "echo vat($a, $b);\n",
        "function vat(string $kind, string $land) {\n    return 1;\n}\n",
    ),
]
KEPT = [
    (  # By their names.
        "python",
        LETTER % "name=customer.name, level=1",
        "def letter(level: int, name: str, total: int = 0) -> str:\n    return name\n",
    ),
    (  # Only renamed.
        "python",
        LETTER % "customer.name, 1",
        "def letter(to: str, step: int, total: int = 0) -> str:\n    return to\n",
    ),
    (  # Added behind the others.
        "python",
        LETTER % "customer.name, 1",
        "def letter(name: str, level: int, total: int = 0, cc: str = ''):\n"
        "    return name\n",
    ),
    (  # What is passed has the name of the new place.
        "python",
        LETTER % "level, 1",
        "def letter(level: int, name: str, total: int = 0) -> str:\n    return name\n",
    ),
    (  # More than it took before.
        "javascript",
        "»\nfunction rate(km) {\n  return km;\n}\n«\nrate(1, 3);\n",
        "function rate(debug, km) {\n  return km;\n}\n",
    ),
]


@pytest.mark.parametrize(("language", "before", "after"), MOVED)
def test_a_call_in_the_order_of_before_is_reported(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    candidate = make_candidate(before, after, language=language)
    [problem] = check_moved_parameters(candidate)
    assert "have other places now" in problem.message


@pytest.mark.parametrize(("language", "before", "after"), KEPT)
def test_a_call_that_still_fits_is_not(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    candidate = make_candidate(before, after, language=language)
    assert not list(check_moved_parameters(candidate))
