"""The completions of one document: replies, the open request, and what was shown."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from redline.assist.suggestions.complete.typed_change import (
    ChangeKind,
    ChangeLog,
    TypedChange,
    cursor_after,
)
from redline.completion.along import Rest, rest_of
from redline.completion.flights import Flights, Look
from redline.completion.gate import Comments, is_one_line
from redline.completion.place import N_AROUND, Around, Place
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.lines import strip_end, strip_ends
from redline.text.position import Position

ASKS_S = 10.0
"""How long after an automatic request keys are expected to be followed by one."""

_PAUSE_S = 0.4
"""Wait after a paste or a deletion."""

_DELETED_S, _REJECTED_S = 60.0, 600.0
_MIN_DELETED = 4
_N_DELETED = _N_DISMISSED = 16
_TYPED_AGAINST = 2
_MAX_SENT = 2
"""Requests to the model for one request that the editor makes by itself."""

_IGNORED_S = 0.75
"""An item that was visible for this long and is not used counts as ignored."""

_CALMER_AFTER = 3
_MIN_ACCEPTED = 2
"""Characters that are inserted at once and are the beginning of what is shown."""


class CompletionItem(Struct, frozen=True, kw_only=True):
    """What the editor is to show."""

    text: str
    """With the document's line ends."""
    start: Position
    """In code points; on the cursor's line, as `end`."""
    end: Position


Items = tuple[CompletionItem, ...]


