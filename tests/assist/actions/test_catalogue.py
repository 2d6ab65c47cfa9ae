"""What the menu offers at a place, and what each entry is about.

`‸` is the cursor; between two of them is a selection.
"""

from __future__ import annotations

import pytest

from redline.assist.actions import kinds
from redline.assist.actions.action import (
    Action,
    Diagnostic,
    EditWork,
    LiveSession,
    SessionWork,
    Spot,
)
from redline.assist.actions.catalogue import catalogue
from redline.settings.actions import OwnAction
from redline.text.instruction_comment import read_comment
from redline.text.lines import split_lines
from redline.text.position import Position, Range

MARK = "‸"


def spot(marked: str, language: str = "python", *messages: str) -> Spot:
    """A spot, with diagnostics on the cursor's line."""
    parts = marked.split(MARK)
    places = []
    for number in range(1, len(parts)):
        before = split_lines("".join(parts[:number]))
        places.append(Position(len(before) - 1, len(before[-1])))
    selection = Range(places[0], places[-1])
    line = Range(Position(places[0].line, 0), Position(places[0].line, 1))
    return Spot(
        language=language,
        lines=split_lines("".join(parts)),
        selection=selection,
        diagnostics=tuple(Diagnostic(range=line, message=each) for each in messages),
    )


def offered(marked: str, language: str = "python", *messages: str) -> dict[str, Action]:
    """The menu, by title without the brand."""
    actions = catalogue(spot(marked, language, *messages))
    return {action.title.replace(" with Redline", ""): action for action in actions}


def lines_of(action: Action) -> tuple[int, int]:
    """The first and the last line that an edit is about."""
    assert isinstance(action.work, EditWork)
    return action.work.range.start.line, action.work.range.end.line


FUNCTION = """\
import os


@cache
def total(prices):
    result = 0
    for price in prices:
        result += ‸price
    return result


x = 1
"""


def test_an_action_is_about_the_definition_around_the_cursor() -> None:
    """With its decorators, to its last line."""
    menu = offered(FUNCTION)
    assert list(menu) == [
        "Simplify",
        "Add types",
        "Add a docstring",
        "Write tests",
        "Explain",
    ]
    assert lines_of(menu["Simplify"]) == (3, 8)


@pytest.mark.parametrize(
    ("marked", "language", "expected"),
    [
        ("class A:\n    def f(self):\n        ‸x()\n\n    y = 1\n", "python", (1, 2)),
        ("class A:\n    def f(self):\n        x()\n\n    y ‸= 1\n", "python", (0, 4)),
        ("def f(\n    a,\n    b,\n):\n    ‸return a\n", "python", (0, 4)),
        ("def f(\n    a‸,\n    b,\n):\n    return a\n", "python", (0, 4)),
        ("def f(‸):\n    return 1\n", "python", (0, 1)),
        ("func F(a int) int {\n\tif a {\n\t\t‸x()\n\t}\n}\n", "go", (0, 4)),
        ("func F() {\n\tx()\n}‸\n\nfunc G() {\n}\n", "go", (0, 2)),
        ("/// Doc.\npub fn f() -> u8 {\n    ‸1\n}\n", "rust", (0, 3)),
        ("int f(int a)\n{\n    return ‸a;\n}\n", "c", (0, 3)),
        ("class A {\n    int f() {\n        ‸g();\n    }\n}\n", "java", (1, 3)),
        ("const f = async (a) => {\n  ‸g();\n};\n", "javascript", (0, 2)),
        ("class A {\n  run(a) {\n    ‸g();\n  }\n}\n", "typescript", (1, 3)),
        ("def f\n  ‸x\nend\n", "ruby", (0, 2)),
        ("f() {\n  ‸ls\n}\n", "shellscript", (0, 2)),
        ("fun f(): Int {\n    ‸return 1\n}\n", "kotlin", (0, 2)),
    ],
)
def test_definitions_are_told_by_their_indentation(
    marked: str, language: str, expected: tuple[int, int]
) -> None:
    assert lines_of(offered(marked, language)["Simplify"]) == expected


@pytest.mark.parametrize(
    "marked", ["x = 1\n‸\ny = 2\n", "def f():\n    pass\n\n\n‸x = 1\n", "‸", "‸\n"]
)
def test_where_nothing_is_defined_nothing_is_offered(marked: str) -> None:
    assert offered(marked) == {}


def test_a_selection_is_what_is_meant() -> None:
    """Whole lines of it, whatever is around it."""
    menu = offered("def f():\n    ‸a = 1\n    b = 2‸\n    return a + b\n")
    assert lines_of(menu["Simplify"]) == (1, 2)


def test_extraction_needs_a_selection_and_edits_the_function() -> None:
    """So that there is room for what is extracted, and for the call."""
    menu = offered("def f(a):\n    return ‸a * 2‸ + 1\n")
    variable, function = (
        menu["Extract into a variable"],
        menu["Extract into a function"],
    )
    assert variable.lsp_kind == kinds.EXTRACT_VARIABLE
    assert function.lsp_kind == kinds.EXTRACT_FUNCTION
    assert lines_of(variable) == lines_of(function) == (0, 1)
    assert isinstance(variable.work, EditWork)
    assert "\na * 2\n" in variable.work.instruction
    lines = offered("def f(a):\n    ‸b = a\n    c = b‸\n    return c\n")
    assert "Extract into a variable" not in lines
    assert "Extract into a function" in lines


