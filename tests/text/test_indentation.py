"""Shifts of indentation, one line at a time; whole replies are in `test_rewrite`."""

from __future__ import annotations

import pytest

from redline.text.indentation import Reindenter, Shift, indent_of, shift_between


@pytest.mark.parametrize(
    ("wrong", "right", "shift"),
    [
        ("a", "    a", Shift(add="    ")),
        ("    a", "a", Shift(remove="    ")),
        ("  a", "  b", Shift()),
        ("\ta", "\t\ta", Shift(add="\t")),
        ("\ta", "    a", None),
    ],
)
def test_a_shift_makes_one_indentation_the_other(
    wrong: str, right: str, shift: Shift | None
) -> None:
    assert shift_between(wrong, right) == shift
    if shift is not None:
        assert indent_of(shift.apply(wrong)) == indent_of(right)


def test_a_range_without_text_has_no_indentation() -> None:
    reindenter = Reindenter(["", "  "])
    assert reindenter.feed("    a") == ["    a"]
    assert not reindenter.is_changed


def test_nothing_comes_of_nothing() -> None:
    assert Reindenter(["    a"]).finish() == []
    blank = Reindenter(["    a"])
    assert blank.feed("") == []
    assert blank.finish() == [""]


@pytest.mark.parametrize(
    ("target", "reply", "lines"),
    [
        # A list may stand at the column of its key, in front of the range.
        ("  name: a|  image: b", "- name: a|  image: b", "- name: a|  image: b"),
        (" a: 1| b: 2", "- a: 1|  b: 2", "- a: 1|  b: 2"),
        ("  - a: 1|    b: 2", "- a: 1|    b: 3", "  - a: 1|    b: 3"),
        ("  - a: 1|    b: 2", "- a: 1|  b: 2", "  - a: 1|    b: 2"),
    ],
)
def test_a_list_item_at_the_margin(target: str, reply: str, lines: str) -> None:
    reindenter = Reindenter(target.split("|"))
    fed = [out for line in reply.split("|") for out in reindenter.feed(line)]
    assert "|".join([*fed, *reindenter.finish()]) == lines


@pytest.mark.parametrize(
    ("language", "reply", "lines"),
    [
        # It ends at the margin, so its text has none.
        ("shellscript", "cat <<EOF|a|  b|EOF|c", "    cat <<EOF|a|  b|EOF|    c"),
        ("shellscript", "x <<-'E F'|a", "    x <<-'E F'|    a"),
        ("ruby", "x = <<SQL.strip|a|SQL", "    x = <<SQL.strip|a|SQL"),
        ("perl", "print <<'E';|a|E|b", "    print <<'E';|a|E|    b"),
        # Its end may be indented, or there is none.
        ("ruby", "x = <<~SQL|a|SQL", "    x = <<~SQL|    a|    SQL"),
        ("ruby", "class << self|a|end", "    class << self|    a|    end"),
        ("shellscript", "x=$((1<<n))|a|n", "    x=$((1<<n))|    a|    n"),
        ("shellscript", "cat <<EOF|a|b", "    cat <<EOF|    a|    b"),
        ("cpp", "cout <<x|a|x", "    cout <<x|    a|    x"),
    ],
)
def test_a_here_document_keeps_its_margin(
    language: str, reply: str, lines: str
) -> None:
    reindenter = Reindenter(["    first", "    second"], language=language)
    fed = [out for line in reply.split("|") for out in reindenter.feed(line)]
    assert "|".join([*fed, *reindenter.finish()]) == lines


@pytest.mark.parametrize(
    ("language", "reply", "lines"),
    [
        # Nothing but a key has items below it.
        ("yaml", "- a|  - b", "  - a|  - b"),
        ("yaml", "- a:|  - b", "  - a:|    - b"),
        ("markdown", "- a|  - b", "  - a|    - b"),
    ],
)
def test_a_first_item_that_lost_its_margin(
    language: str, reply: str, lines: str
) -> None:
    reindenter = Reindenter(["  - a"], language=language)
    fed = [out for line in reply.split("|") for out in reindenter.feed(line)]
    assert "|".join([*fed, *reindenter.finish()]) == lines


@pytest.mark.parametrize(
    ("target", "reply", "lines"),
    [
        # A header without a sign at its end.
        ("  def f|    a|  end", "def g|  a|  b|end", "  def g|    a|    b|  end"),
        # The end of the block shows it.
        ("  <p>|    a|  </p>", "<p id>|  b|</p>", "  <p id>|    b|  </p>"),
        # A line that only the first one lost its indentation of.
        ("  a()|  b()", "c()|  d()", "  c()|  d()"),
        # A whole block that is deeper.
        ("  f() {|    a|  }", "    f(b) {|      c|    }", "  f(b) {|    c|  }"),
        ("  a()|  b()", "    c {|      d|    }", "  c {|    d|  }"),
        ("  a,|  b,", "    c,|    d,|    e,", "  c,|  d,|  e,"),
        ("  if a:|    b", "    if c:|      d", "    if c:|      d"),
    ],
)
def test_new_lines_are_shifted_as_one_block(
    target: str, reply: str, lines: str
) -> None:
    reindenter = Reindenter(target.split("|"))
    fed = [out for line in reply.split("|") for out in reindenter.feed(line)]
    assert "|".join([*fed, *reindenter.finish()]) == lines


@pytest.mark.parametrize(
    ("target", "reply"),
    [
        ("  border: 0;\n}\n", ".card {\n  border: 0;\n}\n"),
        ("  <meta>\n</head>\n", "<head>\n  <meta>\n</head>\n"),
        ("    name: str,\n) -> int:\n", "def size(\n    name: str,\n) -> int:\n"),
    ],
)
def test_a_line_that_begins_the_block_of_the_range(target: str, reply: str) -> None:
    """It stays at the margin, although the range begins deeper."""
    reindenter = Reindenter(target.splitlines())
    lines = [line for text in reply.splitlines() for line in reindenter.feed(text)]
    assert [*lines, *reindenter.finish()] == reply.splitlines()
