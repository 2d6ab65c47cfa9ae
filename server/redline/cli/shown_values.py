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
from redline.prompts.secret_search import find_secrets
from redline.settings.tree import KeySource

_CREDENTIALS = re.compile(r"(?:(?<=//)[^/?#\s]*|^[^/?#\s:@]*:[^/?#\s]*)@")
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
    """Hide the user, the query and the fragment of an address, and keys."""
    if "://" in text:
        text = _FRAGMENT.sub("…", text)
    return redact(_QUERY.sub("…", _CREDENTIALS.sub("…@", text)))


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
