"""Replies made of search/replace blocks, as models really write them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

Read = Callable[..., Reply]

CLASS = """\
class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def total(self):
        return sum(self.items)
"""
TITLES = "Title\n=======\n\ntext\n\nOther\n=====\n\ntext\n"


def block(search: str, replace: str, n_marks: int = 7) -> str:
    return (
        f"{'<' * n_marks} SEARCH\n{search}{'=' * n_marks}\n"
        f"{replace}{'>' * n_marks} REPLACE\n"
    )


ADD = block("    def add(self, item):\n", "    def add(self, item: Item) -> None:\n")
TOTAL = block("        return sum(self.items)\n", "        return len(self.items)\n")
INIT = block("        self.items = []\n", "        self.items = {}\n")
NEW_ADD = CLASS.replace("add(self, item):", "add(self, item: Item) -> None:")
NEW_BOTH = NEW_ADD.replace("sum(", "len(")


def check(
    read: Read, reply: str, expected: str | None, kinds: str = "", target: str = CLASS
) -> Reply:
    """Compare the new text and the problems' kinds, which are named in one string."""
    found = read(reply, target=target, format="search-replace")
    text = None if found.lines is None else "".join(found.lines)
    assert text == expected
    assert [problem.kind for problem in found.problems] == kinds.split()
    return found


@pytest.mark.parametrize(
    ("reply", "expected", "kinds"),
    [
        pytest.param(ADD, NEW_ADD, "", id="one"),
        pytest.param(ADD.rstrip("\n"), NEW_ADD, "", id="no-final-newline"),
        pytest.param(ADD.replace("\n", "\r\n"), NEW_ADD, "", id="crlf-reply"),
        pytest.param(ADD + TOTAL, NEW_BOTH, "", id="two"),
        pytest.param(ADD + "\n\n" + TOTAL, NEW_BOTH, "", id="blank-lines-between"),
        pytest.param(f"```python\n{ADD}```\n", NEW_ADD, "fence", id="in-a-fence"),
        pytest.param(
            f"```\n{ADD}```\n\n```\n{TOTAL}```\n", NEW_BOTH, "fence", id="two-fences"
        ),
        pytest.param(
            f"First the types:\n\n{ADD}\nThen the sum:\n{TOTAL}\nDone.\n",
            NEW_BOTH,
            "chatter",
            id="chatter-around",
        ),
        pytest.param(
            f"src/cart.py\n```python\n{ADD}```\n", NEW_ADD, "chatter fence", id="path"
        ),
        pytest.param(
            block("class Cart:\n", "class Basket:\n", 5),
            CLASS.replace("Cart", "Basket"),
            "",
            id="five-marks",
        ),
        pytest.param(
            block("class Cart:\n", "class Basket:\n", 9),
            CLASS.replace("Cart", "Basket"),
            "",
            id="nine-marks",
        ),
        pytest.param(
            ADD.replace(" SEARCH", "").replace(" REPLACE", ""),
            NEW_ADD,
            "",
            id="markers-without-words",
        ),
        pytest.param(
            block("    def total(self):\n        return sum(self.items)\n", ""),
            CLASS[: CLASS.index("    def total")],
            "",
            id="deletion",
        ),
        pytest.param(block(CLASS, ""), "", "", id="deletion-of-all"),
        pytest.param(
            block("class Cart:\n", "class Cart:\n"), CLASS, "", id="nothing-changed"
        ),
        pytest.param(
            block("def add(self, item):\n", "def add(self, *items):\n"),
            CLASS.replace("item):", "*items):"),
            "indentation",
            id="at-the-margin",
        ),
        pytest.param(
            block(
                "def total(self):\n    return sum(self.items)\n",
                "def total(self):\n    items = self.items\n\n    return sum(items)\n",
            ),
            CLASS.replace(
                "return sum(self.items)",
                "items = self.items\n\n        return sum(items)",
            ),
            "indentation",
            id="margin-of-two-lines",
        ),
        pytest.param(
            block(
                "            self.items.append(item)\n",
                "            self.items += [item]\n",
            ),
            CLASS.replace(".append(item)", " += [item]"),
            "indentation",
            id="too-deep",
        ),
        pytest.param(
            block("```python\nclass Cart:\n```\n", "```python\nclass Basket:\n```\n"),
            CLASS.replace("Cart", "Basket"),
            "fence",
            id="fences-inside",
        ),
        pytest.param(
            block("```\nclass Cart:\n```\n", "class Basket:\n"),
            CLASS.replace("Cart", "Basket"),
            "fence",
            id="fence-inside-the-search-only",
        ),
    ],
)
def test_blocks_replace_what_they_name(
    read_reply: Read, reply: str, expected: str, kinds: str
) -> None:
    assert check(read_reply, reply, expected, kinds).is_understood


