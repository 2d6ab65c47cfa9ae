"""Replies that repeat lines around the range, where these lines recur by themselves."""

from __future__ import annotations

from textwrap import dedent

import pytest
from tests.text.conftest import ReadReply
from tests.text.reply_reading import read_reply as read_in_file

from redline.text.reply_forms.excerpt import range_part
from redline.text.reply_forms.surroundings import Surroundings

ROW = "    (0.125, 0.250, 0.375),"
OTHER = "    (1.125, 9.250, 4.375),"


def around(target: list[str], n_rows: int = 5) -> Surroundings:
    """Return a range in a table of equal rows."""
    rows = [ROW] * n_rows
    return Surroundings(
        before=["table = [", *rows],
        target=target,
        after=[*rows, "]"],
        language="python",
    )


@pytest.mark.parametrize(
    ("target", "reply"),
    [
        ([ROW] * 3, [*[ROW] * 4, OTHER]),
        ([ROW] * 3, [OTHER, *[ROW] * 4]),
        ([ROW] * 3, [ROW] * 5),
        ([ROW], [ROW, OTHER]),
    ],
)
def test_rows_like_those_around_are_the_range_s_own(
    target: list[str], reply: list[str]
) -> None:
    """A range of such rows may get more of them; none is cut off."""
    assert range_part(reply, around(target)).lines == reply


def test_the_search_is_bounded_in_a_table() -> None:
    """Each row is a place at which a copy may begin; no text of it is dropped."""
    reply = [*[ROW] * 600, OTHER, *[ROW] * 599]
    part = range_part(reply, around(["    (7, 7, 7),"], n_rows=1_500))
    assert part.lines == reply
    assert not part.is_sure


EUROS = [
    "def euros(cents: int) -> float:",
    "    amount = cents / {}",
    "    return round(amount, 2)",
]
POUNDS = ["def pounds(cents: int) -> float:", *EUROS[1:]]


def written(function: list[str], divisor: int) -> list[str]:
    """Return a function with a divisor."""
    return [line.format(divisor) for line in function]


def test_a_function_may_become_like_the_one_above_it() -> None:
    """Its last lines are those above it then, but they are its own."""
    place = Surroundings(
        before=[*written(EUROS, 100), "", ""],
        target=written(POUNDS, 10),
        after=[],
        language="python",
    )
    part = range_part(written(POUNDS, 100), place)
    assert part.is_sure
    assert part.lines == written(POUNDS, 100)


def test_a_changed_copy_of_the_function_above_is_not_certain() -> None:
    """The reply has both functions, and changes the first as well."""
    place = Surroundings(
        before=[*written(EUROS, 10), "", ""],
        target=written(POUNDS, 10),
        after=[],
        language="python",
    )
    above = ["def euros(cents: int, vat: float = 0) -> float:", *written(EUROS, 10)[1:]]
    part = range_part([*above, "", "", *written(POUNDS, 100)], place)
    assert not part.is_sure


