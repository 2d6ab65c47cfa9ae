"""Replies that may be another form of a text: they are read exactly, or held."""

from __future__ import annotations

import json

import pytest
from tests.text.conftest import ReadReply
from tests.text.reply_reading import read_reply as read_in_file

INDENTED = "    git clone quill\n    make\n"
FENCED = "```sh\ngit clone quill\nmake\n```\n"
PAGE = "Install it:\n\n```sh\nmake\n```\n"


@pytest.mark.parametrize(
    ("before", "reply"),
    [("Get it:\n\n", FENCED), ("", FENCED), ("Get it:\n\n", FENCED.replace("`", "~"))],
)
def test_a_fence_in_place_of_an_indented_block_stays_at_the_margin(
    read_reply: ReadReply, before: str, reply: str
) -> None:
    found = read_reply(reply, target=INDENTED, before=before, language="markdown")
    assert found.is_understood
    assert "".join(found.lines or ()) == reply


def test_a_fence_within_an_item_has_its_indentation(read_reply: ReadReply) -> None:
    before = "1.  Get it:\n\n"
    found = read_reply(FENCED, target=INDENTED, before=before, language="markdown")
    assert (found.lines or ("",))[0] == "    ```sh\n"


def test_a_fence_around_the_unchanged_text_is_held(read_reply: ReadReply) -> None:
    """The user may have asked for the fence."""
    reply = "```\ngit clone quill\nmake\n```\n"
    target = "    git clone quill\n    make\n"
    assert not read_reply(reply, target=target, language="markdown").is_understood


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        ("json", '  "level": "info",\n', '  "level": "debug",\n'),
        ("yaml", "  replicas: 2\n", "  replicas: 3\n"),
        ("toml", "[tool.quill]\nlong = 1\n", "[tool.quill]\nlong = 2\n"),
        ("html", "  <p>One</p>\n", '  <p class="a">Two</p>\n'),
        ("markdown", "One.\n", "Two.\n"),
    ],
)
@pytest.mark.parametrize("call", ["{}", "<tool_call>\n{}\n</tool_call>\n"])
def test_the_call_of_a_tool_is_never_text(
    read_reply: ReadReply, language: str, target: str, new: str, call: str
) -> None:
    value = json.dumps({"path": "a", "new_text": new})
    found = read_reply(call.format(value), target=target, language=language)
    assert not found.is_understood or "".join(found.lines or ()) == new


def test_an_object_that_is_no_call_stays(read_reply: ReadReply) -> None:
    reply = '{"text": "One\\nTwo", "size": 3},\n'
    found = read_reply(reply, target='"One",\n', before="[\n", language="json")
    assert found.is_understood


def test_line_ends_within_the_text_of_a_call(read_reply: ReadReply) -> None:
    reply = json.dumps({"new_text": "x = load(1)\r\ncheck(x)\r\n"})
    found = read_reply(reply, target="x = load()\r\ncheck(x)\r\n", line_end="\r\n")
    assert found.lines == ("x = load(1)\r\n", "check(x)\r\n")


def test_a_fence_that_names_a_diff_is_one(read_reply: ReadReply) -> None:
    """Also if it only adds lines, and most of its context is around the range."""
    reply = "```diff\n def f(x):\n+    check(x)\n     return x\n \n def g():\n```\n"
    before, target, after = "def f(x):\n", "    return x\n", "\ndef g():\n    pass\n"
    found = read_reply(reply, target=target, before=before, after=after)
    assert found.is_understood
    assert found.lines == ("    check(x)\n", "    return x\n")
    bare = "\n".join(reply.splitlines()[1:-1]) + "\n"
    found = read_reply(bare, target=target, before=before, after=after)
    assert not found.is_understood


def test_a_fenced_diff_of_a_page_is_held(read_reply: ReadReply) -> None:
    reply = "```diff\n # Quill\n-One.\n+Two.\n```\n"
    for text, is_understood in ((reply, False), ("```diff\n-x\n+y\n```\n", True)):
        found = read_reply(
            text, target="One.\n", before="# Quill\n", language="markdown"
        )
        assert found.is_understood == is_understood


def test_a_sign_before_negated_lines_is_held(read_reply: ReadReply) -> None:
    reply = "+-a = 1\n+ -a = 1\n"
    found = read_reply(reply, target="-a = 1\n-a = 1\n", language="c")
    assert not found.is_understood


