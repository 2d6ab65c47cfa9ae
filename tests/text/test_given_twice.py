"""Replies with the answer several times, the old text, or marks of what is around."""

from __future__ import annotations

import pytest
from tests.text.conftest import ReadReply

from redline.text.reply import Reply

SCRIPT = (
    "class Cache {\n  get(key) {\n    return this.map[key];\n  }\n\n",
    "  clear() {\n    this.map = {};\n  }\n",
    "}\n\nmodule.exports = { Cache };\n",
)
SCRIPT_NEW = "  clear(all = true) {\n    if (all) this.map = {};\n  }\n"
PYTHON = (
    "import pytest\n\n\n",
    "def test_add(wallet):\n    assert wallet == 3\n",
    "\n\ndef test_other():\n    pass\n",
)
PYTHON_NEW = (
    '@pytest.mark.parametrize("n", [1, 2])\n'
    "def test_add(wallet, n):\n    assert wallet == n\n"
)
GO = (
    "package lru\n\n",
    "func (c *Cache) evict() {\n\toldest := c.order.Back()\n\tc.remove(oldest)\n}\n",
    "\nfunc (c *Cache) Len() int {\n\treturn c.order.Len()\n}\n",
)
GO_NEW = (
    "func (c *Cache) evict() {\n\toldest := c.order.Back()\n\tif oldest == nil {\n"
    "\t\treturn\n\t}\n\tc.remove(oldest)\n}\n"
)
TYPES = ("const A = 1;\n\n", "const SIZE = 50;\n", "\nfetch(SIZE);\n")
TYPES_NEW = "export const SIZE = 100;\n"
HTML = (
    "<body>\n  <main>\n    <h1>Sign up</h1>\n",
    '    <form>\n      <input name="a">\n    </form>\n',
    "  </main>\n</body>\n",
)
HTML_NEW = '    <form>\n      <input name="a" required>\n    </form>\n'
FILES = {
    "javascript": SCRIPT,
    "python": PYTHON,
    "go": GO,
    "typescript": TYPES,
    "html": HTML,
}


def read(read_reply: ReadReply, language: str, reply: str) -> Reply:
    before, target, after = FILES[language]
    return read_reply(
        reply, target=target, before=before, after=after, language=language
    )


def check(read_reply: ReadReply, language: str, reply: str, text: str) -> None:
    found = read(read_reply, language, reply)
    assert found.lines is not None
    assert (found.is_understood, "".join(found.lines)) == (True, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [("javascript", SCRIPT_NEW), ("python", PYTHON_NEW), ("go", GO_NEW)],
)
@pytest.mark.parametrize(
    "form", ["{0}{0}", "{0}\n{0}", "{0}{0}{0}", "{0}\nFinal code:\n\n{0}"]
)
def test_an_answer_that_comes_several_times_is_taken_once(
    read_reply: ReadReply, language: str, text: str, form: str
) -> None:
    check(read_reply, language, form.format(text), text)


@pytest.mark.parametrize(
    ("language", "text"),
    [("go", GO_NEW), ("javascript", SCRIPT_NEW), ("python", PYTHON_NEW)],
)
@pytest.mark.parametrize(
    "form",
    [
        "ORIGINAL:\n{old}\nUPDATED:\n{new}",
        "<<<<<<< HEAD\n{old}=======\n{new}>>>>>>> updated\n",
        "------- SEARCH\n{old}=======\n{new}+++++++ REPLACE\n",
        "<<<<<<< SEARCH\n:start_line:4\n-------\n{old}=======\n{new}>>>>>>> REPLACE\n",
    ],
)
def test_the_old_text_in_front_of_the_answer_is_cut_off(
    read_reply: ReadReply, language: str, text: str, form: str
) -> None:
    check(read_reply, language, form.format(old=FILES[language][1], new=text), text)


def test_the_unchanged_range_and_its_new_text_are_two_versions(
    read_reply: ReadReply,
) -> None:
    assert not read(read_reply, "go", GO[1] + GO_NEW).is_understood


def test_the_unchanged_range_behind_a_new_text_is_uncertain(
    read_reply: ReadReply,
) -> None:
    assert not read(read_reply, "go", GO_NEW + GO[1]).is_understood
    new, old = f"```\n{GO_NEW}```\n", f"```\n{GO[1]}```\n"
    assert not read(read_reply, "go", f"{new}\n{old}").is_understood
    check(read_reply, "go", f"{new}Before:\n{old}", GO_NEW)


