"""Signs of a proxy that cuts connections to a model, or holds its answers back.

Both work, slowly: each cut costs a handshake, and an answer that is held back can be
neither watched nor stopped in time. Nobody but the user can change it, so it is said.
"""

from __future__ import annotations

import logging
from collections import deque

from msgspec import Struct

logger = logging.getLogger(__name__)

N_SIGNS = 3
"""Once or twice is chance."""

_MAX_DIFFERENCE_S = 2.0
"""Between the lives of connections that the same time limit has ended."""

_MIN_WAIT_S = 1.0
_MAX_SPREAD_S = 0.05
_MIN_BYTES = 40_000
"""So much within so short a time is more than 5,000 tokens a second: an event of one
token has about 150 bytes in each wire format."""

BREAK_S = 0.03
"""A pause in the middle of a line that is no matter of packets."""

_MIN_BREAKS = 3


class Arrival(Struct, frozen=True, kw_only=True):
    """How a streamed answer over HTTP arrived, if it came whole."""

    wait_s: float
    """From the request to the first bytes of the answer."""
    spread_s: float
    """From the first bytes to the last."""
    n_bytes: int
    n_breaks: int
    """Pauses in the middle of a line. A server writes whole lines, so something on the
    way passes on full buffers (4 or 8 kB in nginx)."""


class ProxySigns:
    """Looks for the signs in what happened to one model's connections."""

    def __init__(self, model: str, *, min_life_s: float = 20.0) -> None:
        """Begin.

        Args:
            model: Its name, for messages.
            min_life_s: A server that ends connections sooner has another problem.
        """
        self._model = model
        self._min_life_s = min_life_s
        self._lives_s: deque[float] = deque(maxlen=N_SIGNS)
        """Of the last connections that ended without a closing handshake."""
        self._n_held = 0
        """Answers in a row that were held back."""
        self._advice = ""

    @property
    def advice(self) -> str:
        """What the user can do, in one or two sentences; empty without a sign."""
        return self._advice

    def note_cut(self, lived_s: float) -> None:
        """Record a connection that ended without a closing handshake."""
        self._lives_s.append(lived_s)
        shortest, longest = min(self._lives_s), max(self._lives_s)
        if (
            len(self._lives_s) == N_SIGNS
            and shortest >= self._min_life_s
            and longest - shortest <= _MAX_DIFFERENCE_S
        ):
            self._say(
                f"Connections to model {self._model} are cut after about"
                f" {longest:.0f} s. A proxy on the way probably has this time limit;"
                " raise it to an hour (nginx: `proxy_read_timeout 3600s`)."
            )

    def note_answer(self, arrival: Arrival) -> None:
        is_long = arrival.n_bytes >= _MIN_BYTES
        is_broken = arrival.n_breaks >= _MIN_BREAKS
        is_at_once = arrival.wait_s >= _MIN_WAIT_S and arrival.spread_s <= _MAX_SPREAD_S
        if not is_long and not is_broken:
            # A short answer is no sign.
            return
        self._n_held = self._n_held + 1 if is_broken or is_at_once else 0
        if self._n_held == 0:
            self._advice = ""
        if self._n_held == N_SIGNS:
            self._say(
                f"Answers of model {self._model} do not arrive as they are written,"
                " but in large parts. A proxy on the way probably buffers them, or the"
                " server does not stream; turn buffering off"
                " (nginx: `proxy_buffering off`)."
            )

    def _say(self, advice: str) -> None:
        if advice != self._advice:
            self._advice = advice
            logger.warning("%s", advice)