@pytest.mark.parametrize(
    ("reply", "kinds", "number"),
    [
        pytest.param(
            block("    def sub(self):\n", "x\n"), "not-found", 1, id="not-found"
        ),
        pytest.param(
            block("        self.items\n", "x\n"), "not-found", 1, id="part-of-a-line"
        ),
        pytest.param(
            block("class Cart:\ndef __init__(self):\n", "x\n"),
            "not-found",
            1,
            id="indentation-not-constant",
        ),
        pytest.param(
            block("\tclass Cart:\n    def __init__(self):\n", "x\n"),
            "not-found",
            1,
            id="tabs-and-spaces",
        ),
        pytest.param(
            block("class Cart:\n    # ...\n    def total(self):\n", "x\n"),
            "not-found",
            1,
            id="elision-in-the-search",
        ),
        pytest.param(
            block("```\nno such line\n```\n", "x\n"), "not-found", 1, id="fenced"
        ),
        pytest.param(ADD + ADD, "overlapping", 2, id="the-same-twice"),
        pytest.param(
            block("    def add(self, item):\n        self.items.append(item)\n", "x\n")
            + block("        self.items.append(item)\n\n", "y\n"),
            "overlapping",
            2,
            id="overlapping",
        ),
        pytest.param(TOTAL + ADD, "out-of-order", 2, id="out-of-order"),
        pytest.param(block("", "x\n"), "empty-search", 1, id="empty-search"),
        pytest.param(block("\n", "x\n"), "empty-search", 1, id="blank-search"),
        pytest.param(block("```\n```\n", "x\n"), "empty-search", 1, id="empty-fence"),
        pytest.param(ADD + TOTAL[: TOTAL.index(">")], "unterminated", 2, id="no-end"),
        pytest.param(
            ADD + TOTAL[: TOTAL.index("=")], "unterminated", 2, id="no-divider"
        ),
        pytest.param(
            "<<<<<<< SEARCH\nclass Cart:\n>>>>>>> REPLACE\n" + ADD,
            "unterminated",
            1,
            id="no-divider-but-an-end",
        ),
        pytest.param(
            "<<<<<<< SEARCH\nclass Cart:\n" + ADD,
            "unterminated",
            1,
            id="a-new-block-in-the-search",
        ),
        pytest.param(
            "<<<<<<< SEARCH\nclass Cart:\n=======\nx\n" + ADD,
            "unterminated",
            1,
            id="a-new-block-in-the-replacement",
        ),
        pytest.param(
            "class Cart:\n=======\nclass Basket:\n>>>>>>> REPLACE\n",
            "unterminated chatter",
            1,
            id="no-start",
        ),
        pytest.param(
            block("nothing\n", "x\n") + ADD + block("none\n", "x\n"),
            "not-found not-found",
            1,
            id="all-faults-are-reported",
        ),
        pytest.param(NEW_ADD, "no-block chatter", None, id="a-rewrite-instead"),
        pytest.param(
            f"```python\n{NEW_ADD}```\n",
            "no-block chatter fence",
            None,
            id="a-fenced-rewrite",
        ),
        pytest.param("", "empty", None, id="empty"),
        pytest.param("\n \n", "empty", None, id="blank"),
    ],
)
def test_one_fault_means_no_text(
    read_reply: Read, reply: str, kinds: str, number: int | None
) -> None:
    found = check(read_reply, reply, None, kinds)
    faults = [problem for problem in found.problems if problem.is_fault]
    assert not found.is_understood
    assert faults[0].block == number
    assert number is None or faults[0].message.startswith(f"Block {number}: ")


