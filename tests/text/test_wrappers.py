"""What a model has put around the whole of a range's text."""

from __future__ import annotations

import pytest
from tests.text.conftest import ReadReply

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

FILES = {
    "python": ("import os\n\n\n", "def f(x):\n    return x\n", "\n\nprint(f(1))\n"),
    "php": ("<?php\n\n", "$a = 1;\n", "$b = 2;\n"),
    "html": ("<ul>\n", "  <li>a</li>\n", "</ul>\n"),
    "yaml": ("jobs:\n", "  node: [18]\n", "  run: test\n"),
    "json": ('{\n  "a": {\n', '    "b": 1,\n    "c": 2\n', '  },\n  "d": 3\n}\n'),
    "go": ("func a() error {\n", "\treturn c()\n", "}\n"),
    "javascript": ("function a(c) {\n", "  d(c);\n", "}\n"),
    "rust": ("/// ```\n/// a();\n/// ```\nfn a() {\n", "    b()\n}\n", ""),
    "shellscript": ("set -eu\n", "tar czf $a data\necho done\n", "exit 0\n"),
    "java": (
        "class C {\n    int f(int x) {\n",
        "        return x;\n",
        "    }\n\n    int g() {\n        return 1;\n    }\n}\n",
    ),
}
NEW = "def f(x):\n    return x + 1\n"
LONG = "def f(x):\n    y = x + 1\n    return y\n"


def read(language: str, reply: str) -> Reply:
    """Read a reply to an edit of one of the files."""
    before, target, after = FILES[language]
    parser = ReplyParser(
        format="rewrite",
        target_lines=target.splitlines(keepends=True),
        before=before.splitlines(keepends=True),
        after=after.splitlines(keepends=True),
        language=language,
    )
    for character in reply:
        parser.feed(character)
    return parser.finish()


