"""Finds private keys that are not blocks of Base64 lines, anywhere in a text.

These are keys in DER (RFC 5958, RFC 8017, RFC 5915) as hexadecimal numbers or on one
line of Base64, keys of OpenSSH on such a line, the numbers that `openssl -text` prints,
and XML of .NET.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_DIGITS = r"[0-9A-Fa-f]{2}"
_NEXT = r"[,:\s\"'\\+]{0,12}+(?:0x|x)?"
"""What may be between two bytes: in C, in Python, and as `openssl` prints them."""
_HEX_DER = re.compile(
    rf"30(?<![0-9A-Fa-f]30){_NEXT}(?:82{_NEXT}{_DIGITS}{_NEXT}|81{_NEXT})?"
    rf"{_DIGITS}{_NEXT}02{_NEXT}01{_NEXT}0[01](?:{_NEXT}{_DIGITS}){{36,}}+"
)
"""A sequence that begins with version 0 or 1, each byte as two digits."""

_BASE64_DER = re.compile(
    r"M(?<![A-Za-z0-9+/]M)(?:II[A-Za-z0-9+/]{3}IBA[AD]|IICXAIBA|IG[A-Za-z0-9+/]AgE"
    r"|HcCAQEE|C4CAQAw)[A-Za-z0-9+/]{40,}+={0,2}"
)
"""The same in Base64."""

_BASE64_OPENSSH = re.compile(
    r"b3BlbnNzaC1rZXktdjEA(?<![A-Za-z0-9+/]b3BlbnNzaC1rZXktdjEA)[A-Za-z0-9+/]{40,}+={0,2}"
)
"""A key of OpenSSH in Base64: `openssh-key-v1` and a zero begin it (PROTOCOL.key)."""

_NUMBER = re.compile(
    r"\b(?:privateExponent|prime[12]|exponent[12]|coefficient|priv):[ \t]{0,8}+\n"
    r"(?P<key>(?:[ \t]{1,40}+(?:[0-9A-Fa-f]{2}:?){1,40}+[ \t]{0,8}+(?:\n|\Z)){1,600}+)"
)
"""A secret number of a key, as `openssl -text` prints it."""

_XML = re.compile(
    r"<(?P<name>D|P|Q|DP|DQ|InverseQ)>\s{0,200}+(?P<key>[A-Za-z0-9+/=\s]{20,8000}+)"
    r"</(?P=name)>"
)
"""A secret number of .NET's `<RSAKeyValue>`."""


def keys_in_other_forms(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of private keys."""
    for pattern in (_HEX_DER, _BASE64_DER, _BASE64_OPENSSH):
        yield from (found.span() for found in pattern.finditer(text))
    if "Exponent:" in text or "priv:" in text:
        for found in _NUMBER.finditer(text):
            yield _stripped(text, *found.span("key"))
    if any(map(text.__contains__, ("<D>", "<P>", "<InverseQ>"))):
        for found in _XML.finditer(text):
            yield _stripped(text, *found.span("key"))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    value = text[start:end]
    start += len(value) - len(value.lstrip())
    return start, start + len(value.strip())