LEDGER = (
    "class Ledger {\n    void open(int id) {\n        rows.add(id);\n    }\n\n",
    "    void find(int id) {\n        rows.get(id);\n    }\n",
    "\n    void close(int id) {\n        rows.remove(id);\n    }\n}\n",
)
FOUND = "    void find(int id) {\n        check(id);\n        rows.get(id);\n    }\n"
SCRIPT = (
    "BEGIN;\n\nINSERT INTO room (id, name, seats) VALUES\n",
    "    (1, 'Amsel', 4),\n    (2, 'Fink', 12);\n",
    "\nCOMMIT;\n",
)
ROOMS = "    (1, 'Amsel', 4),\n    (2, 'Fink', 12),\n    (3, 'Star', 6);\n"
PARSER = (
    "def parse(name):\n",
    "    if len(name) != 2:\n        raise ValueError(name)\n",
    "    return FILES.index(name[0]) + 8\n",
)
PARSED = "    if len(name) != 2:\n        raise ValueError(f'bad {name}')\n"
CHART = (
    "(function () {\n",
    "\tChart.prototype.setPoints = function (p) {\n\t\tthis.p = p;\n\t};\n",
    "\n\tChart.prototype.setScale = function () {\n\t\treturn 1;\n\t};\n})();\n",
)
EMPTIED = "\tChart.prototype.setPoints = function () {};\n"
PAGE = (
    "<body>\n",
    "  <form>\n    <button>Send</button>\n  </form>\n",
    "  <footer>\n    <p>Bye</p>\n  </footer>\n</body>\n",
)
FORM = "  <form>\n    <button id>Send</button>\n  </form>\n"
VIEWS = (
    "-- Figures.\n",
    "CREATE VIEW late AS\nSELECT id FROM payment;\n",
    "\nGRANT SELECT ON late TO a;\n",
)
VIEW = "CREATE VIEW late AS\nSELECT id, due FROM payment;\n"
FRUITS = (
    "INSERT INTO fruit (id, name) VALUES\n",
    "    (1, 'apple'),\n    (2, 'pear'),\n",
    "    (9, 'fig');\n",
)
FRUIT = FRUITS[1] + "    (3, 'plum'),\n"
RATES = (
    "module Tax\n  RATES = {\n",
    "    food: 0.07,\n    book: 0.07,\n",
    "    other: 0.19\n  }.freeze\nend\n",
)
RATE = "    food: 0.05,\n    book: 0.05,\n    water: 0.05,\n"
SETTINGS = ("[core]\n", 'mode = "a"\n', "\n[extra]\n")
MEMBERS = ('{\n  "name": "a",\n', '  "version": "1",\n', '  "private": true\n}\n')
LUA = ("function M.take(n)\n  if n > 3 then\n", "    return false\n", "  end\nend\n")
RUBY = ("class A\n  def last(row)\n", "    @rows.find { row }\n", "  end\nend\n")
TYPED = (
    "def mean(rows: Iterable[Row]) -> float:\n",
    "    total = sum(rows)\n    return total / 2\n",
    "",
)
MEAN = "    total = sum(rows)\n    return round(total / 2)\n"
FINAL = (
    "class A {\n    public boolean ok() {\n",
    "        return n < 3;\n",
    "    }\n}\n",
)
BRACES = ("int f(int n)\n{\n", "    return n;\n", "}\n")
HEIGHT = (
    "namespace a {\n\nint Tree::height(const Node *node) const\n{\n",
    "    return node->height;\n",
    "}\n\nint Tree::size() const\n{\n    return 1;\n}\n}\n",
)
SHARP = (
    "class A\n{\n    public int Sum(int[] rows, bool all)\n    {\n",
    "        return rows.Length;\n",
    "    }\n}\n",
)
PHP = (
    "<?php\nclass A\n{\n    private function read(array $rows): array\n    {\n",
    "        return $rows;\n",
    "    }\n}\n",
)
TYPED_SCRIPT = (
    "export class A {\n  get(name: string): number {\n",
    "    return this.rows[name];\n",
    "  }\n}\n",
)
NEXT_METHOD = "    void close(int id) {\n        rows.remove(id);\n    }\n"
METHOD_BEFORE = "    void open(int id) {\n        rows.add(id);\n    }\n\n"