@pytest.mark.parametrize(
    ("language", "reply", "text"),
    [
        ("python", f"python\n{NEW}", NEW),
        ("java", "3 |         return x + 1;\n", "        return x + 1;\n"),
        ("java", "3:         return x + 1;\n4:\n", "        return x + 1;\n"),
        ("python", f"**Output:**\n{NEW}", NEW),
        ("python", f"# shop/total.py\n{NEW}", NEW),
        ("java", "// src/a/C.java\n        return x + 1;\n", "        return x + 1;\n"),
        ("python", f"{LONG}\n{LONG}", LONG),
        ("python", f"Updated code:\n{NEW}", NEW),
        ("python", f"```python\n**shop/total.py**\n{NEW}```\n", NEW),
        ("python", '{"new_text": "def f(x):\\n    return x + 1"}', NEW),
        ("python", '{"notes": ["a"], "code": "def f(x):\\n    return x + 1"}', NEW),
        ("python", '["def f(x):", "    return x + 1"]', NEW),
        ("python", '"def f(x):\\n    return x + 1"', NEW),
        ("python", f"cat > shop/total.py <<'EOF'\n{NEW}EOF\n", NEW),
        ("yaml", "`node: [18, 20]`\n", "  node: [18, 20]\n"),
        ("python", f"<![CDATA[\n{NEW}]]>\n", NEW),
        ("python", "> def f(x):\n>     return x + 1\n", NEW),
        ("python", "def f(x):\n\u00a0\u00a0\u00a0\u00a0return\u00a0x + 1\n", NEW),
        (
            "python",
            "<<<<<<< SEARCH\n    return x\n"
            "=======\n    return x + 1\n>>>>>>> REPLACE\n",
            NEW,
        ),
        ("php", "```php\n<?php\n\n$a = 2;\n```\n", "$a = 2;\n"),
        ("java", "`return x + 1;`\n", "        return x + 1;\n"),
        ("java", '{"code": "return x + 1;\\n"}\n', "        return x + 1;\n"),
        (
            "java",
            '<tool_call>\n{"name": "edit", "arguments": {"text": "log();\\n'
            'return x;"}}\n</tool_call>\n',
            "        log();\n        return x;\n",
        ),
        ("java", "[CODE]\nreturn x + 1;\n[/CODE]\n", "        return x + 1;\n"),
        ("python", f"````markdown\nHere:\n```python\n{NEW}```\n````\n", NEW),
        ("python", f"```python\n{NEW}```<|endoftext|>User: what is x?\n\nIt is 1", NEW),
        ("yaml", "yaml\n  node: [18, 20]\n", "  node: [18, 20]\n"),
        ("shellscript", 'bash\ntar czf "$a" d\n```\n', 'tar czf "$a" d\n'),
        ("shellscript", "\nShell\necho 1\n```\n\n", "echo 1\n"),
        (
            "shellscript",
            "```bash\ncat <<'EOF'\ntar czf \"$a\" data\necho done\nEOF\n```\n",
            'tar czf "$a" data\necho done\n',
        ),
        (
            "shellscript",
            "$ cat <<'EOF'\ntar czf \"$a\" data\necho done\nEOF\n",
            'tar czf "$a" data\necho done\n',
        ),
        ("python", f"// BEGIN: ed8c6549bwf9\n{NEW}// END: ed8c6549bwf9\n", NEW),
        ("java", "```java        return x + 1;\n```\n", "        return x + 1;\n"),
        ("go", "```go\tvar b error\n\treturn b\n```\n", "\tvar b error\n\treturn b\n"),
        (
            "javascript",
            "```javascript  const a = `b ${c}`;\n  d(a);\n```\n",
            "  const a = `b ${c}`;\n  d(a);\n",
        ),
        ("rust", "```rust\n    c()\n}```\n", "    c()\n}\n"),
        ("rust", "```rust\n    c()\n}```<end_of_turn>\n", "    c()\n}\n"),
        ("python", f"```python\n{NEW.rstrip()}```<end_of_turn>\n", NEW),
        ("python", f"```python\n{NEW.rstrip()}```<|end|><|im_end|>\n", NEW),
        ("java", "java\n        log(x);\n```\n", "        log(x);\n"),
        ("html", "<answer>\n  <li>b</li>\n</answer>\n", "  <li>b</li>\n"),
        (
            "json",
            '{\n  "a": {\n    "b": 2,\n    "c": 2\n  }\n}\n',
            '    "b": 2,\n    "c": 2\n',
        ),
        (
            "json",
            '{\n  "a": {\n    "b": 2,\n    "c": 2\n  },\n  "d": 3\n}\n',
            '    "b": 2,\n    "c": 2\n',
        ),
        ("java", "int f(int x) {\n    return x + 1;\n}\n", "        return x + 1;\n"),
    ],
)
def test_taken_off(language: str, reply: str, text: str) -> None:
    """The text is exact, and nothing is wrong with it."""
    found = read(language, reply)
    assert found.lines is not None
    assert "".join(found.lines) == text
    assert found.is_understood, found.problems


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("python", 'CODE = {"code": "x"}\n'),
        ("python", "text = `x`\n"),
        ("python", "go()\n"),
        ("shellscript", "bash\ntar czf $a data\n"),
        ("shellscript", "bash setup.sh\ntar czf $a data\n"),
        ("shellscript", "cat <<'EOF'\ntar czf $a data\necho done\nEOF\n"),
        ("shellscript", "cat <<'EOF'\nusage: a\n  -h\nEOF\n"),
        ("python", "# BEGIN\ndef f(x):\n    return x\n# END\n"),
        ("python", "cat <<'EOF'\ndef f(x):\n    return x\nEOF\n"),
        ("html", "<section>\n  <li>b</li>\n</section>\n"),
        ("yaml", "  node: [18]\n  path: a/b.py\n"),
    ],
)
def test_left_alone(language: str, reply: str) -> None:
    """What only looks like it is the range's text."""
    found = read(language, reply)
    assert found.lines is not None
    assert "".join(found.lines).split() == reply.split()


