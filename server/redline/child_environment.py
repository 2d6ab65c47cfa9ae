"""The environment of the processes that Redline starts.

A process inherits every variable of its parent, and other programs of the user can read
them for as long as it runs. Parsers, indexers, ruff and git need no key, so they get
none. All rooms may import this module; it does no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SECRET = re.compile(
    r"""
    api_?key | access_?key | secret | passw(?:or)?d | credential
    | (?: ^ | _ ) tokens? (?: $ | _ )
    | key $ | _pwd $ | passphrase
    | (?: ^ | _ ) (?: pass | pat | jwt | auth | authorization | cookies? ) $
    # A proxy's address may hold a password.
    | _proxy $
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Finds the names of variables that hold secrets. The names of git's own variables for
settings, `GIT_CONFIG_KEY_0`, are not among them."""


_PASSWORD_IN_URL = re.compile(r"://[^\s/:@]*:[^\s/@]+@")
"""Finds the password of a URL's user part (RFC 3986 section 3.2.1)."""

_named: set[str] = set()
"""The variables that the settings name as the places of keys."""


def note_key_variable(name: str) -> None:
    """Hide a variable from all processes that are started from now on."""
    _named.add(name)


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables that hold secrets."""
    return {k: v for k, v in environ.items() if not _is_secret(k, v)}


def _is_secret(name: str, value: str) -> bool:
    # Git fails if one of its numbered variables is missing.
    return (
        name in _named
        or _SECRET.search(name) is not None
        or (
            not name.startswith("GIT_CONFIG_")
            and _PASSWORD_IN_URL.search(value) is not None
        )
    )