@pytest.mark.parametrize(
    ("file", "language", "reply", "text"),
    [
        # Comments that the file does not have, above, in and behind repeated lines.
        (LEDGER, "java", f"{FOUND}\n    // close is as before\n{NEXT_METHOD}", FOUND),
        (LEDGER, "java", f"    // As before.\n{METHOD_BEFORE}{FOUND}", FOUND),
        (
            LEDGER,
            "java",
            METHOD_BEFORE.replace(");", "); // unchanged") + FOUND,
            FOUND,
        ),
        (
            LEDGER,
            "java",
            f"{METHOD_BEFORE}    // With a check.\n{FOUND}\n{NEXT_METHOD}",
            f"    // With a check.\n{FOUND}",
        ),
        (
            PAGE,
            "html",
            f"{FORM}  <!-- as before -->\n  <footer>\n    <p>Bye</p>\n  </footer>\n",
            FORM,
        ),
        (VIEWS, "sql", f"{VIEW}\nGRANT SELECT ON late TO a; -- as before\n", VIEW),
        (FRUITS, "sql", f"{FRUIT}    (9, 'fig');\n", FRUIT),
        (RATES, "ruby", dedent(f"{RATE}    other: 0.19\n  }}.freeze\n"), RATE),
        # At the other end, a line alone that blank lines part as in the file.
        (
            SCRIPT,
            "sql",
            f"INSERT INTO room (id, name, seats) VALUES\n{ROOMS}\nCOMMIT;\n",
            ROOMS,
        ),
        # Less deep than in the file.
        (PARSER, "python", dedent(PARSED + PARSER[2]), PARSED),
        (LEDGER, "java", dedent(f"{FOUND}\n{NEXT_METHOD}"), FOUND),
        (BRACES, "c", "{\n    return n + 1;\n}\n", "    return n + 1;\n"),
        # Exact copies at both ends.
        (SETTINGS, "toml", '[core]\nmode = "b"\n\n[extra]\n', 'mode = "b"\n'),
        (
            MEMBERS,
            "json",
            '  "name": "a",\n  "version": "2",\n  "private": true\n',
            '  "version": "2",\n',
        ),
        # A word that closes what is around the range.
        (LUA, "lua", "    return n > 4\n  end\n", "    return n > 4\n"),
        # A header with other names, types or modifiers.
        (
            RUBY,
            "ruby",
            "  def last(row_id)\n    @rows.find { row.id }\n  end\n",
            "    @rows.find { row.id }\n",
        ),
        (
            TYPED,
            "python",
            f"def mean(rows: Iterable[Tuple[int, List[int]]]) -> float:\n{MEAN}",
            MEAN,
        ),
        (
            FINAL,
            "java",
            "    public final boolean ok() {\n        return n < 5;\n    }\n",
            "        return n < 5;\n",
        ),
        # The brace at the end of a header or on its own line, and other blanks.
        (
            HEIGHT,
            "cpp",
            "int Tree::height( const Node* node ) const {\n    return 2;\n}\n",
            "    return 2;\n",
        ),
        (
            SHARP,
            "csharp",
            "    public int Sum(int[] rows, bool all) {\n        return 1;\n    }\n",
            "        return 1;\n",
        ),
        (
            PHP,
            "php",
            "    private function read(array $rows) : array {\n"
            "        return [];\n    }\n",
            "        return [];\n",
        ),
        (
            TYPED_SCRIPT,
            "typescript",
            "  get(name: string): number\n  {\n    return 1;\n  }\n",
            "    return 1;\n",
        ),
        # More like the range's own line than like the one after it.
        (CHART, "javascript", EMPTIED, EMPTIED),
    ],
)
def test_only_what_is_around_the_range_is_cut_off(
    read_reply: ReadReply,
    file: tuple[str, str, str],
    language: str,
    reply: str,
    text: str,
) -> None:
    before, target, after = file
    found = read_reply(
        reply, target=target, before=before, after=after, language=language
    )
    assert "".join(found.lines or ()) == text
    assert found.is_understood


