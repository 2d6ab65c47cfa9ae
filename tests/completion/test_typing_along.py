"""Which reply fits what was typed, and whether another request is needed."""

from __future__ import annotations

import pytest
from tests.completion.cursor_text import line_of, place_of

from redline.completion.along import Rest, rest_of
from redline.completion.flight import Flight
from redline.completion.flights import Flights, Look


class Typist:
    """A document with a cursor, and its replies."""

    def __init__(self, text: str, language: str = "python") -> None:
        self.text = text
        self.language = language
        self.flights = Flights()
        self.n_sent = 0

    def send(self, *, at_s: float = 0.0) -> Flight:
        """Request a reply at the cursor."""
        self.n_sent += 1
        place = place_of(self.text, self.language)
        flight = Flight(self.n_sent, line_of(self.text), place, started_s=at_s)
        self.flights.add(flight)
        return flight

    def reply(self, reply: str) -> Flight:
        """Request a reply and receive all of it."""
        flight = self.send()
        flight.feed(reply)
        flight.end()
        return flight

    def type(self, text: str) -> None:
        """Insert a text; the cursor may be moved by a `│` in it."""
        marked = text if "│" in text else text + "│"
        first = line_of(self.text)
        character = len(self.text.split("│")[0].rpartition("\n")[2])
        self.text = self.text.replace("│", marked)
        n_lines = marked.count("\n")
        self.flights.spliced(first, character, first, first + n_lines)

    def backspace(self) -> None:
        """Delete the character before the cursor."""
        before, after = self.text.split("│")
        self.text = before[:-1] + "│" + after

    def look(self) -> Look:
        """Look at the cursor."""
        place = place_of(self.text, self.language)
        return self.flights.look(line_of(self.text), place)

    @property
    def shown(self) -> str:
        """What is shown; empty: nothing."""
        look = self.look()
        if look.insertions:
            self.flights.note_shown(look, line_of(self.text))
        return look.insertions[0].text if look.insertions else ""

    def may_send(self, *, now_s: float, is_boundary: bool = False) -> bool:
        """Whether another request is due."""
        return self.flights.may_send(
            line_of(self.text),
            place_of(self.text, self.language),
            now_s=now_s,
            is_boundary=is_boundary,
            first_delta_s=0.2,
        )


def test_the_same_item_is_trimmed() -> None:
    """Typing along needs no request."""
    typist = Typist("    re│")
    typist.reply("return a + b")
    assert typist.shown == "turn a + b"
    typist.type("t")
    assert typist.shown == "urn a + b"
    typist.type("u")
    assert typist.shown == "rn a + b"
    assert not typist.look().is_pending


def test_the_lines_are_read_before_the_reply() -> None:
    """What is asked of them when a reply is shown is known since its request."""
    typist = Typist("def f(x):\n    y = {│}\n    return y")
    flight = typist.send()
    known = set(vars(flight.place.around))
    flight.feed("y = {x: 1,\n")
    flight.feed("         x: 2}\n")
    assert typist.shown
    assert known
    assert set(vars(flight.place.around)) == known


def test_a_silent_reply_is_awaited() -> None:
    """Any key agrees with a reply without text, up to a time limit."""
    typist = Typist("re│")
    flight = typist.send()
    typist.type("t")
    assert typist.look().is_pending
    assert not typist.may_send(now_s=0.06)
    assert typist.may_send(now_s=0.3)
    assert not typist.may_send(now_s=0.06, is_boundary=True)
    assert typist.may_send(now_s=0.16, is_boundary=True)
    flight.feed("return a\n")
    assert typist.shown == "urn a"


@pytest.mark.parametrize(
    ("then", "shown"),
    [("    a()\n", ""), ("    b()\n", "\n    a()"), ("", "\n    a()")],
)
def test_a_line_that_may_begin_a_loop(then: str, shown: str) -> None:
    """It is shown when a further line, or the end of the reply, shows that it does
    not."""
    typist = Typist("if x:\n    │")
    flight = typist.send()
    typist.type("a()")
    flight.feed("a()\n    a()\n")
    assert not typist.shown
    flight.feed(then)
    if not then:
        flight.end()
    assert typist.shown == shown


def test_two_live_at_most() -> None:
    """With two silent replies every further key waits."""
    typist = Typist("f│")
    typist.send()
    typist.type("(")
    assert typist.may_send(now_s=0.2, is_boundary=True)
    typist.send()
    typist.type("(")
    assert not typist.may_send(now_s=1.0, is_boundary=True)


