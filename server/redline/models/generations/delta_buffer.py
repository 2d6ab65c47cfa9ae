"""A buffer of deltas between a socket and a reader.

Deltas that arrive while the reader is busy are merged, so a slow reader costs memory
for the text but no work per delta.
"""

from __future__ import annotations

from collections import deque

from redline.models.interface import Delta, DeltaKind, Restart

HIGH_WATER_CHARS = 1 << 20
"""Where reading pauses: over ten times the longest answer that is requested."""

_DELTA_OVERHEAD_CHARS = 64
"""Added to the length of each delta, so that empty deltas are bounded too."""


class DeltaBuffer:
    """A queue of deltas that merges neighbours of one kind."""

    def __init__(self, *, high_water_chars: int = HIGH_WATER_CHARS) -> None:
        self.number: int | None = None
        """Sequence number of the event whose deltas are put next."""
        self.taken_number: int | None = None
        """Sequence number of the last event whose deltas were all taken."""
        self._high_water_chars = high_water_chars
        self._n_chars = 0
        self._done: deque[tuple[Delta | Restart, int | None]] = deque()
        self._run_number: int | None = None
        self._kind: DeltaKind = "text"
        self._run: list[str] = []

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to take."""
        return not self._run and not self._done

    @property
    def is_full(self) -> bool:
        """Whether the writer should pause."""
        return self._n_chars >= self._high_water_chars

    def put(self, text: str, kind: DeltaKind) -> None:
        if kind != self._kind:
            self._close_run()
            self._kind = kind
        self._run.append(text)
        self._run_number = self.number
        self._n_chars += len(text) + _DELTA_OVERHEAD_CHARS

    def restart(self, restart: Restart) -> None:
        """Discard what is buffered and have the reader discard what it took."""
        self.clear()
        self._done.append((restart, self.number))
        self._n_chars = len(restart.text)

    def take(self) -> Delta | Restart | None:
        """Take the oldest, merged with its neighbours; None if there is nothing."""
        if self._done:
            taken, self.taken_number = self._done.popleft()
        elif self._run:
            # Most often: what one read has brought, of one kind.
            taken, self.taken_number = self._merged(), self._run_number
        else:
            return None
        if not (self._run or self._done):
            self._n_chars = 0
        return taken

    def clear(self) -> None:
        self._done.clear()
        self._run.clear()
        self._n_chars = 0

    def _close_run(self) -> None:
        if self._run:
            self._done.append((self._merged(), self._run_number))

    def _merged(self) -> Delta:
        run, self._run = self._run, []
        return Delta("".join(run), self._kind)
