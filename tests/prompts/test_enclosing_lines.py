"""The lines far above a place that say what it is a part of."""

from __future__ import annotations

import pytest

from redline.prompts.enclosing_lines import MAX_ENCLOSING, enclosing_lines

YAML_ENTRIES = [f"  entry{number}: paddle{number}-otter" for number in range(300)]
STRINGS = [f'    "paddle{number}-otter",' for number in range(300)]


@pytest.mark.parametrize(
    ("above", "found"),
    [
        pytest.param(
            ["kind: Secret", "metadata:", "  name: a", "stringData:", *YAML_ENTRIES],
            ["kind: Secret", "metadata:", "stringData:"],
            id="entries of a mapping beside its own key",
        ),
        pytest.param(
            ["kind: Secret", "---", "kind: ConfigMap", "data:", *YAML_ENTRIES],
            ["kind: ConfigMap", "data:"],
            id="a document of YAML",
        ),
        pytest.param(
            ["a: 1", "tokens:", *("- b" for _ in range(300)), "- c"],
            ["a: 1", "tokens:"],
            id="a list that is not indented",
        ),
        pytest.param(
            ["import os", "", "API_KEYS = [", *STRINGS], ["API_KEYS = ["], id="a list"
        ),
        pytest.param(
            ["{", '  "kind": "Secret",', '  "data": {', *STRINGS],
            ["{", '  "kind": "Secret",', '  "data": {'],
            id="JSON",
        ),
        pytest.param(
            ["class A:", "    def f(self):", "        if x:", *["            y()"] * 9],
            ["class A:", "    def f(self):", "        if x:"],
            id="code",
        ),
        pytest.param(["a = 1", "b = 2"], [], id="nothing"),
        pytest.param([], [], id="the first line"),
    ],
)
def test_what_encloses_a_line(above: list[str], found: list[str]) -> None:
    last = above[-1:] or ["x"]
    lines = [f"{line}\n" for line in (*above, "", *last)]
    numbers = enclosing_lines(lines, len(above))
    assert [lines[number] for number in numbers] == [f"{line}\n" for line in found]


def test_lines_very_far_above_are_not_read() -> None:
    lines = ["keys = [\n", *['    "a",\n'] * 2 * MAX_ENCLOSING]
    assert enclosing_lines(lines, MAX_ENCLOSING) == [0]
    assert enclosing_lines(lines, MAX_ENCLOSING + 1) == []


def test_only_the_nearest_entries_beside_a_line_are_returned() -> None:
    """A mapping of a thousand entries would be searched with each key."""
    entries = [f"  b{n}:\n" for n in range(99)]
    lines = ["a:\n", *entries, "    c: d\n"]
    assert enclosing_lines(lines, 100) == [0, *range(79, 100)]
    assert enclosing_lines([f"{n}:\n" for n in range(99)] + [" c\n"], 99) == [
        *range(78, 99)
    ]
