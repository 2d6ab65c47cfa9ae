"""Lines of the file's head, prompts, quotations and other wrappings of a reply."""

from __future__ import annotations

import pytest

from redline.text.reply import Reply
from redline.text.reply_parser import ReplyParser

GO = (
    'package pool\n\nimport "sync"\n\ntype P struct {\n\tn int\n}\n\n',
    "func New() *P {\n\treturn &P{}\n}\n",
    "\nfunc (p *P) Len() int {\n\treturn p.n\n}\n",
)
GO_NEW = "func New() *P {\n\treturn &P{n: 16}\n}\n"
SHELL = (
    "#!/bin/sh\nset -eu\n\nlog() {\n",
    '  echo "$1"\n',
    "}\n\nup() {\n  scp a b\n}\n",
)
SHELL_NEW = '  echo "$(date) $1"\n'
PYTHON = (
    "from a import b\n\n\nclass C:\n    def f(self, x: int) -> int:\n",
    "        return x\n",
    "\n    def g(self):\n        return 2\n",
)
PYTHON_NEW = "        return x + 1\n"
KOTLIN = (
    "package a\n\nimport b.C\n\nclass D {\n    private val x = 1\n\n",
    "    fun f(): Int {\n        return x\n    }\n",
    "\n    fun g() = 2\n}\n",
)
KOTLIN_NEW = "    fun f(): Int {\n        return x + 1\n    }\n"
RUBY = ("class A\n  def a?\n", "    @b.include?(:c)\n", "  end\nend\n")
RUBY_NEW = "    @b.include?(:c) || @d\n"
C = (
    "#include <a.h>\n\nvoid f(struct b *b)\n{\n",
    "\tfree(b->c);\n",
    "}\n\nint g(void)\n{\n\treturn 1;\n}\n",
)
C_NEW = "\tfree(b->c);\n\tb->c = NULL;\n"
SCRIPT = (
    "'use strict';\n\nfunction f(a) {\n",
    "  return '<li>' + a + '</li>';\n",
    "}\n\nmodule.exports = { f };\n",
)
SCRIPT_NEW = "  return '<li>' + a.b + '</li>';\n"
TYPES = (
    "export interface E {\n",
    "  value: string;\n  at: number;\n",
    "}\n\nexport type F = E;\n",
)
TYPES_NEW = "  readonly value: string;\n  readonly at: number;\n"
HTML = (
    "<main>\n  <form>\n",
    '    <input name="q">\n',
    "    <button>Go</button>\n  </form>\n</main>\n",
)
HTML_NEW = '    <label for="q">Q</label>\n    <input id="q" name="q">\n'
SQL = ("CREATE TABLE a (\n", "    b TEXT,\n    c TEXT\n", ");\n")
SQL_NEW = "    b TEXT NOT NULL,\n    c TEXT\n"

File = tuple[str, str, str]


def read(language: str, file: File, reply: str) -> Reply:
    """Read a reply to an edit of the middle of a file."""
    before, target, after = (part.splitlines(keepends=True) for part in file)
    parser = ReplyParser(
        format="rewrite",
        target_lines=target,
        before=before,
        after=after,
        language=language,
    )
    parser.feed(reply)
    return parser.finish()


