"""What a model has put around the whole of a range's text."""

from __future__ import annotations

import pytest

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

FILES = {
    "python": ("import os\n\n\n", "def f(x):\n    return x\n", "\n\nprint(f(1))\n"),
    "php": ("<?php\n\n", "$a = 1;\n", "$b = 2;\n"),
    "html": ("<ul>\n", "  <li>a</li>\n", "</ul>\n"),
    "yaml": ("jobs:\n", "  node: [18]\n", "  run: test\n"),
    "json": ('{\n  "a": {\n', '    "b": 1,\n    "c": 2\n', '  },\n  "d": 3\n}\n'),
    "java": (
        "class C {\n    int f(int x) {\n",
        "        return x;\n",
        "    }\n\n    int g() {\n        return 1;\n    }\n}\n",
    ),
}
NEW = "def f(x):\n    return x + 1\n"


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
        ("python", f"# shop/total.py\n{NEW}", NEW),
        ("python", f"Updated code:\n{NEW}", NEW),
        ("python", f"```python\n# File: shop/total.py\n{NEW}```\n", NEW),
        ("python", '{"new_text": "def f(x):\\n    return x + 1"}', NEW),
        ("python", '{"notes": ["a"], "code": "def f(x):\\n    return x + 1"}', NEW),
        ("python", '["def f(x):", "    return x + 1"]', NEW),
        ("python", '"def f(x):\\n    return x + 1"', NEW),
        ("python", f"cat > shop/total.py <<'EOF'\n{NEW}EOF\n", NEW),
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
        (
            "html",
            "<answer>\n  <li>a</li>\n  <li>b</li>\n</answer>\n",
            "  <li>a</li>\n  <li>b</li>\n",
        ),
        ("yaml", "yaml\n  node: [18, 20]\n", "  node: [18, 20]\n"),
        ("yaml", "`node: [18, 20]`\n", "  node: [18, 20]\n"),
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
        ("html", "<section>\n  <li>b</li>\n</section>\n"),
        ("yaml", "  node: [18]\n  path: a/b.py\n"),
    ],
)
def test_left_alone(language: str, reply: str) -> None:
    """What only looks like it is the range's text."""
    found = read(language, reply)
    assert found.lines is not None
    assert "".join(found.lines).split() == reply.split()


def test_blocks_that_do_not_fit_are_a_fault() -> None:
    """They are not offered as the text."""
    reply = "<<<<<<< SEARCH\nother\n=======\nnew\n>>>>>>> REPLACE\n"
    assert not read("python", reply).is_understood
