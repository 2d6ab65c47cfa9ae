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
    api_?key | access_?key | private_?key | secret | passw(?:or)?d | credential
    | passphrase | bearer | mnemonic | seed_?phrase | connection_?string | webhook
    | (?: ^ | _ ) tokens? \d* (?: $ | _ )
    | tokens? $ | keys? (?: _? \d+ )? $ | _pwd (?: _? \d+ )? $
    | (?: ^ | _ ) (?: pass | pw | creds? | jwt ) (?: $ | _ )
    # SSHPASS and LDAP_BINDPW, not GIT_ASKPASS.
    | (?<! ask ) (?<! by ) (?<! com ) pass (?: _? \d+ )? $ | pw (?: _? \d+ )? $
    | (?: ^ | _ ) (?: pat | sk | auth | authorization | cookies? ) $
    | (?: ^ | _ ) auth_ (?: config | data | headers? | json )
    | (?: service_?account | _sa ) _? (?: json | info ) $
    # The unlocked vaults of password managers.
    | ^ (?: bw_session $ | op_session_ )
    # A proxy's address may hold a password.
    | _proxy $
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Finds the names of variables that hold secrets."""

_PASSWORD_IN_URL = re.compile(r"://[^\s/:@]*:[^\s/@]+@")
"""Finds the password of a URL's user part (RFC 3986 section 3.2.1)."""

_KEY_IN_URL = re.compile(r"rediss?://[^\s/:@]+@|://(?=[^\s/:@\d]*\d)[^\s/:@]{16,}@")
"""Finds a key in place of a URL's user: a user of Redis is none without a password, and
elsewhere nobody's name is as long and has a digit."""

_PASSWORD_PARAMETER = re.compile(
    r"[?&;](?:pass(?:word|wd)?|pwd|secret|(?:access_|auth_)?token|api_?key"
    r"|sig(?:nature)?)=[^\s&;]",
    re.IGNORECASE,
)
"""Finds a password that is a parameter of a URL, as PostgreSQL and storage services
take it."""

_GIT_SETTING = re.compile(r"GIT_CONFIG_(?:COUNT|(?:KEY|VALUE)_\d+)")
"""Git's numbered variables: it fails if one of them is missing."""

_named: set[str] = set()
"""The variables that the settings name as the places of keys."""


def note_key_variable(name: str) -> None:
    """Hide a variable from all processes that are started from now on."""
    _named.add(name)


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables that hold secrets."""
    return {k: v for k, v in environ.items() if not _is_secret(k, v)}


def secret_values(environ: Mapping[str, str]) -> list[str]:
    """Return the values of the variables that hold secrets."""
    return [v for k, v in environ.items() if _is_secret(k, v)]


def _is_secret(name: str, value: str) -> bool:
    if _GIT_SETTING.fullmatch(name):
        return False
    return (
        name in _named
        or _SECRET.search(name) is not None
        or _PASSWORD_IN_URL.search(value) is not None
        or _KEY_IN_URL.search(value) is not None
        or ("://" in value and _PASSWORD_PARAMETER.search(value) is not None)
    )