@pytest.mark.parametrize(
    ("language", "target", "reply"),
    [
        ("ruby", "user.save\n", "user.save\npost.save\ntag.save\n"),
        ("ignore", "dist/b.js\n", "dist/app.js\ndist/b.js\n"),
        ("yaml", "  code: 1\n", "  response:\n    code: 200\n"),
        ("yaml", "a: 1\n", "output:\n  a: 1\n"),
        ("yaml", "- json\n", "yaml\n- json\n"),
        ("makefile", "build/app.js:\n", "build/app.js:\n\tnode build.js\n"),
        ("sass", "a.btn\n  top: 0\n", "a.btn\n  top: 1\n"),
        ("css", "html {\n}\n", "html\n{\n}\n"),
        ("c", "x = f();\n", "result:\nx = g();\n"),
        ("python", "DEBUG = 1\n", "# settings.py\nDEBUG = 1\n"),
        ("python", "def f(x):\n    return x\n", "# f.py\ndef f(x):\n    return x\n"),
        ("python", "    foo\n", '    "bar"\n'),
        ("python", "foo(x)\n", '"foo(x)\\nbar(x)"\n'),
        ("python", "", '{"code": "A1"}\n'),
        ("python", "x(1)\ny(2)\n", '"x(1)\\ny(2)"\n'),
        ("dockerfile", "CMD npm start\n", '["npm", "start"]\n'),
        ("dockerfile", 'CMD ["python", "app"]\n', 'ENTRYPOINT ["python", "app"]\n'),
        ("yaml", 'a: ["make", "install"]\n', 'a: ["make", "b", "install"]\n'),
        ("helm", 'a: ["first", "second"]\n', 'b: ["first", "second"]\n'),
        ("jsonl", "1\n", '{"code": "a\\nb"}\n'),
        ("json5", "a\n", '{"code": "a\\nb"}\n'),
        ("xml", "<a/>\n", "<response>\n<a/>\n</response>\n"),
        ("html", "<b>a</b>\n", "<result>\n<b>a</b>\n</result>\n"),
        ("xml", "f(a)\n", "<![CDATA[\nf(b)\n]]>\n"),
        ("ruby", "x = 1\n", "cat <<EOF\nx = 2\nEOF\n"),
        ("yaml", "x = 1\n", "cat <<EOF\nx = 2\nEOF\n"),
        ("sql", "users\n", "`users`\n"),
        ("javascript", "`a(b)`\n", "`a(c)`\n"),
        ("javascriptreact", "<p>a b</p>\n", "<p>a\u00a0c</p>\n"),
        ("javascriptreact", "  a b\n", "  a\u00a0c\n"),
        ("python", 'x = "a"\n', 'x = "a\u00a0b"\n'),
        ("python", "x = 1\n", "x = 2  # 5\u00a0km\n"),
        ("python", "x = 1\n", "\u0645\u06cc\u200c\u0631\u0648\u062f = 1\n"),
        ("python", "x = 1\n", "x = 1  # \U0001f469\u200d\U0001f4bb\n"),
        ("yaml", "a: b c\n", "a: b\u00a0d\n"),
    ],
)
def test_what_was_asked_for_stays(language: str, target: str, reply: str) -> None:
    """Lines that a wrapper has in one language are code or data in another."""
    parser = ReplyParser(
        format="rewrite",
        target_lines=target.splitlines(keepends=True),
        before=[],
        after=[],
        language=language,
    )
    parser.feed(reply)
    found = parser.finish()
    assert found.lines is not None
    assert "".join(found.lines) == reply


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("yaml", "`later`\n"),
        ("shellscript", "cat <<EOF\ntar cf a data\necho done\nEOF\n"),
        ("python", "# BEGIN\ndef f(x):\n    return x + 1\n# END\n"),
        ("python", "def f(x):\n    return x + 1\n# END: ed8c6549bwf9\n"),
        ("java", '{"new_text": "bar();\\nfoo();"}\n'),
    ],
)
def test_what_may_be_a_wrapper_is_held(language: str, reply: str) -> None:
    """It is not taken off, and not offered without a problem."""
    before, target, after = FILES[language]
    if language == "java":
        target = "        return f(x);\n"
    parser = ReplyParser(
        format="rewrite",
        target_lines=target.splitlines(keepends=True),
        before=before.splitlines(keepends=True),
        after=after.splitlines(keepends=True),
        language=language,
    )
    parser.feed(reply)
    found = parser.finish()
    assert not found.is_understood
    assert found.lines is not None
    assert "".join(found.lines).split() == reply.split()


@pytest.mark.parametrize(
    ("before", "target", "is_held"),
    [("", "sh\nexit\n", False), ("sh\n", "exit\n", True), ("", "a <<E\nsh\n", True)],
)
def test_a_command_of_the_file_is_no_lost_fence(
    before: str, target: str, is_held: bool
) -> None:
    """A name of the language that is a line of the file stays."""
    parser = ReplyParser(
        format="rewrite",
        target_lines=target.splitlines(keepends=True),
        before=before.splitlines(keepends=True),
        language="shellscript",
    )
    parser.feed("sh\nexit 1\n```\n")
    found = parser.finish()
    assert found.lines == ("sh\n", "exit 1\n")
    assert found.is_understood != is_held


def test_blanks_of_a_string_stay_beside_those_of_code() -> None:
    """Only what stands for the blanks of code is replaced."""
    found = read("python", 'def f(x):\n\u00a0   return "a\u00a0b"\n')
    assert found.lines == ("def f(x):\n", '    return "a\u00a0b"\n')


@pytest.mark.parametrize(
    ("language", "before"), [("python", '"""Text.\n'), ("c", "/* Text.\n")]
)
def test_a_name_in_a_string_or_comment_of_several_lines_stays(
    language: str, before: str
) -> None:
    """There, each line is text."""
    parser = ReplyParser(
        format="rewrite",
        target_lines=["f(x) is called\n"],
        before=[before],
        after=[],
        language=language,
    )
    parser.feed(f"{language}\nf(x) is called in it\n")
    assert parser.finish().lines == (f"{language}\n", "f(x) is called in it\n")