@pytest.mark.parametrize(
    ("language", "note"),
    [("python", "# TODO: check f"), ("javascript", "// TODO: check f")],
)
@pytest.mark.parametrize("own", ["x = f(a)", "x = f(a, 1)"])
@pytest.mark.parametrize(("n_before", "n_after"), [(0, 1), (0, 3), (2, 2)])
def test_a_note_below_the_range_is_new(
    read_reply: ReadReply,
    language: str,
    note: str,
    own: str,
    n_before: int,
    n_after: int,
) -> None:
    """It is not taken for one of the repeated line that follows it."""
    before, after = ("a = 1\n", "b = 2\n"), ("y = g(b)\n", "z = h(c)\n", "print(x)\n")
    new = f"{own}\n{note}\n"
    reply = "".join((*before[2 - n_before :], new, *after[:n_after]))
    found = read_reply(
        reply,
        target="x = f(a)\n",
        before="".join(before),
        after="".join(after),
        language=language,
    )
    assert "".join(found.lines or ()) == new
    assert found.is_understood


@pytest.mark.parametrize(
    ("file", "language", "reply"),
    [
        # Another condition than that of the file.
        (
            ("if (a.open) {\n", "    x();\n", "}\n"),
            "java",
            "if (b.open) {\n    x();\n}\n",
        ),
        # The header of the same function, with another parameter or result.
        (
            HEIGHT,
            "cpp",
            "int Tree::height(const Node *node, bool all) {\n    return 1;\n}\n",
        ),
        (
            TYPED_SCRIPT,
            "typescript",
            "  async get(name: string, all: boolean) {\n    return 1;\n  }\n",
        ),
        # The name that the header has instead of another is used.
        (
            RUBY,
            "ruby",
            "  def last(row_id)\n    @rows.find { row_id }\n  end\n",
        ),
        (
            ("CREATE TABLE a (\n  id INTEGER PRIMARY KEY,\n", "  b TEXT\n", ");\n"),
            "sql",
            "id INTEGER PRIMARY KEY,\nb TEXT NOT NULL\n",
        ),
    ],
)
def test_changed_lines_around_the_range_are_uncertain(
    read_reply: ReadReply, file: tuple[str, str, str], language: str, reply: str
) -> None:
    before, target, after = file
    found = read_reply(
        reply, target=target, before=before, after=after, language=language
    )
    assert not found.is_understood


def test_a_line_alone_after_a_blank_one_is_uncertain(read_reply: ReadReply) -> None:
    before, target, after = SCRIPT
    reply = f"{ROOMS}\nCOMMIT;\n"
    found = read_reply(reply, target=target, before=before, after=after, language="sql")
    assert not found.is_understood


CLOCK = (
    "class Clock:\n    limit = 3\n\n    def __init__(self, seconds):\n"
    "        self.left = seconds\n        self.began = None\n\n"
    "    def start(self):\n        self.began = now()\n\n",
    "    def press(self):\n        self.left -= now() - self.began\n",
    "\n    def is_over(self):\n        return self.left <= 0\n",
)


@pytest.mark.parametrize(
    ("more", "is_sure"),
    [
        ("", True),
        ("\n    limit = 3\n", False),
        ("\n    def is_over(self):\n        return self.left <= 0\n", False),
    ],
)
def test_a_line_of_another_method_by_chance(
    read_reply: ReadReply, more: str, is_sure: bool
) -> None:
    """It is no sign that more than the range came in the header around it."""
    before, target, after = CLOCK
    pause = "\n    def pause(self):\n        self.press()\n        self.began = None\n"
    dots = "    # ... existing code ...\n"
    reply = f"class Clock:\n{dots}\n{target}{pause}{more}\n{dots}"
    found = read_reply(reply, target=target, before=before, after=after)
    assert found.is_understood == is_sure
    if is_sure:
        assert "".join(found.lines or ()) == target + pause