@pytest.mark.parametrize(
    "reply",
    [
        "class Cache {\n  // ... other methods\n\n{new}}\n",
        "// ... existing code ...\n{new}// ... existing code ...\n",
        "  // ...\n\n{new}\n  // ...\n",
    ],
)
def test_comments_in_place_of_what_is_around_the_range_are_cut_off(
    read_reply: ReadReply, reply: str
) -> None:
    check(read_reply, "javascript", reply.replace("{new}", SCRIPT_NEW), SCRIPT_NEW)


def test_a_comment_in_place_of_code_of_the_range_stays(read_reply: ReadReply) -> None:
    reply = "  clear(all = true) {\n    // ... existing code ...\n  }\n"
    assert read(read_reply, "javascript", reply).lines == tuple(
        reply.splitlines(keepends=True)
    )


@pytest.mark.parametrize(
    "head",
    [
        "*** Begin Patch\n*** Update File: lru.go\n@@ func (c *Cache) evict() {\n",
        "*** Begin Patch\n*** Update File: lru.go\n@@\n",
        "*** Begin Patch\n*** Update File: lru.go\n",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: lru.go\n@@\n",
    ],
)
def test_patches_of_a_tool_are_applied(read_reply: ReadReply, head: str) -> None:
    body = (
        " func (c *Cache) evict() {\n \toldest := c.order.Back()\n"
        "+\tif oldest == nil {\n+\t\treturn\n+\t}\n \tc.remove(oldest)\n }\n"
        "*** End Patch\n"
    )
    tail = "EOF\n" if head.startswith("apply") else ""
    check(read_reply, "go", head + body + tail, GO_NEW)


@pytest.mark.parametrize(
    "reply",
    [
        "`{line}`",
        "`` {line} ``",
        "```{line}```",
        "The line becomes: `{line}`",
        "\u4fee\u6539\u4e3a\uff1a`{line}`",
    ],
)
def test_a_line_in_backticks_is_taken_out(read_reply: ReadReply, reply: str) -> None:
    check(read_reply, "typescript", reply.format(line=TYPES_NEW.strip()), TYPES_NEW)


def test_a_template_of_javascript_stays(read_reply: ReadReply) -> None:
    assert read(read_reply, "typescript", "`${A} of 100`").lines == ("`${A} of 100`\n",)


def test_the_element_around_the_range_may_be_indented_otherwise(
    read_reply: ReadReply,
) -> None:
    reply = f"<main>\n    <h1>Sign up</h1>\n{HTML_NEW}</main>\n"
    check(read_reply, "html", reply, HTML_NEW)


EXAMPLE = "```javascript\ncache.clear(false)\n```\n"


def test_examples_of_calls_behind_the_answer_are_left_out(
    read_reply: ReadReply,
) -> None:
    method = "  static clear(all = true) {\n    if (all) this.map = {};\n  }\n"
    reply = f"```javascript\n{method}```\nUsage:\n{EXAMPLE}"
    target = "  static clear() {\n    this.map = {};\n  }\n"
    found = read_reply(reply, target=target, language="javascript")
    assert (found.is_understood, "".join(found.lines or ())) == (True, method)


@pytest.mark.parametrize(
    "block",
    [
        "const size = 3;\n",
        "import { clear } from './clear';\nclear(1);\n",
        "function other() {\n  clear(1);\n}\n",
    ],
)
def test_other_blocks_behind_the_answer_are_uncertain(
    read_reply: ReadReply, block: str
) -> None:
    target = "  static clear() {\n    this.map = {};\n    this.log('cleared');\n  }\n"
    method = target.replace("{}", "new Map()")
    reply = f"```javascript\n{method}```\n\n```javascript\n{block}```\n"
    assert not read_reply(reply, target=target, language="javascript").is_understood


def test_a_tag_alone_on_a_line_is_not_one_that_the_file_has_within_lines(
    read_reply: ReadReply,
) -> None:
    before, target, after = SCRIPT
    before = f"// <think> about paging </think>\n{before}"
    reply = f"First I look at it.\n</think>\n\n```js\n{SCRIPT_NEW}```\n"
    found = read_reply(
        reply, target=target, before=before, after=after, language="javascript"
    )
    assert (found.is_understood, "".join(found.lines or ())) == (True, SCRIPT_NEW)


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        (
            "python",
            "def f(a):\n    return sum((b for b in a if b), Decimal(0))\n",
            "def f(a, c):\n    a = c(a)\n    return sum(a, Decimal(0))\n",
        ),
        (
            "json",
            '  "log": {\n    "level": 1\n  },\n',
            '  "log": {\n    "a": 2\n  },\n',
        ),
    ],
)
def test_a_fence_that_is_not_closed_behind_the_same_end(
    read_reply: ReadReply, language: str, target: str, new: str
) -> None:
    found = read_reply(f"```{language}\n{new}", target=target, language=language)
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


