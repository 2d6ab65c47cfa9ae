"""A lease that is held for some seconds."""

from __future__ import annotations

import time


class Lease:
    """Held until its time is over."""

    def __init__(self, seconds: float) -> None:
        self.ends_at = time.time() + seconds

    def is_held(self) -> bool:
        """Whether the lease still holds."""
        return time.time() < self.ends_at
