"""Replies in forms that no rule describes: read exactly, or held with a reason."""

from __future__ import annotations

import base64
import difflib
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from benchmarks.reply_cases import ReplyCase, Verdict, judge

JAVA = (
    "package shelf;\n\nfinal class Jar {\n    private int n;\n\n",
    "    int take(int wanted) {\n        int taken = Math.min(n, wanted);\n"
    "        n -= taken;\n        return taken;\n    }\n",
    "\n    int left() {\n        return n;\n    }\n}\n",
)
PYTHON = (
    "import os\n\n\nclass Cache:\n",
    "    def get(self, key):\n        value = self.data[key]\n        return value\n",
    "\n    def clear(self):\n        self.data = {}\n",
)
NEW_JAVA = JAVA[1].replace("min(n, wanted)", "max(0, Math.min(n, wanted))")
NEW_PYTHON = PYTHON[1].replace(
    "        return", "        self.n_reads += 1\n        return"
)
FIRST = JAVA[0].count("\n") + 1


def judged(reply: str, parts: tuple[str, str, str], path: str) -> Verdict:
    """Judge a reply to an edit of the second of three parts of a file."""
    before, old, _ = parts
    start = before.count("\n")
    return judge(
        ReplyCase(
            name="",
            path=path,
            language={"java": "java", "py": "python", "tsx": "typescriptreact"}[
                path.rpartition(".")[2]
            ],
            instruction="improve this",
            format="rewrite",
            rules=frozenset(),
            missed=frozenset(),
            is_declined=False,
            before=tuple("".join(parts).splitlines(keepends=True)),
            region=range(start, start + old.count("\n")),
            reply=reply,
            becomes=None,
        )
    )


def each(form: str, text: str = NEW_JAVA) -> str:
    """Write something around each line.

    `{1}` is the line as a page has it, `{2}` is its number.
    """
    return "".join(
        form.format(line, html.escape(line), n)
        for n, line in enumerate(text.splitlines(), FIRST)
    )


def diff(with_context: bool) -> str:
    """Return the lines of a diff of the file."""
    write = difflib.context_diff if with_context else difflib.unified_diff
    old, new = (
        f"{JAVA[0]}{text}{JAVA[2]}".splitlines(keepends=True)
        for text in (JAVA[1], NEW_JAVA)
    )
    return "".join(write(old, new, "a/J", "b/J"))


COMMANDS = (
    f"{FIRST + 1}c{FIRST + 1}\n< {JAVA[1].splitlines()[1]}\n---\n"
    f"> {NEW_JAVA.splitlines()[1]}\n"
)
OF_JAVA = {
    "commands of diff": COMMANDS,
    "commands in a fence": f"So:\n\n```diff\n{COMMANDS}```\n",
    "a script of ed": f"{FIRST},{FIRST + 4}c\n{NEW_JAVA}.\nw\nq\n",
    "a script of another place": f"1,2c\n{NEW_JAVA}.\nw\nq\n",
    "a diff with context": diff(with_context=True),
    "a mail": (
        "From 3fa1c0de Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH] x\n\n"
        f"---\n J | 2 +-\n\ndiff --git a/J b/J\n{diff(with_context=False)}-- \n2.43.0\n"
    ),
    "highlighted code": (
        '<div class="hl"><pre><span></span>'
        + each('<span class="k">{1}</span>\n')
        + "</pre></div>\n"
    ),
    "a table of lines": (
        "<table><tbody>\n"
        + each("<tr><td>{2}</td><td>{1}</td></tr>\n")
        + "</tbody></table>\n"
    ),
    "a form": f"code={quote_plus(NEW_JAVA)}",
    "a URL": quote(NEW_JAVA),
    "base64": base64.b64encode(NEW_JAVA.encode()).decode(),
    "a data URI": (
        f"data:text/plain;base64,{base64.b64encode(NEW_JAVA.encode()).decode()}"
    ),
    "lines of base64": base64.encodebytes(NEW_JAVA.encode()).decode(),
    "bytes of Python": repr(NEW_JAVA.encode()),
    "a frame": f"┌{'─' * 70}┐\n" + each("│ {0:<68} │\n") + f"└{'─' * 70}┘\n",
    "a grid with numbers": (
        "───┬────\n   │ File: J\n───┼────\n" + each("{2:3} │ {0}\n") + "───┴────\n"
    ),
    "the sign of a terminal": f"{NEW_JAVA.rstrip()}%\n",
    "bars": each("│ {0}\n"),
    "a prompt": each("java> {0}\n"),
    "a table of Markdown": ("| Line | Code |\n|---|---|\n" + each("| {2} | `{0}` |\n")),
}


