"""Replies that are the range's plain text, and look like another form of it.

Signs of other forms are also text of users. Such a reply is taken as it is or held, but
never changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from redline.text.indentation import indent_of
from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

DIFF = """\
--- a/x.py
+++ b/x.py
@@ -1,5 +1,6 @@
 import os
-import sys
+import re
+import json
 def f():
-    return 1
+    return 2
""".splitlines()

LANGUAGES = ("", "c", "csv", "diff", "haskell", "markdown", "python", "sql", "yaml")

SIGNS = st.sampled_from(("+", "-", "+ ", "- ", "--", "-- ", "++", "", "", "@@ "))

FILES = {
    "c": "#include <a.h>||int find(int *xs, int n) {|    int mid = n / 2;"
    "|    if (xs[mid] > 0) {|        return xs[mid];|    }|    return -1;|}",
    "css": ".card {|  padding: 4px;|}||.card .note::before {|  content: 'note: ';|}",
    "dockerfile": "FROM python AS build|WORKDIR /app|COPY . .|RUN make (all)|USER a",
    "markdown": "# Quill||1. Get it.|2. Run it:||   make||> Sorry, no Windows.",
    "php": "<?php||final class A|{|    private array $b = [];||    function c(): int"
    "|    {|        return count($this->b);|    }|}",
    "python": "import os|||class A:|    def b(self):|        # Sorry, it is slow.|"
    "        return os.name[1:]||    def c(self):|        print('\\033[1ma\\033[0m')",
    "ruby": "class Shelf|  def size|    @jars.count|  end||  def add(jar)"
    "|    @jars << jar|  end|end",
    "sql": "SELECT b.id, b.name, COUNT(b.id)|FROM b|WHERE b.id IN (1, 2)|ORDER BY id;",
    "yaml": "on:|  push:|    branches: [main]||jobs:|  test:|    steps:|      - run: a",
}

WORDS = st.integers(1, 99).map(lambda n: f"word{n} = {n}")


def text_of(lines: Sequence[str]) -> str:
    return "".join(line + "\n" for line in lines)


def read(
    target: Sequence[str],
    reply: str,
    language: str,
    *,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    size: int = 10_000,
) -> Reply:
    parser = ReplyParser(
        format="rewrite",
        target_lines=[line + "\n" for line in target],
        before=[line + "\n" for line in before],
        after=[line + "\n" for line in after],
        language=language,
    )
    for at in range(0, len(reply), size):
        parser.feed(reply[at : at + size])
    return parser.finish()


def check_plain(
    target: Sequence[str],
    new: Sequence[str],
    language: str,
    *,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> bool:
    """Whether a plain reply is taken; otherwise it must be held, in any pieces."""
    reply = read(target, text_of(new), language, before=before, after=after)
    for size in (1, 3):
        assert reply == read(
            target, text_of(new), language, before=before, after=after, size=size
        )
    assert not reply.is_understood or reply.lines == tuple(f"{line}\n" for line in new)
    return reply.is_understood


@pytest.mark.parametrize(
    ("language", "target", "new", "is_taken"),
    [
        ("sql", "select 1;|select 2;", "--select 1;|--select 2;", True),
        ("sql", "select 1;|select 2;", "-- select 1;|-- select 2;", True),
        ("sql", "-1;|", "--1;|", False),
        ("haskell", "x = 1|y = 2", "--x = 1|--y = 2", True),
        ("csv", "5,1|7,2", "-5,1|-7,2", False),
        ("plaintext", "5|7", "+5|-7", False),
        ("markdown", "a|b|c", "-a|-b|+c", False),
        ("c", "a|b|c", "a|-b|+c", False),
        ("c", "i;|j;", "-i;|+j;", False),
        ("c", "a|+b|-c", "a|-b|-c", True),
        ("python", "x = 1|y = 2", "-x = 1|-y = 2", False),
        ("yaml", "- a|- b", "- - a|- - b", True),
        ("yaml", "- a|- b", "- - a|+ - b", False),
    ],
)
def test_signs_before_lines_are_no_certain_diff(
    language: str, target: str, new: str, *, is_taken: bool
) -> None:
    taken = check_plain(target.split("|"), new.split("|"), language)
    assert taken == is_taken


@pytest.mark.parametrize("line", ["-    x = 1", "+    x = 1", "- x|"])
def test_a_long_reply_of_items_is_read(line: str) -> None:
    """The time grows with its length, not with the square of it."""
    new = [line.strip("|"), *[""] * line.count("|")] * 20_000
    reply = read(["    x = 1", "    y = 2"], text_of(new), "python")
    assert not reply.is_understood or len(reply.lines or ()) >= 20_000


@example(
    target=["word1 = 1", "word2 = 2"], signs=["+"] * 4, own_sign="+ ", language="c"
)
@example(
    target=["word1 = 1"] * 2, signs=["+", "+ ", "+", "+"], own_sign="", language="c"
)
@example(
    target=["word1 = 1", "word10 = 10", "word1 = 1", "word1 = 1"],
    signs=["+", "-", "+", "@@ "],
    own_sign="",
    language="c",
)
@example(
    target=["word10 = 10", "word1 = 1", "word1 = 1", "word1 = 1"],
    signs=["-", "+", "+", "+ "],
    own_sign="",
    language="c",
)
@example(
    target=["word1 = 1", "word10 = 10"], signs=["++", "-"], own_sign="", language="c"
)
@example(
    target=["word1 = 1", "word1 = 1", "word2 = 2", "word10 = 10"],
    signs=["-", "-", "", "-"],
    own_sign="@@ ",
    language="c",
)
@given(
    target=st.lists(WORDS, min_size=1, max_size=4),
    signs=st.lists(SIGNS, min_size=4, max_size=4),
    own_sign=SIGNS,
    language=st.sampled_from(LANGUAGES),
)
def test_a_sign_before_each_line(
    target: list[str], signs: list[str], own_sign: str, language: str
) -> None:
    """Lines are commented out, negated, or become the items of a list."""
    target = [own_sign + line for line in target]
    new = [sign + line for sign, line in zip(signs, target, strict=False)]
    # This is a hunk of a patch that names the line before its change.
    assume(not (new[0].startswith("@@ ") and {line[:1] for line in new[1:]} == {"-"}))
    check_plain(target, new, language)


@given(data=st.data(), language=st.sampled_from(LANGUAGES))
def test_the_lines_of_a_diff_in_a_file(data: st.DataObject, language: str) -> None:
    start = data.draw(st.integers(0, len(DIFF) - 1))
    stop = data.draw(st.integers(start + 1, len(DIFF)))
    target, new = DIFF[start:stop], DIFF[start:stop]
    at = data.draw(st.integers(1, len(new)))
    new[at : at + data.draw(st.integers(0, 1))] = data.draw(
        st.lists(st.sampled_from(["+new", "-old", " same"]), max_size=2)
    )
    check_plain(target, new, language, before=DIFF[:start], after=DIFF[stop:])


@pytest.mark.parametrize("language", ["jinja", "markdown", "plaintext", "python"])
@pytest.mark.parametrize(
    ("target", "new", "is_taken"),
    [
        ("<|im_start|>user|hi|<|im_end|>", "<|im_start|>user|hey|<|im_end|>", True),
        ("a|<|im_end|>|b", "a|<|im_end|>|c", True),
        ("a|<|im_end|>|b", "a|<|im_end|>|c|<|im_end|>", False),
        ("[INST]|a|[/INST]", "[INST]|b|[/INST]", True),
        ("a</s>|b", "a</s>|c", True),
        ("<think>|foo|</think>|bar", "<think>|foo|</think>|baz", True),
        ("<think>|foo|</think>|bar", "<think>|other|</think>|bar", False),
        (
            "<think>|foo|</think>|bar",
            "<think>|It is baz.|</think>|<think>|foo|</think>|baz",
            False,
        ),
    ],
)
def test_tokens_and_tags_of_the_range_stay(
    target: str, new: str, language: str, *, is_taken: bool
) -> None:
    """Templates and samples of prompts have those of the model itself."""
    split = re.compile(r"(?<!<)\|(?!>)").split
    assert check_plain(split(target), split(new), language) == is_taken


def test_a_tag_that_only_the_file_has_is_held() -> None:
    before = ["<think>", "one", "</think>"]
    assert not check_plain(["a"], ["<think>", "a"], "python", before=before)
    assert not check_plain(["a"], ["b", "</think>"], "python", before=before)


@pytest.mark.parametrize("language", ["html", "plaintext", "xml"])
def test_a_tag_around_a_text_stays(language: str) -> None:
    assert check_plain(["foo"], ["<box>", "foo", "</box>"], language)


@pytest.mark.parametrize(
    ("before", "target", "new"),
    [
        ('{|"k": [|', "1,|{|  v: 2|}", "{|  v: 2|}"),
        ("[|", "1", '{|  "a": 1|}'),
        ("[|", "1,|2", '{|  "a": 1|},|{|  "a": 2|}'),
        ("[|", '"a.c",|"b.c"', '{|  "path": "a.c"|},|{|  "path": "b.c"|}'),
        ("[|", "null", "{|}"),
        ("{|", '"a": {|"b": 1', '{|"a": {|"b": 2|}'),
    ],
)
def test_objects_in_an_array_keep_their_braces(
    before: str, target: str, new: str
) -> None:
    target_lines, new_lines = target.split("|"), new.split("|")
    assert check_plain(
        target_lines, new_lines, "json", before=before.split("|"), after=["]"]
    )


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        ("html", "<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("python", "x = a < b", "x = a &lt; b"),
        ("plaintext", 'He said "no".', "He said \u201cno\u201d."),
        (
            "markdown",
            'He said "no".|It\'s so.',
            "He says \u201cno\u201d.|It\u2019s so.",
        ),
        ("python", "def f():|\ta = 1|\treturn a", "def f():|    a = 1|    return a"),
        ("plaintext", "one|two|three", "1. one|2. two|3. three"),
        ("plaintext", "one|two|three", "1: one|2: two|3: three"),
        ("markdown", "ann|bob|cat", "1. Ann|2. bob|3. cat"),
        ("restructuredtext", "ann|bobby", "1) ann|2) Bobby"),
    ],
)
def test_what_was_asked_for_is_not_taken_back(
    language: str, target: str, new: str
) -> None:
    """To escape, to number and to indent in another way are wishes, too."""
    check_plain(target.split("|"), new.split("|"), language)


def test_an_unchanged_range_with_line_numbers_is_held() -> None:
    """In code nobody asks for them."""
    target = ["x = 1", "y = 2", "z = 3"]
    assert not check_plain(target, ["1: x = 1", "2: y = 2", "3: z = 3"], "python")


@pytest.mark.parametrize(
    ("language", "new"),
    [
        ("plaintext", "1 ann|2 bob|3 cat lady"),
        ("plaintext", "1: ann|2: bob|3: cat lady"),
        ("yaml", "1: ann|2: bob|3: cat lady"),
    ],
)
def test_numbers_beside_other_changes_may_be_the_wish(language: str, new: str) -> None:
    assert not check_plain(["ann", "bob", "cat"], new.split("|"), language)


@pytest.mark.parametrize("sign", ["@@ ", "-"])
def test_a_sign_before_one_line_is_no_certain_diff(sign: str) -> None:
    """A diff of one line could be the plain text as well."""
    check_plain(["x = 1", "y = 2"], ["x = 1", f"{sign}y = 2"], "plaintext")


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        ("xml", "Tom and Jerry", "Tom &amp; Jerry"),
        ("html", "a is less than b", "a &lt; b"),
        ("markdown", "write the tag b", "write &lt;b&gt;"),
        ("php", "if (a < b)", "if (a &lt; b &amp;&amp; c)"),
        ("vue", "Tom and Jerry", "Tom &amp; Jerry"),
        ("xml", "<a>It is</a>", "&lt;a&gt;It&apos;s&lt;/a&gt;"),
    ],
)
def test_entities_of_markup_stay(language: str, target: str, new: str) -> None:
    check_plain(target.split("|"), new.split("|"), language)


@pytest.mark.parametrize(
    ("language", "target", "new", "before", "after"),
    [
        (
            "python",
            "start()|x = load()|check(x)|y = other()",
            "start()|x = load()|check(x)",
            "",
            "x = load()|check(x)|done()",
        ),
        (
            "python",
            "x = load()|check(x)|y = other()|x = load()|check(x)|z = 1",
            "x = load()|check(x)|z = 1",
            "x = load()|check(x)",
            "done()",
        ),
        ("shellscript", "a|make|make test|b", "a|make|make test", "", "make|make test"),
        ("yaml", "- a: b|- run: build|- run: test|- c: d",
         "- a: b|- run: build|- run: test", "", "- run: build|- run: test"),
    ],
)  # fmt: skip
def test_lines_of_the_range_like_those_around_it_stay(
    language: str, target: str, new: str, before: str, after: str
) -> None:
    check_plain(
        target.split("|"),
        new.split("|"),
        language,
        before=before.split("|"),
        after=after.split("|"),
    )


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        ("markdown", "Run this:|```|make|```", "```|make|```"),
        ("restructuredtext", "Run this:|```|make|```", "```|make|```"),
        ("markdown", "a|```|After:|```", "```|After:|```"),
        ("python", "    Say:|    ```|    f()|    ```", "    ```|    f()|    ```"),
    ],
)
def test_fences_of_the_range_stay(language: str, target: str, new: str) -> None:
    check_plain(target.split("|"), new.split("|"), language)


DOCSTRING = ['"""Module.', ""]


