"""Expiry of tokens."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone


def expires_at(hours: int) -> datetime:
    """Return when a token that is made now is over, in UTC."""
    return datetime.now(timezone.utc) + timedelta(hours=hours)


def is_over(stored: str) -> bool:
    """Tell whether a stored time, ISO 8601 in UTC, has passed."""
    return datetime.fromisoformat(stored[:19]) < datetime.now()
