"""Faults of drafts that parse: what they forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.all_checks import check

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

CASES = "    switch (s) {\n" + "".join(
    f"      case '{name}':\n        return '{name.title()}';\n"
    for name in ("open", "busy", "done", "lost")
)
LOST = [
    (  # Another form of the cases, without one of them.
        "javascript",
        "use a lookup object instead of the switch",
        f"function label(s) {{\n»\n{CASES}    }}\n«\n}}\n",
        "    return { open: 'Open', busy: 'Busy', done: 'Done' }[s];\n",
        "lost-definition",
    ),
    (
        "kotlin",
        "English labels",
        '»\nfun f(s: S) = when (s) {\n    S.NEW -> "neu"\n    S.OLD -> "alt"\n'
        '    S.PAID -> "bezahlt"\n}\n«\n',
        'fun f(s: S) = when (s) {\n    S.NEW -> "new"\n    S.OLD -> "old"\n}\n',
        "lost-definition",
    ),
    (
        "typescriptreact",
        "add a scope to the header cells",
        "const a = (\n  <tr>\n»\n    <th>No</th>\n    <th>Due</th>\n"
        "    <th>Sum</th>\n«\n  </tr>\n);\n",
        '    <th scope="col">No</th>\n    <th scope="col">Sum</th>\n',
        "lost-definition",
    ),
    (
        "html",
        "wrap the fields in divs",
        '<form>\n»\n  <input name="mail">\n  <input name="csrf" type="hidden">\n«\n'
        "</form>\n",
        '  <div>\n    <input name="mail">\n  </div>\n',
        "lost-definition",
    ),
    (
        "sql",
        "add the average",
        "SELECT\n»\n  strftime('%Y', day) AS year,\n  sum(x) AS total\n«\nFROM t;\n",
        "  sum(x) AS total,\n  avg(x) AS average\n",
        "lost-definition",
    ),
    (
        "javascript",
        "emit started before",
        "async function f(job) {\n»\n  const a = await job.work();\n«\n  done(a);\n}\n",
        "  emit('started');\n  const a = job.work();\n",
        "lost-definition",
    ),
    (
        "dart",
        "set the timer to null",
        "class A {\n  void dispose() {\n»\n    t?.cancel();\n    super.dispose();\n«\n"
        "  }\n}\n",
        "    t?.cancel();\n    t = null;\n",
        "lost-definition",
    ),
    (
        "csharp",
        "sort them",
        "class A\n{\n    bool Free(int a, int b) { return a < b; }\n"
        "    void G()\n    {\n»\n"
        "        var x = Free(1, 2);\n«\n    }\n}\n",
        "        var x = Free(1);\n",
        "phantom-parameter",
    ),
    (
        "cpp",
        "put the number into the message",
        '#include <string>\nvoid f(int a) {\n»\n    throw std::string("a");\n«\n}\n',
        '    throw std::string("a") + std::to_text(a);\n',
        "phantom-member",
    ),
    (
        "lua",
        "skip zero",
        "while a do\n»\n  b = b - 1\n«\nend\n",
        "  if b == 0 then continue end\n  b = b - 1\n",
        "syntax",
    ),
    (
        "terraform",
        "only in production",
        'resource "a" "b" {\n»\n  status = "on"\n«\n}\n',
        '  if (var.env == "prod") {\n    status = "on"\n  }\n',
        "syntax",
    ),
    (
        "markdown",
        "say that it is encrypted",
        "# A\n\n»\nEvery night a dump is written.\n«\n\n## B\n",
        "Every night a dump is written and encrypted, and the key is only\n",
        "elision",
    ),
]
KEPT = [
    (  # The lock of the method became one of a block.
        "java",
        "close the reader afterwards",
        "class A {\n»\n  public synchronized int read(R r) {\n    return r.next();\n"
        "  }\n«\n}\n",
        "  public int read(R r) {\n    synchronized (this) {\n"
        "      return r.next();\n    }\n  }\n",
    ),
    (  # A brace behind a call is the body of the statement.
        "go",
        "stop at the first",
        "package a\n\nfunc same(a, b string) bool {\n\treturn a == b\n}\n\n"
        "func g(a string) bool {\n»\n\treturn same(a, a)\n«\n}\n",
        "\tif same(a, a) {\n\t\treturn true\n\t}\n\treturn false\n",
    ),
    (
        "javascript",
        "only keep the open ones",
        f"function label(s) {{\n»\n{CASES}    }}\n«\n}}\n",
        "    return { open: 'Open', busy: 'Busy', done: 'Done' }[s];\n",
    ),
    (  # All are there in another form.
        "javascript",
        "use a lookup object instead of the switch",
        f"function label(s) {{\n»\n{CASES}    }}\n«\n}}\n",
        "    return { open: 'Open', busy: 'B', done: 'D', lost: 'Lost' }[s];\n",
    ),
    (
        "javascript",
        "do both at once",
        "async function f(a) {\n»\n  const x = await a.load();\n«\n  done(x);\n}\n",
        "  const [x] = await Promise.all([a.load()]);\n",
    ),
    (
        "javascript",
        "run it in the background",
        "async function f(a) {\n»\n  const x = await a.load();\n«\n  done(x);\n}\n",
        "  const x = a.load();\n",
    ),
    (
        "php",
        "name the argument",
        "<?php\nfunction f(int $amount): int\n{\n»\n    return g($amount);\n«\n}\n"
        "function g(int $amount): int\n{\n    return $amount;\n}\n",
        "    return g(amount: $amount);\n",
    ),
    (  # The `return` lines of several functions are no parts of one form.
        "python",
        "modernise it",
        "»\ndef names(orders):\n    found = []\n    for order in orders:\n"
        "        found.append(order.name)\n    return found\n\n\n"
        "def total(orders):\n    return sum(orders)\n\n\n"
        "def largest(orders):\n    return max(orders)\n«\n",
        "def names(orders):\n    return [order.name for order in orders]\n\n\n"
        "def total(orders):\n    return sum(orders)\n\n\n"
        "def largest(orders):\n    return max(orders)\n",
    ),
    (  # A step that is set in the same way by another value.
        "python",
        "raise if the time is over",
        "def press(self):\n»\n    used = now() - self.at\n    self.left -= used\n"
        "    self.left += self.more\n    self.moves += 1\n    self.at = now()\n«\n",
        "    self.left -= now() - self.at\n    if self.left <= 0:\n"
        "        raise TimeoutError\n    self.left += self.more\n"
        "    self.moves += 1\n    self.at = now()\n",
    ),
    (
        "markdown",
        "shorten it",
        "# A\n\n»\nEvery night a dump is written.\n«\n\n## B\n",
        "A dump is written every night:\n",
    ),
]


@pytest.mark.parametrize(("language", "instruction", "before", "after", "rule"), LOST)
def test_a_fault_that_parses_is_reported(
    make_candidate: MakeCandidate,
    language: str,
    instruction: str,
    before: str,
    after: str,
    rule: str,
) -> None:
    candidate = make_candidate(
        before, after, language=language, instruction=instruction
    )
    assert {problem.rule for problem in check(candidate)} == {rule}


@pytest.mark.parametrize(("language", "instruction", "before", "after"), KEPT)
def test_what_was_asked_for_or_is_there_is_not(
    make_candidate: MakeCandidate,
    language: str,
    instruction: str,
    before: str,
    after: str,
) -> None:
    candidate = make_candidate(
        before, after, language=language, instruction=instruction
    )
    assert not check(candidate)
