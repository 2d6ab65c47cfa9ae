"""Detects the outcome of an edit in its document: undone, reworked, or left as it is.

It watches the lines of the edit's range, and one on each side so that lines restored at
a border are seen. A change of other lines is applied to both the old and the new text,
so that an undo is still detected after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from redline.text.anchor import Anchor
from redline.text.document import Document
from redline.text.line_diff import LineHunk, diff_lines
from redline.text.lines import strip_end
from redline.text.position import Position, Range
from redline.text.region import overlap

_N_DIFFED = 2_000
"""Above this number of lines a change counts as one piece, and only that piece of a
range is watched: a diff of so many lines takes some milliseconds, and this runs where
keystrokes are read."""


class _Piece(Struct, frozen=True):
    """Lines that the edit changed, relative to the watched block."""

    before: range
    after: range


class OutcomeWatch:
    """Watches one landed edit in its document."""

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
        """Start to watch.

        Args:
            document: Shows `after`; the caller must report every change of it.
            first: The first line of `after`.
            before: The lines from before the edit.
            after: The current lines.
            on_restored: Called once the document shows `before` again.
            on_edited: Called once, when lines that the edit changed are changed again.
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
        """Swap the two texts, now that the document shows `before`.

        For an edit that was still to land: it has landed, and may be undone.
        """
        self._before, self._after = self._after, self._before
        self._pieces = [_Piece(piece.after, piece.before) for piece in self._pieces]
        self._on_restored, self._on_edited = on_restored, on_edited
        self._is_edited = False

    def release(self) -> None:
        """Stop watching; idempotent."""
        self._is_released = True
        self._document.release(self._anchor)

    def document_changed(self) -> None:
        """Compare the current text with both texts."""
        if self._is_released:
            return
        place, is_first_line = self._anchor.range, self._is_first_line
        # Inserting in front of a line moves its anchor although the line changes.
        is_pushed = place.start.character > 0 or is_first_line > (place.start.line == 0)
        if not (self._anchor.is_touched or is_pushed):
            self._is_first_line = place.start.line == 0
            return
        lines = self._document.snapshot().lines
        top, end = _block(lines, self._anchor)
        top = 0 if is_first_line else top
        now = list(lines[top:end])
        if now[-1:] == [""] and now[:-1] == self._before:
            # The block reached the end of the document, where there is no next line.
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
        self.release()

    def _follow(self, top: int) -> Anchor:
        lines = self._document.snapshot().lines
        last = top + max(len(self._now), 1) - 1
        # A position past the end of the line is clamped to it.
        end = Position(last, len(lines[last]))
        self._is_first_line = top == 0
        return self._document.anchor(Range(Position(top, 0), end))

    def _is_beside(self, changed: range, lines: Sequence[str]) -> bool:
        """Whether a change is outside of the edit; if so, apply it to both texts."""
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
    """Return the first line of the watched block, and the index after its last.

    A change across a border extends the range to the end of the line above and to the
    start of the line below; neither line belongs to the block.
    """
    start, last = anchor.range.start, anchor.range.end
    is_above = 0 < start.character == len(strip_end(lines[start.line]))
    # Otherwise the user only typed in front of the first line.
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
    """Return the replaced old lines and the new lines, as one replacement."""
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
    """Return lines `top` to `end` of a document as they were before the edit."""
    was = [*lines[top:first], *before, *lines[first + len(after) : end]]
    cut_head = max(top - first, 0)
    cut_tail = max(first + len(after) - end, 0)
    return was[cut_head : len(was) - cut_tail]