@pytest.mark.parametrize(
    ("language", "target", "new", "before", "after"),
    [
        # Sentences within strings.
        ("python", "Old text.|More", "Updated code:|More", DOCSTRING, ['"""']),
        ("python", "Old text", "A new text about it.", DOCSTRING, ['"""']),
        ("python", 'x = """|Old', 'x = """|Here is the new code:', (), ['"""']),
        ("javascript", "a", "The text of this page:|b", ["x = `"], ["`;"]),
        # Entities of tags and data.
        ("javascriptreact", "<p>It</p>", "<p>It&apos;s</p>", (), ()),
        ("typescriptreact", "return <p>It</p>;", "return <p>It&#39;s</p>;", (), ()),
        ("javascript", "<p>A</p>", "<p>A &amp; B</p>", ["x = `"], ["`;"]),
        ("php", "return f();", "return f() ?>A &amp; B<?php", (), ()),
        # Quotation marks of tags, data and texts.
        ("javascriptreact", "<p>It</p>", "<p>\u201cIt\u2019s\u201d</p>", (), ()),
        ("php", "<p>It</p>", "<p>\u201cIt\u201d</p>", (), ()),
        ("yaml", "title: It", "title: \u201cIt\u2019s\u201d", (), ()),
        ("vue", "<p>It</p>", "<p>It\u2019s</p>", (), ()),
        ("python", "Old text", "A \u201cnew\u201d text", DOCSTRING, ['"""']),
        ("sql", "-- it", "-- it\u2019s", (), ()),
    ],
)
def test_what_stands_in_texts_of_the_file_stays(
    language: str,
    target: str,
    new: str,
    before: Sequence[str],
    after: Sequence[str],
) -> None:
    assert check_plain(
        target.split("|"), new.split("|"), language, before=before, after=after
    )


