"""Splitting a scope: every reviewed line is shown once or listed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs import n_runs

from redline.findings.parts import WHOLE_N_TOKENS, Parts, split
from redline.findings.scope import ReviewedFile, Span


def count(text: str) -> int:
    """A token a word."""
    return sum(max(len(line.split()), 1) for line in text.splitlines())


def file(path: str, lines: list[str], *spans: Span, diff: str = "") -> ReviewedFile:
    """A file; no spans: all of it."""
    return ReviewedFile(
        path=path,
        uri="",
        language="",
        text="\n".join(lines),
        spans=spans or ((0, len(lines)),),
        diff=diff,
    )


def shown(parts: Parts, path: str) -> list[int]:
    """The reviewed lines that a model sees, by index."""
    return [
        n
        for part in parts.parts
        for one in part.excerpts
        if one.path == path
        for first, end in one.spans
        for n in range(first, end)
    ]


def test_what_fits_is_shown_whole_and_together() -> None:
    """With its diff."""
    files = [file("a", ["x"] * 10, (3, 4), diff="@@ -4 +4 @@\n+x"), file("b", ["y"])]
    parts = split(files, budget=1_000, count=count, max_parts=9)
    (part,) = parts.parts
    assert [one.is_whole for one in part.excerpts] == [True, True]
    assert part.excerpts[0].diff == files[0].diff
    assert part.excerpts[0].spans == ((3, 4),)
    assert not parts.left_out


def test_a_long_file_is_shown_around_its_lines_in_question() -> None:
    """Each with its own hunk."""
    lines = ["word"] * (WHOLE_N_TOKENS + 100)
    diff = "@@ -101 +101 @@\n-a\n+word\n@@ -9001 +9001 @@\n-b\n+word"
    long = file("a", lines, (100, 101), (9000, 9001), diff=diff)
    (part,) = split([long], budget=100_000, count=count, max_parts=9).parts
    first, second = part.excerpts
    assert not first.is_whole
    assert first.first_line == 40
    assert first.diff == "@@ -101 +101 @@\n-a\n+word"
    assert second.spans == ((9000, 9001),)
    assert second.diff == "@@ -9001 +9001 @@\n-b\n+word"


def test_lines_in_question_are_cut_between_definitions() -> None:
    """Where the code is least indented."""
    definition = ["def f():", *["    a b c d"] * 18, ""]
    parts = split([file("a", definition * 30)], budget=400, count=count, max_parts=99)
    cuts = {one.spans[0][0] for part in parts.parts for one in part.excerpts}
    assert len(cuts) > 5
    assert {at % 20 for at in cuts} == {0}


def test_what_is_too_much_is_listed() -> None:
    """With its lines, and why."""
    files = [file(name, ["a b c"] * 100) for name in "abc"]
    parts = split(files, budget=400, count=count, max_parts=2)
    assert [one.path for part in parts.parts for one in part.excerpts] == ["a", "b"]
    (left,) = parts.left_out
    assert left.path == "c"
    assert left.reason == "lines 1 to 100: the review would take more than 2 parts"


def test_a_line_that_is_too_long_is_listed() -> None:
    """And all others are shown."""
    lines = ["a"] * 50 + ["b " * 5_000] + ["c"] * 50
    parts = split([file("a", lines)], budget=1_000, count=count, max_parts=9)
    assert shown(parts, "a") == [n for n in range(101) if n != 50]
    (left,) = parts.left_out
    assert left.reason == "lines 51: they do not fit into a part of a review"


def test_a_diff_that_is_too_long_is_left_out_and_listed() -> None:
    """If it has deleted lines; otherwise the new lines are enough."""
    removed = "@@ -1,2000 +1 @@\n" + "\n".join(["-gone"] * 2_000) + "\n+a"
    parts = split(
        [file("a", ["a"] * 500, (0, 1), diff=removed)],
        budget=1_000,
        count=count,
        max_parts=9,
    )
    assert parts.parts[0].excerpts[0].diff == ""
    assert "the old lines are too long" in parts.left_out[0].reason
    added = "@@ -0,0 +1,600 @@\n" + "\n".join(["+a"] * 600)
    parts = split(
        [file("a", ["a"] * 600, diff=added)], budget=1_000, count=count, max_parts=9
    )
    assert shown(parts, "a") == list(range(600))
    assert not parts.left_out


WORDS = st.sampled_from(["", "a", "  b c", "    d e f", "x " * 300])
FILES = st.lists(st.lists(WORDS, min_size=1, max_size=80), min_size=1, max_size=4)


@settings(max_examples=n_runs(40), deadline=None)
@given(FILES, st.integers(200, 900), st.data())
def test_every_line_in_question_is_shown_once_or_left_out(
    texts: list[list[str]], budget: int, data: st.DataObject
) -> None:
    """No part exceeds the budget, and excerpts hold only text of the file."""
    files = []
    for n, lines in enumerate(texts):
        first = data.draw(st.integers(0, len(lines) - 1))
        end = data.draw(st.integers(first + 1, len(lines)))
        files.append(file(f"f{n}", lines, (first, end)))
    parts = split(files, budget=budget, count=count, max_parts=1_000)
    for part in parts.parts:
        assert part.n_tokens <= budget
        assert sum(count(f"{one.text}\n") for one in part.excerpts) <= budget
    for one, lines in zip(files, texts, strict=True):
        seen = shown(parts, one.path)
        asked = set(range(*one.spans[0]))
        assert set(seen) <= asked
        left = [left for left in parts.left_out if left.path == one.path]
        assert bool(asked - set(seen)) == bool(left)
        assert all(len(lines[n].split()) > 50 for n in asked - set(seen))
    for part in parts.parts:
        for excerpt in part.excerpts:
            lines = texts[int(excerpt.path[1:])]
            n_lines = excerpt.text.count("\n") + 1
            at = excerpt.first_line
            assert excerpt.text == "\n".join(lines[at : at + n_lines])