LOOP = "def f(a):\n    for b in a:\n        print(b)\n"
LIST = "def f(a):\n    return [b + 1 for b in a]\n"


@pytest.mark.parametrize("token", ["<|im_end|>", "<|endoftext|>\n", "<|fim_middle|>"])
def test_a_token_ends_the_code_of_a_fence(read_reply: ReadReply, token: str) -> None:
    found = read_reply(f"```python\n{LIST}{token}", target=LOOP)
    assert (found.is_understood, "".join(found.lines or ())) == (True, LIST)


def test_a_token_behind_code_with_an_open_bracket_ends_nothing(
    read_reply: ReadReply,
) -> None:
    found = read_reply("```python\ndef f(a):\n    g(\n<|im_end|>", target=LOOP)
    assert not found.is_understood


def test_what_follows_the_range_ends_the_code_of_a_fence(read_reply: ReadReply) -> None:
    body = "    a\n  end\n\n  def g\n    b * 2\n"
    found = read_reply(
        f"```ruby\n  def f\n{body}  end\n",
        target="    a\n",
        before="class A\n  def f\n",
        after="  end\nend\n",
        language="ruby",
    )
    assert (found.is_understood, "".join(found.lines or ())) == (True, body)


@pytest.mark.parametrize(
    ("end", "is_understood"),
    [("<|im_end|>\n<|im_start|>user\n", True), ("But that is no loop.\n", False)],
)
def test_a_fence_at_the_end_of_reasoning(
    read_reply: ReadReply, end: str, is_understood: bool
) -> None:
    """Behind it the reasoning may go on, but not behind the end of the message."""
    found = read_reply(f"<think>\nSo:\n```python\n{LIST}```\n{end}", target=LOOP)
    assert found.is_understood == is_understood
    assert "".join(found.lines or ()) == (LIST if is_understood else "")


TALK = "Wait, that does not add one. Here is the corrected version:"


def test_the_last_version_below_talk_counts(read_reply: ReadReply) -> None:
    found = read_reply(f"{LOOP}\n{TALK}\n\n{LIST}", target=LOOP)
    assert (found.is_understood, "".join(found.lines or ())) == (True, LIST)


def test_other_code_below_talk_is_no_version(read_reply: ReadReply) -> None:
    found = read_reply(f"{LIST}\n{TALK}\n\nx = 1\n", target=LOOP)
    assert "".join(found.lines or ()) != "x = 1\n"


@pytest.mark.parametrize(
    ("language", "new"),
    [
        ("python", 'a = """\\\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n"""\nf(a)\n'),
        ("markdown", "Change the port:\n\n```diff\n-port = 1\n+port = 2\n```\n"),
        ("shellscript", "cat <<NOTES\n+ one\n- two\nNOTES\n"),
    ],
)
def test_a_diff_in_a_text_of_the_reply_stays(
    read_reply: ReadReply, language: str, new: str
) -> None:
    found = read_reply(new, target="f(a)\n", language=language)
    assert (found.is_understood, "".join(found.lines or ())) == (True, new)


def test_a_diff_of_the_range_in_a_fence_is_no_text(read_reply: ReadReply) -> None:
    reply = "Here it is:\n\n```diff\n-port = 1\n+port = 2\n```\n"
    found = read_reply(reply, target="port = 1\n", language="markdown")
    assert not found.is_understood


def test_an_escaped_operator_shows_that_tags_are_escaped(read_reply: ReadReply) -> None:
    found = read_reply(
        "{a &amp;&amp; &lt;p&gt;{a}&lt;/p&gt;}\n",
        target="<p>{a}</p>\n",
        language="typescriptreact",
    )
    assert "".join(found.lines or ()) == "{a && <p>{a}</p>}\n"
    assert found.is_understood


def test_rows_that_come_twice_are_taken_once(read_reply: ReadReply) -> None:
    rows = "    Guest,\n    Member,\n    Editor,\n"
    target = "    Guest,\n    Member,\n"
    found = read_reply(f"{rows}\n{rows}", target=target, language="csharp")
    assert (found.is_understood, "".join(found.lines or ())) == (True, rows)


DECORATED = (
    "class Sensor(abc.ABC):\n",
    "    @abc.abstractmethod\n    def sample(self) -> float:\n        ...\n",
    "\n    def average(self):\n        return 1\n",
)