@pytest.mark.parametrize("mark", [": ", " | ", "\t"])
@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        ("javascript", 'import a from "a";\n', 'import { a } from "a";\n'),
        ("html", "<p>One</p>\n", "<p>Two</p>\n"),
        ("sql", "SELECT a, b\n", "SELECT a, b, c\n"),
    ],
)
def test_the_number_of_a_single_line_is_never_text(
    read_reply: ReadReply, language: str, target: str, new: str, mark: str
) -> None:
    found = read_reply(
        f"   3{mark}{new}", target=target, before="\n\n", language=language
    )
    assert not found.is_understood or "".join(found.lines or ()) == new


def test_numbers_before_a_decimal_number(read_reply: ReadReply) -> None:
    found = read_reply(
        "   1 | 0.21 * red +\n   2 | 0.72 * green\n",
        target="0.21 * red\n",
        language="swift",
    )
    assert found.lines == ("0.21 * red +\n", "0.72 * green\n")


def test_a_blank_behind_a_number_is_no_indentation(read_reply: ReadReply) -> None:
    found = read_reply(
        "   1 |   run <<EOF\n   2 | ls\n   3 | EOF\n",
        target="  run ls\n",
        language="shellscript",
    )
    assert found.lines == ("  run <<EOF\n", "ls\n", "EOF\n")


def test_a_tag_within_a_sentence_ends_no_reasoning(read_reply: ReadReply) -> None:
    reply = "system: |\n  Think in <think>...</think> first.\n"
    found = read_reply(reply, target="system: |\n  Think.\n", language="yaml")
    assert "".join(found.lines or ()) == reply


def test_the_element_within_an_answer_tag_stays(read_reply: ReadReply) -> None:
    new = "<ul>\n  <li>Two</li>\n</ul>\n"
    reply = f"<answer>\n{new}</answer>\n"
    target = "<ul>\n  <li>One</li>\n</ul>\n"
    assert "".join(read_reply(reply, target=target, language="html").lines or ()) == new


@pytest.mark.parametrize("old", ["return sum(xs) / n\n", "if ready(x): go(x)\n"])
def test_the_call_of_a_statement_defines_nothing(
    read_reply: ReadReply, old: str
) -> None:
    """The second block is no example of a function that the first one defines."""
    new = f"if not n:\n    return sum(xs)\n{old}if ready(x):\n    pass\n"
    reply = f"```\n{old}```\n\nThat is not enough:\n\n```\n{new}```\n"
    found = read_reply(reply, target=old)
    assert not found.is_understood or "".join(found.lines or ()) == new


def test_what_follows_the_unchanged_range_is_no_example(
    read_reply: ReadReply,
) -> None:
    old = "fun climb(): Int {\n    return 1\n}\n"
    reply = f"```\n{old}```\n\nBetter:\n\n```\nfun climb(): Int =\n    1 + low()\n```\n"
    found = read_reply(reply, target=old, language="kotlin")
    assert "".join(found.lines or ()) != old or not found.is_understood


@pytest.mark.parametrize(
    "reply",
    [
        f"```\nOld.\n```\n\nNo, that is wrong. Better:\n\n```\n{PAGE}```\n",
        f"Sorry about that, here it is:\n```\n{PAGE}```\n",
        f"markdown\n{PAGE}```\n",
        f"```\n{PAGE}",
    ],
)
def test_fences_around_a_page_are_never_its_text(
    read_reply: ReadReply, reply: str
) -> None:
    found = read_reply(reply, target="Old.\n", language="markdown")
    assert not found.is_understood or "".join(found.lines or ()) == PAGE


def test_entities_are_read_before_what_they_hide(read_reply: ReadReply) -> None:
    reply = "return $this-&gt;a ? &quot;\\n&quot; : &quot;\u2026&quot;;\n"
    found = read_reply(reply, target="return $this->a;\n", language="php")
    assert found.lines == ('return $this->a ? "\\n" : "\u2026";\n',)


def test_a_comment_below_talk_is_code(read_reply: ReadReply) -> None:
    reply = "I apologize for that. Here is the code:\n\n# TODO: load it\nA = {1}\n"
    assert read_reply(reply, target="A = {}\n").lines == (
        "# TODO: load it\n",
        "A = {1}\n",
    )


def test_an_apology_above_a_text_is_held(read_reply: ReadReply) -> None:
    """It may be text of the string in which the range is."""
    reply = "I apologize for the confusion. Here is the code:\n\n  return b;\n"
    found = read_reply(
        reply, target="  return a;\n", before="const A = `\n", language="javascript"
    )
    assert not found.is_understood


