"""Replies whose form no rule describes: read by what is known of the range, or held."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.conftest import ReadReply

from redline.text.reply_parser import ReplyParser

BEFORE = "class Jar {\n    int n;\n\n    Jar() {\n        n = 0;\n    }\n\n"
OLD = (
    "    int take(int wanted) {\n        int taken = Math.min(n, wanted);\n"
    "        n -= taken;\n        return taken;\n    }\n"
)
AFTER = "\n    int left() {\n        return n;\n    }\n}\n"
NEW = OLD.replace("Math.min(n, wanted)", "Math.max(0, Math.min(n, wanted))")
FENCED = f"```java\n{NEW}```\n"


def each(form: str, text: str = NEW) -> str:
    return "".join(form.format(line, n) for n, line in enumerate(text.splitlines(), 9))


def read(read_reply: ReadReply, reply: str) -> str | None:
    """Return what is certain of a reply; None if it is held."""
    found = read_reply(reply, target=OLD, before=BEFORE, after=AFTER, language="java")
    return "".join(found.lines or ()) if found.is_understood else None


@pytest.mark.parametrize(
    "reply",
    [
        f"<details>\n<summary>Solution</summary>\n\n{FENCED}\n</details>\n",
        f"<answer>\n{NEW}</answer>\n\nHuman: Now left()\n\nAssistant: Which\n",
        f"Assistant: Sure.\n{FENCED}User: thanks\n",
        f"Step 1: open the file Jar.java\nStep 2: replace lines 3-7 with\n\n{NEW}\n",
        f"{{code:java|title=Jar.java}}\n{NEW}{{code}}\n",
        f".Jar.java\n[source,java]\n----\n{NEW}----\n<1> Changed\n",
        f"class Jar {{\n    // ... existing code ...\n\n{NEW}\n    // ...\n}}\n",
        f"class Jar {{\n\n    Jar() {{\n        n = 0;\n    }}\n\n{NEW}}}\n",
        f"{NEW}\n\u2014 Bot\n\U0001f916 Written by a bot\n",
        '!!! note "Updated"\n\n' + each("    {0}\n", FENCED),
    ],
)
def test_whole_lines_around_the_text(read_reply: ReadReply, reply: str) -> None:
    assert read(read_reply, reply) == NEW


@pytest.mark.parametrize(
    "form",
    [
        "src/Jar.java:{1}:{0}\n",
        "│ {0:<60} │\n",
        "║ {0}\n",
        "{0}  <{1}>\n",
        "{0}¶\n",
        "{0}\\\n",
        "| {1} | `{0}` |\n",
        "[2024-05-01 10:00:{1:02}] {0}\n",
        "web-1  | {0}\n",
        "9f8e7d6c (Jane Doe 2024-01-0{1} {1}) {0}\n",
        '<tr><td class="ln">{1}</td><td>{0}</td></tr>\n',
    ],
)
def test_a_margin_that_all_lines_have(read_reply: ReadReply, form: str) -> None:
    assert read(read_reply, each(form)) == NEW


HEAD, *BODY = each("{0}\n").splitlines(True)


@pytest.mark.parametrize(
    "reply",
    [
        f"In [1]: {HEAD}" + "".join(f"   ...: {line}" for line in BODY),
        f" 12  {HEAD}" + "".join(f"     {line}" for line in BODY),
        f"12-{HEAD}" + "".join(f"{at}:{line}" for at, line in enumerate(BODY, 13)),
    ],
)
def test_a_margin_that_differs(read_reply: ReadReply, reply: str) -> None:
    assert read(read_reply, reply) == NEW


@pytest.mark.parametrize(
    "reply",
    [
        f"Part 1:\n\n```java\n{HEAD}```\n\nPart 2:\n\n```java\n{''.join(BODY)}```\n",
        f"```java\n{HEAD}``````java\n{''.join(BODY)}```\n",
    ],
)
def test_a_text_in_several_fences(read_reply: ReadReply, reply: str) -> None:
    assert read(read_reply, reply) == NEW


@pytest.mark.parametrize(
    "reply",
    [
        f"The text in base64:\n\n{base64.encodebytes(NEW.encode()).decode()}",
        f"data:text/plain;base64,{base64.b64encode(NEW.encode()).decode()}",
        quote(NEW),
        f"code={quote_plus(NEW)}",
        repr(NEW.encode()),
        f"new_text = {NEW!r}",
        "".join(f"{json.dumps({'at': 1, 'text': one})}\n" for one in NEW.splitlines()),
        "edit:\n  file: Jar.java\n  text: |2\n" + each("    \t{0}\n"),
        NEW.replace("(", "\u200b("),
    ],
)
def test_an_encoding(read_reply: ReadReply, reply: str) -> None:
    assert read(read_reply, reply) == NEW


CHANGE = (OLD.splitlines()[1], NEW.splitlines()[1])


@pytest.mark.parametrize(
    "reply",
    [
        "4c4\n< {}\n---\n> {}\n".format(*CHANGE),
        "- {}\n? +++\n+ {}\n".format(*CHANGE),
        "@@ ... @@\n-{}\n+{}\n".format(*CHANGE),
        OLD.replace(CHANGE[0], "[-{}-]{{+{}+}}".format(*CHANGE)),
        f"New code:\n\n{FENCED}\nwhich replaces:\n\n```java\n{OLD}```\n",
        f"**Option A**\n\n{FENCED}\n**Option B**: leave it\n\n```java\n{OLD}```\n",
        f"Change\n\n{OLD}\nto\n\n{NEW}",
        f"Use\n\n{NEW}\ninstead of\n\n{OLD}",
    ],
)
def test_the_old_lines_beside_the_new_ones(read_reply: ReadReply, reply: str) -> None:
    assert read(read_reply, reply) == NEW


def test_a_layer_in_a_layer(read_reply: ReadReply) -> None:
    rows = each("src/Jar.java:{1}:{0}\n")
    assert read(read_reply, f"<output>\n\n{rows}</output>\nHuman: thanks\n") == NEW


@pytest.mark.parametrize(
    "reply",
    [
        # The lines that were changed are not there once.
        "4c4\n<     n = 0;\n---\n>     n = 1;\n",
        # The user may have asked for the mark.
        f"----\n{OLD}{NEW}----\n",
    ],
)
def test_what_is_not_certain_is_held(read_reply: ReadReply, reply: str) -> None:
    assert read(read_reply, reply) is None


WORDS = st.lists(st.sampled_from(["alpha", "bravo", "delta", "omega"]), min_size=2)
LINES = st.lists(
    st.builds(
        lambda depth, words: f"{'  ' * depth}{'.'.join(words)}()",
        st.integers(1, 3),
        WORDS,
    ),
    min_size=2,
    max_size=6,
)


@given(
    own=LINES,
    new=LINES,
    form=st.sampled_from(["> {}", "{} |", "7: {}", "// {}", "[x] {}", "{} \\", "-{}"]),
)
def test_a_text_is_never_offered_in_parts(
    own: list[str], new: list[str], form: str
) -> None:
    """Whatever stands beside each line, all lines are there or the reply is held."""
    parser = ReplyParser(
        format="rewrite", target_lines=[f"{line}\n" for line in own], language="java"
    )
    lines = new
    parser.feed("".join(f"{form.format(line)}\n" for line in lines))
    found = parser.finish()
    texts = [line.strip() for line in found.lines or ()]
    assert not found.is_understood or texts in (
        [line.strip() for line in lines],
        [form.format(line).strip() for line in lines],
        [form.format(line.strip()).strip() for line in lines],
    )
