"""One reply, running or complete, and whether it still fits at a cursor.

It fits if everything that was typed since its request agrees with it, so a wrong key
that is taken back, an undo, and leaving and returning all find it again.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from redline.completion.along import Ahead, Rest, rest_of
from redline.completion.decode import ReplyForm
from redline.completion.filters import HasSecret, Insertion, ReplyReading, read_reply
from redline.completion.place import N_WATCHED, Around, Definitions, Place, depth_of
from redline.completion.realign import realigned, word_before
from redline.completion.stop import MAX_LINES

MAX_REPLY = 8_000
"""Characters after which a reply counts as complete: it will not end by itself."""

_CLOSING = ")]}\"'`> ;"
"""What editors close, and what is typed over."""

_RestFound = Rest | Ahead | None


class Flight:
    """A reply, from its request on."""

    def __init__(
        self,
        number: int,
        line: int,
        place: Place,
        *,
        started_s: float,
        form: ReplyForm = "line",
        has_secret: HasSecret = lambda line: False,
    ) -> None:
        """Begin with no text.

        Args:
            number: Counts the requests.
            line: The line of the cursor.
            place: The cursor that the model is shown.
            started_s: When it was requested, on the caller's clock.
            form: How the reply joins the cursor's line.
            has_secret: Judges each line of it.
        """
        place.around.read()
        self.number = number
        self.line = line
        self.place = place
        self.started_s = started_s
        self.is_over = False
        self._form: ReplyForm = form
        self._has_secret = has_secret
        self.reply = ""
        """What the model has written."""
        self.n_checked = 0
        """Its first lines, from the line of its place on, that were checked."""
        self.n_shown = 0
        """Its first lines that have been shown: a check does not take them away."""
        self.n_cut = 0
        """Characters of the last of them that are not shown."""
        self._n_good: int | None = None
        """The lines that the check has left; None: all."""
        self._on_change: Callable[[], None] = lambda: None
        self._reading: ReplyReading | None = None
        self._last_rest: tuple[int, Place, ReplyReading, _RestFound] | None = None
        """The last cursor that was compared with the reply, and the result."""
        self._last_between: tuple[int, Around, bool] | None = None
        """The last lines that were compared with those around it, and the result."""
        depth = max(depth_of(place.left), 1)
        # The header of the definition around is watched, that of the next one is not.
        n_above = min(1 + _n_inside(place.around.definitions_above, depth), N_WATCHED)
        self._above = place.above[-n_above:]
        self._below = place.below[: _n_inside(place.around.definitions_below, depth)]

    def watch(self, on_change: Callable[[], None]) -> None:
        """Call back whenever what can be shown of it may differ."""
        self._on_change = on_change

    def _changed(self) -> None:
        self._reading = None
        self._on_change()

    @property
    def reading(self) -> ReplyReading:
        """What the reply inserts at its own place."""
        if self._reading is None:
            reading = read_reply(
                self.reply,
                self.place,
                form=self._form,
                is_whole=self.is_over,
                has_secret=self._has_secret,
            )
            if self._n_good is not None:
                kept = reading.text.split("\n")[: self._n_good]
                reading = replace(reading, text="\n".join(kept), is_over=True)
            self._reading = reading
        return self._reading

    def feed(self, text: str) -> bool:
        """Add a delta; return whether a line has become complete."""
        self.reply += text
        self._changed()
        return "\n" in text or len(self.reply) > MAX_REPLY

    def restart(self, text: str) -> None:
        """Replace the reply."""
        self.reply = text
        self._changed()

    def end(self) -> None:
        """The reply is complete: what was read is all there is."""
        if not self.is_over:
            self.is_over = True
            self._changed()

    def break_off(self) -> None:
        """The reply ends in the middle: its last line is not complete."""
        self.reply = self.reply[: self.reply.rfind("\n") + 1]
        self.end()

    def move(self, n_lines: int) -> None:
        """Follow a change of the number of lines above."""
        self.line += n_lines

    def note_shown(self, line: int, insertion: Insertion) -> None:
        n_lines = insertion.text.count("\n") + 1
        self.n_shown = line - self.line + n_lines
        self.n_cut = insertion.n_cut

    def note_checked(self, n_lines: int, n_good: int) -> None:
        """Record a check of its first lines, and keep the good ones and the shown."""
        self.n_checked = n_lines
        n_good = max(n_good, self.n_shown)
        if n_good < n_lines:
            self._n_good = n_good
            self.is_over = True
            self._changed()

    @property
    def has_enough(self) -> bool:
        """Whether the rest of the reply would not be used."""
        return self.reading.is_over or len(self.reply) > MAX_REPLY

    def is_along(self, line: int, place: Place) -> bool:
        """Whether nothing but what was typed at its place has changed around it."""
        return self._typed(line, place) is not None

    def rest(self, line: int, place: Place) -> Rest | Ahead | None:
        """Return what is left of it at a cursor; None: it does not fit."""
        typed = self._typed(line, place)
        if typed is None:
            return None
        reading = self.reading
        last = self._last_rest
        if last is None or not (
            last[0] == line and last[1] is place and last[2] is reading
        ):
            last = self._last_rest = (line, place, reading, self._rest(typed, reading))
        return last[3]

    def _rest(self, typed: list[str], reading: ReplyReading) -> _RestFound:
        if not reading.text and not reading.is_over:
            return Ahead()
        if reading.n_left and typed != [""]:
            return None
        found = rest_of(reading.text, typed, self.place.unit)
        if not isinstance(found, Ahead) or not reading.is_over:
            return found
        return None

    def realigned(self, line: int, place: Place) -> Flight | None:
        """Return what is left of it at a cursor behind other tokens than its own, as a
        complete reply; None: too much differs."""
        reading = self.reading
        typed = self._typed(line, place)
        if typed is None or not reading.text or reading.n_left:
            return None
        # A word that the cursor divides is compared as a whole.
        begun = word_before(self.place.left)
        text = realigned(
            begun + reading.text, [begun + typed[0], *typed[1:]], self.place.unit
        )
        if not text:
            return None
        found = Flight(
            self.number,
            line,
            place,
            started_s=self.started_s,
            form="text",
            has_secret=self._has_secret,
        )
        found.feed(text)
        found.end()
        return found

    def _typed(self, line: int, place: Place) -> list[str] | None:
        """Return the lines typed since the request; None: the place has changed."""
        n_below = line - self.line
        if not 0 <= n_below <= min(MAX_LINES, len(place.above)):
            return None
        above = place.above
        start = len(above) - n_below
        first = place.left if n_below == 0 else above[start]
        left = self.place.left
        if not first.startswith(left) or not _is_rest(self.place.right, place.right):
            return None
        if not self._is_between(start, place.around):
            return None
        middle = [] if n_below == 0 else [*above[start + 1 :], place.left]
        return [first[len(left) :], *middle]

    def _is_between(self, n_above: int, around: Around) -> bool:
        """Whether the lines above its own, and those below the cursor, are the same as
        when it was requested.

        Args:
            n_above: How many of the lines above the cursor's are above its own.
            around: The lines around the cursor's, the same for all keys in it.
        """
        last = self._last_between
        if last is None or last[0] != n_above or last[1] is not around:
            above = around.above[max(0, n_above - len(self._above)) : n_above]
            below = around.below[: len(self._below)]
            is_same = above == self._above and below == self._below
            last = self._last_between = (n_above, around, is_same)
        return last[2]


def _is_rest(before: str, now: str) -> bool:
    """Whether a line's rest differs by closing brackets and quotes at most."""
    return before.lstrip(_CLOSING) == now.lstrip(_CLOSING)


def _n_inside(definitions: Definitions, depth: int) -> int:
    """Count the nearest lines before the first definition that is less deep, at most
    `N_WATCHED`."""
    return next((at for at, other in definitions if other < depth), N_WATCHED)
