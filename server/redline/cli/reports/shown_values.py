"""How `redline doctor` and `redline models` show settings.

People paste their output into reports of bugs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

import msgspec

from redline.keys_in_use import REDACTED, redact
from redline.models.keys import describe_source
from redline.prompts.secrets.search import find_secrets
from redline.settings.tree import KeySource

_WORD = re.compile(r"\S+")
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:/")
_MARK = re.compile(r"[?#]")
_NO_PORT = re.compile(
    r"([A-Za-z][\w+.-]*://(?:\[[^\]/?#]*\]|[^\[:/?#]*):)(?!\d+(?:[/?#]|$))[^/?#]+"
)
_QUERY = re.compile(r"(?<=\?)\S+")
_FRAGMENT = re.compile(r"(?<=#)\S+")

_COMMAND = "command.sh"
_PROSE = ""


def shown(value: object) -> object:
    """Hide what may be private: passwords in addresses, arguments of a key command.

    In commands, instructions and patterns it is what looks like a secret.
    """
    if isinstance(value, KeySource):
        return describe_source(value)
    if isinstance(value, str):
        return shown_text(value)
    return _without_secrets(msgspec.to_builtins(value))


def shown_text(text: str) -> str:
    """Hide keys, and of an address the user, the query, the fragment, what stands for
    its port, and what looks like a secret.
    """
    if "://" in text:
        text = _FRAGMENT.sub("…", text)
        for secret in _secrets(text, _PROSE):
            text = text.replace(secret, REDACTED)
    if _SCHEME.match(text):
        # A password may have a space, for which the address is refused.
        text = _without_user(text)
    else:
        text = _WORD.sub(lambda word: _without_user(word[0]), text)
    return redact(_QUERY.sub("…", text))


def _without_user(address: str) -> str:
    """Hide what is before the host. A password may have any character, as a slash."""
    mark = _MARK.search(address)
    end = mark.start() if mark else len(address)
    before, at, host = address[:end].rpartition("@")
    if at and ("//" in before or ":" in before):
        scheme, slashes, _ = before.partition("//")
        address = f"{scheme + slashes if slashes else ''}…@{host}{address[end:]}"
    port = _NO_PORT.match(address)
    return f"{port[1]}…{address[port.end() :]}" if port else address


def without_keys(value: object) -> object:
    """Remove what has the shape of a key from all texts of a value of builtin types.

    A key that was pasted in a wrong place may be a name, a label or part of a message.
    """
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact(key): without_keys(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_keys(one) for one in value]
    return value


def _without_secrets(value: object) -> object:
    if isinstance(value, str):
        return _hidden(value, _secrets(value, _PROSE))
    if isinstance(value, dict):
        return {key: _without_secrets(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        words = [one for one in value if isinstance(one, str)]
        secrets = _secrets(shlex.join(words), _COMMAND)
        return [
            _hidden(one, secrets) if isinstance(one, str) else _without_secrets(one)
            for one in value
        ]
    return value


def _secrets(text: str, path: str) -> Sequence[str]:
    return [text[start:end] for start, end in find_secrets(text, path)]


def _hidden(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return shown_text(text)
