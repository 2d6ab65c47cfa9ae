"""What becomes of an edit in its document: undone, reworked, or left as it is.

Watched are the lines of the edit's range, and one on each side so that lines put back
at a border are seen. A change of other lines goes into both texts, the one before
the edit and the one after it: an undo is an undo also after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from redline.text.anchor import Anchor
from redline.text.document import Document
from redline.text.line_diff import LineHunk, diff_lines
from redline.text.lines import strip_end
from redline.text.position import Position, Range
from redline.text.region import overlap

_N_DIFFED = 2_000
"""Lines above which what has changed counts as one piece, and of a range only that is
watched: a diff of so many takes some milliseconds, and this runs where keystrokes are
read."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines that the edit has changed, in lines of the block."""

    before: range
    after: range


class OutcomeWatch:
    """One edit that has landed; a watcher of its document."""

    def __init__(
        self,
        document: Document,
        *,
        first: int,
        before: Sequence[str],
        after: Sequence[str],
        on_restored: Callable[[], None],
        on_edited: Callable[[], None],
    ) -> None:
        """Begin to look.

        Args:
            document: Shows `after`; whoever made this tells it of every change.
            first: The line at which that stands.
            before: What stood there before the edit.
            after: What stands there now.
            on_restored: Called once `before` stands there again.
            on_edited: Called once, when lines that the edit has changed are others.
        """
        lines = document.snapshot().lines
        pieces = _pieces(before, after)
        place = range(len(after))
        if len(after) > _N_DIFFED and pieces:
            place = range(pieces[0].after.start, pieces[-1].after.stop)
        top = max(first + place.start - 1, 0)
        end = min(first + place.stop + 1, len(lines))
        self._document = document
        self._pieces = [_moved(piece, first - top) for piece in pieces]
        self._before = _around(lines, first, before, after, top, end)
        self._after = self._now = list(lines[top:end])
        self._on_restored = on_restored
        self._on_edited = on_edited
        self._is_edited = False
        self._is_released = False
        self._is_first_line: bool
        self._anchor = self._follow(top)

    def turn(
        self, *, on_restored: Callable[[], None], on_edited: Callable[[], None]
    ) -> None:
        """Change the two texts over, now that `before` stands there.

        For an edit that was still to come: it has landed, and may be undone.
        """
        self._before, self._after = self._after, self._before
        self._pieces = [_Piece(piece.after, piece.before) for piece in self._pieces]
        self._on_restored, self._on_edited = on_restored, on_edited
        self._is_edited = False

    def release(self) -> None:
        """Look no more; idempotent."""
        self._is_released = True
        self._document.release(self._anchor)

    def document_changed(self) -> None:
        """Look at what stands there now."""
        if self._is_released:
            return
        place, is_first_line = self._anchor.range, self._is_first_line
        # What is put in front of a line moves an anchor; the line is another.
        is_pushed = place.start.character > 0 or is_first_line > (place.start.line == 0)
        if not (self._anchor.is_touched or is_pushed):
            self._is_first_line = place.start.line == 0
            return
        lines = self._document.snapshot().lines
        top, end = _block(lines, self._anchor)
        top = 0 if is_first_line else top
        now = list(lines[top:end])
        if now[-1:] == [""] and now[:-1] == self._before:
            # It reached to the end of the document, where no line is.
            now = now[:-1]
        self._document.release(self._anchor)
        changed, self._now = _changed(self._now, now), now
        self._anchor = self._follow(top)
        if self._now == self._before:
            self._on_restored()
        elif self._is_edited:
            pass
        elif self._is_beside(*changed):
            self._after = self._now
        else:
            self._is_edited = True
            self._on_edited()

    def document_closed(self) -> None:
        """Nothing can be seen any more."""
        self.release()

    def _follow(self, top: int) -> Anchor:
        lines = self._document.snapshot().lines
        last = top + max(len(self._now), 1) - 1
        # Past the end of the line: it is clamped to it.
        end = Position(last, len(lines[last]))
        self._is_first_line = top == 0
        return self._document.anchor(Range(Position(top, 0), end))

    def _is_beside(self, changed: range, lines: Sequence[str]) -> bool:
        """Whether a change is outside of the edit; it then is one of both texts."""
        if any(overlap(changed, piece.after) for piece in self._pieces):
            return False
        above = [piece for piece in self._pieces if piece.after.stop <= changed.start]
        n_more = sum(len(piece.before) - len(piece.after) for piece in above)
        self._before[changed.start + n_more : changed.stop + n_more] = lines
        shift = len(lines) - len(changed)
        self._pieces = [
            piece if piece in above else _moved(piece, shift) for piece in self._pieces
        ]
        return True


def _block(lines: Sequence[str], anchor: Anchor) -> tuple[int, int]:
    """Return the first line of what is watched, and the one after its last.

    A change across a border takes the range as far as it reaches itself: from the end
    of the line above, and to the start of the line below, neither of which is meant.
    """
    start, last = anchor.range.start, anchor.range.end
    is_above = 0 < start.character == len(strip_end(lines[start.line]))
    # Else somebody has only typed in front of the first line.
    is_above = is_above and anchor.is_touched
    is_below = last.character == 0 and bool(strip_end(lines[last.line]))
    top = start.line + (is_above and start.line < last.line)
    return top, last.line + 1 - (is_below and last.line > top)


def _pieces(before: Sequence[str], after: Sequence[str]) -> list[_Piece]:
    pieces = []
    shift = 0
    for hunk in _hunks(before, after):
        start = hunk.start + shift
        shift += len(hunk.lines) - (hunk.end - hunk.start)
        pieces.append(
            _Piece(range(hunk.start, hunk.end), range(start, start + len(hunk.lines)))
        )
    return pieces


def _hunks(before: Sequence[str], after: Sequence[str]) -> Sequence[LineHunk]:
    changed, lines = _changed(before, after)
    if len(changed) + len(lines) <= _N_DIFFED:
        return diff_lines(before, after)
    return [LineHunk(start=changed.start, end=changed.stop, lines=tuple(lines))]


def _changed(old: Sequence[str], new: Sequence[str]) -> tuple[range, Sequence[str]]:
    """Return which old lines have become which new ones: one replacement."""
    n_least = min(len(old), len(new))
    head = next((i for i in range(n_least) if old[i] != new[i]), n_least)
    n_rest = n_least - head
    tail = next((i for i in range(n_rest) if old[~i] != new[~i]), n_rest)
    return range(head, len(old) - tail), new[head : len(new) - tail]


def _moved(piece: _Piece, by: int) -> _Piece:
    before, after = piece.before, piece.after
    return _Piece(
        range(before.start + by, before.stop + by),
        range(after.start + by, after.stop + by),
    )


def _around(
    lines: Sequence[str],
    first: int,
    before: Sequence[str],
    after: Sequence[str],
    top: int,
    end: int,
) -> list[str]:
    """Return lines top to end of a document as they were before the edit."""
    was = [*lines[top:first], *before, *lines[first + len(after) : end]]
    cut_head = max(top - first, 0)
    cut_tail = max(first + len(after) - end, 0)
    return was[cut_head : len(was) - cut_tail]