def test_a_contradicted_reply() -> None:
    """A reply that typing contradicts neither shows nor holds."""
    typist = Typist("re│")
    flight = typist.send()
    flight.feed("return a\nb")
    typist.type("x")
    assert typist.shown == ""
    assert not typist.look().is_pending
    assert typist.may_send(now_s=0.01)
    flight.feed("\nc\n")
    assert typist.shown == ""


def test_a_later_reply_does_not_replace_the_shown_one() -> None:
    """What is shown changes only by extension."""
    typist = Typist("x = │")
    first, second = typist.send(), typist.send()
    first.feed("x = one + two\n")
    first.end()
    assert typist.shown == "one + two"
    second.feed("x = other\n")
    second.end()
    assert typist.shown == "one + two"
    typist.type("one + two")
    assert typist.shown == ""


def test_a_later_reply_extends_the_shown_one() -> None:
    """Where the shown reply ends, another one that agrees with it goes on."""
    typist = Typist("x = │")
    first, second = typist.send(), typist.send()
    first.feed("x = one + two\n")
    first.end()
    assert typist.shown == "one + two"
    second.feed("x = one + two\ny = 3\n")
    second.end()
    typist.type("one")
    assert typist.shown == " + two"
    typist.type(" + two")
    assert typist.shown == "\ny = 3"


def test_closed_pairs() -> None:
    """Brackets that the editor closes are not doubled."""
    typist = Typist("print│")
    typist.reply("print(x)")
    assert typist.shown == "(x)"
    typist.type("(│)")
    insertion = typist.look().insertions[0]
    assert (insertion.text, insertion.n_right) == ("x)", 1)


@pytest.mark.parametrize(
    ("text", "enter", "expected"),
    [
        ("def f():│", "\n    ", "    return 1"),
        ("def f():│\n\ta()", "\n\t", "\treturn 1"),
        ("def f():│", "\n", "    return 1"),
    ],
)
def test_automatic_indentation(text: str, enter: str, expected: str) -> None:
    """After Enter the text continues with the editor's indentation, once."""
    typist = Typist(text)
    typist.reply("def f():\n    return 1")
    typist.type(enter)
    begun = typist.text.split("│")[0].rpartition("\n")[2]
    assert begun + typist.shown == expected
    assert not typist.look().is_pending


def test_a_wrong_key_taken_back() -> None:
    """The old text comes back without a request."""
    typist = Typist("re│")
    typist.reply("return a")
    typist.type("x")
    assert typist.shown == ""
    typist.backspace()
    assert typist.shown == "turn a"


def test_words_and_lines_are_accepted_one_by_one() -> None:
    """The rest stands after each part."""
    typist = Typist("x = │")
    typist.reply("x = one + two\ny = three\nz = 4")
    assert typist.shown == "one + two"
    typist.type("one ")
    assert typist.shown == "+ two"
    typist.type("+ two")
    typist.type("\n")
    assert typist.shown == "y = three"
    typist.type("y = three\n")
    assert typist.shown == "z = 4"


def test_a_reply_of_five_lines() -> None:
    """Each line is shown when the one above it is accepted, without a request."""
    lines = ["this.a = v;", "this.b = w;", "this.sum = v + w;", "log(this);", "end();"]
    typist = Typist("    this.a =│", "typescript")
    typist.reply("\n".join(f"    {line}" for line in lines))
    assert typist.shown == " v;"
    typist.type(" v;")
    for line in lines[1:]:
        assert typist.shown.strip() == line
        typist.type("\n    ")
        assert typist.shown == line
        typist.type(line)
    assert not typist.shown
    assert typist.look().is_answered
    assert typist.n_sent == 1


