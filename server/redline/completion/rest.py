"""Joins a text with what follows the cursor: no bracket, quote or line twice."""

from __future__ import annotations

from msgspec import Struct

from redline.completion.brackets import (
    CLOSER_OF,
    CLOSERS,
    OPENER_OF,
    carried,
    follow_brackets,
    open_in,
    scan_line,
)
from redline.completion.place import Place, depth_of

_LONG_QUOTE = '"""'
_PROSE_STARTS = ("comment", "quote")


class Joined(Struct, frozen=True):
    """A text, and how many characters after the cursor it replaces."""

    text: str
    n_right: int


def join_rest(text: str, place: Place) -> Joined:
    """Fit a text to the rest of the cursor's line and to the lines below."""
    text = _without_lines_below(text, place)
    if not place.right:
        return Joined(text, 0)
    n_right = _n_consumed(text, place)
    if "\n" in text and place.right[n_right:].strip():
        text = text.partition("\n")[0]
        n_right = _n_consumed(text, place)
    return Joined(text, n_right)


def _n_consumed(text: str, place: Place) -> int:
    """Return how much of the line's rest a text brings itself."""
    joiner = _Joiner(text, place)
    joiner.run()
    n_right = joiner.n_right
    if not joiner.has_closed:
        n_right = _n_common_end(text, place.right)
    n_right += _n_of_strings(text, place, place.right[n_right:])
    new, rest = place.left + text, place.right
    n_open = _n_open(new + rest[n_right:], place)
    # The text may open again what it closes, as in `x = ["a", "b"]` of `x = [""]`.
    if n_right and _n_open(new + rest, place) < n_open:
        return 0
    is_repeated = new.endswith(rest.strip()) and any(map(str.isalnum, rest[n_right:]))
    if is_repeated and _n_open(new, place) < n_open:
        return len(rest)
    return n_right


def _n_open(line: str, place: Place) -> int:
    """Count the brackets of a line without another half, and its open quote."""
    quote = carried(place.around.openings.quote)
    scan = scan_line(line, place.language, quote)
    return len(scan.unpaired) + bool(scan.quote)


def _n_of_strings(text: str, place: Place, rest: str) -> int:
    """Return how many closers of a rest close nothing in the code, and belong to a
    bracket in a string that the text closes: editors close those as well."""
    if rest[:1] not in CLOSERS:
        return 0
    whole = (place.left + text).split("\n")
    missing = open_in(whole, place.language, place.around.openings).closers
    scan = scan_line(place.left, place.language, carried(place.around.openings.quote))
    in_code = [event.text for event in scan.events]
    n_closers = 0
    for char in rest:
        opener = OPENER_OF.get(char, "")
        if not opener or char in missing or char not in text:
            break
        if place.left.count(opener) == in_code.count(opener):
            break
        n_closers += 1
    return n_closers


class _Joiner:
    """Walks through a text, and consumes what it closes after the cursor."""

    def __init__(self, text: str, place: Place) -> None:
        self.n_right = 0
        """Characters of the line's rest that are consumed."""
        self.has_closed = False
        self._text = text
        self._left, self._right = place.left, place.right
        self._at = 0
        self._own: list[str] = []
        """The missing closers of the text's own brackets."""
        self._pending, quote = _open_in_line(place)
        if len(quote) < len(_LONG_QUOTE) or quote in text:
            self._close_quote(quote, _open_in_string(place) if quote else [])

    def run(self) -> None:
        """Walk to the end."""
        while self._at < len(self._text):
            char = self._text[self._at]
            if char in "\"'" and (end := _string_end(self._text, self._at)):
                self._at = end
                continue
            self._at += 1
            if char in CLOSER_OF:
                self._own.append(CLOSER_OF[char])
            elif self._own and self._own[-1] == char:
                self._own.pop()
            elif char in self._pending:
                self._close(char)

    def _close(self, char: str) -> None:
        while self._pending.pop() != char:
            pass
        self._consume(char)
        if not self.has_closed:
            return
        start = self._at
        self._consume_same()
        for consumed in self._text[start : self._at]:
            if consumed in self._pending:
                self._pending.remove(consumed)

    def _close_quote(self, quote: str, pending: list[str]) -> None:
        """Walk to the end of a string that is open at the cursor.

        Args:
            quote: The quote that ends it.
            pending: The missing closers of the brackets in it.
        """
        n_escapes = len(self._left) - len(self._left.rstrip("\\"))
        # An escape before the cursor may be that of the text's first character.
        end = self._text.find(quote, n_escapes % 2) if quote else -1
        while end > 0 and self._text[end - 1] == "\\":
            end = self._text.find(quote, end + 1)
        for closer in _closed_in(self._text[: max(end, 0)], pending):
            self._consume(closer)
        if end >= 0:
            self._at = end + len(quote)
            self._consume(quote)
            if self.has_closed:
                self._consume_same()
        elif quote:
            self._at = len(self._text)

    def _consume(self, closer: str) -> None:
        at = self.n_right
        while self._right.startswith((" ", "\t"), at):
            at += 1
        if self._right.startswith(closer, at):
            self.n_right = at + len(closer)
            self.has_closed = True

    def _consume_same(self) -> None:
        """Consume what follows alike in both."""
        if not self._own:
            n_text, n_right = _n_same(
                self._text[self._at :], self._right[self.n_right :]
            )
            self._at += n_text
            self.n_right += n_right


