"""Decides by its words whether a name promises a secret: `dbPass`, `STRIPE_KEY`."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

NAME = re.compile(r"(?i)(?<![\w-])identified\s{1,5}by(?!\w)|[\w-]++")
"""The name of a variable, a field or an option; `IDENTIFIED BY` is SQL's."""


class Promise(IntEnum):
    """What a name says about its value."""

    NONE = 0
    SETTING = 1
    """The name is about secrets, as `PASSWORD_POLICY`; a value may be one if it is
    opaque."""
    WEAK = 2
    """A value that is like a password, or has letters and digits, is a secret."""
    STRONG = 3
    """Any value is one, unless it is harmless or filled in elsewhere."""


_ANYWHERE = re.compile(
    r"password|passwd|pwd|secret|passphrase|passcode|passkey|contrase[nñ]a|passwort"
    r"|kennwort|motdepasse|wachtwoord|salasana|lösenord|losenord|has[lł]o\b|heslo|senha\b"
    r"|passord|adgangskode|lozinka|jelsz[oó]|parola|[sş]ifre\b|contrasenia|geheimnis"
    r"|segredo|mdp\b|парол|密码|密碼|パスワード|비밀번호|dockerconfigjson|identifiedby|pswd"
    r"|(?:api|auth|service|account|access|signing|encryption|db|database|priv|private"
    r"|client|master|jwt|hmac|deploy|ssh|consumer|subscription|license|shared)key"
    r"|(?:access|auth|refresh|bearer)token|(?:gh|github|gitlab|azure|personal)pat\b"
)
"""Words of a name of which one is enough, in lower case and without separators."""

_LAST = frozenset(
    {
        "dbpass",
        "keypass",
        "pass",
        "passw",
        "psk",
        "psw",
        "pw",
        "requirepass",
        "storepass",
        "userpass",
        "adminpass",
        "adminpw",
        "dbpw",
        "pgpass",
        "rootpw",
        "userpw",
        "masterpass",
        "srcstorepass",
        "deststorepass",
        "masterauth",
        "bindpw",
        "rocommunity",
        "rwcommunity",
        "authtoken",
    }
)
"""Last words of a name that promises a secret."""

_NO_PASSWORD = frozenset(
    {
        "by",
        "fastcgi",
        "first",
        "grpc",
        "next",
        "one",
        "proxy",
        "render",
        "scgi",
        "second",
        "single",
        "third",
        "two",
        "uwsgi",
    }
)
"""Words before `pass` that give it another meaning."""

_WEAK = frozenset(
    {
        "auth",
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "credentials",
        "creds",
        "pepper",
        "salt",
        "session",
        "sessionid",
        "signature",
        "token",
    }
)
"""Words of a name whose value is a secret if it looks like one."""

_OF_SETTINGS = frozenset({"creds", "credential", "credentials", "token"})
"""Last words of the names of settings whose values are secret."""

_NO_SECRET_KEY = frozenset(
    {
        "arrow",
        "cache",
        "column",
        "config",
        "data",
        "dict",
        "event",
        "field",
        "foreign",
        "group",
        "hot",
        "i18n",
        "index",
        "json",
        "lookup",
        "map",
        "message",
        "object",
        "partition",
        "primary",
        "public",
        "query",
        "registry",
        "row",
        "sort",
        "state",
        "translation",
        "unique",
    }
)
"""Words before `key` that give it another meaning."""

_SETTINGS = frozenset(
    {
        "algorithm",
        "arn",
        "column",
        "columns",
        "encoder",
        "envvar",
        "event",
        "expiry",
        "field",
        "fields",
        "file",
        "header",
        "headers",
        "hasher",
        "hashers",
        "hint",
        "label",
        "labels",
        "length",
        "lifetime",
        "max",
        "min",
        "name",
        "names",
        "path",
        "pattern",
        "placeholder",
        "policies",
        "policy",
        "regex",
        "scanning",
        "strength",
        "timeout",
        "type",
        "backend",
        "class",
        "count",
        "dir",
        "enabled",
        "manager",
        "namespace",
        "prefix",
        "provider",
        "size",
        "store",
        "suffix",
        "ttl",
        "uri",
        "url",
        "version",
        "validator",
        "validators",
        "var",
    }
)
"""Last words of names that are about secrets."""

_ENDS_WITH_SETTING = re.compile(
    r"(?:polic(?:y|ies)|strength|length|hashers?|file|path)\Z"
)

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+")


def words_of(name: str) -> list[str]:
    """Split a name into its words, in lower case and without digits."""
    return _WORD.findall(_HUMP.sub("_", name).lower())


@lru_cache(maxsize=8_192)
def promise_of(name: str) -> Promise:
    """Return what a name promises."""
    words = words_of(name)
    if not words:
        return Promise.NONE
    promise = _of_words(words)
    if promise and (words[-1] in _SETTINGS or _ENDS_WITH_SETTING.search(words[-1])):
        return Promise.SETTING
    return promise


@lru_cache(maxsize=8_192)
def promise_of_setting(name: str) -> Promise:
    """Return what a name promises where a value needs no quotes: there a `TOKEN` is no
    part of a text."""
    promise = promise_of(name)
    if promise is Promise.WEAK and words_of(name)[-1] in _OF_SETTINGS:
        return Promise.STRONG
    return promise


def _of_words(words: list[str]) -> Promise:
    *before, last = words
    previous = before[-1] if before else ""
    if _ANYWHERE.search("".join(words)):
        return Promise.STRONG
    if last in _LAST and previous not in _NO_PASSWORD:
        return Promise.STRONG
    is_key = last == "key" and previous and previous not in _NO_SECRET_KEY
    return Promise.WEAK if is_key or not _WEAK.isdisjoint(words) else Promise.NONE
