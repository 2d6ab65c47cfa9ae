"""What is shown of a reply, for replies cut anywhere and with any line ends."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from tests.completion.cursor_text import accepted, line_of, place_of

from redline.completion.brackets import Openings, open_in, quote_before
from redline.completion.decode import ReplyForm
from redline.completion.filters import Insertion
from redline.completion.flight import Flight
from redline.completion.flights import Flights
from redline.completion.gate import is_one_line
from redline.completion.place import N_AROUND, Around

NOTHING = None


def cuts(reply: str) -> Iterator[list[str]]:
    """Yield several ways in which a reply may arrive."""
    yield [reply]
    yield list(reply)
    yield list(reply.replace("\n", "\r\n"))
    chooser = random.Random(len(reply))
    pieces, start = [], 0
    while start < len(reply):
        end = start + chooser.randint(1, 7)
        pieces.append(reply[start:end])
        start = end
    yield pieces


def shown(
    text: str,
    reply: list[str],
    language: str,
    *,
    is_invoked: bool = False,
    form: ReplyForm = "line",
) -> Insertion | None:
    """Return what is shown once a reply is complete."""
    place = place_of(text, language)
    flights = Flights()
    flight = Flight(1, line_of(text), place, started_s=0, form=form)
    flights.add(flight)
    for delta in reply:
        flight.feed(delta)
    flight.end()
    look = flights.look(
        line_of(text),
        place,
        is_invoked=is_invoked,
        is_one_line=lambda: is_one_line(place, comments="line"),
    )
    return look.insertions[0] if look.insertions else None


def check(
    text: str,
    reply: str,
    expected: str | None,
    language: str = "python",
    *,
    is_invoked: bool = False,
    form: ReplyForm = "line",
) -> None:
    """Compare the text after acceptance, for each way of cutting the reply."""
    for pieces in cuts(reply):
        insertion = shown(text, pieces, language, is_invoked=is_invoked, form=form)
        result = None if insertion is None else accepted(text, insertion)
        assert result == expected


JS, TS = "javascript", "typescript"


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        ("foo = │", "foo = bar(x)", "foo = bar(x)"),
        ("foo = │", "bar(x)", "foo = bar(x)"),
        ("x = │", "```python\nx = 1\n```", "x = 1"),
        ("x = │", "x = 1\n```", "x = 1"),
        ("x = │", "Here is the code:\n```python\nx = 1\n```\nIt works.", "x = 1"),
        ("x = │", "The next line is:\n\n```\nx = 1\n```", "x = 1"),
        ("    return │", "    return a", "    return a"),
        ("    return │", "return a", "    return a"),
        ("a = 1\nbb = 2\nc = │", "a = 1\nbb = 2\nc = 3", "a = 1\nbb = 2\nc = 3"),
        ("self.na│", "name", "self.name"),
        ("self.na│", "self.name", "self.name"),
        ("# as in f(│)", "# as in f(x) and g(y).", "# as in f(x) and g(y)."),
        ('"""As in f(│)', '"""As in f(x).', '"""As in f(x).'),
        ("print(│", "int(x))", "print(int(x))"),
        ("x = 'a' │", "x = 'a'  # b", "x = 'a'  # b"),
        ("a = 1\n\n\ndef _│", "\n\ndef _b(): ...", "a = 1\n\n\ndef _b(): ..."),
        ("y = │", "<think>hm\ny</think>y = x1", "y = x1"),
        ("y = │", "<think>hm, y = 3", NOTHING),
        ("y = │", "y = aa<|fim_suffix|>b", "y = aa"),
        ("x = │", " 11", "x = 11"),
        ("x = │", "I'm sorry, but I cannot do that.", NOTHING),
        ("x = │", "NO_EDITS", NOTHING),
        ("a = 1\n│", "None", NOTHING),
        ("x = │", "x = None", "x = None"),
        ("x = │", "x = foo(<|cursor|>)", "x = foo()"),
    ],
)
def test_decoding(text: str, reply: str, expected: str | None) -> None:
    """Only the code of a reply is inserted, and nothing twice."""
    check(text, reply, expected)


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        ("def f():\n    │", "    return x", "def f():\n    return x"),
        ("def f():\n    │", "return x", "def f():\n    return x"),
        # The margin is no depth of its own where lines above have the reply's.
        (
            "class A:\n    def a(self): ...\n\n│",
            "    def b(self): ...",
            "class A:\n    def a(self): ...\n\n    def b(self): ...",
        ),
        ("def f(): ...\n\n│", "    g()", "def f(): ...\n\ng()"),
        # A dedent in a text keeps the depth that it has in the file.
        (
            'def f():\n    """A.\n\n      b:\n        text│',
            "text goes on.\n      c:\n        more",
            'def f():\n    """A.\n\n      b:\n        text goes on.',
        ),
        (
            "def f():\n    if a:\n        │",
            "for a in b:\n    f(a)",
            "def f():\n    if a:\n        for a in b:\n            f(a)",
        ),
        (
            "def f():\n    if a:\n        │",
            "for a in b:\n            f(a)",
            "def f():\n    if a:\n        for a in b:\n            f(a)",
        ),
        (
            "def f():\n\tif a:\n\t\tx()\n\t│",
            "    for a in b:\n        f(a)",
            "def f():\n\tif a:\n\t\tx()\n\tfor a in b:\n\t\tf(a)",
        ),
        (
            "def f():\n\tif a:\n\t\tx()\n\t│",
            "for a in b:\n  f(a)",
            "def f():\n\tif a:\n\t\tx()\n\tfor a in b:\n\t\tf(a)",
        ),
        (
            "def f():\n    if a:\n        raise X\n        │",
            "    else:\n        y()",
            "def f():\n    if a:\n        raise X\n    else:\n        y()",
        ),
        (
            "def f():\n    if a:\n        raise X\n        │",
            "else:\n    y()",
            "def f():\n    if a:\n        raise X\n    else:\n        y()",
        ),
        # The first line alone is deeper or less deep than it should be.
        (
            "def f():\n    if a:\n        │",
            "    if b:\n            x()\n        y()",
            "def f():\n    if a:\n        if b:\n            x()",
        ),
        (
            "def f():\n    if a:\n        │",
            "    x()\n        y()\n        z()",
            "def f():\n    if a:\n        x()\n        y()\n        z()",
        ),
        # A long string has depths of its own.
        (
            'x = """\n  a(\n      b\n      │',
            ") c\n",
            'x = """\n  a(\n      b\n      ) c',
        ),
        ("def f():\n    │", " foo()", "def f():\n    foo()"),
        ("def f():\n│", "return 1", "def f():\n    return 1"),
    ],
)
def test_indentation(text: str, reply: str, expected: str | None) -> None:
    """Lines are indented as the file asks, and keep their relative depth."""
    check(text, reply, expected)


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        # A bracket that a wrong token leaves open does not make the next lines its own.
        ("    if a:\n        g(b│", "g(bzq\n\n    return y", "zq"),
        ("    return x│", "return x\n\n\nclass A:", ""),
        # Nothing in the first line lets the next one be deeper than it.
        (
            "x = f(a, {\n                │",
            "    'c': d},\n        e)\n    g()",
            "'c': d},",
        ),
        # A bracket of a long string has the depth that it is written with.
        ('x = """\n  a(\n      b│', "bc\n    ) d", "c\n    ) d"),
    ],
)
def test_later_lines(text: str, reply: str, expected: str) -> None:
    """Lines below the first keep the depth that ends a block."""
    flight = Flight(1, line_of(text), place_of(text), started_s=0)
    flight.feed(reply)
    flight.end()
    assert flight.reading.text == expected