@pytest.mark.parametrize(
    ("language", "target", "new", "before"),
    [
        ("yaml", "title: A", "title: A &amp; B", ()),
        ("javascriptreact", "<b>a</b>", "a &lt;T&gt; b", ()),
        ("python", "a", "a &amp; b", DOCSTRING),
    ],
)
def test_entities_that_may_be_text_are_held(
    language: str, target: str, new: str, before: Sequence[str]
) -> None:
    assert not check_plain([target], [new], language, before=before)


@given(data=st.data(), language=st.sampled_from(sorted(FILES)))
def test_lines_that_go_or_come(data: st.DataObject, language: str) -> None:
    """Whatever they look like: lines of a file are no form of a reply."""
    file = FILES[language].split("|")
    start = data.draw(st.integers(0, len(file) - 1))
    stop = data.draw(st.integers(start + 1, len(file)))
    target = file[start:stop]
    at = data.draw(st.integers(0, len(target) - 1))
    n_gone = data.draw(st.integers(0, len(target) - 1 - at))
    new = [*target[:at], *target[at + n_gone :]]
    if not all(map(str.strip, (target[0], new[0], new[-1], target[-1]))):
        return
    check_plain(target, new, language, before=file[:start], after=file[stop:])
    if indent_of(new[0]) == indent_of(target[0]):
        check_plain(new, target, language, before=file[:start], after=file[stop:])