@pytest.mark.parametrize(
    ("text", "reply", "typed", "shown"),
    [
        # A name instead of another: the text goes on behind it, with the new name.
        ("│", "total = sum(rates)", "amount =", " sum(rates)"),
        ("│", "total = sum(rates)", "amount = s", "um(rates)"),
        ("│", "t = f(x)\nprint(t, tt)", "result = f(x)\np", "rint(result, tt)"),
        ("for na│", "me in names:", "zv in", " names:"),
        # It is known where it goes on: the word is complete, and what follows agrees.
        ("│", "total = sum(rates)", "am", ""),
        ("│", "total = sum(rates)", "amount", ""),
        ("│", "total = sum(rates)", "amount(", ""),
        ("│", "totals = sum(rates)", "total =", ""),
        # A sign is repeated more often than a word.
        ("│", "x = (a, b)", "x = [", ""),
        ("│", "x = (a, b + c)", "x = [a", ""),
        ("│", "x = (a, b + c)", "x = [a, ", "b + c"),
        # An escape is one token: the backslash of the next one shows nothing.
        ("│", "x = '\\n\\f\\r '", "x = '\\t\\", ""),
        ("│", "x = '\\n\\f\\r ' + y", "x = '\\t\\f\\r", " ' + y"),
        # Lines that were typed before, and the indentation of the next ones.
        ("│", "if a:\n    b(c)\n    d()", "if z:\n\t", "b(c)\n    d()"),
        ("x = {\n    a│", ",\nzq\n\n\nclass A:", ",\n}\n\n", "\nclass A:"),
        # Something else is typed.
        ("│", "total = sum(rates)", "return max(", ""),
        ("│", "a.b(c)", "x.y[c", ""),
        ("│", "a = b\nc = d", "while x:\n    c", ""),
    ],
)
def test_other_tokens_are_typed(text: str, reply: str, typed: str, shown: str) -> None:
    """A reply is read on behind tokens that the user replaces."""
    typist = Typist(text)
    typist.reply(text.rpartition("\n")[2].removesuffix("│") + reply)
    typist.type(typed)
    assert typist.shown == shown


def test_what_is_read_on_stays() -> None:
    """It is typed along like any reply, and an exact one does not replace it."""
    typist = Typist("│")
    typist.reply("total = sum(rates)\n")
    typist.type("amount = ")
    assert typist.shown == "sum(rates)"
    typist.reply("amount = max(rates)\n")
    assert typist.shown == "sum(rates)"
    typist.type("s")
    assert typist.shown == "um(rates)"


def test_an_exact_reply_comes_first() -> None:
    """A reply to what was typed is shown before one that differs."""
    typist = Typist("│")
    typist.reply("total = sum(rates)\n")
    typist.type("amount ")
    typist.reply("amount = max(rates)\n")
    typist.type("= ")
    assert typist.shown == "max(rates)"


def test_a_refused_text_is_not_read_on() -> None:
    """What the user has rejected stays away, and leaves no reply behind."""
    typist = Typist("│")
    typist.reply("total = sum(rates)\n")
    typist.type("amount = ")
    place = place_of(typist.text)
    look = typist.flights.look(0, place, is_refused=lambda text: text == "sum(rates)")
    assert not look.insertions
    assert len(typist.flights) == 1


def test_edits_elsewhere() -> None:
    """A change in another function leaves the reply; one in its own does not."""
    around = "def a():\n    one()\n\ndef f():\n    two()\n    x = │\n"
    typist = Typist(around)
    typist.reply("x = 10")
    typist.text = around.replace("one()", "other()")
    assert typist.shown == "10"
    typist.text = around.replace("two()", "other()")
    assert typist.shown == ""
    typist.text = around
    assert typist.shown == "10"


def test_lines_inserted_above_another_function() -> None:
    """A reply follows its line."""
    typist = Typist("def a():\n    one()\n\n\ndef f():\n    x = │\n")
    typist.reply("x = 10")
    typist.text = "import os\n" + typist.text
    typist.flights.spliced(0, 0, 0, 1)
    assert typist.shown == "10"


def test_typed_to_the_end() -> None:
    """Nothing is left to show, and nothing to request."""
    typist = Typist("x = │")
    typist.reply("x = 10")
    typist.type("10")
    look = typist.look()
    assert not look.insertions
    assert look.is_answered


def test_block_is_shown_whole() -> None:
    """An empty block is filled at once."""
    typist = Typist("def f(x):\n    │")
    typist.reply("y = x\nreturn y")
    assert typist.shown == "y = x\n    return y"


def test_an_incomplete_line_is_not_shown() -> None:
    """A line is shown when its end has arrived."""
    typist = Typist("x = │")
    flight = typist.send()
    flight.feed("x = long_na")
    assert typist.shown == ""
    assert typist.look().is_pending
    flight.feed("me\n")
    assert typist.shown == "long_name"


def test_a_reply_that_breaks_off() -> None:
    """Its last line is not shown; if it is the only one, another reply is needed."""
    typist = Typist("x = │")
    flight = typist.send()
    flight.feed("x = one\ny = tw")
    flight.break_off()
    assert typist.shown == "one"
    typist.type("one\n")
    assert typist.shown == ""
    assert typist.may_send(now_s=0.0)


