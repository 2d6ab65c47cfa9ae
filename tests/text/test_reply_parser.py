"""However a reply is cut, and whatever it holds, it is read in one way."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.text.line_diff import restore_ends
from redline.text.lines import line_end, split_lines, strip_end
from redline.text.reply import Reply, ReplyFormat
from redline.text.reply_parser import ReplyParser

Read = Callable[..., Reply]

FORMATS: tuple[ReplyFormat, ...] = ("rewrite", "search-replace")
PARTS = st.sampled_from(
    """\
Here is the code:|Sure!|The file was never closed by the caller.|# Title|a.py
```|```python|~~~|    ```|````markdown|NO CHANGE: it is right|NO CHANGE:
<<<<<<< SEARCH|=======|>>>>>>> REPLACE|<<<<<|====|=====|>>>>> REPLACE
def f(self):|    def f(self):|        return 1|    return 1|return 1|\tx|}
# ... rest unchanged|...|a|b|    a||  |a\fb|\u2028
""".replace("\n", "|").split("|")
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", ""])
ENDS_OF_OLD = ["\n", "\r\n", "\r"]
REPLIES = st.lists(st.tuples(PARTS, ENDS).map("".join), max_size=14).map("".join)
TARGETS = st.sampled_from(
    [
        "",
        "\n",
        "a\n",
        "a\nb",
        "a\r\nb\r\n",
        "a\r\n\r\nb\na\r",
        "    def f(self):\n        return 1\n",
        "\n    def f(self):\n        return 1\n\n",
        "Title\n=======\n```python\na\n```\n",
    ]
)
LANGUAGES = st.sampled_from(["", "python", "markdown", "go", "restructuredtext"])


def target_lines_of(text: str) -> list[str]:
    return [line for line in split_lines(text) if line]


@given(REPLIES, TARGETS, LANGUAGES, st.sampled_from(FORMATS), st.data())
def test_any_pieces_give_the_same_reply(
    reply: str, target: str, language: str, format: ReplyFormat, data: st.DataObject
) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(reply)), max_size=8).map(sorted))
    pieces = [reply[a:b] for a, b in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    results = []
    for way in ([reply], list(reply), pieces):
        parser = ReplyParser(
            format=format,
            target_lines=target_lines_of(target),
            line_end="\n",
            language=language,
        )
        fed = [line for piece in way for line in parser.feed(piece)]
        result = parser.finish()
        # What came in another form is known at the end; then nothing that came counts.
        is_other_form = any(each.kind == "form" for each in result.problems)
        if result.lines is not None and not is_other_form:
            assert tuple(fed) == result.lines[: len(fed)]
        results.append(result)
    assert results[0] == results[1] == results[2]


@example("<<<<<<< SEARCH\n```\n```\n=====\n", "", "rewrite")
@given(REPLIES, TARGETS, st.sampled_from(FORMATS))
def test_a_reply_is_lines_or_a_reason_why_not(
    reply: str, target: str, format: ReplyFormat
) -> None:
    parser = ReplyParser(format=format, target_lines=target_lines_of(target))
    parser.feed(reply)
    result = parser.finish()
    if result.lines is None:
        assert result.declined is not None or not result.is_understood
    else:
        assert result.declined is None
        assert split_lines("".join(result.lines))[: len(result.lines)] == list(
            result.lines
        )
        for problem in result.problems:
            assert problem.line is None or problem.line < len(result.lines)


@example("```\nSure!\n", "a\n", "rewrite", "python")
@given(REPLIES, TARGETS, st.sampled_from(FORMATS), LANGUAGES)
def test_line_ends_of_the_reply_do_not_matter(
    reply: str, target: str, format: ReplyFormat, language: str
) -> None:
    one_end = "".join(strip_end(line) + "\n" for line in split_lines(reply))
    crlf = one_end.replace("\n", "\r\n")
    results = []
    for text in (one_end, crlf, one_end.replace("\n", "\r")):
        parser = ReplyParser(
            format=format,
            target_lines=target_lines_of(target),
            line_end="\r\n",
            language=language,
        )
        parser.feed(text)
        results.append(parser.finish())
    assert results[0] == results[1] == results[2]


@given(st.lists(st.sampled_from("abc"), max_size=6), st.data())
def test_a_range_keeps_its_ends(texts: list[str], data: st.DataObject) -> None:
    """Whatever ends most lines of the document have."""
    ends = st.sampled_from(data.draw(st.sampled_from([["\r\n"], ["\r"], ENDS_OF_OLD])))
    target = [text + data.draw(ends) for text in "abc"]
    parser = ReplyParser(
        format="rewrite", target_lines=target, line_end="\r\n", language="go"
    )
    fed = parser.feed("".join(f"{text}\n" for text in texts))
    lines = parser.finish().lines
    assert lines is not None
    assert list(lines) == restore_ends(target, [f"{text}\r\n" for text in texts])
    own = {line_end(line) for line in target}
    assert {line_end(line) for line in lines} <= own
    is_uniform = len(own) == 1
    assert fed == (list(lines) if is_uniform else [])


