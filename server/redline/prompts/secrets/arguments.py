"""Finds passwords by their position: an argument of a function that takes one.

`login("ada", …)` has no name beside the password, and a password of plain words does
not look like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.prompts.secrets import signs

_POSITIONS = {
    0: (
        "Fernet HOTP SecretKeySpec TOTP bearerAuth bearer_auth from_secret hashSync"
        " hmac.new pbkdf2Sync"
    ),
    1: (
        "HTTPBasicAuth HTTPDigestAuth NetworkCredential PlainCredentials SetBasicAuth"
        " UsernamePasswordCredential UsernamePasswordCredentials WiFi.begin basicAuth"
        " basic_auth createHmac hmac.New jwt.decode jwt.encode jwt.sign jwt.verify"
        " login setBasicAuth withBasicAuth withCredentials"
    ),
    2: (
        "Connection DBI->connect FTP FTP_TLS PDO PDO->__construct PlainAuth Sequelize"
        " create_superuser create_user getConnection mysqli"
        " mysqli->__construct mysqli_connect"
    ),
    3: "mysql_real_connect ssh.connect",
}
"""Names of functions, by the position of the argument that is secret. Each has one of
`signs.CALLS`."""

_INDEX = {name: at for at, names in _POSITIONS.items() for name in names.split()}

_CALL = re.compile(
    r"(?P<name>(?:\b(?:hmac|jwt|ssh|WiFi)\.|\b(?:DBI|PDO|mysqli)->)?\b[A-Za-z_]\w{1,30}+)\("
)
_ACCOUNT = re.compile(
    r"(?i)(?<![a-z])(?:basic_?)?(?:auth|creds|credentials?)[\"']?\s{0,20}+(?:=>|[:=])"
    r"\s{0,20}+[(\[]"
)
"""The start of a pair of a user's name and a password."""

_ARGUMENT = re.compile(
    r"\s{0,20}+(?:(?:[A-Za-z_]\w{0,40}+|\[\]byte)\()?(?:[brfu]{0,2}(?P<quote>[\"'`])"
    r"(?P<value>[^\"'`]{0,200}+)(?P=quote)|[^\"'`,()]{0,80}+(?:\(\))?)"
    r"(?:\)|\.\w{1,40}+\(\)?){0,4}\s{0,20}+(?P<end>[,)\]]|\Z)"
)
"""An argument, perhaps in a conversion, and the sign after it."""

_MAX_ARGUMENTS = 5


def find_arguments(line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of strings that functions take as secrets; the caller judges
    them."""
    if '"' not in line and "'" not in line and "`" not in line:
        return
    lower = line.lower()
    if not any(map(lower.__contains__, signs.CALLS)):
        return
    for call in _CALL.finditer(line):
        if (index := _INDEX.get(call["name"])) is not None:
            yield from _argument(line, call.end(), index)
    for pair in _ACCOUNT.finditer(line):
        yield from _argument(line, pair.end(), 1)


def takes_secret(line: str) -> bool:
    """Whether a line calls a function that takes a secret, or begins an account."""
    lower = line.lower()
    return any(map(lower.__contains__, signs.CALLS)) and (
        any(call["name"] in _INDEX for call in _CALL.finditer(line))
        or _ACCOUNT.search(line) is not None
    )


def _argument(line: str, start: int, index: int) -> Iterator[tuple[int, int]]:
    for at in range(_MAX_ARGUMENTS):
        found = _ARGUMENT.match(line, start)
        if found is None:
            return
        if at == index:
            if found["value"]:
                yield found.span("value")
            return
        if found["end"] != ",":
            return
        start = found.end()