def test_a_quote_left_open_above_other_lines() -> None:
    """A line with half a string is not shown, nor are those below it."""
    reply = "if c != 'd:\n        e = 1\n"
    check("if a:\n    if c != │", reply, NOTHING)
    check("x = │", "x = 'd \\\n  e'\n", "x = 'd \\\n  e'", is_invoked=True)


@pytest.mark.parametrize(
    ("text", "reply", "expected", "language"),
    [
        ("print(│)", "x)", "print(x)", "python"),
        ("print(│)", "print(x)", "print(x)", "python"),
        ("foo(│);", "a, b);", "foo(a, b);", JS),
        ("max(min(│))", "v, hi), lo);", "max(min(v, hi), lo);", JS),
        ("function p(│)", ") {\n  log();\n}", "function p() {\n  log();\n}", JS),
        (
            'body.insert("│")',
            'k".to_string(), v);',
            'body.insert("k".to_string(), v);',
            "rust",
        ),
        ("f(x) {│\n}", "\n  a();\n}", "f(x) {\n  a();\n}", JS),
        (
            "class A {\n\tfoo(x: │\n\t}\n}",
            "any) {\n\t\ta;\n\t}\n}",
            "class A {\n\tfoo(x: any) {\n\t\ta;\n\t}\n}",
            TS,
        ),
        ("[\n\t│\n];", "'a',\n\t'b'\n]", "[\n\t'a',\n\t'b'\n];", JS),
        ("x = a│", " ) + b", NOTHING, "python"),
        ("f(\n    x={'a': b, 'c│", "': d,)", "f(\n    x={'a': b, 'c': d,", "python"),
        ("f(\n    x, [│", "y, {z)", "f(\n    x, [y, {z", "python"),
        ("f(\n    x│", ", y)", "f(\n    x, y)", "python"),
        # Behind the comma that ends a line, the bracket has a line of its own.
        ("f(\n    wid│", "width=70,)", "f(\n    width=70,", "python"),
        ("x = (a│", ", b,)", "x = (a, b,)", "python"),
        ("foo(│", "\n    a,\n    b,\n)", "foo(\n    a,\n    b,\n)", "python"),
        (
            "function c() {\n if (o) {\n  return 1;\n │\n}",
            "}",
            "function c() {\n if (o) {\n  return 1;\n }\n}",
            JS,
        ),
        ("foo = │;", "foo = bar();", "foo = bar();", JS),
    ],
)
def test_rest_of_the_line(
    text: str, reply: str, expected: str | None, language: str
) -> None:
    """A bracket, a quote or a line that stands already is not doubled."""
    check(text, reply, expected, language)


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        ("{ ok:│ }) => {", " boolean }) => {", "{ ok: boolean }) => {"),
        ("<App │/>", "m={m} />", "<App m={m} />"),
    ],
)
def test_invoked_before_text(text: str, reply: str, expected: str) -> None:
    """On request, a text may be inserted before code."""
    check(text, reply, expected, "typescriptreact", is_invoked=True)


