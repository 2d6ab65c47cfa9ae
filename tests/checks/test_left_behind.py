"""Uses outside of the range of what the edit renames or removes in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.left_behind import check_left_behind

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

USED = [
    (  # A method of a parameter whose type is written.
        "python",
        "class Table:\n»\n    def after(self, at):\n        return self.a[at]\n«\n\n"
        "def board(table: Table, at):\n    return table.after(at)\n",
        "    def upcoming(self, at):\n        return self.a[at]\n",
    ),
    (  # A field of the items of a list.
        "cpp",
        "struct Dot {\n»\n    float ttl = 0;\n«\n};\n\nclass Pool {\n"
        "    void update() {\n        for (auto& p : items_) {\n"
        "            p.ttl -= 1;\n        }\n    }\n"
        "    std::vector<Dot> items_;\n};\n",
        "    float age = 0;\n",
    ),
    (
        "typescript",
        "export interface Entry {\n»\n  cents: number;\n«\n}\n\n"
        "function sum(entries: readonly Entry[]): number {\n  let total = 0;\n"
        "  for (const entry of entries) {\n    total += entry.cents;\n  }\n"
        "  return total;\n}\n",
        "  amount: number;\n",
    ),
    (  # A field that the constructor no longer sets.
        "python",
        "class Grid:\n»\n    def __init__(self, rows):\n        self.rows = rows\n«\n"
        "    def at(self, x, y):\n        return self.rows[y][x]\n",
        "    def __init__(self, rows):\n        self.cells = [list(r) for r in rows]\n",
    ),
    (  # A method.
        "python",
        "class Store(Base):\n»\n    def open_loan(self, code):\n"
        "        return self.db.get(code)\n«\n"
        "    def lend(self, code):\n        return self.open_loan(code) is None\n",
        "    def current_loan(self, code):\n        return self.db.get(code)\n",
    ),
    (  # A member of an enumeration.
        "python",
        "class Mode(Enum):\n»\n    AUTO = 1\n    FROST = 2\n«\n\n"
        "def is_cold(mode):\n    return mode is Mode.FROST\n",
        "    AUTO = 1\n    STORM = 2\n",
    ),
    (
        "typescript",
        "class Room extends EventEmitter {\n»\n  private messages: Message[] = [];\n«\n"
        "  since(id: number) {\n    return this.messages.filter((m) => m.id > id);\n"
        "  }\n}\n",
        "  private log: Message[] = [];\n",
    ),
    (
        "typescript",
        "»\nexport function cents(n: number): string {\n  return `${n}`;\n}\n«\n"
        "export function summary(n: number): string {\n  return cents(n);\n}\n",
        "export function money(n: number): string {\n  return `${n}`;\n}\n",
    ),
    (
        "typescript",
        "class A {\n»\n  constructor(private readonly limit = 5) {}\n«\n"
        "  isFull(n: number) {\n    return n > this.limit;\n  }\n}\n",
        "  constructor(private readonly bound = 5) {}\n",
    ),
    (
        "java",
        "class A {\n»\n    private int count;\n«\n    int next() {\n"
        "        return this.count + 1;\n    }\n}\n",
        "    private int total;\n",
    ),
    (
        "rust",
        "»\nenum Fault {\n    Empty,\n    Full,\n}\n«\n"
        "fn pop() -> Result<u8, Fault> {\n    Err(Fault::Empty)\n}\n",
        "enum Fault {\n    Full,\n    Closed,\n}\n",
    ),
    (
        "kotlin",
        "class A {\n»\n    private fun area(w: Int): Int {\n        return 2\n    }\n«"
        "\n"
        "    fun show() {\n        println(area(3))\n    }\n}\n",
        "    private fun size(w: Int): Int {\n        return w\n    }\n",
    ),
    (
        "ruby",
        "class Cart\n»\n  def initialize\n    @items = []\n  end\n«\n"
        "  def size\n    @items.length\n  end\nend\n",
        "  def initialize\n    @lines = []\n  end\n",
    ),
    (
        "php",
        "<?php\nclass A {\n»\n    private array $items = [];\n«\n"
        "    function size(): int { return count($this->items); }\n}\n",
        "    private array $lines = [];\n",
    ),
    (
        "swift",
        "»\nenum Mode {\n    case auto\n    case frost\n}\n«\n"
        "func cold() -> Mode {\n    return Mode.frost\n}\n",
        "enum Mode {\n    case auto\n    case storm\n}\n",
    ),
    (
        "c",
        "»\nstatic int twice(int x)\n{\n    return 2 * x;\n}\n«\n"
        "int main(void)\n{\n    return twice(2);\n}\n",
        "static int doubled(int x)\n{\n    return 2 * x;\n}\n",
    ),
]

SOUND = [
    (  # The variable is another one.
        "java",
        "class A {\n    static class Track {\n»\n        final int side;\n«\n    }\n"
        "    void add(Track t) {\n        all.add(t);\n    }\n"
        "    long n() {\n        return rest.filter(t -> t.side > 0).count();\n"
        "    }\n}\n",
        "        final int part;\n",
    ),
    (  # A list of them has members of its own.
        "typescript",
        "interface Page {\n»\n  length: number;\n«\n}\n\n"
        "function n(pages: Page[]): number {\n  return pages.length;\n}\n",
        "  size: number;\n",
    ),
    (  # The header of a record declares its members.
        "java",
        "class A {\n»\n    static class Track {\n        String title;\n    }\n«\n"
        "    void add(Track t) {\n        put(t.title(), t);\n    }\n}\n",
        "    record Track(String title) {}\n",
    ),
    (  # It is also set elsewhere.
        "python",
        "class A:\n»\n    def __init__(self):\n        self.rows = []\n«\n"
        "    def load(self):\n        self.rows = read()\n"
        "    def size(self):\n        return len(self.rows)\n",
        "    def __init__(self):\n        self.cells = []\n",
    ),
    (  # The base class may have it.
        "python",
        "class A(Base):\n»\n    def close(self):\n        self.file.close()\n«\n"
        "    def __exit__(self, *_):\n        self.close()\n",
        "",
    ),
    (  # Another object has it.
        "python",
        "class A:\n»\n    def close(self):\n        self.file.close()\n«\n"
        "    def stop(self):\n        self.file.close()\n",
        "    def end(self):\n        self.file.close()\n",
    ),
    (  # It is passed on under its old name.
        "typescript",
        "»\nfunction cents(n: number) {\n  return n;\n}\n«\ncents(1);\n",
        "function money(n: number) {\n  return n;\n}\nconst cents = money;\n",
    ),
    (  # It is imported now.
        "typescript",
        "»\nfunction cents(n: number) {\n  return n;\n}\n«\ncents(1);\n",
        'import { cents } from "./money";\n',
    ),
    (  # A variable of the name.
        "javascript",
        "class A {\n»\n  constructor() {\n    const items = [];\n"
        "    this.n = items.length;\n  }\n«\n"
        "  size() {\n    return this.items.length;\n  }\n}\n",
        "  constructor() {\n    const all = [];\n    this.n = all.length;\n  }\n",
    ),
    (  # A header of the function is still there.
        "c",
        "int twice(int x);\n»\nint twice(int x)\n{\n    return 2 * x;\n}\n«\n"
        "int main(void)\n{\n    return twice(2);\n}\n",
        '#include "twice.inc"\n',
    ),
    (  # An interface declares a method of the name.
        "go",
        "»\nfunc Close() {\n}\n«\n\ntype Closer interface {\n\tClose()\n}\n",
        "func CloseAll() {\n}\n",
    ),
    (  # The name is set by its text.
        "python",
        "class A:\n»\n    def __init__(self):\n        self.rows = []\n«\n"
        "    names = ['rows']\n"
        "    def size(self):\n        return len(self.rows)\n",
        "    def __init__(self):\n        self.fill(self.names)\n",
    ),
    (
        "ruby",
        "class Cart\n»\n  def initialize\n    @items = []\n  end\n«\n"
        "  attr_writer :items\n  def size\n    @items.length\n  end\nend\n",
        "  def initialize\n    @lines = []\n  end\n",
    ),
    (  # A class of the same package may be the base.
        "java",
        "class A extends B {\n»\n    int area(int w) {\n        return w;\n    }\n«\n"
        "    int two() {\n        return area(2);\n    }\n}\n",
        "",
    ),
]


@pytest.mark.parametrize(("language", "before", "after"), USED)
def test_a_use_of_what_is_gone_is_reported(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    found = list(check_left_behind(make_candidate(before, after, language=language)))
    assert [one.rule for one in found] == ["undefined-name"]


@pytest.mark.parametrize(("language", "before", "after"), SOUND)
def test_a_use_of_what_may_still_be_there_is_not(
    make_candidate: MakeCandidate, language: str, before: str, after: str
) -> None:
    assert not list(check_left_behind(make_candidate(before, after, language=language)))


def test_what_should_be_deleted_may_be_used(make_candidate: MakeCandidate) -> None:
    language, before, _ = USED[1]
    wish = "remove this method"
    edit = make_candidate(before, "", language=language, instruction=wish)
    assert not list(check_left_behind(edit))