def test_blank_lines_between_all_lines_may_be_those_of_the_range(
    read_reply: ReadReply,
) -> None:
    target = "def a(self):\n    ...\n\ndef b(self):\n    ...\n"
    new = "\n\n".join(f"def {name}(self) -> int: ..." for name in "abcd") + "\n"
    found = read_reply(new, target=target)
    assert not found.is_understood or "".join(found.lines or ()) == new


def test_a_token_glued_to_the_fence_at_the_end_of_reasoning(
    read_reply: ReadReply,
) -> None:
    reply = "<think>\nA map.\n\n```python\nx = map(f, y)\n```<|im_end|>\n"
    assert read_reply(reply, target="x = y\n").lines == ("x = map(f, y)\n",)


@pytest.mark.parametrize(
    ("language", "before", "target", "after", "new"),
    [
        # What closes the new block stays, although what follows looks like it.
        (
            "typescript",
            "  stop(): void {\n",
            "    if (this.timer) clear(this.timer);\n",
            "  }\n",
            "    if (this.timer) {\n      clear(this.timer);\n    }\n",
        ),
        # What closes the class is cut off, although it looks like the range's end.
        (
            "ruby",
            "class Shelf\n",
            "  def size\n    @jars.count\n  end\n",
            "end\n",
            "  def size\n    @jars.sum(&:n)\n  end\n",
        ),
        # Comments above what follows the range belong to it if it ends with one.
        (
            "rust",
            "use knots;\n\n",
            "/// Loads a rope.\n",
            "pub fn load_rope(knot: &Knot) -> f32 {\n    1.0\n}\n",
            "/// Loads a rope.\n///\n/// See [`Knot`].\n",
        ),
    ],
)
def test_lines_around_the_range_are_cut_off_as_a_whole(
    read_reply: ReadReply, language: str, before: str, target: str, after: str, new: str
) -> None:
    above, below = before.splitlines(True)[-1], after.splitlines(True)[0]
    for reply in (new + below, above + new + below, above + new):
        found = read_reply(
            f"```\n{reply}```\n",
            target=target,
            before=before,
            after=after,
            language=language,
        )
        assert not found.is_understood or "".join(found.lines or ()) == new


def test_a_token_that_names_the_role_is_glued_to_the_code(
    read_reply: ReadReply,
) -> None:
    reply = "<|assistant|>  all(a: T&lt;A&gt;) {\n    go(a);\n  }\n"
    found = read_reply(reply, target="  all() {\n  }\n", language="typescript")
    assert "".join(found.lines or ()) == "  all(a: T<A>) {\n    go(a);\n  }\n"


def test_spaces_for_the_tabs_of_a_range_in_a_mixed_file(read_reply: ReadReply) -> None:
    found = read_reply(
        "    def f(self):\n        go()\n",
        target="\tdef f(self):\n\t\tpass\n",
        before="class A:\n    x = 1\n    y = 2\n\tz = 3\n",
    )
    assert found.lines == ("\tdef f(self):\n", "\t\tgo()\n")


def test_other_quotes_in_the_line_below(read_reply: ReadReply) -> None:
    found = read_reply(
        "<a>Home</a>\n<a>Shop</a>\n<a>Work</a>\n<a k='v'>Contact</a>\n",
        target="<a>Shop</a>\n",
        before="<a>Home</a>\n",
        after='<a k="v">Contact</a>\n',
        language="html",
    )
    assert found.lines == ("<a>Shop</a>\n", "<a>Work</a>\n")


def test_what_follows_the_range_ends_an_open_fence_whatever_the_text_ends_with(
    read_reply: ReadReply,
) -> None:
    found = read_reply(
        "```dockerfile\nCOPY . .\nRUN apt-get update \\\n"
        "    && rm -rf /lists/*\nEXPOSE 8000\n",
        target="RUN apt-get update\n",
        before="COPY . .\n",
        after="EXPOSE 8000\n",
        language="dockerfile",
    )
    assert found.is_understood
    assert len(found.lines or ()) == 2


