"""What was found at a cursor is found again only as long as nothing changes it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs import n_runs

from redline.assist.editor.workspace import Workspace
from redline.assist.suggestions.complete.document_state import CompletedDocument
from redline.completion.flight import Flight
from redline.completion.flights import Look
from redline.completion.gate import Comments, is_one_line
from redline.text.anchor import Splice
from redline.text.document import ContentChange, Document
from redline.text.position import Position, Range

_URI = "file:///w/a.py"
_TEXT = "def f(rates):\n    total = \n    return total\n"
_LINE = 1
_TYPED = ("s", "u", "m", "(", "x", "'")
_DELTAS = ("    total = ", "sum", "(rates", ")\n", "s", "x = 1\n    y", "'a'\n")


class _Typist:
    """A document, what is done in it, and what is found there."""

    def __init__(self) -> None:
        self.workspace = Workspace()
        self.workspace.follow(self)
        self.workspace.open(_URI, "python", 1, _TEXT)
        self.comments: Comments = "line"
        self.now_s = 1.0
        self.n_flights = 0

    def document_opened(self, document: Document) -> None:
        self.state = CompletedDocument(document)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        self.state.splice(splice, old_lines)

    def document_changed(self, document: Document) -> None:
        self.state.settle_change(self.now_s)

    def document_closed(self, document: Document) -> None:
        pass

    @property
    def at(self) -> Position:
        (line,) = self.state.document.lines_between(_LINE, _LINE + 1)
        return Position(_LINE, len(line) - 1)

    def type(self, text: str) -> None:
        """Type a text, or delete a character if it is empty."""
        end = self.at
        start = end if text else Position(_LINE, end.character - 1)
        change = ContentChange(range=Range(start, end), text=text)
        version = self.state.document.version + 1
        self.workspace.change(_URI, version, [change])

    def send(self) -> None:
        place = self.state.place(self.at)
        self.n_flights += 1
        self.state.flights.add(Flight(self.n_flights, _LINE, place, started_s=0.0))

    def reply(self, number: int, text: str) -> None:
        """Let a reply go on, or end if the text is empty."""
        flights = list(self.state.flights)
        if flights:
            flight = flights[number % len(flights)]
            if not text:
                flight.end()
            elif not flight.is_over:
                flight.feed(text)

    def check(self, number: int) -> None:
        """Find the last line of a reply to be bad."""
        flights = list(self.state.flights)
        if flights:
            flights[number % len(flights)].note_checked(2, 1)

    def show(self) -> None:
        look = self.look()
        if look.insertions:
            self.state.flights.note_shown(look, _LINE)
            self.state.note_shown(look.insertions[0].text, self.at, self.now_s)

    def predict(self) -> None:
        """Show what is not from a reply."""
        self.state.note_shown("sum(rates)", self.at, self.now_s)

    def forget(self) -> None:
        """Drop the oldest complete reply."""
        self.state.flights.drop_oldest()

    def clear(self) -> None:
        self.state.flights.clear()

    def dismiss(self) -> None:
        self.state.dismiss(self.now_s)

    def look(self) -> Look:
        return self.state.look(
            self.at, is_invoked=False, comments=self.comments, now_s=self.now_s
        )

    def look_again(self) -> Look:
        """Find the same without what was found before."""
        place = self.state.place(self.at)
        return self.state.flights.look(
            _LINE,
            place,
            is_one_line=partial(is_one_line, place, comments=self.comments),
            is_refused=lambda text: self.state.refuses(text, _LINE, self.now_s),
        )


_steps = st.one_of(
    st.builds(lambda text: partial(_Typist.type, text=text), st.sampled_from(_TYPED)),
    st.builds(
        lambda number, text: partial(_Typist.reply, number=number, text=text),
        st.integers(0, 3),
        st.sampled_from((*_DELTAS, "")),
    ),
    st.builds(lambda number: partial(_Typist.check, number=number), st.integers(0, 3)),
    st.sampled_from(
        [
            _Typist.send,
            _Typist.show,
            _Typist.predict,
            _Typist.dismiss,
            _Typist.forget,
            _Typist.clear,
            partial(_Typist.type, text=""),
        ]
    ),
)


@settings(max_examples=n_runs(150), deadline=None)
@given(st.lists(_steps, max_size=40))
def test_it_is_what_a_fresh_search_finds(steps: list[partial[None]]) -> None:
    """Keys, deltas, ends, checks, what is shown and dismissed: each may change it."""
    typist = _Typist()
    typist.send()
    typist.reply(0, "    total = sum(rates)\n")
    for step in steps:
        typist.look()
        step(typist)
        assert typist.look() == typist.look_again()


def test_it_is_kept_until_the_next_key() -> None:
    """The request that follows a key does no work again."""
    typist = _Typist()
    typist.send()
    typist.reply(0, "    total = sum(rates)\n")
    assert typist.look().insertions[0].text == "sum(rates)"
    assert typist.look() is typist.look()
    before = typist.look()
    typist.type("s")
    assert typist.look() is not before


def test_a_refusal_ends() -> None:
    """A dismissed text is shown again where the user stays for ten minutes."""
    typist = _Typist()
    typist.send()
    typist.reply(0, "    total = sum(rates)\n")
    typist.show()
    typist.dismiss()
    typist.send()
    typist.reply(0, "    total = sum(rates)\n")
    assert not typist.look().insertions
    typist.now_s += 601
    assert typist.look().insertions


def test_a_dismissed_prediction_is_not_shown_by_a_reply() -> None:
    """What is dismissed counts at once, without another key."""
    typist = _Typist()
    typist.send()
    typist.reply(0, "    total = sum(rates)\n")
    typist.predict()
    assert typist.look().insertions
    typist.dismiss()
    assert not typist.look().insertions
