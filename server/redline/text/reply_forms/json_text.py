"""Finds the texts for the range in a value of JSON, or in the call of a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.payload import KEYS
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.reply_forms.transport import from_base64

JSON_START = re.compile(r"[{\[]|([\"'])(?!\1\1)")
"""What a value of JSON may begin with; three quotation marks begin a docstring."""

_NAMED = re.compile(KEYS, re.IGNORECASE)
"""Keys of a JSON object under which the text is."""
_OTHER = re.compile(
    r"old|search|orig|find|before|path|file|name|lang|instruct|expla|reason|descr|note",
    re.IGNORECASE,
)
"""Keys under which it is not."""
_CALLED = re.compile(
    r"arguments|args|parameters|params|input|function|type|id|tool|call|action"
    r"|encoding|charset",
    re.IGNORECASE,
)
"""Keys of the call of a tool."""

_CALL = re.compile(
    r"(?:\[TOOL_CALLS\]|<function=[\w.-]{1,60}>)?\s{0,4}[\w.:-]{0,60}\(?\s{0,4}"
    r"(?=[{\[]\s{0,4}[\"{])"
)
"""The name of a tool in front of its arguments."""
_CALL_END = re.compile(r"\s{0,4}\)?;?\s{0,4}(?:</[\w=.-]{1,60}>\s{0,4}){0,3}")
_PYTHON = re.compile(
    r"(?P<string>\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}"
    r"|\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+')"
    r"|\b(?P<name>True|False|None)\b|(?P<comma>,)(?=\s{0,100}[\]}])",
    re.DOTALL,
)
"""What Python writes in another way than JSON does."""
_NAMES = {"True": "true", "False": "false", "None": "null"}
_ESCAPE = re.compile(
    r"\\(?:([\n\\'\"abfnrtv])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))", re.DOTALL
)
_ESCAPED = {
    **{"\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f"},
    **{"n": "\n", "r": "\r", "t": "\t", "v": "\v"},
}
_DATA = frozenset({"dockercompose", "json", "jsonc", "toml", "yaml"})
PATCH = re.compile(r"^(?:\*{3} Begin Patch|@@ -\d)", re.MULTILINE)
"""A line of a diff, which may stand in place of the text."""
JSON_DECODER = json.JSONDecoder(strict=False)
_MAX_N_CHARS = 200_000
_WORD = re.compile(r"(?:- )?[\w.-]+")


def texts_in_json(lines: Sequence[str], around: Surroundings) -> list[list[str]]:
    """Return the texts, or lists of lines, under the keys of a text in a JSON value.

    If no key is named as one of a text, those under other keys count that fit the
    range. If the range itself may be of JSON's form, only a named key counts.
    """
    text = "\n".join(lines).strip()
    own = "\n".join(around.target).strip()
    if len(text) > _MAX_N_CHARS:
        return []
    if not JSON_START.match(text) and _has_own_head(text, own):
        return []
    is_own_form = JSON_START.match(own) is not None
    value = None if is_own_form and around.language in _DATA else _value(text)
    if value is None or (is_own_form and not isinstance(value, dict)):
        return []
    alone = [_as_lines(value)] if JSON_START.match(text) else []
    pairs = list(_pairs(value))
    named = [_as_lines(one) for key, one in pairs if _NAMED.fullmatch(key)]
    if not any(named) and not is_own_form:
        rest = [_as_lines(one) for key, one in pairs if not _OTHER.search(key)]
        named = [one for one in rest if one and fits(one, around)]
    patches = [one for _, text in pairs for one in _patches(text)]
    return [one for one in (*alone, *(patches or named)) if one]


def _has_own_head(text: str, own: str) -> bool:
    """Whether what stands before a value is the range's, as `key: [1]` in YAML."""
    head, own_head = _WORD.match(text), _WORD.match(own)
    is_same = head is not None and own_head is not None and head[0] == own_head[0]
    return is_same or _value(own) is not None


def literals(text: str) -> Iterator[str]:
    """Yield the strings of a program that have a line end."""
    for found in _PYTHON.finditer(text):
        if found["string"] and "\\n" in found["string"]:
            yield _inside(found["string"])


def is_call_with_text(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a JSON value is only the call of a tool with a text, in any language.

    The file has no such key, and the text is code: it has a line end or quotes.
    """
    text = "\n".join(lines).strip()
    value = _value(text) if len(text) < _MAX_N_CHARS else None
    call = value[0] if isinstance(value, list) and value else value
    if not isinstance(call, dict) or not all(map(_is_of_call, call)):
        return False
    return any(
        isinstance(one, str) and ("\n" in one or '"' in one or from_base64(one) != "")
        for key, one in _pairs(call)
        if _NAMED.fullmatch(key) and not around.has(f'"{key}"')
    )


def _is_of_call(key: str) -> bool:
    signs = (_NAMED, _CALLED)
    return _OTHER.search(key) is not None or any(sign.fullmatch(key) for sign in signs)


def _value(text: str) -> object:
    """Read a value of JSON, or of Python, or the arguments of a call."""
    if JSON_START.match(text):
        for written in (text, _PYTHON.sub(_as_json, text)):
            try:
                return json.loads(written, strict=False)
            except (ValueError, RecursionError):
                continue
    call = _CALL.match(text)
    if call is None or not call[0].strip():
        return None
    try:
        value, end = JSON_DECODER.raw_decode(text, call.end())
    except (ValueError, RecursionError):
        return None
    return value if _CALL_END.fullmatch(text, end) else None


def _as_json(found: re.Match[str]) -> str:
    """Write a token of Python as JSON does; backslashes without a meaning stay."""
    if (string := found["string"]) is None:
        return _NAMES.get(found["name"], "")
    return json.dumps(_inside(string))


def _inside(string: str) -> str:
    width = 3 if string[:3] in ('"""', "'''") else 1
    return _ESCAPE.sub(_unescaped, string[width:-width])


def _unescaped(found: re.Match[str]) -> str:
    code = found[2] or found[3]
    return chr(int(code, 16)) if code else _ESCAPED[found[1]]


def _pairs(value: object) -> Iterator[tuple[str, object]]:
    """Yield each key with its value, also those of objects that are written in text."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            for key, inner in one.items():
                yield str(key), inner
                is_object = isinstance(inner, str) and inner.lstrip()[:1] == "{"
                waiting.append(_value(inner.strip()) if is_object else inner)
        elif isinstance(one, list):
            waiting += one


def _patches(value: object) -> Iterator[list[str]]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and PATCH.search(one):
            yield one.strip("\n").split("\n")


def _as_lines(value: object) -> list[str]:
    if isinstance(value, str):
        text = from_base64(value.strip()) or value
        return [line.removesuffix("\r") for line in text.split("\n")]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return []
    return [line.removesuffix("\n").removesuffix("\r") for line in value]