def _string_end(text: str, at: int) -> int:
    """Return the end of a string that begins at an index; 0: it does not end."""
    end = text.find(text[at], at + 1)
    while end > 0 and text[end - 1] == "\\":
        end = text.find(text[at], end + 1)
    return end + 1 if end > 0 and "\n" not in text[at:end] else 0


def _open_in_line(place: Place) -> tuple[list[str], str]:
    """Return the missing closers and the open quote of the cursor's line."""
    missing: list[str] = []
    scan = scan_line(place.left, place.language, carried(place.around.openings.quote))
    quote = scan.quote
    follow_brackets(scan, missing)
    if scan.has_comment or len(quote) == len(_LONG_QUOTE):
        # Editors close brackets in comments and long strings as well.
        starts = [event.at for event in scan.events if event.kind in _PROSE_STARTS]
        missing = _open_in_prose(place.left[starts[-1] if starts else 0 :])
    if "<" in place.left and ">" in place.right and "/" in place.right:
        missing.insert(0, ">")
    return missing, "" if quote == "*/" else quote


def _open_in_string(place: Place) -> list[str]:
    """Return the missing closers of the brackets in the string at the cursor."""
    scan = scan_line(place.left, place.language, carried(place.around.openings.quote))
    starts = [event.at for event in scan.events if event.kind == "quote"]
    return _open_in_prose(place.left[starts[-1] if starts else 0 :])


def _closed_in(text: str, pending: list[str]) -> list[str]:
    """Return the pending closers that a text brings."""
    own: list[str] = []
    closed: list[str] = []
    for char in text:
        if char in CLOSER_OF:
            own.append(CLOSER_OF[char])
        elif own and own[-1] == char:
            own.pop()
        elif pending and pending[-1] == char:
            closed.append(pending.pop())
    return closed


def _open_in_prose(text: str) -> list[str]:
    missing: list[str] = []
    for char in text:
        if char in CLOSER_OF:
            missing.append(CLOSER_OF[char])
        elif missing and char == missing[-1]:
            missing.pop()
    return missing


def _n_same(text: str, right: str) -> tuple[int, int]:
    """Return how many characters of both are the same, blanks aside."""
    in_text = in_right = 0
    end_text = end_right = 0
    while in_text < len(text) and in_right < len(right):
        if text[in_text] == right[in_right]:
            in_text, in_right = in_text + 1, in_right + 1
            end_text, end_right = in_text, in_right
        elif text[in_text] in " \t":
            in_text += 1
        elif right[in_right] in " \t":
            in_right += 1
        else:
            break
    return end_text, end_right


def _n_common_end(text: str, right: str) -> int:
    """Return the length of the longest start of `right` that a text ends with."""
    line = text.rpartition("\n")[2].rstrip()
    rest = right.lstrip()
    # The rest may be a minified file: only as much is looked at as the line could have.
    for n_tail in range(min(len(rest), len(line)), 0, -1):
        tail = rest[:n_tail]
        if tail[-1].isspace() or not line.endswith(tail):
            continue
        inner = line[:-n_tail]
        opened = sum(map(inner.count, CLOSER_OF)) - sum(map(inner.count, CLOSERS))
        has_closer = any(char in CLOSERS for char in tail)
        if not (has_closer and opened > 0):
            return len(right) - len(rest[n_tail:].lstrip())
    return 0


def _without_lines_below(text: str, place: Place) -> str:
    """Cut last lines that stand below the cursor already."""
    lines = text.split("\n")
    below = place.around.code_below
    for n_lines in range(min(len(lines) - 1, len(below)), 0, -1):
        tail = lines[-n_lines:]
        if all(map(_is_same, tail, below)):
            return "\n".join(lines[:-n_lines]).rstrip()
    return text


def _is_same(line: str, below: str) -> bool:
    one, other = line.strip(), below.strip()
    if depth_of(line) != depth_of(below) or not one:
        return False
    is_closer = all(char in ")]};," for char in one)
    return other.startswith(one) if is_closer else one == other