@pytest.mark.parametrize(
    ("text", "reply", "expected", "language"),
    [
        ("this.a =│", " v;\nreturn this;", "this.a = v;", TS),
        (
            "class A {\n  get│\n}",
            " foo() {\n    return 1;\n  }\n  set foo(x) {\n  }",
            "class A {\n  get foo() {\n    return 1;\n  }\n}",
            TS,
        ),
        (
            "def f(x):\n    │",
            "return x\n\ndef g():\n    pass",
            "def f(x):\n    return x",
            "python",
        ),
        (
            "if a:│",
            "\n    x()\nelse:\n    y()\nz()",
            "if a:\n    x()\nelse:\n    y()",
            "python",
        ),
        (
            "function f() {│\n\n  log(3)\n}",
            "\n  log(1)\n  log(2)",
            "function f() {\n  log(1)\n\n  log(3)\n}",
            JS,
        ),
        ("bar(│)", "a)\nbaz(b)", "bar(a)", "python"),
        ("x()\n│", "a()\na()\na()\na()\na()", "x()\na()", "python"),
        ("x = 1  # │", "- - - - - -", NOTHING, "python"),
        ("│\nlog(obj);", "log(obj);", NOTHING, JS),
        ("x = 1\n│", "y = 2\n# ... rest of the code\n", "x = 1\ny = 2", "python"),
        ("x = 1\n│", "# ... rest of the code\n", NOTHING, "python"),
        (
            "test('2', () => {│\n\ntest('3', () => {\n});",
            "\n  run(2);\n});",
            "test('2', () => {\n  run(2);\n});\n\ntest('3', () => {\n});",
            JS,
        ),
        ("long_call(argument)\n│", "long_call(argument)", NOTHING, "python"),
        (
            "# TODO handle │",
            "empty lists\nx = 1",
            "# TODO handle empty lists",
            "python",
        ),
        ("x = '│'", "abc'", "x = 'abc'", "python"),
        ("x = │", 'x = "never ends', NOTHING, "python"),
    ],
)
def test_scope(text: str, reply: str, expected: str | None, language: str) -> None:
    """A text ends with its block, before a repetition and before what follows."""
    check(text, reply, expected, language)


