"""The `obfuscation` of deltas: random padding that hides their lengths.

Real servers add it by default, so clients must be tested with it.
"""

from __future__ import annotations

_STEP_BYTES = 16
"""Deltas are padded to a multiple of this, so that only rough lengths show."""


class Padding:
    """Pads the deltas of one response."""

    def __init__(self, noise: bytes) -> None:
        """Begin.

        Args:
            noise: Random ASCII letters, digits, `-` and `_`; many more than one step.
        """
        self._noise = noise
        self._at = 0
        self._before = b""

    def begin(self, fields: bytes) -> None:
        """Set the fields between a delta and its padding; may be empty."""
        self._before = fields + b',"obfuscation":"'

    def after(self, delta: bytes) -> bytes:
        """Return the bytes after a delta: further fields, padding and the end."""
        n_bytes = _STEP_BYTES - len(delta) % _STEP_BYTES
        self._at = (self._at + n_bytes) % (len(self._noise) - _STEP_BYTES)
        return b'%b%b"}' % (self._before, self._noise[self._at : self._at + n_bytes])
