"""Signs that a line may hold or name a secret; most lines of code have none.

To look for them is several times faster than to search a line. What has no sign here is
not searched, so each pattern of `formats.py`, `provider_keys.py`, `commands.py` and
`neighbours.py` needs one; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.prompts.secrets.phrases import recovery_phrases

RUN = re.compile(r"(?<![\w+/=.-])[\w+/=.-]{16}")
SLACK = "xox"
"""A key begins with a run of so many characters, or with the sign of Slack's tokens."""

OPTION = re.compile(r"[\s\"'][\"']?[-/][-\w]")
"""The start of an option of a command."""

PROGRAMS = ("-cli", "expdp", "impdp", "nmcli", "rabbitmqctl", "sqlplus", "wpa_pass")
"""Parts of the names of programs that take a secret without an option."""

ACCOUNT = ("@", "/bot", "/api/webhooks/")
N_COLONS = 4
"""An account with a password has one of these, or so many colons, as in `.pgpass`; so
has a URL with a password."""

URL = "://"
"""What is in front of the password of a URL without an `@`."""

PLACES = ("setuser", " on >", "net user", "net1 user", "net.exe user")
"""In lower case. Each place of a password in a command that has no other sign has one
of these."""

STORES = (
    "secret",
    "vault ",
    "config:",
    "setenv",
    "set-env",
    "env:set",
    "env add",
    "variable set",
    "variable create",
    "variable update",
    "variables --",
    "variable --",
    "encrypt",
    "chamber write",
    "kubeseal",
    "pass insert",
)
"""Every command of `secret_stores.py` contains one of these."""

SECRET_WORDS = (
    "pass",
    "pwd",
    "secret",
    "contrase",
    "key",
    "token",
    "credential",
    "auth",
    "bearer",
    "dockerc",
    "identified",
    "pw",
    "psk",
    "psw",
    "cookie",
    "code=",
    "community",
    "creds",
    "salt",
    "session",
    "pat",
    "pepper",
    "sig",
    "kennwort",
    "motdepasse",
    "mot_de_passe",
    "wachtwoord",
    "salasana",
    "senord",
    "haslo",
    "hasło",
    "heslo",
    "senha",
    "adgangskode",
    "lozinka",
    "jelsz",
    "parola",
    "ifre",
    "geheimnis",
    "segredo",
    "mdp",
    "парол",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
)
"""In lower case. Every name that promises a secret contains one of these."""

NEAR_WORDS = (
    "pass",
    "pw",
    "psk",
    "secret",
    "token",
    "credential",
    "bearer",
    "auth",
    "key",
    "seed",
    "salt",
    "contrase",
    "secure",
    "connection",
    "pdo",
    "mysqli",
    "pgp_sym",
    "session",
    "community",
    "jwt.",
    "hmac.",
    "sig",
)
"""In lower case. Every name in `secret_neighbours.NEAR` contains one of these."""

CALLS = (
    "auth",
    "connect(",
    "connection(",
    "cred",
    "create_superuser(",
    "create_user(",
    "fernet(",
    "ftp(",
    "ftp_tls(",
    "hashsync(",
    "hmac(",
    "hmac.",
    "hotp(",
    "jwt.",
    "login(",
    "mysqli(",
    "mysqli->",
    "pbkdf2sync(",
    "pdo(",
    "pdo->",
    "secret",
    "sequelize(",
    "totp(",
    "wifi.begin(",
)
"""In lower case. Every call of a function that takes a secret contains one of these."""

_ANY = tuple(
    dict.fromkeys(
        (
            SLACK,
            *PROGRAMS,
            *ACCOUNT,
            URL,
            *PLACES,
            *STORES,
            *SECRET_WORDS,
            *NEAR_WORDS,
            *CALLS,
        )
    )
)


def has_secret_word(text: str) -> bool:
    """Whether a text has one of `SECRET_WORDS`, in any case."""
    lower = text.lower()
    return any(map(lower.__contains__, SECRET_WORDS))


def lines_with_signs(lines: Sequence[str]) -> set[str]:
    """Return those of the lines that have to be searched."""
    lower = [line.lower() for line in lines]
    joined = "\n".join(lower)
    signed = {
        line
        for line in lines
        if RUN.search(line)
        or (("-" in line or "/" in line) and OPTION.search(line))
        or line.count(":") >= N_COLONS
        or recovery_phrases(line)
    }
    for sign in _ANY:
        if sign in joined:
            signed.update(
                line for line, low in zip(lines, lower, strict=True) if sign in low
            )
    return signed