def test_an_echo_of_the_next_test_case_is_kept() -> None:
    """Lines that differ in a number are not repetitions."""
    text = "it('case 1')\n│\nit('case 3')"
    check(text, "it('case 2')", "it('case 1')\nit('case 2')\nit('case 3')", JS)


def test_made_up_secrets() -> None:
    """A line with a private value is not shown."""
    place = place_of('KEY = "│"')
    flight = Flight(
        1, 0, place, started_s=0, has_secret=lambda line: "sk-live-" in line
    )
    flight.feed('sk-live-4f9"')
    flight.end()
    assert flight.reading.text == ""


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x1b[2J"])
def test_hidden_characters(hidden: str) -> None:
    """A reply with characters that are not shown is not shown either, in any piece."""
    flight = Flight(1, 0, place_of("role = │"), started_s=0)
    flight.feed("'user' if known else 'us")
    assert "known" in flight.reading.text
    flight.feed(f"er{hidden}' ")
    assert flight.reading.text == ""
    flight.feed("# admin")
    flight.end()
    assert flight.reading.text == ""


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        # A loop that begins with the cursor's line.
        ("total = f(a│", "total = f(a, b)\n" * 4, "total = f(a, b)"),
        ("total = f(a)│", "total = f(a)\ntotal = f(a)", NOTHING),
        # Lines above with the blank line between them.
        (
            "first = 1\n\nsecond = │",
            "first = 1\n\nsecond = 22",
            "first = 1\n\nsecond = 22",
        ),
    ],
)
def test_repeated_lines(text: str, reply: str, expected: str | None) -> None:
    """Neither the cursor's line nor the lines above it are shown again."""
    check(text, reply, expected)


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        ("a = 1│", "a = 1\n\nb = 2", "a = 1\n\nb = 2"),
        (
            '"""Do.\n\n1. This\n   goes on.│',
            "goes on.\n2. That",
            '"""Do.\n\n1. This\n   goes on.\n2. That',
        ),
        (
            'def f():\n    """Do.\n\n    - This\n      goes on.│',
            "goes on.\n- That",
            'def f():\n    """Do.\n\n    - This\n      goes on.\n      - That',
        ),
    ],
)
def test_after_a_whole_line(text: str, reply: str, expected: str | None) -> None:
    """Blank lines stay; a paragraph that ends is not continued with its indentation."""
    check(text, reply, expected)


