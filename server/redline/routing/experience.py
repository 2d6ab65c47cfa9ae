"""What this user's earlier edits say about routing, within bounds. Pure.

The counts are of the local usage file. With few edits they change little: each rate
begins as if `_N_BEFORE` edits had gone the usual way.
"""

from __future__ import annotations

import math

from msgspec import Struct

from redline.routing.signals import Signal

_N_BEFORE = 20
_USUAL_FAILED = 0.15
"""Share of the fast tier's edits that fail, as assumed before any is counted."""
_USUAL_WRONG = 0.1
"""Share of second opinions that are wrong, as assumed before any is counted."""
_LEAST_SHIFT, _MOST_SHIFT = -0.3, 0.6
"""Bounds of the log-odds: an unlucky guess costs more than a slow answer."""
_LEAST_RELIABILITY, _MOST_RELIABILITY = 0.75, 0.97
_LEAST_SHOWN = 0.1


class Experience(Struct, frozen=True, kw_only=True):
    """How edits of one user turned out."""

    n_fast: int = 0
    """Edits that the score sent to the fast tier and that were decided on."""
    n_fast_failed: int = 0
    """Of these: rejected, undone, edited again at once, or handed to a higher tier."""
    n_opinions: int = 0
    """Edits with a second opinion, whose outcome shows whether it was right."""
    n_opinions_wrong: int = 0

    @property
    def shift(self) -> float:
        """Log-odds for the higher tiers, from -0.3 to 0.6; 0 without edits."""
        failed = _rate(self.n_fast_failed, self.n_fast, _USUAL_FAILED)
        return min(
            max(_logit(failed) - _logit(_USUAL_FAILED), _LEAST_SHIFT), _MOST_SHIFT
        )

    @property
    def reliability(self) -> float:
        """How often second opinions are right, from 0.75 to 0.97; 0.9 without any."""
        right = 1 - _rate(self.n_opinions_wrong, self.n_opinions, _USUAL_WRONG)
        return min(max(right, _LEAST_RELIABILITY), _MOST_RELIABILITY)

    @property
    def signal(self) -> Signal | None:
        """What it adds to a task's complexity; None: next to nothing."""
        shift = self.shift
        if abs(shift) < _LEAST_SHOWN:
            return None
        return Signal(
            name="experience",
            weight=shift,
            reason=f"Of your last {self.n_fast} edits by the fast tier, "
            f"{self.n_fast_failed} were not kept as they were.",
        )


NO_EXPERIENCE = Experience()


def _rate(n_some: int, n_all: int, usual: float) -> float:
    return (n_some + usual * _N_BEFORE) / (n_all + _N_BEFORE)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))