HELD = {
    *("a script of ed", "a script of another place"),
    *("a diff with context", "a mail", "highlighted code", "a grid with numbers"),
    "the sign of a terminal",
}
"""Those that no search finds the text in: the model is asked once more."""


@pytest.mark.parametrize("name", OF_JAVA)
def test_a_reply_of_another_program_is_read_or_held(name: str) -> None:
    found = judged(OF_JAVA[name], JAVA, "Jar.java")
    if name in HELD:
        assert "reply" in found.rules
    else:
        assert not found.rules
        assert "".join(found.reply.lines or ()) == NEW_JAVA


@pytest.mark.parametrize(
    "form",
    [
        "app_1  | {0}\n",
        "[10:0{2}] <coder> {0}\n",
        "Line {2}: {0}\n",
        "#{2} {0}\n",
        "{2}:a{2}|{0}\n",
        "2024-05-01 10:00:0{2} INFO {0}\n",
    ],
)
def test_signs_beside_all_lines_are_taken_off(form: str) -> None:
    found = judged(each(form, NEW_PYTHON), PYTHON, "cache.py")
    assert not found.rules
    assert "".join(found.reply.lines or ()) == NEW_PYTHON


@pytest.mark.parametrize(
    "reply",
    [
        '=== "Java"\n\n' + each("    {0}\n", f"```java\n{NEW_JAVA}```\n"),
        f"edit('J', {json.dumps(JAVA[1])}, {json.dumps(NEW_JAVA)})",
        "```js\nconst fs = require('fs');\nlet s = fs.readFileSync('J', 'utf8');\n"
        f"s = s.replace({json.dumps(JAVA[1])}, {json.dumps(NEW_JAVA)});\n```\n",
        f"{{\n  path: 'J',\n  newText: `{NEW_JAVA}`\n}}",
        f"{NEW_JAVA}\n-- \nSent from my phone\n",
        f"**Option 1** (simple):\n\n```java\n{NEW_JAVA}```\n\n**Option 2** is none.\n",
    ],
)
def test_text_of_another_kind_is_read_or_held(reply: str) -> None:
    """It is no text of the language."""
    found = judged(reply, JAVA, "Jar.java")
    assert found.rules or "".join(found.reply.lines or ()) == NEW_JAVA


def test_painted_code_is_held() -> None:
    """In a language with tags it could be code."""
    parts = ("<p>\n", "  <button>\n    {one}\n  </button>\n", "</p>\n")
    span = '<span class="hljs-attr">disabled</span>'
    reply = f"  <button {span}={{!one}}>\n    {{one}}\n  </button>\n"
    assert "reply" in judged(reply, parts, "a.tsx").rules


def test_what_each_line_has_got_on_request_stays() -> None:
    """A word, the sign of a comment, a call, or what stands in front of a name."""
    old = "        alpha = one()\n        bravo = two()\n"
    parts = (f"{PYTHON[0]}    def get(self):\n", old, PYTHON[2])
    for text in (
        "# {0}",
        "{0};",
        "{0}.strip()",
        "{0}[0]",
        "self.{0}",
        "'{0}'",
        "print({0})",
    ):
        form = f"        {text}\n"
        reply = "".join(form.format(line.strip()) for line in old.splitlines())
        assert "reply" not in judged(reply, parts, "cache.py").rules
