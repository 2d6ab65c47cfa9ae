"""Ports from the environment."""

from __future__ import annotations

import os

DEFAULT_PORT = 8080


def port() -> int:
    """Return the port to listen on; the default if none is set or it is no number."""
    try:
        return int(os.environ.get("PORT", ""))
    except KeyError:
        return DEFAULT_PORT
