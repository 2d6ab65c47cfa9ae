"""Reads a reply of search/replace blocks.

    <<<<<<< SEARCH
    lines of the range, each exactly as it is
    =======
    what replaces them
    >>>>>>> REPLACE

Blocks come in the order of their places. As soon as a block's search text is complete
and found, the range's lines before it are certain, and then each replacement line as it
arrives. After any fault there is no text: a half-applied reply is worse than none. The
rest is still read, so that all faults are reported at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from redline.text.block_match import Match, match_block, strip_fence
from redline.text.fence import read_fence
from redline.text.indentation import NO_SHIFT
from redline.text.reply import FaultKind, NoteKind, ReplyProblem, read_decline

# Models miscount the seven characters, and sometimes forget the words.
_SEARCH = re.compile(r"\s*(?P<run><{5,9})\s*(SEARCH\b.*)?$")
_DIVIDER = re.compile(r"\s*(?P<run>={5,9})\s*$")
_REPLACE = re.compile(r"\s*>{5,9}\s*(REPLACE\b.*)?$")

_FAULTS: dict[FaultKind, str] = {
    "not-found": "its search text is not in the range.",
    "ambiguous": "its search text is in the range more than once.",
    "empty-search": "it has no search text.",
    "overlapping": "its search text overlaps an earlier block's.",
    "out-of-order": "its search text stands before an earlier block's.",
    "unterminated": "one of its three markers is missing.",
}
_NO_BLOCK = "The reply has text, but no change in the form that was asked for."
_NOTES: dict[NoteKind, str] = {
    "chatter": "Prose around the blocks was left out.",
    "fence": "Markdown fences around the code were taken off.",
    "indentation": "The range's indentation was restored.",
}


def is_search_mark(line: str) -> bool:
    """Whether a line begins a block."""
    return _SEARCH.match(line) is not None


class BlockReader:
    """Reads the lines of one reply. The method that reads the next line is the state.

    Attributes:
        declined: The model's reason for changing nothing, if it gave one instead of
            blocks; final after `finish`.
        replacement: Always None: blocks have one form.
        imports: Always empty: blocks replace lines of the range.
    """

    def __init__(self, target: Sequence[str]) -> None:
        """Create a reader for a reply on a range's lines, without ends."""
        self._target = target
        self._has_dividers = any(map(_DIVIDER.match, target))
        self._read: Callable[[str], list[str]] = self._read_outside
        self._n_blocks = 0
        self._n_marks = 0
        self._part: list[str] = []
        self._match: Match | None = None
        self._spans: list[tuple[int, int]] = []
        self._at = 0
        self._faults: list[ReplyProblem] = []
        self._notes: set[NoteKind] = set()
        self.declined: str | None = None
        self.replacement: list[str] | None = None
        self.imports: Sequence[str] = ()

    @property
    def has_text(self) -> bool:
        """Whether the new lines may be used; final after `finish`."""
        return not self._faults and self.declined is None

    @property
    def problems(self) -> list[ReplyProblem]:
        """The problems found; complete after `finish`."""
        notes = [
            ReplyProblem(kind=kind, message=message)
            for kind, message in _NOTES.items()
            if kind in self._notes
        ]
        return [*self._faults, *notes]

    def feed(self, line: str) -> list[str]:
        """Read a line without its end; return the new lines that are certain now."""
        lines = self._read(line)
        return [] if self._faults else lines

    def finish(self) -> list[str]:
        """Return the new lines that were not certain before."""
        if self._read != self._read_outside:
            self._fault("unterminated")
        if self._n_blocks:
            self.declined = None
        elif self.declined is not None:
            self._notes = set()
        else:
            self._fault_without_block()
        return list(self._target[self._at :]) if self.has_text else []

    def _fault(self, kind: FaultKind) -> None:
        self._faults.append(
            ReplyProblem(
                kind=kind,
                message=f"Block {self._n_blocks}: {_FAULTS[kind]}",
                block=self._n_blocks,
            )
        )

    def _fault_without_block(self) -> None:
        self._faults.append(
            ReplyProblem(kind="no-block", message=_NO_BLOCK)
            if self._notes
            else ReplyProblem(kind="empty", message="The reply is empty.")
        )

    def _read_outside(self, line: str) -> list[str]:
        if opening := _SEARCH.match(line):
            self._open(len(opening["run"]))
        elif _REPLACE.match(line):
            self._n_blocks += 1
            self._fault("unterminated")
        elif read_fence(line):
            self._notes.add("fence")
        elif self._is_decline(line):
            self.declined = read_decline(line)
        elif line.strip():
            self._notes.add("chatter")
        return []

    def _is_decline(self, line: str) -> bool:
        is_first = not self._n_blocks and self.declined is None
        return is_first and read_decline(line) is not None

    def _open(self, n_marks: int) -> None:
        self._n_blocks += 1
        self._n_marks = n_marks
        self._part = []
        self._match = None
        self._read = self._read_undivided if self._has_dividers else self._read_search

    def _read_search(self, line: str) -> list[str]:
        if _DIVIDER.match(line):
            search, self._part = self._part, []
            self._read = self._read_replacement
            return self._place(search)
        if not self._is_cut_off(line):
            self._part.append(line)
        return []

    def _is_cut_off(self, line: str) -> bool:
        """Whether a line is a marker that is not allowed yet."""
        opening = _SEARCH.match(line)
        if not opening and not _REPLACE.match(line):
            return False
        self._fault("unterminated")
        self._read = self._read_outside
        if opening:
            self._open(len(opening["run"]))
        return True

    def _place(self, search: Sequence[str]) -> list[str]:
        """Find a block's lines; return the range's lines before them."""
        match = match_block(self._target, search)
        if isinstance(match, str):
            self._fault(match)
            return []
        if match.start < self._at:
            is_overlap = any(
                start < match.end and match.start < end for start, end in self._spans
            )
            self._fault("overlapping" if is_overlap else "out-of-order")
            return []
        if match.shift != NO_SHIFT:
            self._notes.add("indentation")
        if match.is_fenced:
            self._notes.add("fence")
        lines = list(self._target[self._at : match.start])
        self._match = match
        self._spans.append((match.start, match.end))
        self._at = match.end
        return lines

    def _read_replacement(self, line: str) -> list[str]:
        if _REPLACE.match(line):
            self._read = self._read_outside
            return self._shifted(strip_fence(self._part))
        if self._is_cut_off(line):
            return []
        if self._match is not None and self._match.is_fenced:
            self._part.append(line)
            return []
        return self._shifted([line])

    def _shifted(self, lines: Sequence[str]) -> list[str]:
        shift = self._match.shift if self._match else NO_SHIFT
        return [shift.apply(line) for line in lines]

    def _read_undivided(self, line: str) -> list[str]:
        """Collect a whole block, where the code has lines that look like dividers."""
        if not _REPLACE.match(line):
            if not _SEARCH.match(line) or not self._is_cut_off(line):
                self._part.append(line)
            return []
        block, self._part = self._part, []
        self._read = self._read_outside
        at = self._find_divider(block)
        if at is None:
            self._fault("unterminated")
            return []
        before = self._place(block[:at])
        replacement = block[at + 1 :]
        is_fenced = self._match is not None and self._match.is_fenced
        inner = strip_fence(replacement) if is_fenced else replacement
        return [*before, *self._shifted(inner)]

    def _find_divider(self, block: Sequence[str]) -> int | None:
        """Return the divider as long as the block's first marker, if any; of several
        the last one after a text that occurs in the range."""
        found = [(at, _DIVIDER.match(line)) for at, line in enumerate(block)]
        dividers = {at: len(mark["run"]) for at, mark in found if mark}
        same = [at for at, n_marks in dividers.items() if n_marks == self._n_marks]
        candidates = same or list(dividers)
        fitting = [
            at
            for at in candidates
            if isinstance(match_block(self._target, block[:at]), Match)
        ]
        if fitting:
            return fitting[-1]
        return candidates[0] if candidates else None
