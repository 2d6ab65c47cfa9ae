"""The replies of one document, and which of them can be shown at a cursor.

Nothing is sent or awaited here. While a running reply fits, no other request is needed:
that is *hold*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress, count

from msgspec import Struct
from msgspec.structs import replace

from redline.completion.along import Ahead, Rest
from redline.completion.filters import (
    Insertion,
    fit,
)
from redline.completion.flight import Flight
from redline.completion.place import Place
from redline.completion.stop import MAX_LINES

MAX_LIVE = 2
"""Running replies that may fit at once."""

MAX_CHOICES = 3
"""Different texts that a user who asked for a completion can choose from."""

MAX_RUNNING = 4
"""Running replies in all, with those that typing has contradicted."""

CAPACITY = 64
"""Complete replies that are remembered for a document."""

_MIN_SILENCE_S = 0.25
_BOUNDARY_SHARE = 0.5
"""Of the usual wait for a first delta: a new token that begins earlier sends no second
request, since little was typed that the first does not know."""


_MAX_CUT = 2
"""Replies that fit and were not worth showing, after which no other is requested."""

_MAX_REALIGNED = 8
"""Replies that are compared again when none fits exactly."""


class Look(Struct, frozen=True, kw_only=True):
    """What is known at a cursor."""

    insertions: tuple[Insertion, ...] = ()
    """What can be shown, the best first."""
    flights: tuple[Flight, ...] = ()
    """The reply that each of them is from; none without a model."""
    n_shown: int = 0
    """The lines of the first that are shown already; they stay."""
    was_shown: bool = False
    """Whether its reply is shown already, and the user types along."""
    is_pending: bool = False
    """Whether a running reply may still bring something."""
    is_answered: bool = False
    """Whether a complete reply fits and leaves nothing to show."""
    is_cut: bool = False
    """Whether a reply fits, and what is left of it is not worth showing."""

    def only(self, chosen: Sequence[bool]) -> Look:
        """Return it with the chosen ones of its insertions."""
        return replace(
            self,
            insertions=tuple(compress(self.insertions, chosen)),
            flights=tuple(compress(self.flights, chosen)),
        )


class Flights:
    """The replies of one document."""

    def __init__(self) -> None:
        self._all: dict[Flight, int] = {}
        """The replies, the oldest first; each with its number in this order."""
        self._numbers = count()
        self._by_line: dict[int, list[Flight]] = {}
        """By the line of their request: a key reads only those near its cursor."""
        self._running: list[Flight] = []
        """Those that were running when they were last asked for."""
        self._shown: Flight | None = None
        self.n_changes = 0
        """Counts what may lead to another `Look` at the same cursor."""

    def __iter__(self) -> Iterator[Flight]:
        """Iterate over the replies, the oldest first."""
        return iter(self._all)

    def add(self, flight: Flight) -> None:
        """Add a reply that was requested."""
        flight.watch(self._note_change)
        self._note_change()
        self._all[flight] = next(self._numbers)
        self._by_line.setdefault(flight.line, []).append(flight)
        if not flight.is_over:
            self._running.append(flight)
        while len(self._all) > CAPACITY and self.drop_oldest():
            pass

    def __len__(self) -> int:
        """The number of replies."""
        return len(self._all)

    def drop_oldest(self) -> bool:
        """Forget the oldest complete reply; return whether there was one."""
        oldest = next((one for one in self._all if one.is_over), None)
        if oldest is not None:
            self.remove(oldest)
        return oldest is not None

    def remove(self, flight: Flight) -> None:
        """Forget a reply, for instance one that failed without any text."""
        if flight in self._all:
            self._note_change()
            del self._all[flight]
            self._by_line[flight.line].remove(flight)
            self._running = [one for one in self._running if one is not flight]

    def clear(self) -> None:
        self._note_change()
        self._all.clear()
        self._by_line.clear()
        self._running.clear()
        self._shown = None

    def _note_change(self) -> None:
        self.n_changes += 1

    def __contains__(self, flight: object) -> bool:
        """Whether a reply belongs to this document."""
        return flight in self._all

    def note_shown(self, look: Look, line: int) -> None:
        """Record what is shown at a line: it stays first, and whole, as long as it
        fits."""
        self._note_change()
        self._shown = look.flights[0] if look.flights else None
        if self._shown is not None:
            self._shown.note_shown(line, look.insertions[0])

    def drop_shown(self) -> None:
        """Forget the reply that is shown."""
        if self._shown is not None:
            self.remove(self._shown)
            self._shown = None

    def _n_shown(self, flight: Flight, line: int) -> int:
        """Return how many lines of a reply are shown from a line on."""
        if flight is not self._shown:
            return 0
        return max(0, flight.line + flight.n_shown - line)

    @property
    def running(self) -> list[Flight]:
        """The replies that are still arriving, the oldest first."""
        self._running = [one for one in self._running if not one.is_over]
        return self._running

    def spliced(self, first: int, character: int, old_end: int, new_end: int) -> None:
        """Follow a change of the document.

        Args:
            first: The first changed line.
            character: Where the change begins in it.
            old_end: The last replaced line.
            new_end: The last line of the new text.
        """
        if old_end == new_end == first:
            return
        self._note_change()
        for one in self._all:
            is_below = one.line > old_end or (
                one.line == first == old_end and character < len(one.place.left)
            )
            if is_below:
                one.move(new_end - old_end)
        self._by_line.clear()
        for one in self._all:
            self._by_line.setdefault(one.line, []).append(one)

    def look(
        self,
        line: int,
        place: Place,
        *,
        is_invoked: bool = False,
        is_one_line: Callable[[], bool] = lambda: False,
        is_refused: Callable[[str], bool] = lambda text: False,
    ) -> Look:
        """Find what fits a cursor: one text, or up to three if they are invoked.

        The reply that was shown comes first as long as it fits; another one may only
        extend it. A refused text is not shown. If none fits, one may fit behind tokens
        that the user typed instead of others: it is added to the replies.

        Args:
            line: The cursor's line.
            place: The cursor.
            is_invoked: Whether the user asked for it.
            is_one_line: Whether it must end with the cursor's line; only asked if a
                reply fits, since that needs the brackets of all lines above.
            is_refused: Whether a text is not shown.
        """
        is_pending = is_answered = False
        n_cut = 0
        found: list[tuple[Flight, Insertion]] = []
        begun = [place.left, *place.above[: -MAX_LINES - 1 : -1]]
        near = [
            one
            for n_above, text in enumerate(begun)
            for one in self._by_line.get(line - n_above, ())
            if text.startswith(one.place.left)
        ]
        near.sort(key=self._all.__getitem__)
        for one in self._ordered(near):
            rest = one.rest(line, place)
            if not isinstance(rest, Rest):
                is_pending = is_pending or rest is not None
                continue
            insertion = fit(
                rest.text,
                place,
                is_over=one.reading.is_over,
                n_left=one.reading.n_left,
                is_invoked=is_invoked,
                is_one_line=is_one_line(),
                n_shown=0 if is_invoked else self._n_shown(one, line),
                n_cut=one.n_cut,
            )
            if insertion is None:
                is_pending = True
            elif insertion.is_withdrawn:
                return Look(is_answered=True)
            elif not insertion.text and rest.text.strip():
                n_cut += 1
            elif not insertion.text or is_refused(insertion.text):
                is_answered = True
            else:
                found.append((one, insertion))
                if not is_invoked:
                    break
        if not (found or is_answered or is_invoked):
            found = self._realigned(
                near, line, place, is_refused, is_one_line=is_one_line
            )
        if not found:
            return Look(
                is_pending=is_pending,
                is_answered=is_answered or n_cut >= _MAX_CUT,
                is_cut=n_cut > 0,
            )
        first = found[0][0]
        flights, insertions = zip(*_distinct(found), strict=True)
        return Look(
            insertions=insertions,
            flights=flights,
            n_shown=self._n_shown(first, line),
            was_shown=first is self._shown,
            is_pending=is_pending,
        )

    def _realigned(
        self,
        near: Sequence[Flight],
        line: int,
        place: Place,
        is_refused: Callable[[str], bool],
        *,
        is_one_line: Callable[[], bool],
    ) -> list[tuple[Flight, Insertion]]:
        """Return the newest reply that fits behind other tokens than its own."""
        complete = [one for one in near if one.is_over and one.is_along(line, place)]
        for one in reversed(complete[-_MAX_REALIGNED:]):
            moved = one.realigned(line, place)
            if moved is None:
                continue
            shown = fit(moved.reply, place, is_over=True, is_one_line=is_one_line())
            if shown is not None and shown.text and not is_refused(shown.text):
                self.add(moved)
                return [(moved, shown)]
        return []

    def _ordered(self, near: Sequence[Flight]) -> list[Flight]:
        """Return replies in the order in which they may be shown."""
        running = [one for one in near if not one.is_over]
        complete = [one for one in reversed(near) if one.is_over]
        rest = [*running, *complete]
        if self._shown in rest:
            return [self._shown, *(one for one in rest if one is not self._shown)]
        return rest

    def may_send(
        self,
        line: int,
        place: Place,
        *,
        now_s: float,
        is_boundary: bool,
        first_delta_s: float,
    ) -> bool:
        """Whether another request is worth it, given that nothing can be shown.

        Args:
            line: The cursor's line.
            place: The cursor.
            now_s: The time on the caller's clock.
            is_boundary: Whether a new token begins at the cursor.
            first_delta_s: The usual wait for a first delta.
        """
        live = [
            one
            for one in self.running
            if isinstance(one.rest(line, place), Ahead | Rest)
        ]
        if not live:
            return True
        if len(live) >= MAX_LIVE or any(one.reply for one in live):
            return False
        waited_s = now_s - live[0].started_s
        if is_boundary:
            return waited_s > _BOUNDARY_SHARE * first_delta_s
        return waited_s > max(_MIN_SILENCE_S, first_delta_s)

    def surplus(self) -> list[Flight]:
        """Return the running replies to end before another one is requested."""
        running = self.running
        return running[: max(0, len(running) + 1 - MAX_RUNNING)]


def _distinct(
    found: Sequence[tuple[Flight, Insertion]],
) -> tuple[tuple[Flight, Insertion], ...]:
    unique = tuple({one[1].text: one for one in reversed(found)}.values())[::-1]
    return unique[:MAX_CHOICES]