def test_insertion_form() -> None:
    """A model that fills gaps continues at the cursor."""
    check("    │", "    return 1", "    return 1", form="insertion")
    check("x = f(│)", "f(a))", "x = f(f(a))", form="insertion")


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        (
            "def f():\n    return 1\n│",
            "\ndef g():\n    return 2",
            "def f():\n    return 1\n\ndef g():",
        ),
        (
            "a = 1\n\n\nb = 2\n\n│",
            "\nc = 3",
            "a = 1\n\n\nb = 2\n\n\nc = 3",
        ),
        ("a = 1\n\nb = 2\n│", "\nc = 3", "a = 1\n\nb = 2\nc = 3"),
    ],
)
def test_blank_lines_between_blocks(text: str, reply: str, expected: str) -> None:
    """A blank line stays blank before another block, as often as the file has it."""
    check(text, reply, expected)


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        (
            "try:\n    im│",
            "import a\nexcept ImportError:\n    pass",
            "try:\n    import a",
        ),
        (
            "class A:\n    def f(self):\n        ret│",
            "return 1\n\n\n@final\nclass B:\n    pass",
            "class A:\n    def f(self):\n        return 1",
        ),
    ],
)
def test_a_block_that_ends(text: str, reply: str, expected: str) -> None:
    """What follows the end of a block keeps its depth, and is not shown with it."""
    check(text, reply, expected)


@pytest.mark.parametrize(
    ("text", "reply", "language"),
    [
        ("cat <<EOF│\nx", "\nhello\n  world\nEOF", "shellscript"),
        ("x = <<EOS│\ny", "\nhello\nEOS", "ruby"),
        ('def f():\n    x = """│', '\nhello\n  world\n"""', "python"),
        ("const s = `│\nf();", "\nhello\n  world\n`;", JS),
        ("all: a│", "\n\techo b", "makefile"),
        ("all: a\n│", "\techo b\n\techo c", "makefile"),
    ],
)
@pytest.mark.parametrize("form", ["line", "insertion"])
def test_lines_that_have_a_margin_of_their_own(
    text: str, reply: str, language: str, form: ReplyForm
) -> None:
    expected = text.replace("│", reply)
    check(text, reply, expected, language, is_invoked=True, form=form)


@pytest.mark.parametrize(
    ("text", "reply", "language"),
    [
        ("f() {\n    cat <<EOF│\n}", "\nhello\n  world\nEOF", "shellscript"),
        ("def f\n  x = <<EOS│\nend", "\nhello\nEOS", "ruby"),
        ("function f() {\n  const s = `│\n}", "\nhello\n  world\n`;", JS),
    ],
)
def test_a_text_at_the_margin_of_a_block(text: str, reply: str, language: str) -> None:
    """It looks like the end of the block, so it is not shown; nothing wrong is."""
    check(text, reply, NOTHING, language)


@pytest.mark.parametrize(
    ("text", "reply", "form"),
    [
        ("a:\n  b: │", "1\nc:\n  d: 2", "insertion"),
        ("a:\n  b: │", "  b: 1\nc:\n  d: 2", "line"),
        ("a:\n  b:│", "\n    c: 1\nd: 2", "insertion"),
    ],
)
def test_lines_with_the_margin_of_the_file(
    text: str, reply: str, form: ReplyForm
) -> None:
    """They end the block; a model that goes on at the cursor sees their depths."""
    for pieces in cuts(reply):
        insertion = shown(text, pieces, "yaml", is_invoked=True, form=form)
        assert insertion is not None
        assert "\n  c" not in accepted(text, insertion)
        assert "\n  d" not in accepted(text, insertion).replace("c:\n  d", "")


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        # Its beginning is like the end of the line, and goes on.
        ("x = [f(form) for│", " form in forms]"),
        ("from importlib import│", " import_module"),
        ("for item in│", " inner.all():"),
        ("x = a.index│", ".index2"),
        ("f(None, None│", ", None, None)"),
        ("f(None, │", "None, None)"),
        ("x = [0, 0│", ", 0, 0]"),
        ("x: dict[str, dict│", "[str, dict[str, int]]"),
        ('cd("../│', '../lib")'),
    ],
)
@pytest.mark.parametrize("form", ["line", "insertion"])
def test_a_text_like_what_is_before_it(text: str, reply: str, form: ReplyForm) -> None:
    """It is no repetition where a model would not begin one."""
    check(text, reply, text.replace("│", reply), form=form)


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("x = dat│", "data.get(1)"),
        ("x = self.│", "self.data"),
        ("x, y = data = │", "data = 1"),
        ("x = join(pat│", "join(path, 1)"),
        ("print(compute(a, │", "compute(a, b))"),
    ],
)
def test_an_end_of_the_line_that_is_repeated(text: str, reply: str) -> None:
    left = text.removesuffix("│")
    n_shared = max(n for n in range(len(left)) if reply.startswith(left[-n:]))
    check(text, reply, left + reply[n_shared:])