def test_blocks_that_do_not_fit_are_a_fault() -> None:
    """They are not offered as the text."""
    reply = "<<<<<<< SEARCH\nother\n=======\nnew\n>>>>>>> REPLACE\n"
    assert not read("python", reply).is_understood


@pytest.mark.parametrize(
    ("language", "target", "reply", "text"),
    [
        (
            "css",
            ".card {\n  padding: 8px;\n}\n",
            "1\t.card {\n2\t  padding: 9px 8px;\n3\t}\n",
            ".card {\n  padding: 9px 8px;\n}\n",
        ),
        (
            "swift",
            "func f() -> Int {\n    return 1\n}\n",
            "1: func f(a: Int) -> Int {\n2:     return a\n3: }\n",
            "func f(a: Int) -> Int {\n    return a\n}\n",
        ),
        (
            "kotlin",
            '    A -> "None"\n    B -> "Some"\n',
            '1:     A -> "Nothing"\n2:     B -> "Some of it"\n',
            '    A -> "Nothing"\n    B -> "Some of it"\n',
        ),
        (
            "php",
            "    'home' => Home::class,\n    'news' => News::class,\n",
            "      'home' => Home::class,\n      'news' => News::class,\n"
            "+     'shop' => Shop::class,\n",
            "    'home' => Home::class,\n    'news' => News::class,\n"
            "    'shop' => Shop::class,\n",
        ),
        (
            "html",
            '<input name="mail">\n',
            "<input name=\u201cmail\u201d required>\n",
            '<input name="mail" required>\n',
        ),
        # The same mark at both ends of strings, of which some have tags.
        (
            "php",
            "$a = '<b>' . $b['c'] . '</b>';\n",
            "$a = \u2019<b>\u2019 . $b[\u2019d\u2019] . \u2019</b>\u2019;\n",
            "$a = '<b>' . $b['d'] . '</b>';\n",
        ),
        (
            "javascript",
            "a.innerHTML = '<i>' + b + '</i>';\n",
            "a.innerHTML = \u2018<i>\u2019 + c(b, \u2018\u2019) + \u2018</i>\u2019;\n",
            "a.innerHTML = '<i>' + c(b, '') + '</i>';\n",
        ),
        # Signs of code are escaped, and of the quotation marks only some.
        (
            "typescript",
            'const a = (b: B) => b.c.join(",");\n',
            'const a = (b: B) =&gt; `"${b.c.join(&#39;;&#39;)}"`;\n',
            "const a = (b: B) => `\"${b.c.join(';')}\"`;\n",
        ),
        (
            "cpp",
            'a->b("c");\n',
            "if (n &lt; 2 &amp;&amp; a) {\n  a-&gt;b(&quot;c&quot;, 'd');\n}\n",
            "if (n < 2 && a) {\n  a->b(\"c\", 'd');\n}\n",
        ),
    ],
)
def test_marks_and_quotation_marks_are_restored(
    read_reply: ReadReply, language: str, target: str, reply: str, text: str
) -> None:
    found = read_reply(reply, target=target, language=language)
    assert (found.is_understood, "".join(found.lines or ())) == (True, text)


def test_numbers_that_may_be_keys_are_uncertain(read_reply: ReadReply) -> None:
    target = '    "apple": "red",\n    "pear": "green",\n'
    reply = '    1: "apple",\n    2: "pear",\n'
    before = "import a\n\nfruit = {\n"
    assert not read_reply(reply, target=target, before=before).is_understood


def test_a_value_of_data_in_typographic_quotes_is_uncertain(
    read_reply: ReadReply,
) -> None:
    reply = "RETRIES: \u201c3\u201d\n"
    assert not read_reply(reply, target='RETRIES: "2"\n', language="yaml").is_understood


@pytest.mark.parametrize(
    ("language", "target", "reply"),
    [
        # It writes HTML.
        (
            "javascript",
            "return a.replace(/x/g, b);\n",
            "return a.replace(/\"/g, '&quot;').replace(/'/g, '&#39;');\n",
        ),
        (
            "python",
            "x = f(a)\n",
            "x = f(a, \"b =&gt; c\", '&quot;')\n",
        ),
        # An apostrophe of a text between tags.
        (
            "javascriptreact",
            "<p>It is.</p>\n",
            "<p>It\u2019s <b>Ann\u2019s</b> day.</p>\n",
        ),
        (
            "php",
            "<p>It is a.</p>\n",
            "<p>Bob\u2019s <b>x</b> and it\u2019s a.</p>\n",
        ),
    ],
)
def test_entities_and_marks_that_are_meant_stay(
    read_reply: ReadReply, language: str, target: str, reply: str
) -> None:
    found = read_reply(reply, target=target, language=language)
    assert "".join(found.lines or ()) == reply