@pytest.mark.parametrize(
    ("added", "is_version"),
    [
        ("    @abc.abstractmethod\n    def close(self) -> None:\n        ...\n", False),
        ("    @abc.abstractmethod\n    def sample(self) -> float: ...\n", True),
        (
            "    @abc.abstractmethod\n    def sample(self) -> float:\n"
            "        return 0.0\n",
            True,
        ),
    ],
)
def test_another_definition_with_the_same_decorator_is_no_version(
    read_reply: ReadReply, added: str, is_version: bool
) -> None:
    before, own, after = DECORATED
    found = read_reply(
        f"{own}\n{added}", target=own, before=before, after=after, language="python"
    )
    assert found.lines is not None
    text = "".join(found.lines)
    assert text == f"{own}\n{added}"
    assert found.is_understood != is_version


def test_the_module_and_the_class_around_the_range_are_cut_off(
    read_reply: ReadReply,
) -> None:
    """A module is a line of the file's head only if its block does not come, too."""
    own = "    def fresh(year)\n      list\n    end\n"
    new = "    def fresh(year)\n      select { |one| one.year == year }\n    end\n"
    found = read_reply(
        f"module Seeds\n  class Catalog\n{new}  end\nend\n",
        target=own,
        before='require "csv"\n\nmodule Seeds\n  class Catalog\n    include A\n\n',
        after="  end\nend\n",
        language="ruby",
    )
    assert found.lines is not None
    assert "".join(found.lines) == new
    assert not [one for one in found.problems if one.kind == "uncertain"]


def test_a_test_of_java_beside_the_old_one_stays(read_reply: ReadReply) -> None:
    own = "    @Test\n    void finds() {\n        assertEquals(1, find());\n    }\n"
    new = "    @Test\n    void misses() {\n        assertEquals(0, find());\n    }\n"
    found = read_reply(
        f"{own}\n{new}",
        target=own,
        before="class FindTest {\n",
        after="}\n",
        language="java",
    )
    assert found.lines is not None
    assert "".join(found.lines) == f"{own}\n{new}"


def test_a_later_version_that_begins_with_another_call_is_no_example(
    read_reply: ReadReply,
) -> None:
    """What the first one calls is no function that the range defines."""
    own = "        assertThrows(Bad.class, () -> Amount.of(-1));\n"
    last = (
        "        Bad error =\n"
        "                assertThrows(Bad.class, () -> Amount.of(-1));\n"
        '        assertEquals("negative", error.getMessage());\n'
    )
    found = read_reply(
        "Version 1:\n```java\n"
        '        assertThrows(Bad.class, () -> Amount.of(-1), "negative");\n```\n'
        f"That asserts nothing. Final version:\n```java\n{last}```\n",
        target=own,
        before="class AmountTest {\n    @Test\n    void rejects() {\n",
        after="    }\n}\n",
        language="java",
    )
    assert found.lines is not None
    is_held = any(one.kind == "several-blocks" for one in found.problems)
    assert is_held or "".join(found.lines) == last


GATHER = (
    "async def load(names):\n",
    "    rows = []\n    for name in names:\n        rows.append(await read(name))\n"
    "    return rows\n",
    "\n\ndef g():\n    pass\n",
)
FIRST = "    rows = gather(read(name) for name in names)\n    return rows\n"
LAST = "    return list(await gather(*(read(name) for name in names)))\n"


@pytest.mark.parametrize(
    "talk",
    [
        "Wait, it needs a list. Corrected version:",
        "That is not awaited.\n\nPlease use this one instead:",
        "Ignore the above, it returns no list.",
    ],
)
def test_the_block_that_is_said_to_correct_the_first_counts(
    read_reply: ReadReply, talk: str
) -> None:
    """Also if the two have little in common."""
    before, target, after = GATHER
    reply = f"Here:\n```python\n{FIRST}```\n\n{talk}\n\n```python\n{LAST}```\n"
    found = read_reply(reply, before=before, target=target, after=after)
    assert (found.is_understood, "".join(found.lines or ())) == (True, LAST)


@pytest.mark.parametrize(
    ("talk", "block"),
    [
        ("Corrected version of the caller:", "    g(names)\n"),
        ("Wait, you also need this import:", "from asyncio import gather\n"),
        ("Corrected version:", "    return list(await gather(\n"),
        ("Or, shorter:", LAST),
    ],
)
def test_another_block_is_no_correction(
    read_reply: ReadReply, talk: str, block: str
) -> None:
    before, target, after = GATHER
    reply = f"```python\n{FIRST}```\n\n{talk}\n\n```python\n{block}```\n"
    found = read_reply(reply, before=before, target=target, after=after)
    assert not found.is_understood