def test_each_diagnostic_has_a_fix_and_all_have_one() -> None:
    """The instruction says what is wrong and where; a missing name may be an import."""
    text = "import os\n\n\ndef f():\n    ‸return sys.path\n"
    menu = catalogue(spot(text, "python", "line too long", "undefined name 'sys'"))
    first, second, whole = menu[:3]
    assert first.title == "Fix with Redline: line too long"
    assert lines_of(first) == (3, 4)
    assert first.diagnostics == (0,)
    assert isinstance(first.work, EditWork)
    assert "line too long, at `return sys.path`." in first.work.instruction
    assert lines_of(second) == (0, 5)
    assert whole.title == "Fix all problems in the file with Redline"
    assert whole.diagnostics == (0, 1)
    assert {action.lsp_kind for action in menu[:3]} == {kinds.QUICK_FIX}


def test_a_long_message_is_cut_in_the_title_alone() -> None:
    (fix, *_) = catalogue(spot("‸x\n", "python", "a\nb " * 100))
    assert len(fix.title) < 90
    assert "\n" not in fix.title
    assert isinstance(fix.work, EditWork)
    assert len(fix.work.instruction) > 300


@pytest.mark.parametrize(
    ("marked", "language", "text", "expected"),
    [
        ("# redline: add‸ types\ndef f(a):\n    pass\n", "python", "add types", (0, 2)),
        (
            "# redline: one,\n# tw‸o\n@cache\ndef f(a):\n    pass\n\nx = 1\n",
            "python",
            "one,\ntwo",
            (0, 4),
        ),
        ("def f():\n    a()\n    # REDLINE: log‸\n    b()\n", "python", "log", (0, 3)),
        ("x = 1  # redline: rename‸\ny = x\n\nz = 3\n", "python", "rename", (0, 1)),
        ("// redline: do i‸t\nint f() {\n}\n", "c", "do it", (0, 2)),
        ("/* redline: do it\n * and th‸is */\na();\n", "c", "do it\nand this", (0, 2)),
        ("<!-- redline: sort‸ -->\n<p>\n</p>\n", "html", "sort", (0, 2)),
        ("-- redline: index‸\nSELECT 1;\n", "sql", "index", (0, 1)),
    ],
)
def test_a_comment_for_redline_is_an_instruction(
    marked: str, language: str, text: str, expected: tuple[int, int]
) -> None:
    """It is of what follows, else of what is around it; the edit removes it."""
    first = catalogue(spot(marked, language))[0]
    assert first.title.startswith("Do this with Redline: ")
    assert lines_of(first) == expected
    assert isinstance(first.work, EditWork)
    assert first.work.instruction == text
    assert first.work.from_comment is not None
    lines = split_lines(marked.replace(MARK, ""))
    comment = read_comment(lines, first.work.from_comment)
    assert "redline:" in comment.lines[0].lower()
    assert comment.kept == (("x = 1",) if marked.startswith("x = 1") else ())


@pytest.mark.parametrize(
    "marked",
    [
        's = "# redline: do‸ it"\n',
        "# redlines: do‸ it\nx = 1\n",
        "# redline:‸\nx = 1\n",
        "# redline: do it\nx = ‸1\n",
    ],
)
def test_what_only_looks_like_one_is_none(marked: str) -> None:
    assert not any(title.startswith("Do this") for title in offered(marked))


@pytest.mark.parametrize(
    ("marked", "language"),
    [
        ("def f(a):\n    ‸...\n", "python"),
        ('def f(a):\n    """Do it."""\n    raise NotImplementedError‸\n', "python"),
        ('def f(a):\n    """Do\n    it.\n    """\n    # later\n    pass‸\n', "python"),
        ("def f(a): ‸...\n", "python"),
        ("fn f() {\n    ‸todo!()\n}\n", "rust"),
        ("int f(int a) {‸\n}\n", "c"),
        ("function f(a) {‸}\n", "javascript"),
    ],
)
def test_a_body_that_is_missing_can_be_written(marked: str, language: str) -> None:
    assert "Write the body of `f`" in offered(marked, language)


def test_a_body_that_is_there_is_not_written() -> None:
    assert "Write the body of `f`" not in offered("def f(a):\n    return ‸a\n")


def test_a_comment_before_nothing_announces_code() -> None:
    marked = "x = 1\n\n# sum the squares\n# of x‸\n\ny = 2\n"
    menu = offered(marked)
    assert lines_of(menu["Write the code for this comment"]) == (2, 3)
    assert offered("# sum‸\ny = 2\n") == {}


def test_a_heading_announces_no_code() -> None:
    heading = "# Sums‸\n\nOf squares.\n"
    assert "Write the code for this comment" in offered(heading)
    assert "Write the code for this comment" not in offered(heading, "markdown")


