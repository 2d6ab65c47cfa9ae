"""The reasons for stopping a session, and their messages."""

from __future__ import annotations

from typing import Literal

StopReason = Literal["asked", "cancelled", "typed", "closed", "shutdown"]

_MESSAGES: dict[StopReason, str] = {
    "asked": "Stopped.",
    "cancelled": "Cancelled.",
    "typed": "You typed inside the range, so the edit was dropped; your text is kept.",
    "closed": "The document was closed, so the edit was dropped.",
    "shutdown": "Redline is shutting down.",
}


def stop_message(why: StopReason, *, has_changed: bool) -> str:
    """Return the message for a stopped session.

    Args:
        why: The reason.
        has_changed: Whether a part that the user accepted is in the document, or is on
            its way there.
    """
    if has_changed:
        return f"{_MESSAGES[why]} What you accepted is kept."
    if why in ("asked", "cancelled", "shutdown"):
        return f"{_MESSAGES[why]} Nothing was changed."
    return _MESSAGES[why]
