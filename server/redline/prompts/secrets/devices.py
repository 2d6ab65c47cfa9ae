"""Finds passwords in settings of routers and switches (Cisco's and those alike), of
HAProxy, and of installers: Kickstart, and preseed files of debconf.

No sign separates a name and its value there. A word may stand between them, and the
value may be one that is plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_VALUE = r"\s{1,4}+(?![-<{])([^\s\"'`]{6,200}+)"
_START = r"(?:\A|[\"'`])\s{0,20}+"
_STATEMENTS = (
    re.compile(
        rf"{_START}(?:enable|user(?:name)?\s{{1,4}}+[\w.@-]{{1,60}}+)"
        r"(?:\s{1,4}+(?:privilege|role|algorithm-type)\s{1,4}+[\w-]{1,20}+){0,2}+"
        r"\s{1,4}+(?:secret|(?:insecure-)?password)(?:\s{1,4}+level\s\d{1,2})?+"
        rf"(?:\s{{1,4}}+\d(?=\s))?+{_VALUE}"
    ),
    re.compile(
        r"\b(?:snmp-server\s{1,4}+community|isakmp\s{1,4}+key|stats\s{1,4}+auth"
        r"\s{1,4}+[\w.-]{1,60}+:|-server(?:\s{1,4}+host\s[\w.:-]{1,60}+)?+\s{1,4}+key"
        rf"(?:\s{{1,4}}+\d(?=\s))?+|(?:secret|password|key|key-string)\s{{1,4}}+[05-9])"
        rf"(?:(?<=:)([^\s\"'`]{{6,200}}+)|{_VALUE})"
    ),
    re.compile(rf"\bplain-text-password-value{_VALUE}"),
    re.compile(rf"{_START}rootpw(?:\s{{1,4}}+--\w{{1,20}}+){{0,3}}+{_VALUE}"),
    re.compile(r"(?<![\w/-])[\w-]{1,40}+/[\w/-]{1,80}+\s{1,4}+password" + _VALUE),
)
"""An account or a mode with its password, a key of a service, the password of root, and
the answer to a question of debconf."""


def find_in_devices(line: str, *, is_plain: bool) -> Iterator[tuple[int, int]]:
    """Yield the spans of passwords.

    Args:
        line: A line that names a secret.
        is_plain: Whether a password may be a plain word, since the line is of a
            settings file or a script, and no sentence.
    """
    for pattern in _STATEMENTS:
        for found in pattern.finditer(line):
            value = found.lastindex or 0
            if is_plain or any(map(str.isdigit, found[value])):
                yield found.span(value)