@pytest.mark.parametrize(
    ("marked", "language", "title"),
    [
        ("def f(u):\n    ‸return requests.get(u)\n", "python", "Convert to async"),
        (
            "class A:\n    def __init__(self, a):\n        self.a = a‸\n",
            "python",
            "Convert to a dataclass",
        ),
        (
            "def f(a):\n    for c in a:‸\n        b.append(c)\n    return b\n",
            "python",
            "Convert to a comprehension",
        ),
        (
            "function f() {\n  return g().then(‸h);\n}\n",
            "javascript",
            "Convert to async/await",
        ),
        ("fn f() {\n    g().unwrap()‸;\n}\n", "rust", "Convert to the ? operator"),
    ],
)
def test_conversions_are_offered_where_the_old_idiom_is(
    marked: str, language: str, title: str
) -> None:
    assert title in offered(marked, language)
    assert not any("Convert" in each for each in offered("def f():\n    ‸x()\n"))


def test_what_has_types_and_documentation_is_not_offered_them_again() -> None:
    typed = 'def f(a: int) -> int:\n    """Do it."""\n    return ‸a\n'
    menu = offered(typed)
    assert "Add types" not in menu
    assert "Update the docstring" in menu


def test_the_users_own_actions() -> None:
    """For their languages, on the selection or the definition, for their tier."""
    own = {
        "log": OwnAction(title="Log it", instruction="Log.", tier="deep"),
        "go": OwnAction(title="Wrap", instruction="Wrap.", languages=("go",)),
    }
    menu = catalogue(spot("def f():\n    ‸x()\n"), own=own)
    (mine,) = [each for each in menu if each.title == "Log it"]
    assert lines_of(mine) == (0, 1)
    assert isinstance(mine.work, EditWork)
    assert (mine.work.tier, mine.lsp_kind) == ("deep", "refactor.rewrite")
    assert "Wrap" not in {each.title for each in menu}


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (("quickfix",), {"quickfix"}),
        (("refactor",), {"refactor.rewrite", "refactor.extract.function"}),
        (("refactor.extract",), {"refactor.extract.function"}),
        (("refactor.ext",), set()),
        (("redline.explain",), {"redline.explain"}),
        (("source",), {"source.redline.fixFile", "source.redline.document"}),
        (("source.fixAll",), set()),
        (("",), None),
        ((), None),
    ],
)
def test_only_the_kinds_asked_for(
    only: tuple[str, ...], expected: set[str] | None
) -> None:
    """Kinds stand for those below them; a save never asks a model."""
    place = spot("def f():\n    ‸a()\n    b()‸\n    c()\n", "python", "it is wrong")
    found = {each.lsp_kind for each in catalogue(place, only=only)}
    if expected is None:
        assert found == {each.lsp_kind for each in catalogue(place)}
        assert not any(kind.startswith("source") for kind in found)
    else:
        assert found == expected


def test_a_running_session_can_be_stopped_and_redirected() -> None:
    running = LiveSession(session_id="s", label="Redline: sort it", is_waiting=False)
    waiting = LiveSession(session_id="t", label="Redline: log it", is_waiting=True)
    menu = catalogue(spot("‸\n"), sessions=[running, waiting])
    assert [each.title for each in menu] == [
        "Stop: sort it",
        "Accept: log it",
        "Reject: log it",
    ]
    menu = catalogue(spot("‸\n"), sessions=[running], can_ask=True)
    assert menu[-1].work == SessionWork(session_id="s", what="redirect")
    menu = catalogue(spot("# redline: do‸ it\n"), sessions=[running])
    redirect = menu[1].work
    assert isinstance(redirect, SessionWork)
    assert redirect.what == "redirect"
    assert redirect.instruction == "do it"
    assert redirect.from_comment == Range(Position(0, 0), Position(0, 16))


def test_no_line_is_too_strange() -> None:
    """Long lines, odd ends and unclosed things only cost a search."""
    for text in (
        "‸" + "a(" * 100_000,
        "‸/*\n" * 3,
        "\r\r\n‸\r",
        "‸'''\n" + "\n" * 3_000,
    ):
        for language in ("python", "javascript", "c", "markdown", ""):
            catalogue(spot(text.replace(MARK, "") + MARK, language))
            catalogue(spot(MARK + text.replace(MARK, ""), language))


def test_no_part_of_a_secret_is_in_an_instruction() -> None:
    """A line, a message and a selection are cut before secrets are searched."""
    token = "ghp_k3Jf9aQ2mZ7xW1bT5vN8cR4yL6pH0sD2gUeX"
    line = f"call({' ' * 100}'{token}')"
    (fix, *_) = catalogue(spot(f"‸{line}\n", "python", f"{'a ' * 295}{token}"))
    menu = offered(f"def f():\n‸    x = [{'1, ' * 1_320}'{token}', 2]\n‸")
    for action in (fix, menu["Extract into a function"]):
        assert isinstance(action.work, EditWork)
        assert token[:4] not in action.work.instruction
