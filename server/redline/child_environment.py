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
    | (?: ^ | _ ) (?: key | pass | pat ) $
    # A proxy's address may hold a password, and no child uses the network.
    | _proxy $
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Finds the names of variables that hold secrets. The names of git's own variables for
settings, `GIT_CONFIG_KEY_0`, are not among them."""


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables that hold secrets."""
    return {k: v for k, v in environ.items() if not _SECRET.search(k)}