class OpenRequest:
    """A request of the editor that is not answered yet."""

    def __init__(self, at: Position, version: int, *, is_invoked: bool) -> None:
        """Open a request.

        Args:
            at: The cursor, in code points.
            version: The document's version.
            is_invoked: Whether the user asked for it.
        """
        self.at = at
        self.version = version
        self.is_invoked = is_invoked
        self.is_answered = False
        self.items: Items | None = None
        """The answer, once there is one."""
        self._on_answer: Callable[[Items | None], None] = lambda items: None
        self.has_waited = False
        """Whether the time for further lines, or for quiet, is over."""
        self._n_left = _MAX_SENT
        self._timer: asyncio.TimerHandle | None = None

    def then(self, on_answer: Callable[[Items | None], None]) -> None:
        """Call back with the answer as soon as it is known; it must not raise."""
        self._on_answer = on_answer

    @property
    def may_send(self) -> bool:
        """Whether another request may be sent to the model for this one."""
        return self._n_left > 0

    def note_sent(self) -> None:
        """Count a request to the model."""
        self._n_left -= 1

    def give_up(self) -> None:
        """Send no more requests to the model: the last one failed."""
        self._n_left = 0

    def wait(self, wait_s: float, then: Callable[[], None]) -> None:
        """Call back after a time, once."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(wait_s, self._waited, then)

    def resolve(self, items: Items | None) -> None:
        """Answer, once."""
        if self._timer is not None:
            self._timer.cancel()
        if not self.is_answered:
            self.is_answered = True
            self.items = items
            self._on_answer(items)

    def _waited(self, then: Callable[[], None]) -> None:
        self.has_waited = True
        then()


class _LastLook(Struct, frozen=True):
    place: Place
    is_invoked: bool
    comments: Comments
    n_changes: int
    """Of the replies."""
    look: Look


class _ShownItem(Struct, frozen=True):
    text: str
    at: Position
    shown_s: float


class CompletedDocument:
    """The state of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.n_chars = sum(map(len, document.lines))
        self.flights = Flights()
        self.request: OpenRequest | None = None
        self.key_s = 0.0
        """When the user last changed the text."""
        self.kind: ChangeKind = "none"
        """What the last change was."""
        self.asked_at: Position | None = None
        """The cursor of the editor's last own request, until the text changes."""
        self.answered_text = ""
        """What that request was answered with; empty: nothing."""
        self._around: tuple[int, Around] | None = None
        """The lines around the cursor's line, and its number."""
        self._place: tuple[Position, Place] | None = None
        """The last cursor, and what is around it, until the text changes."""
        self._last_look: _LastLook | None = None
        self._log = ChangeLog()
        self._asked_s = -ASKS_S
        """When the editor last requested a completion by itself."""
        self._n_ignored = 0
        self._shown: _ShownItem | None = None
        self._deleted: deque[tuple[float, int, str]] = deque(maxlen=_N_DELETED)
        self._dismissed: deque[tuple[float, str, str]] = deque(maxlen=_N_DISMISSED)
        """When, where and what."""
        self._refused: Counter[tuple[str, str]] = Counter()
        self._refused_s = 0.0

    def splice(self, splice: Splice, old_lines: Sequence[str]) -> None:
        self._place = None
        old, new = splice.old, splice.new
        new_lines = self.document.lines_between(new.start.line, new.end.line + 1)
        self.n_chars += sum(map(len, new_lines)) - sum(map(len, old_lines))
        self.flights.spliced(
            old.start.line, old.start.character, old.end.line, new.end.line
        )
        if self._around is not None and not (
            old.start.line == old.end.line == new.end.line == self._around[0]
        ):
            self._around = None
        self._log.add(
            TypedChange(
                start=new.start,
                old=_text(old_lines, old.start.character, old.end.character),
                new=_text(new_lines, new.start.character, new.end.character),
                end=new.end,
            )
        )

    def settle_change(self, now_s: float) -> tuple[TypedChange | None, bool]:
        """Judge the changes of one message.

        Returns:
            The change, if there is only one, and whether it accepts what was shown.
        """
        self.kind, change = self._log.settle()
        self.key_s = now_s
        self.asked_at = None
        return change, self._note_change(change, now_s)

    def note_asked(self, at: Position, now_s: float) -> None:
        """Record that the editor requested a completion by itself."""
        self._asked_s = now_s
        self.asked_at, self.answered_text = at, ""

    def expects_request(self, now_s: float) -> bool:
        """Whether the editor probably requests a completion after a key."""
        return now_s - self._asked_s < ASKS_S

    def open(self, request: OpenRequest) -> None:
        """Set the request to answer."""
        self.request = request

    def answer(self, items: Items | None) -> None:
        """Answer the open request, if any."""
        if self.request is not None:
            request, self.request = self.request, None
            request.resolve(items)

    def place(self, at: Position) -> Place:
        """Return the lines around a cursor.

        It is the same object until the text changes: what was read from it is reused.
        """
        if self._place is None or self._place[0] != at:
            (line,) = self.document.lines_between(at.line, at.line + 1)
            own = strip_end(line)
            place = Place(
                left=own[: at.character],
                right=own[at.character :],
                around=self._lines_around(at.line),
            )
            self._place = (at, place)
        return self._place[1]

    def look(
        self, at: Position, *, is_invoked: bool, comments: Comments, now_s: float
    ) -> Look:
        """Find what can be shown at a cursor.

        A key and the request of the editor that follows it look at the same text. So
        what was found is returned again until the text, a reply or the setting changes;
        unless a text was refused, since that ends by itself.
        """
        place = self.place(at)
        last = self._last_look
        if (
            last is not None
            and last.place is place
            and last.is_invoked == is_invoked
            and last.comments == comments
            and last.n_changes == self.flights.n_changes
        ):
            return last.look
        has_refused = False

        def is_refused(text: str) -> bool:
            nonlocal has_refused
            refuses = not is_invoked and self.refuses(text, at.line, now_s)
            has_refused = has_refused or refuses
            return refuses

        look = self.flights.look(
            at.line,
            place,
            is_invoked=is_invoked,
            is_one_line=partial(is_one_line, place, comments=comments),
            is_refused=is_refused,
        )
        n_changes = self.flights.n_changes
        self._last_look = (
            None
            if has_refused
            else _LastLook(place, is_invoked, comments, n_changes, look)
        )
        return look

    def _lines_around(self, line: int) -> Around:
        """Return the lines around one, which keys in it do not change."""
        if self._around is None or self._around[0] != line:
            above = self.document.lines_between(max(0, line - N_AROUND), line)
            below = self.document.lines_between(line + 1, line + N_AROUND + 1)
            around = Around(
                language=self.document.language_id,
                above=tuple(strip_ends(above)),
                below=tuple(strip_ends(below)),
            )
            self._around = (line, around)
        return self._around[1]

    @property
    def steps_calmer(self) -> int:
        """How many steps calmer the document is, since items were ignored."""
        return self._n_ignored // _CALMER_AFTER

    def is_pausing(self, now_s: float) -> bool:
        """Whether the last change is too recent to complete after it."""
        waits = self.kind == "pasted" or (
            self.kind == "deleted" and self._log.n_deleted < 3
        )
        return self.kind in ("undone", "several") or (
            waits and now_s - self.key_s < _PAUSE_S
        )

    def note_shown(self, text: str, at: Position, now_s: float) -> None:
        self.answered_text = text
        if self._shown is None or self._shown.text != text:
            self._shown = _ShownItem(text, at, now_s)

    def is_showing(self, line: int) -> bool:
        """Whether a text is shown in a line."""
        return self._shown is not None and self._shown.at.line == line

    def _note_change(self, change: TypedChange | None, now_s: float) -> bool:
        """Record a change; return whether it accepts what was shown."""
        shown, self._shown = self._shown, None
        if change is None:
            return False
        if not change.new and len(change.old.strip()) >= _MIN_DELETED:
            self._deleted.append((now_s, change.start.line, change.old.strip()))
        if shown is None or not change.new:
            return False
        end = cursor_after(change)
        # Without the closing bracket of a pair, which the editor has typed.
        typed = change.new[:1] if end != change.end else change.new
        lines = typed.replace("\r\n", "\n").split("\n")
        rest = rest_of(shown.text, lines, self.place(end).unit)
        if isinstance(rest, Rest) and change.start == shown.at:
            if rest.text:
                # What agrees with the user is not ignored: the time begins again.
                self._shown = _ShownItem(rest.text, end, now_s)
            is_key = len(typed) < _MIN_ACCEPTED or not typed.strip()
            is_accepted = not (is_key and rest.text)
            self._n_ignored = 0 if is_accepted else self._n_ignored
            return is_accepted
        self._note_ignored(shown, now_s)
        return False

    def refuses(self, text: str, line: int, now_s: float) -> bool:
        """Whether the user has deleted or rejected this text here."""
        shown = text.strip()
        for deleted_s, deleted_line, deleted in self._deleted:
            is_recent = now_s - deleted_s < _DELETED_S
            if is_recent and abs(line - deleted_line) <= 1 and shown == deleted:
                return True
        for dismissed_s, key, dismissed in self._dismissed:
            is_recent = now_s - dismissed_s < _REJECTED_S
            # What is left of it behind further keys as well.
            if is_recent and dismissed.endswith(shown) and key == self._line_key(line):
                return True
        is_recent = now_s - self._refused_s < _REJECTED_S
        return is_recent and self._refused[self._line_key(line), shown] >= (
            _TYPED_AGAINST
        )

    def dismiss(self, now_s: float) -> None:
        """Show no more of what is shown, and not the same here again."""
        shown, self._shown = self._shown, None
        self.asked_at = None
        if shown is not None:
            self._last_look = None
            key = self._line_key(shown.at.line)
            self._dismissed.append((now_s, key, shown.text.strip()))
            self.flights.drop_shown()

    def _note_ignored(self, shown: _ShownItem, now_s: float) -> None:
        if now_s - shown.shown_s >= _IGNORED_S:
            self._n_ignored += 1
        if now_s - self._refused_s > _REJECTED_S:
            self._refused.clear()
        self._refused[self._line_key(shown.at.line), shown.text.strip()] += 1
        self._refused_s = now_s

    def _line_key(self, line: int) -> str:
        """Return what identifies a place: the line above, which seldom changes."""
        lines = self.document.lines_between(line - 1, line)
        return lines[0] if lines else ""


def _text(lines: Sequence[str], start: int, end: int) -> str:
    """Return the text of whole lines between two columns."""
    if len(lines) == 1:
        return lines[0][start:end]
    return "".join([lines[0][start:], *lines[1:-1], lines[-1][:end]]) if lines else ""