def test_old_replies_are_forgotten() -> None:
    """The number of replies is bounded."""
    typist = Typist("x = │")
    for _ in range(200):
        typist.reply("x = 10")
    assert len(list(typist.flights)) <= 65


def test_running_replies_are_bounded() -> None:
    """The oldest replies end before there are more than the lanes."""
    typist = Typist("x = │")
    flights = [typist.send() for _ in range(4)]
    assert typist.flights.surplus() == flights[:1]


def test_the_last_character_stays() -> None:
    """What is shown stays until its last character is typed."""
    typist = Typist("# a│")
    typist.reply("# a b.")
    assert typist.shown == " b."
    typist.type(" b")
    assert typist.shown == "."


def test_a_block_stays_a_block() -> None:
    """Typing along the first line takes none of the others away."""
    typist = Typist("def f(x):\n    │")
    typist.reply("y = x\nreturn y")
    assert typist.shown == "y = x\n    return y"
    typist.type("y")
    assert typist.shown == " = x\n    return y"
    typist.type(" = x")
    assert typist.shown == "\n    return y"


def test_blank_lines_are_shown() -> None:
    """The line after a blank one is shown in its place."""
    typist = Typist("import│")
    typist.reply("import re\n\nx = 1")
    typist.type(" re")
    assert typist.shown == "\n\nx = 1"


def test_what_was_cut_is_written_again() -> None:
    """A reply that is not worth showing does not silence its line, two do."""
    typist = Typist("log(obj)\n│\nlog(obj)")
    for n_replies in range(3):
        look = typist.look()
        assert (look.is_cut, look.is_answered) == (n_replies > 0, n_replies > 1)
        typist.reply(")")


def test_a_check_takes_no_shown_line_away() -> None:
    """A check that comes after its lines were shown cuts only what follows them."""
    typist = Typist("def f(x):\n    │")
    flight = typist.reply("y = x\nreturn y")
    assert typist.shown == "y = x\n    return y"
    flight.note_checked(2, 0)
    assert typist.shown == "y = x\n    return y"
    other = Typist("def f(x):\n    │")
    other.reply("y = x\nreturn y").note_checked(2, 1)
    assert other.shown == "y = x"


@pytest.mark.parametrize(
    ("text", "reply", "key", "shown", "then"),
    [
        # With a quote more before the cursor, the last one would seem to stay open.
        ("a = ['b│]", "a = ['b', 'c, 'd']", "'", "', 'c, 'd']", ", 'c, 'd']"),
        # What was cut stays cut.
        ("x = a│", "x = a + b) + c", " ", " + b", "+ b"),
    ],
)
def test_what_is_shown_stays_whole(
    text: str, reply: str, key: str, shown: str, then: str
) -> None:
    """Typing along shows the rest of what was shown, and nothing else."""
    typist = Typist(text)
    typist.reply(reply)
    assert typist.shown == shown
    typist.type(key)
    assert typist.shown == then


def test_blank_lines_keep_the_indentation_that_was_typed() -> None:
    """The lines below are shifted as the last line with a text was."""
    rest = rest_of("a\n    b\n\n    c", ["a", "b", ""], "    ")
    assert rest == Rest("\nc")


@pytest.mark.parametrize(
    ("typed", "rest"), [("", "    z"), ("  ", "  z"), ("    ", "z")]
)
def test_a_line_below_one_that_the_editor_indented(typed: str, rest: str) -> None:
    """White space at the cursor is a part of the indentation that the line gets."""
    text = "x\n            y\n        z\n    end"
    assert rest_of(text, ["x", "        y", typed], "    ") == Rest(f"{rest}\nend")


def test_nothing_replaces_lines_that_no_longer_fit() -> None:
    """They are taken away; their first line does not stay alone."""
    typist = Typist("if │")
    typist.reply("if a:\n    b(c)\n")
    assert typist.shown == "a:\n    b(c)"
    typist.text = "if a│)"
    look = typist.look()
    assert not look.insertions
    assert look.is_answered


def test_a_closer_typed_over_before_another_pair() -> None:
    """The brackets after the cursor may be others than those at the request."""
    typist = Typist("f({2,│})")
    typist.reply("f({2,} (abc))")
    typist.text = "f({2,} (│))"
    assert typist.shown == "abc))"