@pytest.mark.parametrize(
    ("language", "new"),
    [
        ("javascript", "show(a);\nshow(`--- a\n+++ b\n-  old\n+  ${new}`);\n"),
        ("cpp", 'show(a);\nshow(R"(Apply\n\n@@ -1 +1 @@\n-0 1\n+0 2\n)");\n'),
    ],
)
def test_a_diff_in_a_string_of_the_reply_is_text(
    read_reply: ReadReply, language: str, new: str
) -> None:
    found = read_reply(new, target="show(a);\n", language=language)
    assert found.is_understood
    assert "".join(found.lines or ()) == new


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        # No colours of a terminal.
        ("python", "x = rows[0]\n", "x = rows[mid]\n"),
        ("python", "x = []\n", "x = [m]\n"),
        ("python", 'print("a")\n', 'print("\\033[31ma\\033[0m")\n'),
        ("shellscript", "echo a\n", 'echo -e "\\e[1;31ma\\e[0m"\n'),
        ("ruby", "puts a\n", 'puts ESC + "[31m" + a + ESC + "[0m"\n'),
        # No talk above the code.
        ("sql", "SELECT a\nFROM b\n", "SELECT b.id, b.name, COUNT(b.id)\nFROM b\n"),
        ("sql", "GRANT a;\n", "GRANT SELECT ON loan TO reader (x)\nGRANT b;\n"),
        ("dockerfile", "RUN a\n", "RUN pip install numpy and (echo ok)\nRUN b\n"),
        ("cobol", "ADD A TO B.\n", "ADD A TO B.\nMOVE C OF A TO D.\n"),
        (
            "vb",
            "Dim a As Integer\n",
            "Dim a As New List(Of String)\nDim b As Integer\n",
        ),
    ],
)
def test_code_that_looks_like_talk_or_colours_stays(
    read_reply: ReadReply, language: str, target: str, new: str
) -> None:
    for reply in (new, f"```{language}\n{new}```\n", f"Here is the code:\n{new}"):
        found = read_reply(reply, target=target, language=language)
        assert not found.is_understood or "".join(found.lines or ()) == new
    assert read_reply(new, target=target, language=language).is_understood


@pytest.mark.parametrize(
    ("language", "target", "new"),
    [
        ("go", "\tnames []string\n}\n", "}\n"),
        ("yaml", "  pull_request:\n\njobs:\n  test:\n", "jobs:\n  test:\n"),
        ("python", "    return parts\n\n\ndef wrap(title):\n", "def wrap(title):\n"),
        ("css", "  }\n}\n", "}\n"),
    ],
)
def test_a_later_line_of_the_range_that_comes_first_has_its_own_depth(
    read_reply: ReadReply, language: str, target: str, new: str
) -> None:
    assert "".join(read_reply(new, target=target, language=language).lines or ()) == new


@pytest.mark.parametrize(
    ("language", "before", "target", "after", "new"),
    [
        # A line in PHP's tags that the file has is no head of the file.
        (
            "php",
            "<?php foreach ($a as $b): ?>\n<?php endforeach ?>\n",
            "<li><?= $b ?></li>\n<?php endforeach ?>\n</ul>\n",
            "",
            "<?php endforeach ?>\n</ul>\n",
        ),
        # Settings that are read with commas behind last members.
        (
            "json",
            '{\n  "a": {\n    "x": 1,\n  },\n',
            '  "b": 1,\n  "c": 2,\n',
            "}\n",
            '  "b": 2,\n',
        ),
    ],
)
def test_what_the_file_has_stays(
    read_reply: ReadReply, language: str, before: str, target: str, after: str, new: str
) -> None:
    found = read_reply(
        new, target=target, before=before, after=after, language=language
    )
    assert "".join(found.lines or ()) == new


def test_two_blocks_without_a_language_are_not_one_in_a_fence() -> None:
    """What is between the first and the last fence has an empty block then."""
    reply = "```\nx = 1\n```\n\n```\ny = 2\n```\n"
    found = read_in_file(reply, "x = 1\n\ny = 2\n", language="markdown")
    assert any(problem.is_fault for problem in found.problems)


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("kotlin", "    C()\n", "import b.D\n\n    D()\n"),
        ("swift", "    run()\n", "import UIKit\n\n    UIColor()\n"),
        ("dart", "  run();\n", "import 'b.dart';\n\n  go();\n"),
        ("vue", "    return { a };\n", 'import { c } from "./c";\n    return { c };\n'),
    ],
)
def test_an_import_is_not_written_into_a_function(
    language: str, old: str, new: str
) -> None:
    """No grammar shows where it belongs."""
    found = read_in_file(new, old, before="fun f() {\n", language=language)
    assert any(problem.is_fault for problem in found.problems)
    alone = read_in_file(new.split("\n", 1)[0], "import x", language=language)
    assert not any(problem.is_fault for problem in alone.problems)