@pytest.mark.parametrize(
    ("text", "reply", "language"),
    [
        ('x = ["│"]', 'a", "b', "python"),
        ("x = [(│)]", "1, 2), (3, 4", "python"),
        ('d = {"│"}', 'a": "b', "python"),
        ("print(f(│) + 1)", "1) + f(2", "python"),
        ("f(a[│]);", "0], b[1", JS),
        ("x = [{ a: 1│ }];", " }, { a: 2", JS),
        ('<a href="│"></a>', 'x" class="y', "html"),
        ("insert into t values ('│');", "a', 'b", "sql"),
        ('echo "│"', '$a" "$b', "shellscript"),
    ],
)
@pytest.mark.parametrize("form", ["line", "insertion"])
def test_a_text_that_opens_what_it_closes(
    text: str, reply: str, language: str, form: ReplyForm
) -> None:
    """What is behind the cursor closes it again."""
    check(text, reply, text.replace("│", reply), language, form=form)


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        ('f("{│}")', '!r}", name)', 'f("{!r}", name)'),
        ("x = r'[│]", "a-z]'", "x = r'[a-z]'"),
        ('s.split(b"│)', ',"):', 's.split(b","):'),
        # The backslash before the cursor escapes the quote behind it.
        ("x = r'[\\│]", "']?'", "x = r'[\\']?'"),
        # The bracket is closed in another string.
        ('x = "(│)', '" + ", ".join(y) + ")"', 'x = "(" + ", ".join(y) + ")"'),
        ('x = "(" + y│)', ' + ")"', 'x = "(" + y + ")"'),
        ('x = g("(" + y│)', ' + ")"', 'x = g("(" + y + ")")'),
    ],
)
def test_brackets_in_a_string(text: str, reply: str, expected: str) -> None:
    """A bracket that the editor has closed in a string is not closed twice."""
    check(text, reply, expected, form="insertion")


@pytest.mark.parametrize(
    ("text", "reply", "language"),
    [
        ('print(f"{│} x")', "name", "python"),
        ('print(f"a {│} x {b}")', "name", "python"),
        ("log(`Hello ${│} there`);", "name", JS),
        ('echo "a {$│} b";', "x", "php"),
        ('class A { string F() => $"a {│} b"; }', "x", "csharp"),
        ('puts "a #{│} b"', "x", "ruby"),
        ('a: "{{ │ }} b"', "x", "yaml"),
        ('f("a {│} b", c)', "x", "python"),
    ],
)
@pytest.mark.parametrize("form", ["line", "insertion"])
def test_a_rest_behind_a_bracket_in_a_string(
    text: str, reply: str, language: str, form: ReplyForm
) -> None:
    """What the model repeats of it is not shown twice; it need not repeat it."""
    expected = text.replace("│", reply)
    rest = text.partition("│")[2]
    check(text, reply + rest, expected, language, form=form)
    check(text, reply, expected, language, form=form)


@pytest.mark.parametrize(
    ("above", "left", "reply"),
    [
        ("first = 1\nsecond = 2\n", "third = ", "third = 33"),
        ("first = 1\nsecond = 2\n", "", "third = 33"),
        ("first = 1\n\nsecond = 2\n", "thi", "third = 33"),
    ],
)
def test_lines_above_that_are_repeated(above: str, left: str, reply: str) -> None:
    """Repeated lines above are not shown while the next line has not arrived."""
    place = place_of(f"{above}{left}│")
    line = above.count("\n")
    flights = Flights()
    flight = Flight(1, line, place, started_s=0)
    flights.add(flight)
    for char in above:
        flight.feed(char)
        assert not flights.look(line, place).insertions
    flight.feed(f"{reply}\n")
    (shown,) = flights.look(line, place).insertions
    assert shown.text == reply.removeprefix(left)