@pytest.mark.parametrize("n_lines", [2, 3])
def test_search_text_that_occurs_twice_is_ambiguous(
    read_reply: Read, n_lines: int
) -> None:
    target = "a\nb\nc\n" * n_lines
    check(read_reply, block("b\n", "x\n"), None, "ambiguous", target)
    check(read_reply, block("  b\n", "  x\n"), None, "ambiguous", target)


@pytest.mark.parametrize("target", ["", "\n", "  \n"])
def test_an_empty_search_fills_an_empty_range(read_reply: Read, target: str) -> None:
    check(read_reply, block("", "a\nb\n"), "a\nb\n", "", target)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param(
            block("Title\n=======\n", "New title\n=========\n"),
            TITLES.replace("Title\n=======", "New title\n========="),
            id="underline-as-long-as-the-divider",
        ),
        pytest.param(
            block("Other\n=====\n", "Another\n=======\n"),
            TITLES.replace("Other\n=====", "Another\n======="),
            id="underline-shorter",
        ),
        pytest.param(
            block("Title\n=======\n", "", 5),
            TITLES.removeprefix("Title\n=======\n"),
            id="no-divider-as-long-as-the-marker",
        ),
        pytest.param(
            block("Title\n", "Name\n"), TITLES.replace("Title", "Name"), id="plain"
        ),
        pytest.param(
            block("```\nTitle\n```\n", "```\nName\n```\n"),
            TITLES.replace("Title", "Name"),
            id="fenced",
        ),
    ],
)
def test_underlines_are_not_dividers(
    read_reply: Read, reply: str, expected: str
) -> None:
    found = read_reply(reply, target=TITLES, format="search-replace")
    assert found.lines is not None
    assert "".join(found.lines) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "<<<<<<< SEARCH\nTitle\n>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\nTitle\n" + block("text\n", "x\n"),
        "<<<<<<< SEARCH\nTitle\n=======\nx\n",
        block("no such title\n", "x\n"),
    ],
)
def test_faults_are_found_where_lines_look_like_dividers(
    read_reply: Read, reply: str
) -> None:
    found = read_reply(reply, target=TITLES, format="search-replace")
    assert found.lines is None
    assert found.problems[0].is_fault


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("NO CHANGE: it is sorted.\n", "it is sorted."),
        ("NO CHANGE:\n", ""),
        ("Well.\nNO CHANGE: it is sorted.\nNO CHANGE: really.\n", "it is sorted."),
    ],
)
def test_a_model_may_decline(read_reply: Read, reply: str, reason: str) -> None:
    assert check(read_reply, reply, None).declined == reason


def test_blocks_outweigh_a_refusal(read_reply: Read) -> None:
    reply = "NO CHANGE: of the rest.\n" + ADD
    assert check(read_reply, reply, NEW_ADD).declined is None


@pytest.mark.parametrize(
    ("target", "reply", "expected"),
    [
        ("a\nb", block("a\n", "x\n"), "x\nb"),
        ("a\nb", block("b\n", "x\ny\n"), "a\nx\ny"),
        ("a\nb", block("b\n", ""), "a"),
        ("a\nb", block("a\nb\n", ""), ""),
    ],
)
def test_a_range_without_a_final_end_stays_without(
    read_reply: Read, target: str, reply: str, expected: str
) -> None:
    check(read_reply, reply, expected, "", target)


def test_lines_are_handed_out_as_soon_as_they_are_certain() -> None:
    parser = ReplyParser(format="search-replace", target_lines=["a\n", "b\n", "c\n"])
    assert parser.feed("<<<<<<< SEARCH\nb\n") == []
    assert parser.feed("=======\n") == ["a\n"]
    assert parser.feed("x\ny") == ["x\n"]
    assert parser.feed("\n>>>>>>> REPLACE\n") == ["y\n"]
    assert parser.finish().lines == ("a\n", "x\n", "y\n", "c\n")
