"""Whether the server of one model takes steers.

A server that does not know `response.steer` answers it with an error, late, or not at
all, and the redirect has waited in vain. So it is sent only where the host is known to
take it, where the user says so, or where the server has announced it on this very
connection; and no more once it was not taken.
"""

from __future__ import annotations


class Steering:
    """What is known of one model's server."""

    def __init__(self, *, setting: bool | None, is_known: bool) -> None:
        """Begin with what is known before anything was tried.

        Args:
            setting: The user's word; None: there is none.
            is_known: Whether the provider documents it for this model on this host.
        """
        self._is_ruled_out = setting is False
        self._is_known = setting is True or is_known

    def is_usable(self, *, is_announced: bool) -> bool:
        """Whether a steer is worth sending on a connection.

        Args:
            is_announced: Whether the server said so when the connection was opened.
        """
        return not self._is_ruled_out and (self._is_known or is_announced)

    def refute(self) -> None:
        """Record that a steer was not understood, not answered, or not carried out."""
        self._is_ruled_out = True