CASES = [
    ("go", GO, f"package pool\n\n{GO_NEW}", GO_NEW),
    ("go", GO, f'```go\npackage pool\n\nimport "sync"\n\n{GO_NEW}```\n', GO_NEW),
    ("kotlin", KOTLIN, f"package a\n\n{KOTLIN_NEW}", KOTLIN_NEW),
    ("kotlin", KOTLIN, f"import b.C\n{KOTLIN_NEW}", KOTLIN_NEW),
    ("shellscript", SHELL, f"#!/bin/sh\nlog() {{\n{SHELL_NEW}}}\n", SHELL_NEW),
    ("c", C, f"#include <a.h>\n\nvoid f(struct b *b)\n{{\n{C_NEW}}}\n", C_NEW),
    # Prompts of a shell, with and without the indentation behind them.
    ("shellscript", SHELL, '$ echo "$(date) $1"\n', SHELL_NEW),
    ("shellscript", SHELL, 'me@host:~$ echo "$(date) $1"\n', SHELL_NEW),
    ("python", PYTHON, ">>>         return x + 1\n", PYTHON_NEW),
    ("python", PYTHON, "... return x + 1\n", PYTHON_NEW),
    ("ruby", RUBY, "irb(main):001:0> @b.include?(:c) || @d\n", RUBY_NEW),
    # The header of the function, with and without its types.
    ("python", PYTHON, f"    def f(self, x):\n{PYTHON_NEW}", PYTHON_NEW),
    ("python", PYTHON, f"    def f(self, x: int):\n{PYTHON_NEW}", PYTHON_NEW),
    # The instruction comes again.
    ("go", GO, f"> reserve some room\n\n```go\n{GO_NEW}```\n", GO_NEW),
    ("python", PYTHON, f"> add one to it\n{PYTHON_NEW}", PYTHON_NEW),
    ("python", PYTHON, f"Instruction: add one\n\n{PYTHON_NEW}", PYTHON_NEW),
    # A code span after talk.
    ("ruby", RUBY, f"Here is the new line:\n\n`{RUBY_NEW.rstrip()}`\n", RUBY_NEW),
    ("shellscript", SHELL, f"`{SHELL_NEW.rstrip()}`\n", SHELL_NEW),
    # Tags around the whole, also in a file that has tags in strings.
    (
        "javascript",
        SCRIPT,
        f"<reply>\n<code>\n{SCRIPT_NEW}</code>\n</reply>\n",
        SCRIPT_NEW,
    ),
    ("javascript", SCRIPT, f"<output>\n{SCRIPT_NEW}</output>\n", SCRIPT_NEW),
    # The name of the language alone.
    ("typescript", TYPES, f"typescript\n{TYPES_NEW}", TYPES_NEW),
    ("go", GO, f"go\n{GO_NEW}", GO_NEW),
    ("sql", SQL, f"sql\n{SQL_NEW}", SQL_NEW),
    # Escaped markup without its indentation.
    (
        "html",
        HTML,
        '&lt;label for="q"&gt;Q&lt;/label&gt;\n&lt;input id="q" name="q"&gt;\n',
        HTML_NEW,
    ),
    # Blanks in place of tabs, with the lines around the range.
    (
        "c",
        C,
        "void f(struct b *b)\n{\n    free(b->c);\n    b->c = NULL;\n}\n",
        C_NEW,
    ),
]


@pytest.mark.parametrize(("language", "file", "reply", "wanted"), CASES)
def test_the_ranges_part_is_read(
    language: str, file: File, reply: str, wanted: str
) -> None:
    found = read(language, file, reply)
    assert found.lines is not None
    assert "".join(found.lines) == wanted
    assert not [one for one in found.problems if one.is_fault]


STAY = [
    # The reply goes on as the file does, so it is more than the head.
    ("go", GO, f'package pool\n\nimport "sync"\n\ntype P struct {{\n{GO_NEW}'),
    # Text for people quotes.
    ("markdown", ("# A\n\n", "> a b c\n", "\nb\n"), "> a b d\n"),
    # A comment of a shell script.
    ("shellscript", SHELL, '  # say it twice\n  echo "$1"\n  echo "$1"\n'),
    # An example in a docstring.
    (
        "python",
        ('def f():\n    """F.\n\n', "    >>> f()\n    1\n", '    """\n'),
        "    >>> f()\n    >>> f()\n    1\n",
    ),
]


@pytest.mark.parametrize(("language", "file", "reply"), STAY)
def test_what_may_be_the_text_itself_is_not_cut_off_silently(
    language: str, file: File, reply: str
) -> None:
    found = read(language, file, reply)
    faults = [one for one in found.problems if one.is_fault]
    assert faults or found.lines == tuple(reply.splitlines(keepends=True))