@pytest.mark.parametrize(
    ("new", "is_doubtful"),
    [
        ("a()\nsleep(1)\n", True),
        ("sleep(1)\na()\n", True),
        ("sleep(1)\na()\n\nsleep(1)\n", True),
        ("a()\n", False),
        ("x = 1\ny = 2\nsleep(1)\na()\nsleep(1)\nb()\n", False),
    ],
)
def test_lines_like_those_around_may_be_all_that_is_new(
    new: str, *, is_doubtful: bool
) -> None:
    """Else the model would have changed nothing, which is not what it wrote."""
    found = read_in_file(
        new,
        "a()\n",
        before="x = 1\ny = 2\nsleep(1)\n",
        after="sleep(1)\nb()\n",
        language="python",
    )
    text = "".join(found.lines or ())
    has_doubt = any(problem.is_fault for problem in found.problems)
    assert (text == new, has_doubt) == (is_doubtful or new == "a()\n", is_doubtful)


@pytest.mark.parametrize(
    ("language", "before", "target", "after", "new"),
    [
        (
            "javascript",
            "app.use(a());\napp.use(b());\n",
            "app.listen(1);\n",
            "",
            "app.use(c());\napp.listen(1);\n",
        ),
        (
            "python",
            "assert f(1) == 2\n",
            "assert f(2) == 3\n",
            "assert f(3) == 4\n",
            "assert f(2) == 3\nassert f(4) == 5\n",
        ),
        (
            "go",
            "\tif err := a(); err != nil {\n\t\treturn err\n\t}\n",
            "\tx()\n",
            "\treturn nil\n",
            "\tif err := b(); err != nil {\n\t\treturn err\n\t}\n\tx()\n",
        ),
        (
            "ruby",
            "  validates :a, presence: true\n",
            "  belongs_to :x\n",
            "  validates :b, presence: true\n",
            "  validates :c, presence: true\n  belongs_to :x\n",
        ),
        # The range's own line changes, too, and uses both names.
        (
            "javascript",
            'const a = await get("a");\n',
            "run(a);\n",
            "",
            'const b = await get("b");\nrun(a, b);\n',
        ),
    ],
)
def test_a_new_line_like_the_one_next_to_the_range(
    language: str, before: str, target: str, after: str, new: str
) -> None:
    """It says something else, so it is no copy of it."""
    found = read_in_file(new, target, before=before, after=after, language=language)
    assert "".join(found.lines or ()) == new
    assert not any(problem.is_fault for problem in found.problems)


@pytest.mark.parametrize(
    ("language", "before", "target", "after", "reply"),
    [
        (
            "typescript",
            "  start() {\n",
            "    open(1);\n",
            '    log("s");\n    more();\n  }\n',
            '    open(2);\n    log("s");\n',
        ),
        ("java", "a();\n", "b(1);\n", "c();\nd();\n", "b(2);\nc();\nd();\n"),
        ("markdown", "- one\n", "- two\n", "- three\n", "- one\n- two (2)\n"),
        ("sql", "SELECT a,\n", "  b,\n", "  c,\n  d\nFROM t;\n", "  b2,\n  c,\n"),
    ],
)
def test_a_line_next_to_the_range_is_not_written_twice(
    language: str, before: str, target: str, after: str, reply: str
) -> None:
    """The range's own line changed, so the other one is hardly a further one."""
    found = read_in_file(reply, target, before=before, after=after, language=language)
    assert any(problem.is_fault for problem in found.problems)


@pytest.mark.parametrize(
    ("note", "is_kept"),
    [
        ("# TODO: check the result", True),
        ("# The total, with tax.", True),
        ("# unchanged", False),
        ("# ... existing code ...", False),
        ("# rest of the file", False),
    ],
)
def test_a_comment_right_above_the_lines_that_are_repeated(
    note: str, *, is_kept: bool
) -> None:
    """It is the new text's, unless it speaks of lines of the file."""
    around = Surroundings(
        before=["import os"],
        target=["x = first(a)"],
        after=["y = second(b)", "z = third(c)"],
        language="python",
    )
    reply = ["x = first(a, 1)", note, "y = second(b)", "z = third(c)"]
    part = range_part(reply, around)
    assert part.lines == ["x = first(a, 1)", *([note] if is_kept else [])]
