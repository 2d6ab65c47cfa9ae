"""The `obfuscation` of deltas: random filling, so that lengths on the wire say less.

Real servers add it unless asked not to, so clients must be tested with it.
"""

from __future__ import annotations

_STEP_BYTES = 16
"""Deltas are filled up to a multiple of this, so that only rough lengths show."""


class Padding:
    """Fills up the deltas of one response."""

    def __init__(self, noise: bytes) -> None:
        """Begin.

        Args:
            noise: Random ASCII letters, digits, `-` and `_`; many more than a step.
        """
        self._noise = noise
        self._at = 0
        self._before = b""

    def begin(self, fields: bytes) -> None:
        """Take the fields that stand between a delta and its filling, or nothing."""
        self._before = fields + b',"obfuscation":"'

    def after(self, delta: bytes) -> bytes:
        """Return what follows a delta: further fields, the filling, the end."""
        n_bytes = _STEP_BYTES - len(delta) % _STEP_BYTES
        self._at = (self._at + n_bytes) % (len(self._noise) - _STEP_BYTES)
        return b'%b%b"}' % (self._before, self._noise[self._at : self._at + n_bytes])