@pytest.mark.parametrize(
    ("text", "reply", "expected"),
    [
        ("# The wi│", "# The width)", "# The width"),
        ("# The (wi│", "# The (width)", "# The (width)"),
        ("# The (long\n# wi│", "# width).", "# The (long\n# width)."),
        ("# The (long\n\n# wi│", "# width)", "# The (long\n\n# width"),
        ("x = (1)  # wi│", "x = (1)  # width)", "x = (1)  # width"),
        ("# In [0, │", "# In [0, 1)", "# In [0, 1)"),
        ("# │", "# 1)", "# 1)"),
        ("# So it │", "# So it is :-)", "# So it is :-)"),
        ("# So it │", "# So it is, or:)", "# So it is, or:"),
        ('"""The wi│', '"""The width.)', '"""The width.'),
        (
            'def f():\n    """The (long\n    wi│',
            "width))\n    more",
            'def f():\n    """The (long\n    width)',
        ),
    ],
)
def test_closers_in_prose(text: str, reply: str, expected: str) -> None:
    """A bracket at the end of a line of prose closes one of its paragraph."""
    check(text, reply, expected)


def test_a_long_string_has_no_scopes() -> None:
    """A paragraph with another depth does not end a text in a docstring."""
    typed = 'def f():\n    """Do.\n\n      a: text'
    place = place_of(f"{typed}│")
    flight = Flight(1, 3, place, started_s=0)
    flight.feed('a: text\n    b: more\n    """\nh()\n')
    flight.end()
    assert flight.reading.text == '\n    b: more\n    """'


@pytest.mark.parametrize(
    ("first", "language", "quote"),
    [
        ('    """', "python", '"""'),
        ('    text goes on."""', "python", '"""'),
        ("    goes on.'''", "python", "'''"),
        ('    """Return it.', "python", ""),
        ('def f():\n    """\n    Return it.', "python", ""),
        ('x = """\ntext', "python", ""),
        ('f(r"""\ntext', "python", ""),
        ('text\n    """.strip()', "python", '"""'),
        ("x = 1", "python", ""),
        (" * text\n */", "javascript", "*/"),
        ("/* text\n */", "javascript", ""),
        ("f();", "javascript", ""),
        # Complete strings, after anything.
        ('elif """x""" in text:', "python", ""),
        ('"""a""" + """b""" + """c"""', "python", ""),
        ('x = \'"""\'', "python", ""),
        ("x = '\\'\"\"\"' + \"'''\"", "python", ""),
        ('x = 1  # Not """ or it\'s', "python", ""),
        ('elif """x""" in text:\n    goes on."""', "python", '"""'),
        ('    Don\'t do it."""', "python", '"""'),
        ('    elif """', "python", ""),
        ('    Rb"""text', "python", ""),
        ("text\n    rb'''\n", "python", ""),
        ('    text\n    """  # The end.', "python", '"""'),
        ('    text\n    """]', "python", '"""'),
        ('def f():  # Go.\n    """\n    text', "python", ""),
        ('glob("**/*.js");', "javascript", ""),
        ("// all of **/*.ts", "javascript", ""),
        (" * Don't: see http://x.y */", "javascript", "*/"),
    ],
)
def test_lines_from_the_middle_of_a_file(first: str, language: str, quote: str) -> None:
    """The first mark of a long string or comment tells whether it is one's end."""
    lines = [*first.split("\n"), "more()"]
    assert quote_before(lines, language) == quote
    above = [*lines, *["more()"] * (N_AROUND - len(lines))]
    around = Around(language=language, above=tuple(above))
    assert (
        around.openings.quote == open_in(lines, language, Openings(quote=quote)).quote
    )
