r"""Reads the fields of a malformed JSON object.

Models forget to escape quotes and line feeds, use escapes that do not exist (`\d`), add
or omit commas, write Python dicts, or are cut off. Fields are found by their names, and
a value extends to the next field, whatever it contains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Fields: TypeAlias = dict[str, object]
"""Values by known field name: texts, numbers, lists, None."""

_FIELD = re.compile(r"""(?<!\\)(?P<q>["'])(?P<name>[A-Za-z_][\w -]{0,40})(?P=q)\s*:""")
_BEFORE_A_FIELD = re.compile(r"""(?:["'\]]\s{0,99},|,[ \t]{0,99}\n)\s{0,99}\Z""")
"""An unknown field counts only after a value; after a brace or a number it is more
likely code inside a value."""

_MAX_BEFORE_CHARS = 220

_ESCAPE = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<letter>.))", re.DOTALL)
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "/": "/",
    "\\": "\\",
    '"': '"',
    "'": "'",
    "\n": "\n",
}
_NEXT_NAME = re.compile(r"""(?<!\\)(?P<end>["'])\s*,\s*["'][\w -]{0,41}["']?\s*\Z""")
"""The end of a text that was cut in the middle of a field name, after a value."""

_QUOTES = ('"""', "'''", '"', "'", "`")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NULLS = ("null", "None", "undefined", "nil")


def strict_fields(text: str, names: Mapping[str, str]) -> Fields | None:
    """Parse an object that is valid JSON, except for line feeds in strings.

    Args:
        text: From the opening brace to the closing one.
        names: Known field names by the names that models may write.

    Returns:
        None if it is not a JSON object.
    """
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return _known(value, names) if isinstance(value, dict) else None


def loose_fields(text: str, names: Mapping[str, str]) -> Fields:
    """Read the complete fields of a malformed object.

    Args:
        text: From the opening brace to the closing one, or to where it was cut.
        names: As in `strict_fields`.
    """
    fields: Fields = {}
    seen: set[str] = set()
    for name, written in _written(text, names):
        # A repeated field belongs to another object, as do all fields after it.
        if name in seen:
            break
        seen.add(name)
        is_whole, value = _value(written)
        if is_whole:
            fields[name] = value
    return fields


def is_closed(text: str, names: Mapping[str, str]) -> bool:
    """Whether the last field of an object that ends with a brace is complete."""
    written = list(_written(text, names))
    return bool(written) and _value(written[-1][1])[0]


def text_of(value: object) -> str:
    """Turn a value into a text with LF line ends; a list holds its lines.

    A lone surrogate, which JSON can express but UTF-8 cannot encode, is replaced.
    """
    if isinstance(value, list):
        return "\n".join(text_of(one).removesuffix("\n") for one in value)
    if not isinstance(value, str):
        return ""
    text = value.replace("\r\n", "\n")
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _known(value: Mapping[object, object], names: Mapping[str, str]) -> Fields:
    """Rename fields; fields of nested objects, such as a location, are merged in."""
    fields: Fields = {}
    for key, one in value.items():
        name = names.get(str(key).lower())
        if name is not None and not isinstance(one, dict):
            fields.setdefault(name, one)
    for one in value.values():
        if isinstance(one, dict):
            fields = _known(one, names) | fields
    return fields


def _written(text: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield known fields with the text of their values."""
    found = [one for one in _FIELD.finditer(text) if _is_field(text, one, names)]
    if not found:
        return
    text = text[:-1] if text.endswith("}") else _NEXT_NAME.sub(r"\g<end>", text)
    ends = [*(one.start() for one in found[1:]), len(text)]
    for field, end in zip(found, ends, strict=True):
        name = names.get(field["name"].lower())
        if name is not None:
            yield name, text[field.end() : end].strip().rstrip(",").rstrip()


def _is_field(text: str, found: re.Match[str], names: Mapping[str, str]) -> bool:
    if found["name"].lower() in names:
        return True
    at = found.start()
    before = text[max(at - _MAX_BEFORE_CHARS, 0) : at]
    return _BEFORE_A_FIELD.search(before) is not None


def _value(written: str) -> tuple[bool, object]:
    """Parse a value; return whether it is complete, and the value."""
    for quote in _QUOTES:
        if written.startswith(quote):
            return _text(written, quote)
    if written in _NULLS:
        return True, None
    try:
        return True, json.loads(written, strict=False)
    except (ValueError, RecursionError):
        return False, None


def _text(written: str, quote: str) -> tuple[bool, object]:
    content = written[len(quote) :]
    if not content.endswith(quote):
        return False, None
    content = content[: -len(quote)]
    n_escapes = len(content) - len(content.rstrip("\\"))
    return n_escapes % 2 == 0, _ESCAPE.sub(_unescaped, content)


def _unescaped(found: re.Match[str]) -> str:
    if found["code"]:
        return chr(int(found["code"], 16))
    # An escape that JSON does not have is code whose backslash was not escaped.
    return _ESCAPES.get(found["letter"], found[0])
