"""Whether the server of one model accepts steers.

A server that does not know `response.steer` answers it with an error, late, or not at
all, and delays the redirect. So it is sent only if the host is known to accept it, if
the setting says so, or if the server has announced it on the same connection; and never
again after a failed steer.
"""

from __future__ import annotations


class Steering:
    """What is known of one model's server."""

    def __init__(self, *, setting: bool | None, is_known: bool) -> None:
        """Begin with what is known in advance.

        Args:
            setting: The user's setting; None: not set.
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