@pytest.mark.parametrize("format", FORMATS)
def test_a_reply_that_is_too_long_is_not_kept(format: ReplyFormat) -> None:
    parser = ReplyParser(format=format, target_lines=["a\n"], max_chars=10)
    parser.feed("x" * 11)
    assert parser.feed("a\n") == []
    result = parser.finish()
    assert result.lines is None
    assert [problem.kind for problem in result.problems] == ["too-long"]


def test_a_reply_may_be_as_long_as_the_limit() -> None:
    parser = ReplyParser(format="rewrite", target_lines=["a\n"], max_chars=10)
    assert parser.feed("x" * 9 + "\n") == ["x" * 9 + "\n"]


def test_code_is_handed_out_line_by_line() -> None:
    parser = ReplyParser(format="rewrite", target_lines=["a\n", "b\n"])
    assert parser.feed("x\ny") == ["x\n"]
    assert parser.feed("\nz\n") == ["y\n", "z\n"]
    assert parser.finish().lines == ("x\n", "y\n", "z\n")


def test_without_a_final_end_one_line_is_held_back() -> None:
    parser = ReplyParser(format="rewrite", target_lines=["a\n", "b"])
    assert parser.feed("x\ny\n") == ["x\n"]
    assert parser.finish().lines == ("x\n", "y")


@pytest.mark.parametrize(
    ("target_lines", "lines"),
    [(["a\n", ""], ("b\n", "")), ([""], ("b\n", "")), ([], ("b\n",))],
)
def test_an_empty_last_line_stays(
    target_lines: list[str], lines: tuple[str, ...]
) -> None:
    parser = ReplyParser(format="rewrite", target_lines=target_lines)
    parser.feed("b")
    assert parser.finish().lines == lines


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_stays(format: ReplyFormat, mark: str) -> None:
    """Models leave it out, or copy it."""
    parser = ReplyParser(format=format, target_lines=["\ufeffa\n", "b\n"])
    new = f"{mark}x\n"
    if format == "search-replace":
        new = f"<<<<<<< SEARCH\na\n=======\n{new}>>>>>>> REPLACE\n"
    parser.feed(new)
    lines = parser.finish().lines
    assert lines is not None
    assert lines[0] == "\ufeffx\n"


def test_a_zero_width_space_of_the_file_stays() -> None:
    """At the start of a reply it is removed only if it is not the user's."""
    for target, reply, new in [
        (["\u200bสวัสดี\n", "x\n"], "\u200bสวัสดี\ny\n", ("\u200bสวัสดี\n", "y\n")),
        (["\u200b\n", "x\n"], "\u200b\ny\n", ("\u200b\n", "y\n")),
        (["x\n"], "\u200by\n", ("y\n",)),
    ]:
        parser = ReplyParser(format="rewrite", target_lines=target, language="markdown")
        parser.feed(reply)
        assert parser.finish().lines == new


def test_the_first_line_waits_only_if_its_indentation_is_wrong() -> None:
    target = ["    def f(self):\n", "        return 1\n"]
    parser = ReplyParser(format="rewrite", target_lines=target, language="python")
    assert parser.feed("    def f(self):\n") == target[:1]
    parser = ReplyParser(format="rewrite", target_lines=target, language="python")
    assert parser.feed("def f(self):\n") == []
    assert parser.feed("    return 1\n") == target


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("\n" * 60_000 + "x\n", id="blank-lines"),
        pytest.param("NO CHANGE:" + " " * 200_000 + "x", id="spaces-in-a-refusal"),
        pytest.param("```" + " " * 200_000 + "x\ny\n```\n", id="spaces-in-a-fence"),
        pytest.param("# ... " + " is" * 100_000 + " x\n", id="words-of-an-elision"),
        pytest.param("#" + " " * 200_000 + "x\n", id="spaces-in-a-comment"),
        pytest.param("(" * 200_000 + "\n", id="one-long-line"),
        pytest.param("A " * 100_000 + "`b.\n", id="a-long-sentence"),
    ],
)
def test_no_reply_takes_quadratic_time(reply: str) -> None:
    """These take minutes, and so the test's time-out, if any pattern is."""
    target = ["    def f(self):\n", "        return 1\n"]
    for format in FORMATS:
        parser = ReplyParser(format=format, target_lines=target, language="python")
        parser.feed(reply)
        assert parser.finish() is not None
